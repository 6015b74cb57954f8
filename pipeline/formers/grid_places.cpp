// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/grid_places.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "kernels/host/line_loop.h"

namespace cornerturn {

GridPlaces::GridPlaces(const MapView& map, const Track& track) {
    constexpr double straight_between_m = 500;
    const PixelSize pixel = pixel_size(map.grid);
    const auto step = [&](double size_m) {
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(straight_between_m / size_m), 1, 256);
    };
    down_ = step(pixel.down_m), across_ = step(pixel.across_m);
    nodes_across_ = (map.grid.columns + across_ - 1) / across_ + 1;
    const std::int64_t nodes_down = (map.grid.rows + down_ - 1) / down_ + 1;
    nodes_.resize(static_cast<std::size_t>(nodes_down * nodes_across_));
    const double middle_s = map.seen.time_s(0.5 * static_cast<double>(map.seen.rows));
    // A place may lie nowhere on the map, which is refused.
    for_each_line(
        nodes_down, omp_get_max_threads(),
        [&](std::int64_t i) {
            for (std::int64_t k = 0; k < nodes_across_; ++k) {
                const MapPoint point{map.grid.x(static_cast<double>(k * across_)),
                                     map.grid.y(static_cast<double>(i * down_))};
                const ClosestPass pass = track.closest_pass(map.ground->at(point).place, middle_s);
                nodes_[static_cast<std::size_t>(i * nodes_across_ + k)] = {
                    (pass.time_s - map.seen.first_time_s) / map.seen.time_spacing_s,
                    (pass.range_m - map.seen.near_range_m) / map.seen.range_spacing_m};
            }
        },
        1);
}

GridPlace GridPlaces::operator()(std::int64_t row, std::int64_t column) const {
    const GridPlace* node = nodes_.data() + row / down_ * nodes_across_ + column / across_;
    const double v = static_cast<double>(row % down_) / static_cast<double>(down_),
                 u = static_cast<double>(column % across_) / static_cast<double>(across_);
    const auto of = [&](double GridPlace::*index) {
        return std::lerp(std::lerp(node[0].*index, node[1].*index, u),
                         std::lerp(node[nodes_across_].*index, node[nodes_across_ + 1].*index, u), v);
    };
    return {of(&GridPlace::row), of(&GridPlace::column)};
}

}  // namespace cornerturn
