// SPDX-License-Identifier: Apache-2.0
// What an algorithm makes of a scene: the blocks that its range histories hold for and memory allows, what they leave
// of the track, and what they cost.
#pragma once

#include "pipeline/plan/former_choice.h"

namespace cornerturn {

/// Of an image as all of its rows see it (with_history_of_rows). Throws InputError where the algorithm does not hold
/// for the scene and `image` does not force it (FormerParameters::force), or the memory does not suffice.
PlannedFormer plan_former(Device& device, const Acquisition& acquisition, const ImagePlan& image,
                          const ViewingGeometry& geometry, const Former& former, const LoweringHints& hints,
                          const MemoryWish& wish);

/// What it takes once the device has looked at the pixels that exact sums are of.
double seconds_looked_at(Device& device, const PlannedFormer& planned);

}  // namespace cornerturn
