// SPDX-License-Identifier: Apache-2.0
// Phase gradient autofocus of a strip map (Wahl, Eichel, Ghiglia and Jakowatz, IEEE Trans. AES 30, 1994; for strips
// Wahl, Jakowatz, Thompson and Ghiglia, 6th IEEE DSP Workshop, 1994; with targets weighted by their quality Chan and
// Yeo, IEEE Trans. GRS 36, 1998).
#pragma once

#include "pipeline/autofocus/strip.h"

namespace cornerturn {

/// Round by round: bright points of the image corrected so far are cut out with a window about each, taken back to
/// their own apertures and deramped by the echo of a point there. What is left of phase is the error on the lines of
/// that aperture, but for a constant and a slope, and what other things in the window add. Phases of all targets make
/// one phase of the strip (strip_equations.h), weighted by how little each of them scatters about it; finer than a 64th
/// of an aperture as their mean. The window shrinks from 128 resolution cells to 32, while the points become sharper,
/// and then grows again as far as they stand out well enough to tell what changes faster: the window is the bandwidth
/// of what can be found.
PhaseEstimate phase_gradient(const Strip& strip, int threads);

}  // namespace cornerturn
