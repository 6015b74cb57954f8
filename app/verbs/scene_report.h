// SPDX-License-Identifier: Apache-2.0
// Measurements of extended scenes, and of the ambiguities of points: as text for people, as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/measure/scene_statistics.h"

namespace cornerturn {

std::string scene_text(const SceneStatistics& statistics);
nlohmann::json scene_json(const SceneStatistics& statistics);

/// One line for each target that has any in the image, the targets numbered as in point_table; nothing where none has.
std::string ambiguity_text(const std::vector<std::vector<AmbiguityEcho>>& of_targets);
nlohmann::json ambiguities_json(const std::vector<AmbiguityEcho>& ambiguities);

}  // namespace cornerturn
