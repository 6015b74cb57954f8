// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/block_passage.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cornerturn {
namespace {

constexpr double lines_apart = 8, rows_apart = 16;

double last(std::int64_t count) { return static_cast<double>(std::max<std::int64_t>(count, 1) - 1); }

/// The column of a row that lies in a cell, by the secant from about there; NAN: none does.
template <class CellOf>
double column_in(const CellOf& cell, double row, double column, double wanted) {
    double at = cell(row, column), next = column + wanted - at;
    for (int round = 0; round < 20 && std::abs(wanted - at) > 1e-3; ++round) {
        const double there = cell(row, next), step = (wanted - there) * (next - column) / (there - at);
        column = next, at = there;
        next = column + step;
    }
    return std::abs(wanted - at) < 1 ? column : NAN;
}

}  // namespace

double rows_beside(const Factorisation& f) {
    double rows = 0;
    for (int level = 0; level < f.levels; ++level) rows += static_cast<double>(f.row_taps * f.step_of(level));
    return rows;
}

double columns_beside(const Factorisation& f) {
    return static_cast<double>(f.levels * (f.cell_taps / 2 + 2) + 16) / static_cast<double>(f.nodes_per_column);
}

template <class ErrorOf>
double BlockPassage::largest_of_blocks(const Factorisation& f, const ErrorOf& error_of) const {
    const double lines = static_cast<double>(echo_.lines);
    const auto blocks = static_cast<int>(
        image_.geometry->steady() ? 2 : std::clamp(std::ceil(8 * lines / image_.aperture.lines), 2.0, 200.0));
    double most = 0;
    for (int level = 0; level < f.levels; ++level)
        for (int i = 0; i <= blocks; ++i) most = std::max(most, error_of(level, i * (lines - 1) / blocks));
    return most;
}

/// Of a block about a line, along a way through the image.
template <class PlaceAt>
double BlockPassage::law_error_cycles(const Factorisation& f, int level, double line, Span span, int terms,
                                      const PlaceAt& place_at) const {
    const double line_s = echo_.pulse_time_s(line), off_s = half_span_s(f, level);
    const PulsePath middle = path(line_s), first = path(line_s - off_s), last = path(line_s + off_s);
    return largest_law_error(span.from, span.to, terms, [&](double at) {
        const Place there = place_at(at);
        return std::array{arrival(timing_, middle, there).cycles, arrival(timing_, first, there).cycles,
                          arrival(timing_, last, there).cycles};
    });
}

BlockPassage::Rates BlockPassage::rates() const {
    Rates most;
    const double last_row = last(image_.grid.rows);
    const auto looks = static_cast<int>(
        image_.geometry->steady() ? 2 : std::clamp(std::ceil(8 * last_row / image_.aperture.lines), 2.0, 2000.0));
    for (int look = 0; look <= looks; ++look)
        for (const double column : {0.0, last(image_.grid.columns)}) {
            const Rates here = largest_at(last_row * look / looks, column);
            most.band_per_line = std::max(most.band_per_line, here.band_per_line);
            most.line_rate_hz = std::max(most.line_rate_hz, here.line_rate_hz);
        }
    return most;
}

BlockPassage::AlongRow BlockPassage::along_row() const {
    constexpr int looks = 16;
    AlongRow found;
    const double row = 0.5 * last(image_.grid.rows), columns = last(image_.grid.columns),
                 zero_doppler_s = image_.grid.time_s(row);
    const auto beam = [&](double column) {
        return image_.geometry->beam_centre(zero_doppler_s, image_.grid.range_m(column));
    };
    const PulsePath line = path(zero_doppler_s + beam(0.5 * columns).time_s);
    const auto at = [&](double column) { return arrival(timing_, line, place(row, column)); };
    for (int look = 0; look <= looks; ++look) {
        const double column = 1 + (columns - 2) * look / looks;
        const Arrival before = at(column - 1), here = at(column), behind = at(column + 1);
        const double hz = behind.row_hz - beam(column + 1).centroid_hz - before.row_hz + beam(column - 1).centroid_hz;
        found.hz_per_column += 0.5 * std::abs(hz) / (looks + 1);
        found.slide_per_column = std::max(found.slide_per_column, std::abs(behind.cell - here.cell - 1));
        found.arch_cycles =
            std::max(found.arch_cycles, 0.5 * std::abs(behind.cycles - 2 * here.cycles + before.cycles));
    }
    return found;
}

double BlockPassage::row_law_error_cycles(const Factorisation& f) const {
    const double last_column = last(image_.grid.columns);
    return largest_of_blocks(f, [&](int level, double line) {
        double most = 0;
        for (const double column : {0.0, 0.5 * last_column, last_column})
            if (const auto seen = rows_seen(f, level, line, column))
                most = std::max(most, law_error_cycles(f, level, line, *seen, f.law_terms,
                                                       [&](double row) { return place(row, column); }));
        return most;
    });
}
double BlockPassage::column_law_error_cycles(const Factorisation& f, std::int64_t width) const {
    const double columns = last(image_.grid.columns), beside = columns_beside(f);
    return largest_of_blocks(f, [&](int level, double line) {
        double most = 0;
        for (double first = 0; first < columns; first += static_cast<double>(width)) {
            const Span strip{first, std::min(first + static_cast<double>(width) - 1, columns)},
                nodes{strip.from - beside, strip.to + beside};
            if (const auto seen = rows_seen(f, level, line, 0.5 * (strip.from + strip.to)))
                for (const double row : {seen->from, seen->to})
                    most = std::max(most, law_error_cycles(f, level, line, nodes, f.column_terms,
                                                           [&](double column) { return place(row, column); }));
        }
        return most;
    });
}

bool BlockPassage::cells_follow(const Factorisation& f) const {
    const double columns = last(image_.grid.columns), beside = columns_beside(f);
    return largest_of_blocks(f, [&](int level, double line) {
               double most = 0;
               for (const double column : {-beside, 0.5 * columns, columns + beside})
                   if (const auto seen = rows_seen(f, level, line, std::clamp(column, 0.0, columns)))
                       for (const double row :
                            {seen->from - rows_beside(f), seen->from, seen->to, seen->to + rows_beside(f)})
                           most = std::max(most, slip_of_cells(f, level, line, row, column));
               return most;
           }) < 1;
}

BlockPassage::Corners BlockPassage::corners(const Factorisation& f, std::int64_t width) const {
    const double columns = last(image_.grid.columns), strip = std::min(static_cast<double>(width) - 1, columns);
    Corners worst;
    worst.slip = largest_of_blocks(f, [&](int level, double line) {
        double most = 0;
        for (const Span& across : {Span{0, strip}, Span{columns - strip, columns}})
            for (const auto& [row, column] : corners_of(f, level, line, across)) {
                most = std::max(most, slip_of_cells(f, level, line, row, column));
                worst.columns_beside = std::max({worst.columns_beside, -column, column - columns});
            }
        return most;
    });
    return worst;
}

double BlockPassage::half_span_s(const Factorisation& f, int level) const {
    const double child_lines = level > 0 ? static_cast<double>(f.lines_of(level - 1)) : 1.0;
    return 0.5 * (static_cast<double>(f.lines_of(level)) - child_lines) / echo_.prf_hz;
}

/// By how much the cells of a block's first or last part slide over those of its middle, from one column to the
/// next: 0 where they keep step, 1 where they stand still or go twice as far; infinite where nothing follows.
double BlockPassage::slip_of_cells(const Factorisation& f, int level, double line, double row, double column) const {
    const double line_s = echo_.pulse_time_s(line), off_s = half_span_s(f, level);
    const double far_away = 8 * static_cast<double>(echo_.samples);  // places where nothing says how the track goes on
    const auto cells_per_column = [&](double time_s) {
        const PulsePath at = path(time_s);
        const double here = arrival(timing_, at, place(row, column)).cell;
        return std::abs(here) < far_away ? arrival(timing_, at, place(row, column + 1)).cell - here : NAN;
    };
    const double middle = cells_per_column(line_s);
    double most = 0;
    for (const double time_s : {line_s - off_s, line_s + off_s}) {
        const double slip = std::abs(cells_per_column(time_s) / middle - 1);
        most = std::isfinite(slip) ? std::max(most, slip) : INFINITY;
    }
    return middle > 0 ? most : INFINITY;
}

/// Over the aperture of a target, which its beam sees.
BlockPassage::Rates BlockPassage::largest_at(double row, double column) const {
    const double range_m = image_.grid.range_m(column), zero_doppler_s = image_.grid.time_s(row),
                 reach_hz = image_.fades.pulse_reach_hz;
    Rates most;
    const int parts = image_.geometry->steady() ? 1 : 8;
    const BeamCentre beam = image_.geometry->beam_centre(zero_doppler_s, range_m);
    const double history_s = image_.histories.middle.centre_time_s(range_m);
    for (int part = -parts; part <= parts; ++part) {
        const double of_history_s = image_.histories.middle.time_s(
            range_m, image_.histories.middle.centroid_hz(range_m) + reach_hz * part / parts);
        const Rates here = at(row, column, zero_doppler_s + beam.time_s + of_history_s - history_s);
        most.band_per_line = std::max(most.band_per_line, here.band_per_line);
        most.line_rate_hz = std::max(most.line_rate_hz, here.line_rate_hz);
    }
    return most;
}

/// Rows of the image that take a block about a line, in a column.
std::optional<BlockPassage::Span> BlockPassage::rows_seen(const Factorisation& f, int level, double line,
                                                          double column) const {
    const double line_s = echo_.pulse_time_s(line), range_m = image_.grid.range_m(column),
                 half_block = 0.5 * static_cast<double>(f.lines_of(level)) / image_.lines.per_row,
                 nodes = 0.5 * f.row_taps * static_cast<double>(f.step_of(level)),
                 reach_hz = image_.fades.pulse_reach_hz, centre_hz = image_.histories.middle.centroid_hz(range_m),
                 early_s = image_.histories.middle.time_s(range_m, centre_hz + reach_hz),
                 late_s = image_.histories.middle.time_s(range_m, centre_hz - reach_hz);
    const auto row_of = [&](double time_s) { return (time_s - image_.grid.first_time_s) / image_.grid.time_spacing_s; };
    const Span seen{std::max(row_of(line_s - late_s) - half_block - nodes, 0.0),
                    std::min(row_of(line_s - early_s) + half_block + nodes, last(image_.grid.rows))};
    return seen.to > seen.from ? std::optional(seen) : std::nullopt;
}

std::vector<BlockPassage::PixelPlace> BlockPassage::corners_of(const Factorisation& f, int level, double line,
                                                               Span strip) const {
    constexpr int looks = 4;
    Span rows{INFINITY, -INFINITY};
    for (const double column : {strip.from, strip.to})
        if (const auto seen = rows_seen(f, level, line, column))
            rows = {std::min(rows.from, seen->from), std::max(rows.to, seen->to)};
    if (!(rows.from < rows.to)) return {};
    double beside = 0;  // nodes, and again rows from which they are blended
    for (int above = level; above < f.levels; ++above)
        beside += 0.5 * static_cast<double>(f.row_taps * f.step_of(above));
    rows = {rows.from - beside, rows.to + beside};
    const PulsePath middle = path(echo_.pulse_time_s(line));
    const auto cell = [&](double row, double column) { return arrival(timing_, middle, place(row, column)).cell; };
    Span cells{INFINITY, -INFINITY};
    for (int look = 0; look <= looks; ++look) {
        const double row = rows.from - beside + (rows.to - rows.from + 2 * beside) * look / looks;
        cells = {std::min(cells.from, cell(row, strip.from)), std::max(cells.to, cell(row, strip.to))};
    }
    std::vector<PixelPlace> found;
    for (const double row : {rows.from, rows.to}) {
        found.push_back({row, column_in(cell, row, strip.from, cells.from)});
        found.push_back({row, column_in(cell, row, strip.to, cells.to)});
    }
    return found;
}

BlockPassage::Rates BlockPassage::at(double row, double column, double time_s) const {
    const double line = echo_.line_at(time_s);
    const PulsePath middle = path(time_s), before = path(echo_.pulse_time_s(line - 0.5 * lines_apart)),
                    behind = path(echo_.pulse_time_s(line + 0.5 * lines_apart));
    // Along a cell of the middle line the column follows the row.
    const auto cell = [&](double r, double c) { return arrival(timing_, middle, place(r, c)).cell; };
    const double columns_per_row =
        -(cell(row + 1, column) - cell(row - 1, column)) / (cell(row, column + 1) - cell(row, column - 1));
    const auto parted = [&](double rows) {
        const Place there = place(row + rows, column + columns_per_row * rows);
        return arrival(timing_, behind, there).cycles - arrival(timing_, before, there).cycles;
    };
    const Place here = place(row, column);
    const double band = (parted(0.5 * rows_apart) - parted(-0.5 * rows_apart)) / (lines_apart * rows_apart);
    const double hz = arrival(timing_, behind, here).row_hz - arrival(timing_, before, here).row_hz;
    return {std::abs(band), std::abs(hz) / lines_apart};
}

}  // namespace cornerturn
