// SPDX-License-Identifier: Apache-2.0
// How two images agree: as text for people, as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pipeline/acquisition/track/same_track.h"
#include "pipeline/measure/image_comparison.h"

namespace cornerturn {

std::string comparison_text(const ImageComparison& comparison);
nlohmann::ordered_json comparison_json(const ImageComparison& comparison);
/// Of images that somebody gave, whose tracks and maps were not known before.
nlohmann::ordered_json comparison_json(const ImageComparison& comparison, const std::optional<TrackMatch>& tracks);

}  // namespace cornerturn
