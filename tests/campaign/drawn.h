// SPDX-License-Identifier: Apache-2.0
// Acquisitions drawn over all that the program claims to hold for. Each follows from a seed and its number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pipeline/acquisition/ground/terrain.h"
#include "pipeline/proof/scene.h"

namespace cornerturn::campaign {

/// Which acquisitions are drawn: any, or aircraft alone that sway, are moved by gusts and change their speed, each with
/// an antenna fixed to the even flight.
enum class Kind { any, flights };

/// Who tells the Doppler centroid.
enum class Centroid { file, attitude, one_number, data };

/// A target by its place in the part of the record in which targets are seen whole: 0 to 1 each way.
struct Place {
    double azimuth = 0.5, range = 0.5;
    double amplitude = 1, phase_deg = 0;
};

/// An acquisition by what it is made of. Its size follows: as many lines and samples as show all targets whole.
struct Drawn {
    Scene scene;                   ///< without lines, samples, targets, clutter
    std::optional<Flight> flight;  ///< in place of scene.orbit
    Centroid centroid = Centroid::file;
    double strip_lines = 0;    ///< over which targets are spread
    double swath_samples = 0;  ///< likewise
    std::vector<Place> places;
    std::int64_t scatterers = 0;  ///< of clutter, behind the targets
    double clutter_db = 0;        ///< of one
    double hill_m = 0;            ///< highest of the ground over scene.height_m; 0: no elevation model
};

Drawn draw(std::uint64_t seed, std::uint64_t number, Kind kind = Kind::any);

/// Throws InputError where there is no such acquisition.
Scene scene_of(const Drawn& drawn);

/// In one line.
std::string summary_of(const Drawn& drawn);

/// What is to be told about a scene beyond its file.
std::string remarks_of(const Drawn& drawn);

/// Heights of its ground, nullptr where they are all the same.
std::shared_ptr<TerrainSource> terrain_of(const Drawn& drawn);

std::string_view name_of(Centroid centroid);

}  // namespace cornerturn::campaign
