// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/surface_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "data/nisar/product_parts.h"
#include "data/nisar/uniform_axis.h"
#include "pipeline/acquisition/fits/surface_fit.h"

namespace cornerturn {

std::vector<double> evenly(double first, double last, std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = first + static_cast<double>(i) * (last - first) / static_cast<double>(count - 1);
    return values;
}

void write_table_axes(h5::Writer& file, const std::string& group, const std::vector<double>& time_s,
                      const std::vector<double>& range_m, const std::string& epoch) {
    file.numbers(group + "/zeroDopplerTime", time_s, time_units(epoch));
    file.numbers(group + "/slantRange", range_m, "meters");
}

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
    std::vector<SurfacePoint> points;
    for (std::size_t i = 0; i < time_s.size(); ++i)
        for (std::size_t k = 0; k < range_m.size(); ++k)
            points.push_back({.x = time_s[i],
                              .y = range_m[k],
                              .value = table.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(k))});
    const auto most = [](std::size_t count, int powers) { return std::min<int>(static_cast<int>(count), powers) - 1; };
    return surface_through(points, powers_up_to(most(time_s.size(), 4), most(range_m.size(), 4)), orbit);
}

}  // namespace cornerturn
