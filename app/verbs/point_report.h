// SPDX-License-Identifier: Apache-2.0
// Point-target measurements as a table for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pipeline/acquisition/image.h"
#include "pipeline/measure/point_analysis.h"

namespace cornerturn {

/// Two lines per target, range and azimuth: measured, theory and difference. A target that was refused has one line
/// saying why.
std::string point_table(const Image& image, const std::vector<PointAnalysis>& points);

nlohmann::json point_json(const PointAnalysis& point);
/// Windows, bandwidths and all targets.
nlohmann::json points_json(const Image& image, const std::vector<PointAnalysis>& points);

}  // namespace cornerturn
