// SPDX-License-Identifier: Apache-2.0
// What has become of a scene of a batch: a small JSON file beside its image, replaced as a whole.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/resume.h"
#include "data/files/sha256.h"

namespace cornerturn {

enum class SceneState { pending, running, done, failed, interrupted };
std::string_view name_of(SceneState state);

struct SceneStatus {
    std::string scene;
    SceneState state = SceneState::pending;
    StoredFile input;
    std::string input_modified;  ///< seconds since 1970, to the nanosecond
    RunFacts parameters;
    std::string parameters_sha256;
    std::string device, host;  ///< that works, or has worked, on it
    int process = 0;
    std::string started_at, finished_at;  ///< UTC
    double wall_s = 0;
    std::optional<int> exit_code;  ///< of focus, had it done this scene
    std::string error;
    std::vector<StoredFile> products;  ///< as seen from the folder of the images, which may be moved
};

/// Path and bytes of a raw file, and when it was changed. Throws InputError.
void take_input(const std::string& path, SceneStatus& status);

/// "DIR/NAME.status.json"
std::string status_path(const std::string& folder, const std::string& scene);
nlohmann::json status_json(const SceneStatus& status);
/// None where there is none that can be read.
std::optional<SceneStatus> read_status(const std::string& path);
/// Throws InputError or DeviceError as replace_file does.
void write_status(const std::string& path, const SceneStatus& status);

}  // namespace cornerturn
