// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/map_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cornerturn {
namespace {

constexpr int sights = 65;  // along an aperture

}  // namespace

std::vector<Vec3> antenna_over_pulses_m(const PhaseHistory& pulses) {
    std::vector<Vec3> antenna_m;
    for (std::size_t look = 0; look < sights; ++look)
        antenna_m.push_back(pulses.antenna_m[(pulses.antenna_m.size() - 1) * look / (sights - 1)]);
    return antenna_m;
}

std::vector<Vec3> antenna_over_pulses_m(const Acquisition& acquisition) {
    if (acquisition.phase_history) return antenna_over_pulses_m(*acquisition.phase_history);
    std::vector<Vec3> antenna_m;
    for (int look = 0; look < sights; ++look) {
        const std::int64_t line = (acquisition.lines - 1) * look / (sights - 1);
        antenna_m.push_back(
            interpolate(*acquisition.local_track, acquisition.pulse_time_s(static_cast<double>(line))).position_m);
    }
    return antenna_m;
}

std::vector<Vec3> antenna_over_aperture_m(const Acquisition& acquisition, const ImagePlan& image, const Place& place) {
    const ImageGrid& grid = image.map->seen;
    const ClosestPass pass =
        image.geometry->track().closest_pass(place, grid.time_s(0.5 * static_cast<double>(grid.rows - 1)));
    const BeamCentre beam = image.geometry->beam_centre(pass.time_s, pass.range_m);
    const double aperture_s = image.parameters.azimuth_bandwidth_hz / beam.rate_hz_s;
    std::vector<Vec3> antenna_m;
    for (int look = 0; look < sights; ++look)
        antenna_m.push_back(
            interpolate(*acquisition.orbit,
                        pass.time_s + beam.time_s + aperture_s * (static_cast<double>(look) / (sights - 1) - 0.5))
                .position_m);
    return antenna_m;
}

MapBandwidth map_bandwidth(const Acquisition& acquisition, const MapGround& ground, const MapPoint& at, double step,
                           const std::vector<Vec3>& antenna_m) {
    const auto place_m = [&](double x, double y) { return vector_of(ground.at({at.x + x, at.y + y}).place); };
    const Vec3 along_x = 0.5 / step * (place_m(step, 0) - place_m(-step, 0)),
               along_y = 0.5 / step * (place_m(0, step) - place_m(0, -step)), at_m = place_m(0, 0);
    double least_x = INFINITY, most_x = -INFINITY, least_y = INFINITY, most_y = -INFINITY;
    for (const Vec3& antenna : antenna_m) {
        const Vec3 sight = unit(at_m - antenna);
        for (const double edge : {-0.5, 0.5}) {
            const double per_m = 2 / c_m_s * (acquisition.carrier_hz + edge * acquisition.chirp.bandwidth_hz());
            const double x = per_m * dot(sight, along_x), y = per_m * dot(sight, along_y);
            least_x = std::min(least_x, x), most_x = std::max(most_x, x);
            least_y = std::min(least_y, y), most_y = std::max(most_y, y);
        }
    }
    return {most_x - least_x, most_y - least_y};
}

MapBandwidth map_bandwidth(const Acquisition& acquisition, const ImagePlan& image) {
    const MapView& map = *image.map;
    const MapPoint middle = map.middle;
    const auto antenna_m = map.pulses       ? antenna_over_pulses_m(*map.pulses)
                           : map.free_track ? antenna_over_pulses_m(acquisition)
                                            : antenna_over_aperture_m(acquisition, image, map.ground->at(middle).place);
    const double step = std::min(std::abs(map.grid.x_step), std::abs(map.grid.y_step));
    return map_bandwidth(acquisition, *map.ground, middle, step, antenna_m);
}

double widest_points_px(const Acquisition& acquisition, const ImagePlan& image) {
    const MapBandwidth bandwidth = map_bandwidth(acquisition, image);
    return 0.886 /
           std::min(std::abs(image.map->grid.x_step) * bandwidth.x, std::abs(image.map->grid.y_step) * bandwidth.y);
}

std::string folded_spectrum_text(const MapGrid& grid, const MapBandwidth& bandwidth) {
    constexpr double rounding = 1.01;
    const double of_x = std::abs(grid.x_step) * bandwidth.x, of_y = std::abs(grid.y_step) * bandwidth.y;
    if (!(std::max(of_x, of_y) > rounding)) return "";
    const PixelSize pixel = pixel_size(grid);
    const double finest_m = std::min(pixel.across_m / std::max(1.0, of_x), pixel.down_m / std::max(1.0, of_y));
    return fmt::format(
        "map {}: pixels of {:.3g} x {:.3g} m (x, y) are wider than the {:.3g} x {:.3g} m that the echo resolves, so "
        "that its spectrum folds: points are right only at pixels, and what interpolates, filters or averages the "
        "image gets it wrong; --spacing {:.2g} holds all of it, of which multilook makes coarser pictures",
        grid.projection.name(), pixel.across_m, pixel.down_m, pixel.across_m / of_x, pixel.down_m / of_y, finest_m);
}

}  // namespace cornerturn
