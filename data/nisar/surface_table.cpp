// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/surface_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "data/nisar/product_parts.h"
#include "data/nisar/uniform_axis.h"
#include "pipeline/acquisition/fits/surface_fit.h"

namespace cornerturn {
namespace {

/// Of a low platform: above the ellipsoid, and where the ground is higher than that, as close as the table begins.
std::vector<double> possible_nadirs_m(const std::optional<Orbit>& orbit, const SmoothSurface& frame) {
    if (!orbit || orbit->time_s.size() < 2) return {};
    const double nadir_m = nadir_range_m(*orbit, frame.x_centre), near_m = frame.y_centre - frame.y_half;
    if (nadir_m == 0) return {};
    return {nadir_m, std::min(nadir_m, near_m)};
}

/// Sum of squares.
double error(const DopplerSurface& surface, const std::vector<SurfacePoint>& points) {
    double sum = 0;
    for (const SurfacePoint& point : points) sum += std::pow(point.value - surface(point.x, point.y), 2);
    return sum;
}

}  // namespace

std::optional<DopplerSurface> read_surface(const h5::Reader& file, const std::string& group, const std::string& name,
                                           const Epoch& epoch, const std::optional<Orbit>& orbit,
                                           SurfaceWanted wanted) {
    const std::string path = group + "/" + name, times = group + "/zeroDopplerTime", ranges = group + "/slantRange";
    if (!file.exists(path) || !file.exists(times) || !file.exists(ranges)) return std::nullopt;
    const std::vector<double> range_m = file.numbers(ranges, {});
    const h5::Table table =
        file.table(path, {.rows = {}, .columns = static_cast<std::int64_t>(range_m.size()), .meaning = ""});
    const std::vector<double> time_s = read_times(file, times, epoch);
    if (time_s.size() != static_cast<std::size_t>(table.rows))
        file.refuse(times, fmt::format("holds {} values, expected {}, one for each row of {}", time_s.size(),
                                       table.rows, path));
    check_increasing(file, ranges, range_m, "m");
    if (table.values.empty()) file.refuse(path, "holds nothing, expected a value for each time and range");
    const bool varies =
        std::adjacent_find(table.values.begin(), table.values.end(), std::not_equal_to<>()) != table.values.end();
    if (!varies && wanted == SurfaceWanted::where_it_varies) return std::nullopt;
    const SmoothSurface frame{.x_centre = 0.5 * (time_s.front() + time_s.back()),
                              .x_half = std::max(1e-9, 0.5 * (time_s.back() - time_s.front())),
                              .y_centre = 0.5 * (range_m.front() + range_m.back()),
                              .y_half = std::max(1e-9, 0.5 * (range_m.back() - range_m.front()))};
    std::vector<SurfacePoint> points;
    for (std::size_t i = 0; i < time_s.size(); ++i)
        for (std::size_t k = 0; k < range_m.size(); ++k)
            points.push_back({.x = time_s[i],
                              .y = range_m[k],
                              .value = table.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k))});
    const auto most = [](std::size_t count, int powers) { return std::min<int>(static_cast<int>(count), powers) - 1; };
    const std::vector<Power> powers = powers_up_to(most(time_s.size(), 4), most(range_m.size(), 4));
    DopplerSurface best = fit_surface(DopplerSurface(frame), powers, points);
    constexpr double good_enough = 1e-3;  // of whatever unit
    if (error(best, points) < static_cast<double>(points.size()) * good_enough * good_enough) return best;
    for (const double nadir_m : possible_nadirs_m(orbit, frame)) {
        const DopplerSurface other = fit_surface(DopplerSurface(frame, nadir_m), powers, points);
        if (error(other, points) < error(best, points)) best = other;
    }
    return best;
}

}  // namespace cornerturn
