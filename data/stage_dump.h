// SPDX-License-Identifier: Apache-2.0
// The matrix after each stage, for those who want to look into the chain.
#pragma once

#include <string>

#include "kernels/device.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {

/// An observer that writes every stage as FOLDER/NN_STAGE.h5: one dataset named as the stage, complex64 {r, i}, with
/// the attributes `rows` and `columns` that say what its axes are. The folder is made if need be. Throws InputError if
/// it cannot be. The device must outlive the observer.
StageObserver stage_dump(const std::string& folder, Device& device);

}  // namespace cornerturn
