// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "pipeline/formers/column_aperture.h"
#include "pipeline/formers/valid_area.h"

namespace cornerturn {
namespace {

/// Rows of an interval that are not in another.
template <class Use>
void for_rows_beside(const Interval& rows, const Interval& other, const Use& use) {
    for (std::int32_t row = rows.first; row < std::min(rows.last, other.first); ++row) use(row);
    for (std::int32_t row = std::max(rows.first, other.last); row < rows.last; ++row) use(row);
}

/// Where the file knows the beam, no echo comes from beyond it.
double band_of_echo_hz(const Acquisition& acquisition, const FormerParameters& parameters) {
    return std::min(parameters.azimuth_bandwidth_hz, acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz));
}

/// Rows of a column for which so many lines about the beam centre, with whole chirps for all of the band's
/// migration, lie in the echo, the chirps this far inside.
Interval covered_with_margin(const Acquisition& acquisition, const ImagePlan& plan, std::int64_t column,
                             const ColumnAperture& g, const FilterLines& lines, double samples) {
    const double first_m = acquisition.range_m(samples);
    const double last_m =
        acquisition.range_m(static_cast<double>(acquisition.samples) - acquisition.chirp_samples() - samples);
    if (g.nearest_m < first_m || g.farthest_m > last_m) return {};
    const Interval covered = plan.coverage.beam_rows[static_cast<std::size_t>(column)];
    // Where a track turns, either end of an aperture may lie on the other side of its centre.
    const auto rows_of = [&](double count) { return static_cast<std::int32_t>(std::ceil(count / plan.lines.per_row)); };
    const auto first = std::max(0, covered.first + rows_of(lines.before));
    const auto last = std::min(static_cast<std::int32_t>(plan.grid.rows), covered.last - rows_of(lines.behind));
    return last > first ? Interval{first, last} : Interval{};
}

/// What a point takes of the echo with the ends of the filters.
std::int64_t chirp_reach_samples(const Acquisition& acquisition, const FilterReach& reach) {
    return static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + 2 * reach.range_samples;
}
std::int64_t aperture_reach_lines(const ImagePlan& plan) {
    return static_cast<std::int64_t>(std::ceil(plan.aperture.lines)) + 2 * plan.reach.azimuth_lines;
}

/// Takes these rows and columns of the grid and of what is told of each.
void cut_to(const Interval& rows, const Interval& columns, ImagePlan& plan) {
    const auto cut = [&](auto& table) { table = {table.begin() + columns.first, table.begin() + columns.last}; };
    cut(plan.coverage.beam_rows);
    plan.grid.near_range_m = plan.grid.range_m(columns.first);
    plan.grid.first_time_s = plan.grid.time_s(rows.first);
    plan.grid.columns = columns.last - columns.first;
    plan.grid.rows = rows.last - rows.first;
    const double cut_lines = rows.first * plan.lines.per_row;
    plan.lines.before -= static_cast<std::int64_t>(std::floor(cut_lines));
    plan.lines.behind += static_cast<std::int64_t>(std::ceil(cut_lines));
    for (Interval& covered : plan.coverage.beam_rows)
        covered = {std::clamp(covered.first, rows.first, rows.last) - rows.first,
                   std::clamp(covered.last, rows.first, rows.last) - rows.first};
}

/// When the beam's centre lies on the target of row 0, less its zero-Doppler time.
double centre_of_row_0_s(const ImagePlan& plan, double range_m) {
    if (plan.lines.per_row == 1) return plan.histories.middle.centre_time_s(range_m);
    return plan.geometry->beam_centre(plan.grid.first_time_s, range_m).time_s;
}

ValidColumns valid_columns_between_gaps(const Acquisition& acquisition, const ImagePlan& plan) {
    const bool all = plan.parameters.extent == ImageExtent::valid;
    const double band_hz = all ? plan.parameters.azimuth_bandwidth_hz : band_of_echo_hz(acquisition, plan.parameters),
                 delay_lines = image_delay_lines(acquisition, plan.grid);
    const ColumnApertures beam(acquisition, plan, band_hz);
    std::vector<ColumnNeed> needs;
    for (std::int64_t column = 0; column < plan.grid.columns; ++column) {
        const double range_m = plan.grid.range_m(static_cast<double>(column));
        const ColumnAperture g = beam.at(column);
        const FilterLines aperture = g.lines(acquisition.prf_hz);
        const double centre = delay_lines + centre_of_row_0_s(plan, range_m) * acquisition.prf_hz;
        const auto sample = [&](double slant_m) {
            return (slant_m - acquisition.near_range_m) / acquisition.range_spacing_m;
        };
        needs.push_back({.first_line = centre - aperture.before,
                         .last_line = centre + aperture.behind,
                         .lines_per_row = plan.lines.per_row,
                         .first_sample = sample(g.nearest_m),
                         .last_sample = sample(g.farthest_m) + acquisition.chirp_samples(),
                         .rows = all ? Interval{0, static_cast<std::int32_t>(plan.grid.rows)}
                                     : covered_with_margin(acquisition, plan, column, g, aperture, 0)});
    }
    return columns_between_gaps(acquisition, needs, plan.grid.rows);
}

}  // namespace

void cut_to_valid(const Acquisition& acquisition, ImagePlan& plan) {
    const auto ends = static_cast<double>(plan.reach.azimuth_lines);
    const auto samples = static_cast<double>(plan.reach.range_samples + plan.parameters.interpolation_taps / 2);
    Interval rows{0, static_cast<std::int32_t>(plan.grid.rows)};
    std::int64_t first = plan.grid.columns, last = 0;
    const ColumnApertures beam(acquisition, plan, plan.parameters.azimuth_bandwidth_hz);
    for (std::int64_t column = 0; column < plan.grid.columns; ++column) {
        const ColumnAperture g = beam.at(column);
        const FilterLines aperture = g.lines(acquisition.prf_hz);
        const Interval covered = covered_with_margin(acquisition, plan, column, g,
                                                     {aperture.before + ends, aperture.behind + ends}, samples);
        if (covered.last == 0) continue;
        rows = {std::max(rows.first, covered.first), std::min(rows.last, covered.last)};
        first = std::min(first, column);
        last = column + 1;
    }
    if (last <= first || rows.last <= rows.first)
        throw InputError(
            fmt::format("extent valid: {} lines x {} samples cover no point fully, for which an aperture takes {} "
                        "lines and a chirp {} samples with the ends of the filters, beside {:.0f} cells of migration; "
                        "use --extent full, or narrow the aperture by --azimuth-bandwidth",
                        acquisition.lines, acquisition.samples, aperture_reach_lines(plan),
                        chirp_reach_samples(acquisition, plan.reach), plan.aperture.migration_cells));
    cut_to(rows, {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)}, plan);
    for (Interval& covered : plan.coverage.beam_rows) covered = {0, static_cast<std::int32_t>(plan.grid.rows)};
}

void cut_to_part(const ImageGrid& part, ImagePlan& plan) {
    const auto shared = [](double first, std::int64_t wanted, std::int64_t there) {
        const std::int64_t from = std::llround(first);
        return Interval{static_cast<std::int32_t>(std::clamp<std::int64_t>(from, 0, there)),
                        static_cast<std::int32_t>(std::clamp<std::int64_t>(from + wanted, 0, there))};
    };
    const ImageGrid& grid = plan.grid;
    // Rows may lie closer than those of the whole, where sums over pulses need that.
    const std::int64_t part_rows =
        std::llround(static_cast<double>(part.rows) * part.time_spacing_s / grid.time_spacing_s);
    const Interval rows = shared((part.first_time_s - grid.first_time_s) / grid.time_spacing_s, part_rows, grid.rows);
    const Interval columns =
        shared((part.near_range_m - grid.near_range_m) / grid.range_spacing_m, part.columns, grid.columns);
    if (rows.first >= rows.last || columns.first >= columns.last)
        throw std::logic_error("the lines of a part of an image make none of it");
    plan.coverage.valid = plan.coverage.valid.of_rows(rows.first, rows.last - rows.first);
    for (Interval& valid : plan.coverage.valid.intervals)
        valid = {std::clamp(valid.first, columns.first, columns.last) - columns.first,
                 std::clamp(valid.last, columns.first, columns.last) - columns.first};
    cut_to(rows, columns, plan);
}

ValidColumns valid_columns(const Acquisition& acquisition, const ImagePlan& plan) {
    const auto columns = static_cast<std::int32_t>(plan.grid.columns);
    if (!acquisition.decoding.valid_samples.empty()) return valid_columns_between_gaps(acquisition, plan);
    std::vector<Interval> valid(static_cast<std::size_t>(plan.grid.rows));
    if (plan.parameters.extent == ImageExtent::valid) {
        std::fill(valid.begin(), valid.end(), Interval{0, columns});
        return {valid};
    }
    const auto begin = [&](std::int32_t row, std::int32_t column) {
        Interval& of_row = valid[static_cast<std::size_t>(row)];
        if (of_row.last == 0) of_row.first = column;
    };
    const auto end = [&](std::int32_t row, std::int32_t column) { valid[static_cast<std::size_t>(row)].last = column; };
    // From column to column few rows come or go.
    const ColumnApertures beam(acquisition, plan, band_of_echo_hz(acquisition, plan.parameters));
    Interval before;
    for (std::int32_t column = 0; column <= columns; ++column) {
        Interval rows;
        if (column < columns) {
            const ColumnAperture g = beam.at(column);
            rows = covered_with_margin(acquisition, plan, column, g, g.lines(acquisition.prf_hz), 0);
        }
        for_rows_beside(before, rows, [&](std::int32_t row) { end(row, column); });
        for_rows_beside(rows, before, [&](std::int32_t row) { begin(row, column); });
        before = rows;
    }
    return {valid};
}

}  // namespace cornerturn
