// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/footprint_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/measure/map_targets.h"

namespace cornerturn {
namespace {

constexpr int points_per_edge = 11;
constexpr std::size_t most_marks = 100;  // a reader tells apart

std::vector<Geographic> outline_of(const Image& image) {
    const double height_m = image.processing.scene_height_m;
    if (image.map) return outline(*image.map, image.map->projection.is_plane() ? 0 : height_m, points_per_edge);
    const Acquisition& acquisition = image.acquisition;
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return {};
    return outline(*acquisition.orbit, acquisition.identification.look_side, image.grid, height_m, points_per_edge);
}

/// Of the antenna amid the image, or amid its pulses.
std::optional<StateVector> antenna_of(const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    if (acquisition.phase_history) return acquisition.phase_history->middle();
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    const double time_s = image.map ? acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1))
                                    : image.grid.time_s(0.5 * static_cast<double>(image.grid.rows - 1));
    return interpolate(*acquisition.orbit, time_s);
}

}  // namespace

FootprintChart footprint_of(const Image& image) {
    FootprintChart chart{.title = "Footprint", .subtitle = "", .outline = outline_of(image), .marks = {}, .view = {}};
    if (chart.outline.empty()) return chart;
    if (const auto antenna = antenna_of(image))
        chart.view = {heading_deg(*antenna), image.acquisition.identification.look_side};
    const std::vector<Geographic> targets = places_of_targets(image.acquisition);
    for (std::size_t i = 0; i < std::min(targets.size(), most_marks); ++i)
        chart.marks.push_back({std::to_string(i + 1), targets[i]});
    chart.subtitle = fmt::format("at {:.6g} m above the ellipsoid; longitude to the right, north upwards",
                                 image.map && image.map->projection.is_plane() ? chart.outline.front().height_m
                                                                               : image.processing.scene_height_m);
    return chart;
}

}  // namespace cornerturn
