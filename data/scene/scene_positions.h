// SPDX-License-Identifier: Apache-2.0
// `positions` of a scene file: a track that a navigation file tells.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/yaml/mapping.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

/// As it stands in the scene file.
struct ScenePositions {
    std::string where;                                 ///< file and key, for complaints
    std::filesystem::path file;                        ///< relative to the scene file's folder, if not absolute
    std::optional<std::array<double, 3>> origin = {};  ///< of a local frame: degrees, degrees, m above the ellipsoid
    double time_offset_s = 0;                          ///< is added to the file's times
};

/// Whether `orbit` or `flight`, whose node this is, names such a file.
bool has_positions(const YAML::Node& track);
/// `key`: orbit or flight.
ScenePositions read_positions(const yaml::Mapping& scene, const std::string& key);

/// Which times of a scene its file tells; what it does not, follows from the positions.
struct GivenTimes {
    bool epoch = false, first_pulse = false;
};

/// Sets the scene's orbit; its epoch, unless given, to the midnight before the first position, if the file's times are
/// absolute; and the time of its first pulse, unless given, so that the record lies in the middle of the file. What a
/// user should hear is added to `remarks`. Throws InputError naming file, what was found and what was expected.
void fly_along(const ScenePositions& positions, const GivenTimes& given, Scene& scene,
               std::vector<std::string>& remarks);

}  // namespace cornerturn
