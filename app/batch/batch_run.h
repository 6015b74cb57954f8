// SPDX-License-Identifier: Apache-2.0
// Many scenes through one process: some threads read ahead, some for each device form images, what was written is
// summed up beside the next scene.
#pragma once

#include <string>
#include <vector>

#include "app/batch/scene_jobs.h"
#include "app/batch/scene_status.h"

namespace cornerturn {

struct BatchOptions {
    std::string folder;                ///< that is there, for images and status files
    std::vector<std::string> devices;  ///< each takes the next scene that is ready
    int threads = 0;                   ///< of a CPU
    int at_once = 0;                   ///< scenes that each device has in hand; 0: by what it is and has room for
    bool resume = false;               ///< pass over scenes that are done, of the same input and parameters
};

struct SceneOutcome {
    SceneStatus status;
    bool done_before = false, elsewhere = false;  ///< passed over: nothing was to do; another run has it
};

struct BatchResult {
    std::vector<SceneOutcome> scenes;
    double wall_s = 0;
    /// 0: all done, here or elsewhere; 1: some failed; 3: some are left because no device worked on; 130, 143:
    /// interrupted.
    int exit_code = 0;
};

/// Of an exit code: 128 and a signal.
constexpr bool is_interrupted(int code) { return code > 128; }

/// Throws InputError for devices that there cannot be, DeviceError where none can be opened.
BatchResult run_batch(const std::vector<SceneJob>& scenes, const BatchOptions& options);

}  // namespace cornerturn
