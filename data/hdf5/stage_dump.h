// SPDX-License-Identifier: Apache-2.0
// The matrix after each stage, for those who want to look into the chain.
#pragma once

#include <functional>
#include <string>

#include "kernels/device/device.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// An observer that writes every stage as FOLDER/NN_STAGE.h5: one dataset named as the stage, complex64 {r, i}, with
/// the attributes `rows` and `columns` that say what its axes are. The folder is made if need be. Throws InputError if
/// it cannot be. `check_is_free` throws for files that must not be replaced. The device must outlive the observer.
StageObserver stage_dump(const std::string& folder, Device& device,
                         std::function<void(const std::string& path)> check_is_free = {});

}  // namespace cornerturn
