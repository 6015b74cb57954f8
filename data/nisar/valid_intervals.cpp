// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/valid_intervals.h"

#include <fmt/format.h>

#include <algorithm>

namespace cornerturn {
namespace {

std::string path_of(const std::string& group, std::size_t index) {
    return fmt::format("{}/validSamplesSubSwath{}", group, index + 1);
}

}  // namespace

std::vector<std::string> sub_swath_paths(const h5::Reader& file, const std::string& group) {
    constexpr double most = 255;  // their number is a uint8
    const double stated = file.optional_number(group + "/numberOfSubSwaths").value_or(0);
    const auto limit = static_cast<std::size_t>(stated >= 1 ? std::min(stated, most) : most);
    std::vector<std::string> paths;
    while (paths.size() < limit && file.exists(path_of(group, paths.size())))
        paths.push_back(path_of(group, paths.size()));
    return paths;
}

std::vector<Interval> read_valid_intervals(const h5::Reader& file, const std::vector<std::string>& paths,
                                           std::int64_t rows, std::int64_t columns, const std::string& each) {
    std::vector<Interval> intervals(static_cast<std::size_t>(rows) * paths.size());
    const auto clipped = [&](double column) {
        return static_cast<std::int32_t>(std::clamp(column, 0.0, static_cast<double>(columns)));
    };
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const h5::Table table =
            file.table(paths[k], {.rows = rows, .columns = 2, .meaning = "[first, last) for each " + each});
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            const std::int32_t first = clipped(table.values[2 * row]), last = clipped(table.values[2 * row + 1]);
            intervals[row * paths.size() + k] = {first, std::max(first, last)};
        }
    }
    return intervals;
}

void write_valid_intervals(h5::Writer& file, const std::string& group, const ValidIntervals& valid,
                           const std::string& description) {
    const Interval whole{0, static_cast<std::int32_t>(valid.columns)};
    const std::size_t count = valid.intervals.empty() ? 1 : static_cast<std::size_t>(valid.per_row);
    file.number(group + "/numberOfSubSwaths", static_cast<std::uint8_t>(count));
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<std::uint32_t> edges(2 * static_cast<std::size_t>(valid.rows));
        for (std::size_t row = 0; row < edges.size() / 2; ++row) {
            const Interval interval = valid.intervals.empty() ? whole : valid.intervals[row * count + k];
            edges[2 * row] = static_cast<std::uint32_t>(interval.first);
            edges[2 * row + 1] = static_cast<std::uint32_t>(interval.last);
        }
        file.table(path_of(group, k), edges, 2, "1", description);
    }
}

}  // namespace cornerturn
