// SPDX-License-Identifier: Apache-2.0
#include "data/safe/burst_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/errors.h"

namespace cornerturn::safe {
namespace {

std::string name_of(const Image& image) {
    const Burst& burst = *image.acquisition.burst;
    return fmt::format("burst {} {}", burst.swath, burst.number);
}

/// Fully compressed columns of a row, of which bursts have one interval.
Interval valid_columns(const Image& image, std::int64_t row) {
    if (row < 0 || row >= image.grid.rows) return {};
    if (image.valid_columns.empty()) return {0, static_cast<std::int32_t>(image.grid.columns)};
    const Interval valid = image.valid_columns[static_cast<std::size_t>(row * image.intervals_per_row)];
    return valid.last > valid.first ? valid : Interval{};
}

std::int64_t width(const Interval& columns) { return columns.last - columns.first; }

/// At both ends of a burst the valid columns of a row grow from row to row, until they are all there are.
Interval whole_rows(const Image& image) {
    constexpr double nearly_all = 0.95;
    std::int64_t widest = 0;
    for (std::int64_t row = 0; row < image.grid.rows; ++row)
        widest = std::max(widest, width(valid_columns(image, row)));
    if (widest == 0)
        throw InputError(
            fmt::format("{}: no sample of it is fully compressed, so that it has no place in a SAFE", name_of(image)));
    const auto is_end = [&](std::int64_t row, std::int64_t inwards) {
        const std::int64_t here = width(valid_columns(image, row));
        return static_cast<double>(here) >= nearly_all * static_cast<double>(widest) &&
               here >= width(valid_columns(image, row + inwards));
    };
    std::int64_t first = 0, last = image.grid.rows - 1;
    while (!is_end(first, 1)) ++first;
    while (last > first && !is_end(last, -1)) --last;
    return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last + 1)};
}

/// What of an image goes into a stack.
struct Part {
    Interval rows;
    std::int64_t broadside_row = 0;
    std::int64_t first_column = std::numeric_limits<std::int64_t>::max(), end_column = 0;  ///< of any of its rows

    /// How far rows lie from that at which the beam was broadside.
    std::int64_t farthest_rows() const { return std::max(broadside_row - rows.first, rows.last - broadside_row); }
};

Part part_of(const Image& image) {
    Part part{.rows = whole_rows(image),
              .broadside_row = std::llround((image.acquisition.burst->broadside_time_s - image.grid.first_time_s) /
                                            image.grid.time_spacing_s)};
    for (std::int64_t row = part.rows.first; row < part.rows.last; ++row) {
        const Interval valid = valid_columns(image, row);
        if (width(valid) == 0) continue;
        part.first_column = std::min<std::int64_t>(part.first_column, valid.first);
        part.end_column = std::max<std::int64_t>(part.end_column, valid.last);
    }
    return part;
}

/// From the beginning of one grid to that of another. Bursts of one day lie on one grid by themselves.
std::int64_t whole_steps(const Image& image, const char* axis, double from, double to, double step) {
    constexpr double tolerance = 1e-3;
    const double steps = (to - from) / step;
    if (std::fabs(steps - std::round(steps)) > tolerance)
        throw InputError(fmt::format("{}: its {} lie {:.3f} steps from those of the first burst, expected whole ones",
                                     name_of(image), axis, steps));
    return std::llround(steps);
}

void check_epoch(const Image& image, const Image& first) {
    if (image.acquisition.epoch != first.acquisition.epoch)
        throw InputError(
            fmt::format("{}: counts its rows from {}, the first burst from {}: the days of GPS change between them; "
                        "choose bursts of one day by --swath and --burst",
                        name_of(image), image.acquisition.epoch, first.acquisition.epoch));
}

}  // namespace

Interval BurstStack::valid(const StackedBurst& burst, std::int64_t line) const {
    const std::int64_t row = burst.first_row + line;
    if (row < burst.whole_rows.first || row >= burst.whole_rows.last) return {};
    const Interval columns = valid_columns(burst.header, row);
    if (width(columns) == 0) return {};
    return {static_cast<std::int32_t>(columns.first - burst.first_column),
            static_cast<std::int32_t>(columns.last - burst.first_column)};
}

BurstStack stacked(std::vector<Image> headers) {
    std::sort(headers.begin(), headers.end(),
              [](const Image& a, const Image& b) { return a.grid.first_time_s < b.grid.first_time_s; });
    const Image first = headers.front();
    std::vector<Part> parts;
    std::vector<std::int64_t> begins;  // of columns, counted from those of the first burst
    std::int64_t nearest = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min(),
                 half = 0;
    for (const Image& image : headers) {
        check_epoch(image, first);
        whole_steps(image, "rows", first.grid.first_time_s, image.grid.first_time_s, first.grid.time_spacing_s);
        begins.push_back(whole_steps(image, "columns", first.grid.near_range_m, image.grid.near_range_m,
                                     first.grid.range_spacing_m));
        parts.push_back(part_of(image));
        nearest = std::min(nearest, begins.back() + parts.back().first_column);
        end = std::max(end, begins.back() + parts.back().end_column);
        half = std::max(half, parts.back().farthest_rows() + 1);
    }
    BurstStack stack{.bursts = {}, .lines = 2 * half, .samples = end - nearest};
    for (std::size_t i = 0; i < headers.size(); ++i)
        stack.bursts.push_back({.header = std::move(headers[i]),
                                .first_row = parts[i].broadside_row - half,
                                .first_column = nearest - begins[i],
                                .whole_rows = parts[i].rows});
    return stack;
}

}  // namespace cornerturn::safe
