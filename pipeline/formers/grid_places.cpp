// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/grid_places.h"

#include <omp.h>

#include "kernels/host/line_loop.h"

namespace cornerturn {

GridPlaces::GridPlaces(const MapView& map, const Track& track) : nodes_(map.grid) {
    const double middle_s = map.seen.time_s(0.5 * static_cast<double>(map.seen.rows));
    // A place may lie nowhere on the map, which is refused.
    for_each_line(
        nodes_.rows(), omp_get_max_threads(),
        [&](std::int64_t row) {
            for (std::int64_t column = 0; column < nodes_.columns(); ++column) {
                const ClosestPass pass = track.closest_pass(map.ground->at(nodes_.point(row, column)).place, middle_s);
                nodes_.at(row, column) = {(pass.time_s - map.seen.first_time_s) / map.seen.time_spacing_s,
                                          (pass.range_m - map.seen.near_range_m) / map.seen.range_spacing_m};
            }
        },
        1);
}

}  // namespace cornerturn
