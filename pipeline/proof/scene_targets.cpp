// SPDX-License-Identifier: Apache-2.0
// Where the targets of a scene lie, and what the echo holds of them.
#include <fmt/format.h>

#include <cmath>

#include "kernels/errors.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/spotlight_scene.h"

namespace cornerturn {
namespace {

constexpr double grid_margin_pixels = 80;  // room for a chip of 64 pixels each way around every target
constexpr double grid_minimum_pixels = 120;

/// Fraction of a pixel of grid target k: irregular, never near a pixel centre's symmetry.
double grid_fraction(int k) {
    const double value = 0.618033988749895 * (k + 1);
    return value - std::floor(value);
}

std::vector<SceneTarget> grid_targets(const Scene& scene) {
    const SceneGeometry geometry(scene);
    const BeamCentrePosition farthest{0.5 * static_cast<double>(scene.lines - 1), static_cast<double>(scene.samples)};
    const Footprint reach = geometry.footprint(geometry.place_in_beam(farthest, scene.height_m));
    const double centre_edge = static_cast<double>(scene.samples);
    const double chirp_samples = scene.chirp_duration_s * scene.sample_rate_hz;
    const double first_line = grid_margin_pixels + (farthest.line - reach.lines.first);
    const double last_line =
        static_cast<double>(scene.lines - 1) - (reach.lines.last - farthest.line) - grid_margin_pixels;
    const double first_sample = grid_margin_pixels + (centre_edge - reach.first_edge);
    const double last_sample = centre_edge - chirp_samples - (reach.last_edge - centre_edge) - grid_margin_pixels;
    const auto check = [](std::string_view key, std::int64_t size, double room) {
        if (room < grid_minimum_pixels)
            throw InputError(fmt::format(
                "scene: {} is {}, but nine targets seen whole need at least {:.0f}; raise {} or list your own targets",
                key, size, std::ceil(static_cast<double>(size) + grid_minimum_pixels - room), key));
    };
    check("lines", scene.lines, last_line - first_line);
    check("samples", scene.samples, last_sample - first_sample);

    std::vector<SceneTarget> targets;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            // A slightly turned grid: the sidelobes of one target run past the others.
            const int k = 3 * i + j;
            const double line =
                std::floor(first_line + (last_line - first_line) * (0.45 * i + 0.05 * j)) + grid_fraction(k);
            const double sample =
                std::floor(first_sample + (last_sample - first_sample) * (0.45 * j + 0.05 * i)) + grid_fraction(k + 20);
            targets.push_back({BeamCentrePosition{line, sample}, 1.0 - 0.05 * ((4 * k) % 9), -160.0 + 37.0 * k});
        }
    }
    return targets;
}

/// On the plane of its scene, turned a little, as those of grid_targets: within four fifths of what is seen whole.
std::vector<SceneTarget> spotlight_targets(const Scene& scene) {
    const SceneGeometry geometry(scene);
    const SpotlightScene ground(scene, geometry);
    const SceneArea& area = ground.area();
    std::vector<SceneTarget> targets;
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j) {
            const int k = 3 * i + j + 4;
            const Geodetic place = to_geodetic(
                area.plane.at(0.72 * area.greatest_x_m * (j + 0.1 * i), 0.72 * area.greatest_y_m * (i + 0.1 * j)));
            targets.push_back({GroundPosition{place.latitude_deg, place.longitude_deg}, 1.0 - 0.05 * ((4 * k) % 9),
                               -160.0 + 37.0 * k, place.height_m});
        }
    return targets;
}

}  // namespace

std::vector<SceneTarget> scene_targets(const Scene& scene) {
    if (scene.targets) return *scene.targets;
    return scene.spotlight() ? spotlight_targets(scene) : grid_targets(scene);
}

PointTarget locate(const Scene& scene, const SceneTarget& target) { return SceneGeometry(scene).locate(target).truth; }

std::vector<std::string> coverage_warnings(const Scene& scene) {
    std::vector<std::string> warnings;
    const std::vector<SceneTarget> targets = scene_targets(scene);
    const SceneGeometry geometry(scene);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const Footprint seen = geometry.footprint(geometry.locate(targets[i]).place_m);
        const double end = seen.last_edge + scene.chirp_duration_s * scene.sample_rate_hz;
        if (seen.lines.first >= 0 && seen.lines.last <= static_cast<double>(scene.lines - 1) && seen.first_edge >= 0 &&
            end <= static_cast<double>(scene.samples))
            continue;
        warnings.push_back(
            fmt::format("target {}: its echo fills lines {:.1f} to {:.1f} and samples {:.1f} to {:.1f}, a part of that "
                        "lies outside {} x {}",
                        i, seen.lines.first, seen.lines.last, seen.first_edge, end, scene.lines, scene.samples));
    }
    return warnings;
}

}  // namespace cornerturn
