// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/image_radiometry.h"

#include <cmath>
#include <limits>
#include <memory>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_ground.h"

namespace cornerturn {
namespace {

/// When a place is abreast of the antenna: by Newton from the middle of the track on.
double abreast_s(const Orbit& orbit, const Vec3& place_m) {
    constexpr int rounds = 8;
    constexpr double step_s = 1e-3;
    const auto along_m2_s = [&](double at) {
        const StateVector antenna = interpolate(orbit, at);
        return dot(antenna.position_m - place_m, antenna.velocity_m_s);
    };
    double at = 0.5 * (orbit.time_s.front() + orbit.time_s.back());
    for (int round = 0; round < rounds; ++round)
        at -= along_m2_s(at) * 2 * step_s / (along_m2_s(at + step_s) - along_m2_s(at - step_s));
    return at;
}

std::function<double(double, double)> sine_on_map(const Image& image) {
    const Orbit& orbit = *image.acquisition.orbit;
    const auto ground = std::make_shared<MapGround>(image.map->projection, image.processing.scene_height_m);
    const double middle_s = 0.5 * (orbit.time_s.front() + orbit.time_s.back());
    return [&image, &orbit, ground, middle_s](double row, double column) {
        const Vec3 place_m = vector_of(ground->at(image.map->at(row, column)).place);
        const double seen_s = image.processing.sums_all_pulses() ? middle_s : abreast_s(orbit, place_m);
        return std::sin(incidence_angle_rad(interpolate(orbit, seen_s).position_m, place_m));
    };
}

std::function<double(double, double)> sine_on_radar_grid(const Image& image) {
    return [&image](double row, double column) {
        const auto view =
            ground_view(interpolate(*image.acquisition.orbit, image.grid.time_s(row)), image.grid.range_m(column),
                        image.acquisition.identification.look_side, image.processing.scene_height_m);
        return view ? std::sin(view->incidence_deg * degree) : std::numeric_limits<double>::quiet_NaN();
    };
}

}  // namespace

PowerFactor power_factor(const ImageGrid& grid, const std::function<double(double, double)>& factor) {
    constexpr std::int64_t down = 17, across = 129;
    PowerFactor nodes{.rows = grid.rows, .columns = grid.columns, .node_rows = down, .node_columns = across};
    const auto pixel = [](std::int64_t node, std::int64_t count, std::int64_t pixels) {
        return static_cast<double>(pixels - 1) * static_cast<double>(node) / static_cast<double>(count - 1);
    };
    for (std::int64_t i = 0; i < down; ++i)
        for (std::int64_t k = 0; k < across; ++k)
            nodes.at_nodes.push_back(factor(pixel(i, down, grid.rows), pixel(k, across, grid.columns)));
    return nodes;
}

Radiometry radiometry_of(const Image& image) {
    if (image.radiometry) return *image.radiometry;
    const auto& orbit = image.acquisition.orbit;
    if (!orbit || orbit->time_s.size() < 2 || (image.map && image.map->projection.is_local()))
        throw InputError(
            "sigma0: the incidence angle follows from an orbit, and the image has none; use amplitude or db");
    const auto sine = image.map ? sine_on_map(image) : sine_on_radar_grid(image);
    return {.beta0 = power_factor(image.grid, [](double, double) { return 1.0; }),
            .sigma0 = power_factor(image.grid, sine)};
}

}  // namespace cornerturn
