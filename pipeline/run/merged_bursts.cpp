// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/merged_bursts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"

namespace cornerturn {

std::int64_t steps_apart(const char* axis, double from, double to, double step) {
    constexpr double tolerance = 1e-3;
    const double apart = (to - from) / step;
    if (std::fabs(apart - std::round(apart)) > tolerance)
        throw InputError(
            fmt::format("--merge: {} of two bursts lie {:.3f} steps apart, expected whole ones", axis, apart));
    return std::llround(apart);
}

Interval whole_rows(const Image& image) {
    const auto middle = static_cast<std::int32_t>(image.grid.columns / 2);
    Interval rows{0, 0};
    for (std::int64_t row = 0; row < image.grid.rows; ++row) {
        if (!image.valid(row, {middle, middle + 1})) continue;
        if (rows.last == 0) rows.first = static_cast<std::int32_t>(row);
        rows.last = static_cast<std::int32_t>(row + 1);
    }
    return rows;
}

Orbit joined(const Orbit& first, const Orbit& second) {
    Orbit orbit;
    constexpr double same_s = 1e-3;
    for (std::size_t i = 0; i < first.time_s.size() && first.time_s[i] < second.time_s.front() - same_s; ++i)
        orbit.add(first.time_s[i], first.vector(i));
    for (std::size_t i = 0; i < second.time_s.size(); ++i) orbit.add(second.time_s[i], second.vector(i));
    return orbit;
}

MergedBursts::MergedBursts(std::vector<Image> headers, ImageSink& to) : headers_(std::move(headers)), to_(to) {
    if (headers_.empty()) throw std::logic_error("no bursts to be merged");
    merged_ = headers_.front();
    place_images();
    part_overlaps();
    merge_valid_columns();
    Acquisition& whole = merged_.acquisition;
    const Acquisition& last = headers_.back().acquisition;
    if (whole.orbit && last.orbit) whole.orbit = joined(*whole.orbit, *last.orbit);
    whole.burst.reset();
    whole.identification.burst_id.clear();
    // From burst to burst the beam jumps back: no surface tells that.
    merged_.processing.doppler_surface_hz.reset();
    merged_.processing.doppler_source = fmt::format("of each of {} bursts its own", headers_.size());
}

void MergedBursts::place_images() {
    ImageGrid& grid = merged_.grid;
    const ImageGrid first = grid;
    std::int64_t first_row = 0, end_row = first.rows, first_column = 0, end_column = first.columns;
    for (const Image& image : headers_) {
        const std::int64_t row = steps_apart("rows", first.first_time_s, image.grid.first_time_s, first.time_spacing_s),
                           column = steps_apart("columns", first.near_range_m, image.grid.near_range_m,
                                                first.range_spacing_m);
        placed_.push_back({row, column, image.grid.columns, {}});
        first_row = std::min(first_row, row), end_row = std::max(end_row, row + image.grid.rows);
        first_column = std::min(first_column, column), end_column = std::max(end_column, column + image.grid.columns);
    }
    for (PlacedImage& placed : placed_) placed.row -= first_row, placed.column -= first_column;
    grid.first_time_s = first.time_s(static_cast<double>(first_row));
    grid.near_range_m = first.range_m(static_cast<double>(first_column));
    grid.rows = end_row - first_row;
    grid.columns = end_column - first_column;
    std::vector<double>& velocity_m_s = merged_.processing.effective_velocity_m_s;
    if (velocity_m_s.empty()) return;
    std::vector<double> all(static_cast<std::size_t>(grid.columns));
    for (std::int64_t column = 0; column < grid.columns; ++column)
        all[static_cast<std::size_t>(column)] = velocity_m_s[static_cast<std::size_t>(
            std::clamp<std::int64_t>(column + first_column, 0, first.columns - 1))];
    velocity_m_s = std::move(all);
}

void MergedBursts::part_overlaps() {
    for (std::size_t i = 0; i < placed_.size(); ++i)
        placed_[i].taken = {static_cast<std::int32_t>(placed_[i].row),
                            static_cast<std::int32_t>(placed_[i].row + headers_[i].grid.rows)};
    for (std::size_t i = 1; i < placed_.size(); ++i) {
        PlacedImage &before = placed_[i - 1], &behind = placed_[i];
        if (behind.row <= before.row)
            throw InputError("--merge: two bursts of a swath do not follow one another in time");
        if (behind.taken.first >= before.taken.last) continue;
        const Interval whole_before = whole_rows(headers_[i - 1]), whole_behind = whole_rows(headers_[i]);
        std::int64_t seam = (before.taken.last + behind.taken.first) / 2;
        if (whole_before.last > 0 && whole_behind.last > 0)
            seam = (before.row + whole_before.last + behind.row + whole_behind.first) / 2;
        before.taken.last = behind.taken.first =
            static_cast<std::int32_t>(std::clamp<std::int64_t>(seam, behind.taken.first, before.taken.last));
    }
}

void MergedBursts::merge_valid_columns() {
    int intervals = 1;
    for (const Image& image : headers_) intervals = std::max(intervals, image.intervals_per_row);
    merged_.intervals_per_row = intervals;
    merged_.valid_columns.assign(static_cast<std::size_t>(merged_.grid.rows * intervals), Interval{});
    for (std::size_t i = 0; i < placed_.size(); ++i) {
        const Image& image = headers_[i];
        const PlacedImage& placed = placed_[i];
        for (std::int64_t row = placed.taken.first; row < placed.taken.last; ++row)
            for (int k = 0; k < image.intervals_per_row; ++k) {
                const Interval valid = image.valid_columns.empty()
                                           ? Interval{0, static_cast<std::int32_t>(image.grid.columns)}
                                           : image.valid_columns[static_cast<std::size_t>(
                                                 (row - placed.row) * image.intervals_per_row + k)];
                if (valid.last <= valid.first) continue;
                const auto right = static_cast<std::int32_t>(placed.column);
                merged_.valid_columns[static_cast<std::size_t>(row * intervals + k)] = {valid.first + right,
                                                                                        valid.last + right};
            }
    }
}

void MergedBursts::begin(const Image& header) {
    if (begun_ == headers_.size() || !(header.grid == headers_[begun_].grid))
        throw std::logic_error("a burst that was not announced");
    if (begun_++ == 0) to_.begin(merged_);
}

void MergedBursts::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const PlacedImage& placed = placed_[begun_ - 1];
    const auto count = static_cast<std::int64_t>(rows.size()) / placed.columns;
    const std::int64_t first = std::max<std::int64_t>(placed.row + first_row, placed.taken.first),
                       end = std::min<std::int64_t>(placed.row + first_row + count, placed.taken.last);
    if (first >= end) return;
    write_empty_until(first);
    std::vector<std::complex<float>> wide(static_cast<std::size_t>((end - first) * merged_.grid.columns));
    for (std::int64_t row = first; row < end; ++row)
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>((row - placed.row - first_row) * placed.columns),
                    placed.columns,
                    wide.begin() + static_cast<std::ptrdiff_t>((row - first) * merged_.grid.columns + placed.column));
    to_.write(first, wide);
    written_ = end;
}

void MergedBursts::write_empty_until(std::int64_t row) {
    constexpr std::int64_t at_once = 256;
    while (written_ < row) {
        const std::int64_t count = std::min(at_once, row - written_);
        to_.write(written_, std::vector<std::complex<float>>(static_cast<std::size_t>(count * merged_.grid.columns)));
        written_ += count;
    }
}

void MergedBursts::finish() { write_empty_until(merged_.grid.rows); }

}  // namespace cornerturn
