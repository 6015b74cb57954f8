// SPDX-License-Identifier: Apache-2.0
// Minimum entropy autofocus: the phase over slow time under which the image's brightness is least evenly spread (Xi,
// Liu and Ni, IEEE Trans. AES 35, 1999; gradients as Kragh, ASAP 2006, has them).
#pragma once

#include "pipeline/autofocus/strip.h"

namespace cornerturn {

/// No points are looked for: what has any contrast tells. The entropy is that of the brightness smoothed along azimuth,
/// over ten resolution cells at first, so that its valley is wide enough to be found from far, over two at last, where
/// it is still blind to where between pixels a point lies; the phase has a knot for every 16th of an aperture at first,
/// for every 64th at last. It is less sure than phase gradients of what bends over many apertures only, which moves but
/// does not blur. Descent by L-BFGS (Nocedal and Wright, ch. 7.2), which begins with the matrix of strip_equations.h in
/// place of the second derivatives, as a phase that is straight along an aperture changes nothing there.
PhaseEstimate minimum_entropy(const Strip& strip, int threads);

}  // namespace cornerturn
