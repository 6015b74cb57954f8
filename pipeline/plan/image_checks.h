// SPDX-License-Identifier: Apache-2.0
// Checks that a planned image will be as specified, whichever algorithm makes it. A failed check refuses the image,
// or warns where it is forced.
#pragma once

#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

/// Throws InputError for what does not hold. Where uneven pulses leave the ends of a beam uncertain and nobody asked
/// for a band, the image is planned anew with less of the beam.
void check_image(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup);

}  // namespace cornerturn
