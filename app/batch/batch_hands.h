// SPDX-License-Identifier: Apache-2.0
// How many scenes of a batch a device has in hand.
#pragma once

#include <vector>

#include "app/batch/scene_jobs.h"
#include "kernels/device/device.h"

namespace cornerturn {

/// Scenes at once, and threads of the processor for each.
struct BatchHands {
    int scenes = 1, threads = 0;
};

/// `at_once`: what was asked for; 0: as many as hide what each waits for, as cores and memory allow. `threads`: all
/// that the batch may have.
BatchHands batch_hands(const std::vector<SceneJob>& scenes, const DeviceInfo& device, int at_once, int threads);

}  // namespace cornerturn
