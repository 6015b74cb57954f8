// SPDX-License-Identifier: Apache-2.0
// Plan of one algorithm for a scene: the blocks that its range histories hold for and that memory allows, their
// predicted error, and their cost.
#pragma once

#include "pipeline/plan/former_choice.h"

namespace cornerturn {

/// Of an image as all of its rows see it (with_history_of_rows). Throws InputError where the algorithm does not hold
/// for the scene and `image` does not force it (FormerParameters::force), or the memory does not suffice.
PlannedFormer plan_former(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                          const LoweringHints& hints, const MemoryWish& wish);

/// Its cost after the device has inspected the pixels of exact sums.
double seconds_looked_at(Device& device, const PlannedFormer& planned);

}  // namespace cornerturn
