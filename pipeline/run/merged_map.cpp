// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/merged_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/run/merged_bursts.h"

namespace cornerturn {
namespace {

/// What of a row's first to last pixel lies in the burst's own area.
Interval own_columns(const BurstOnMap& burst, std::int64_t row, const Interval& valid) {
    const auto own = [&](std::int32_t column) {
        const GridPlace at = burst.places(row, column);
        return burst.own.holds(burst.seen.time_s(at.row), burst.seen.range_m(at.column));
    };
    Interval span = valid;
    while (span.first < span.last && !own(span.first)) ++span.first;
    while (span.last > span.first && !own(span.last - 1)) --span.last;
    return span;
}

/// Without what others have.
std::vector<Interval> without(std::vector<Interval> all, const Interval& taken) {
    if (taken.first >= taken.last) return all;
    std::vector<Interval> left;
    for (const Interval& part : all) {
        const Interval before{part.first, std::min(part.last, taken.first)},
            behind{std::max(part.first, taken.last), part.last};
        for (const Interval& rest : {before, behind})
            if (rest.first < rest.last) left.push_back(rest);
    }
    return left;
}

/// Intervals that meet become one.
std::vector<Interval> joined_intervals(std::vector<Interval> all) {
    std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.first < b.first; });
    std::vector<Interval> joined;
    for (const Interval& next : all)
        if (joined.empty() || next.first > joined.back().last)
            joined.push_back(next);
        else
            joined.back().last = std::max(joined.back().last, next.last);
    return joined;
}

}  // namespace

SeenArea whole_area(const Image& image) {
    const Interval rows = whole_rows(image);
    const ImageGrid& grid = image.grid;
    if (rows.first >= rows.last) return {grid.time_s(0), grid.time_s(0), grid.range_m(0), grid.range_m(0)};
    Interval columns{0, static_cast<std::int32_t>(grid.columns)};
    if (!image.valid_columns.empty()) {
        const auto middle = static_cast<std::size_t>((rows.first + rows.last) / 2 * image.intervals_per_row);
        columns = image.valid_columns[middle];
        for (int k = 1; k < image.intervals_per_row; ++k) {
            const Interval& other = image.valid_columns[middle + static_cast<std::size_t>(k)];
            if (other.first < other.last) columns.last = std::max(columns.last, other.last);
        }
    }
    return {grid.time_s(rows.first), grid.time_s(rows.last), grid.range_m(columns.first), grid.range_m(columns.last)};
}

std::vector<SeenArea> parted(const std::vector<std::string>& swaths, std::vector<SeenArea> whole) {
    std::vector<SeenArea> own = whole;
    for (std::size_t i = 1; i < whole.size(); ++i) {
        if (swaths[i] != swaths[i - 1]) continue;
        if (whole[i].first_s <= whole[i - 1].first_s)
            throw InputError("--merge: two bursts of a swath do not follow one another in time");
        if (whole[i].first_s >= whole[i - 1].last_s) continue;
        own[i - 1].last_s = own[i].first_s = 0.5 * (whole[i - 1].last_s + whole[i].first_s);
    }
    const auto end_of_swath = [&](std::size_t first) {
        std::size_t end = first;
        while (end < whole.size() && swaths[end] == swaths[first]) ++end;
        return end;
    };
    for (std::size_t from = 0, to = 0, end = 0; from < whole.size(); from = to) {
        to = end_of_swath(from), end = end_of_swath(to);
        double far_m = INFINITY, near_m = -INFINITY;
        for (std::size_t i = from; i < to; ++i) far_m = std::min(far_m, whole[i].far_m);
        for (std::size_t i = to; i < end; ++i) near_m = std::max(near_m, whole[i].near_m);
        if (to == end || near_m >= far_m) continue;
        for (std::size_t i = from; i < to; ++i) own[i].far_m = 0.5 * (near_m + far_m);
        for (std::size_t i = to; i < end; ++i) own[i].near_m = 0.5 * (near_m + far_m);
    }
    return own;
}

MapGrid map_of_all(const std::vector<MapGrid>& parts) {
    MapGrid all = parts.front();
    std::int64_t first_row = 0, first_column = 0, end_row = all.rows, end_column = all.columns;
    for (const MapGrid& part : parts) {
        const std::int64_t row = steps_apart("rows", all.first_y, part.first_y, all.y_step),
                           column = steps_apart("columns", all.first_x, part.first_x, all.x_step);
        first_row = std::min(first_row, row), end_row = std::max(end_row, row + part.rows);
        first_column = std::min(first_column, column), end_column = std::max(end_column, column + part.columns);
    }
    all.first_x = all.x(static_cast<double>(first_column)), all.first_y = all.y(static_cast<double>(first_row));
    all.rows = end_row - first_row, all.columns = end_column - first_column;
    return all;
}

std::optional<MapGrid> common_part(const MapGrid& map, const MapGrid& part) {
    const std::int64_t row = steps_apart("rows", map.first_y, part.first_y, map.y_step),
                       column = steps_apart("columns", map.first_x, part.first_x, map.x_step);
    const std::int64_t first_row = std::max<std::int64_t>(0, row), end_row = std::min(map.rows, row + part.rows),
                       first_column = std::max<std::int64_t>(0, column),
                       end_column = std::min(map.columns, column + part.columns);
    if (first_row >= end_row || first_column >= end_column) return std::nullopt;
    MapGrid common = map;
    common.first_x = map.x(static_cast<double>(first_column)), common.first_y = map.y(static_cast<double>(first_row));
    common.rows = end_row - first_row, common.columns = end_column - first_column;
    return common;
}

MergedMap::MergedMap(std::vector<BurstOnMap> bursts, const MapGrid& whole, const std::string& folder, ImageSink& to)
    : rows_(folder, whole.columns), to_(to) {
    if (bursts.empty()) throw std::logic_error("no bursts to be merged");
    merged_ = bursts[bursts.size() / 2].header;
    merged_.map = whole;
    merged_.grid.rows = whole.rows, merged_.grid.columns = whole.columns;
    for (const BurstOnMap& burst : bursts) {
        const MapGrid& part = burst.header.map.value();
        parts_.push_back(part);
        placed_.push_back({.row = steps_apart("rows", whole.first_y, part.first_y, whole.y_step),
                           .column = steps_apart("columns", whole.first_x, part.first_x, whole.x_step),
                           .columns = part.columns,
                           .taken = Taken(static_cast<std::size_t>(part.rows))});
    }
    share_pixels(bursts);
    describe(bursts);
}

/// Of each row of the whole: the own pixels of all bursts, then what others leave of all that a burst sees.
void MergedMap::share_pixels(const std::vector<BurstOnMap>& bursts) {
    std::vector<std::vector<Interval>> of_rows(static_cast<std::size_t>(merged_.grid.rows));
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t row = 0; row < merged_.grid.rows; ++row) {
        struct Seen {
            std::size_t burst;
            Interval valid, own;  ///< in columns of the whole
        };
        std::vector<Seen> all;
        for (std::size_t i = 0; i < bursts.size(); ++i) {
            const std::int64_t mine = row - placed_[i].row;
            if (mine < 0 || mine >= parts_[i].rows) continue;
            const Interval valid = bursts[i].header.valid_columns[static_cast<std::size_t>(mine)];
            if (valid.first >= valid.last) continue;
            const Interval own = own_columns(bursts[i], mine, valid);
            const auto right = static_cast<std::int32_t>(placed_[i].column);
            all.push_back({i, {valid.first + right, valid.last + right}, {own.first + right, own.last + right}});
        }
        for (std::size_t k = 0; k < all.size(); ++k) {
            std::vector<Interval> taken{all[k].valid};
            for (std::size_t other = 0; other < all.size(); ++other)
                if (other != k) taken = without(std::move(taken), other < k ? all[other].valid : all[other].own);
            taken = without(std::move(taken), all[k].own);
            if (all[k].own.first < all[k].own.last) taken.push_back(all[k].own);
            PlacedBurst& placed = placed_[all[k].burst];
            const auto left = static_cast<std::int32_t>(placed.column);
            for (const Interval& columns : taken)
                placed.taken[static_cast<std::size_t>(row - placed.row)].push_back(
                    {columns.first - left, columns.last - left});
            of_rows[static_cast<std::size_t>(row)].push_back(all[k].valid);
        }
    }
    std::size_t most = 1;
    for (std::vector<Interval>& of_row : of_rows) {
        of_row = joined_intervals(std::move(of_row));
        most = std::max(most, of_row.size());
    }
    merged_.intervals_per_row = static_cast<int>(most);
    merged_.valid_columns.assign(of_rows.size() * most, Interval{});
    for (std::size_t row = 0; row < of_rows.size(); ++row)
        std::copy(of_rows[row].begin(), of_rows[row].end(),
                  merged_.valid_columns.begin() + static_cast<std::ptrdiff_t>(row * most));
}

/// Pulses from the first to the last of all, and the track that they were sent from.
void MergedMap::describe(const std::vector<BurstOnMap>& bursts) {
    std::vector<const Acquisition*> by_time;
    for (const BurstOnMap& burst : bursts) by_time.push_back(&burst.header.acquisition);
    std::sort(by_time.begin(), by_time.end(),
              [](const Acquisition* a, const Acquisition* b) { return a->first_pulse_time_s < b->first_pulse_time_s; });
    Acquisition& whole = merged_.acquisition;
    double last_s = by_time.front()->first_pulse_time_s;
    whole.orbit = by_time.front()->orbit;
    for (const Acquisition* burst : by_time) {
        last_s = std::max(last_s, burst->last_pulse_time_s());
        if (whole.orbit && burst->orbit && burst->orbit->time_s.back() > whole.orbit->time_s.back())
            whole.orbit = joined(*whole.orbit, *burst->orbit);
    }
    whole.first_pulse_time_s = by_time.front()->first_pulse_time_s;
    whole.pulse_times_s.clear();
    whole.lines = 1 + std::llround((last_s - whole.first_pulse_time_s) * whole.prf_hz);
    whole.burst.reset();
    whole.identification.burst_id.clear();
    merged_.processing.doppler_surface_hz.reset();
    merged_.processing.doppler_source = fmt::format("of each of {} bursts its own", bursts.size());
}

void MergedMap::begin(const Image& header) {
    if (begun_ == parts_.size() || !header.map || !(*header.map == parts_[begun_]))
        throw std::logic_error("a burst that was not announced");
    ++begun_;
}

void MergedMap::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const PlacedBurst& placed = placed_[begun_ - 1];
    const auto count = static_cast<std::int64_t>(rows.size()) / placed.columns;
    for (std::int64_t i = 0; i < count; ++i)
        for (const Interval& columns : placed.taken[static_cast<std::size_t>(first_row + i)])
            rows_.write(placed.row + first_row + i, placed.column + columns.first,
                        rows.subspan(static_cast<std::size_t>(i * placed.columns + columns.first),
                                     static_cast<std::size_t>(columns.last - columns.first)));
}

void MergedMap::finish() {
    constexpr std::int64_t at_once = 64;
    to_.begin(merged_);
    std::vector<std::complex<float>> rows;
    for (std::int64_t row = 0; row < merged_.grid.rows; row += at_once) {
        const std::int64_t count = std::min(at_once, merged_.grid.rows - row);
        rows.resize(static_cast<std::size_t>(count * merged_.grid.columns));
        rows_.read(row, rows);
        to_.write(row, rows);
    }
}

}  // namespace cornerturn
