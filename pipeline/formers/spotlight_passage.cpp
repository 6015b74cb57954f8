// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/spotlight_passage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pipeline/formers/block_passage.h"
#include "pipeline/formers/pulse_weights.h"

namespace cornerturn {
namespace {

/// From the first to the last, evenly, and those between which most pulses are missing.
std::vector<std::int64_t> some_lines(const Acquisition& echo, std::int64_t looks) {
    std::vector<std::int64_t> some;
    for (std::int64_t look = 0; look <= looks; ++look) some.push_back((echo.lines - 1) * look / looks);
    if (!echo.uneven()) return some;
    const std::vector<double>& sent_s = echo.pulse_times_s;
    std::size_t widest = 1;
    for (std::size_t i = 1; i < sent_s.size(); ++i)
        if (sent_s[i] - sent_s[i - 1] > sent_s[widest] - sent_s[widest - 1]) widest = i;
    some.push_back(static_cast<std::int64_t>(widest) - 1);
    some.push_back(static_cast<std::int64_t>(widest));
    return some;
}

}  // namespace

SpotlightPassage::SpotlightPassage(const Acquisition& echo, const ImagePlan& image, NodeGround nodes)
    : echo_(echo),
      image_(image),
      nodes_(std::move(nodes)),
      timing_(compressed_timing(echo, image, {})),
      last_row_(static_cast<double>(std::max<std::int64_t>(image.grid.rows, 2) - 1)),
      last_column_(static_cast<double>(std::max<std::int64_t>(image.grid.columns, 2) - 1)),
      pace_{INFINITY, -INFINITY} {
    for (const std::int64_t line : some_lines(echo, looks_along_track))
        for (const MapPlace& at : places(0, 0)) {
            const double samples =
                arrive(line, {at.row, at.column + 0.5}).cell - arrive(line, {at.row, at.column - 0.5}).cell;
            pace_ = {std::min(pace_.least, samples), std::max(pace_.most, samples)};
        }
    nearer_ = pace_.most < 0 && image.grid.columns > 1;
    if (nearer_) pace_ = {-pace_.most, -pace_.least};
    if (nodes_.highest_m > 0) look_beside();
}

std::vector<SpotlightPassage::MapPlace> SpotlightPassage::places(double rows_beside, double columns_beside) const {
    std::vector<MapPlace> places;
    for (const double row : {-rows_beside, 0.5 * last_row_, last_row_ + rows_beside})
        for (const double column : {-columns_beside, 0.5 * last_column_, last_column_ + columns_beside})
            places.push_back({row, column});
    return places;
}

double SpotlightPassage::nodes_beside(const Factorisation& f) const {
    return cornerturn::columns_beside(f) / std::max(pace_.least, 1e-3) + beside_.columns;
}

double SpotlightPassage::rows_of_nodes(const Factorisation& f, double times) const {
    return times * rows_beside(f) + beside_.rows;
}

SpotlightPassage::Beside SpotlightPassage::reach(const Factorisation& f) const {
    return {rows_of_nodes(f, 2), nodes_beside(f) + columns_beside(f)};
}

std::vector<SpotlightPassage::Block> SpotlightPassage::blocks(const Factorisation& f, int level) const {
    const std::int64_t child_lines = level > 0 ? f.lines_of(level - 1) : 1;
    return blocks(f.lines_of(level) - child_lines + 1);
}

std::vector<SpotlightPassage::Block> SpotlightPassage::blocks(std::int64_t lines) const {
    const std::int64_t off = lines / 2;
    const auto within = [&](std::int64_t line) { return std::clamp<std::int64_t>(line, 0, echo_.lines - 1); };
    std::vector<Block> blocks;
    for (const std::int64_t line : some_lines(echo_, looks_along_track))
        blocks.push_back({within(line - off), line, within(line + off)});
    return blocks;
}

double SpotlightPassage::column_in(std::int64_t line, double row, const MapPlace& same_cell) const {
    const double wanted = arrive(line, same_cell).cell;
    double column = same_cell.column, at = arrive(line, {row, column}).cell, per_column = pace_.least;
    constexpr double close = 1e-8;  // of a sample, in which the phase turns many times
    for (int round = 0; round < 20 && std::abs(wanted - at) > close; ++round) {
        const double next = column + (wanted - at) / per_column, there = arrive(line, {row, next}).cell;
        if (next != column && there != at) per_column = (there - at) / (next - column);
        column = next, at = there;
    }
    return column;
}

/// Pulses that are missing part their neighbours by more, and leave a block's middle line on one side of its time: the
/// longest that any half of a block takes counts.
SpotlightPassage::Rates SpotlightPassage::rates(std::int64_t block_lines) const {
    constexpr std::int64_t lines_apart = 8;
    constexpr double rows_apart = 16;
    const auto pulse_s = [&](std::int64_t line) { return echo_.pulse_time_s(static_cast<double>(line)); };
    const std::int64_t steps = std::clamp<std::int64_t>(block_lines / 2, 1, std::max<std::int64_t>(echo_.lines - 1, 1));
    double longest_s = 0;
    for (std::int64_t line = 0; line + steps < echo_.lines; ++line)
        longest_s = std::max(longest_s, (pulse_s(line + steps) - pulse_s(line)) / static_cast<double>(steps));
    Rates most;
    for (const std::int64_t line : some_lines(echo_, looks_along_track)) {
        const std::int64_t before = std::max<std::int64_t>(line - lines_apart / 2, 0),
                           behind = std::min(line + lines_apart / 2, echo_.lines - 1);
        if (before == behind) continue;
        const double per_line = longest_s / (pulse_s(behind) - pulse_s(before));
        for (const MapPlace& at : places(0, 0)) {
            const auto parted = [&](double rows) {
                const MapPlace there{at.row + rows, column_in(line, at.row + rows, at)};
                return arrive(behind, there).cycles - arrive(before, there).cycles;
            };
            const double band = (parted(0.5 * rows_apart) - parted(-0.5 * rows_apart)) / rows_apart,
                         hz = arrive(behind, at).row_hz - arrive(before, at).row_hz;
            most.band_per_line = std::max(most.band_per_line, per_line * std::abs(band));
            most.line_rate_hz = std::max(most.line_rate_hz, per_line * std::abs(hz));
        }
    }
    return most;
}

SpotlightPassage::AlongRow SpotlightPassage::along_row() const {
    AlongRow most;
    const std::int64_t line = echo_.lines / 2;
    for (const MapPlace& at : places(0, 0)) {
        const MapPlace left{at.row, at.column - 1}, right{at.row, at.column + 1};
        const auto off_hz = [&](const MapPlace& where) {
            return arrive(line, where).row_hz - middle_doppler_hz(echo_, *image_.map, place(where));
        };
        most.hz_per_column = std::max(most.hz_per_column, 0.5 * std::abs(off_hz(right) - off_hz(left)));
        most.arch_cycles = std::max(
            most.arch_cycles,
            0.5 * std::abs(arrive(line, right).cycles - 2 * arrive(line, at).cycles + arrive(line, left).cycles));
    }
    return most;
}

double SpotlightPassage::range_shift(const Factorisation& f) const {
    double most = 0;
    // Of all its lines, not of the middles of its parts.
    const std::int64_t half = f.lines_of(f.levels - 1) / 2;
    for (const std::int64_t line : some_lines(echo_, looks_along_track))
        for (const MapPlace& at : places(0, 0)) {
            const MapPlace left{at.row, at.column - 2}, right{at.row, at.column + 2};
            const auto turned = [&](std::int64_t of) { return arrive(of, right).cycles - arrive(of, left).cycles; };
            const double samples = arrive(line, right).cell - arrive(line, left).cell;
            for (const std::int64_t other : {line - half, line + half})
                if (other >= 0 && other < echo_.lines)
                    most = std::max(most, std::abs((turned(other) - turned(line)) / samples));
        }
    return most;
}

template <class PlaceAt>
double SpotlightPassage::law_error_cycles(const Block& block, double from, double to, int terms,
                                          const PlaceAt& place_at) const {
    return largest_law_error(from, to, terms, [&](double at) {
        const MapPlace there = place_at(at);
        return std::array{arrive(block.middle, there).cycles, arrive(block.first, there).cycles,
                          arrive(block.last, there).cycles};
    });
}

/// Along the cells of a block's own line, which nodes lie on, and along columns, as pixels take it.
double SpotlightPassage::row_law_error_cycles(const Factorisation& f) const {
    const double beside = rows_of_nodes(f);
    double most = 0;
    for (int level = 0; level < f.levels; ++level)
        for (const Block& block : blocks(f, level))
            for (const double column : {0.0, last_column_}) {
                const MapPlace amid{0.5 * last_row_, column};
                most = std::max({most,
                                 law_error_cycles(block, -beside, last_row_ + beside, f.law_terms,
                                                  [&](double row) {
                                                      return MapPlace{row, column_in(block.middle, row, amid)};
                                                  }),
                                 law_error_cycles(block, 0, last_row_, f.law_terms, [&](double row) {
                                     return MapPlace{row, column};
                                 })});
            }
    return most;
}

double SpotlightPassage::column_law_error_cycles(const Factorisation& f, std::int64_t width) const {
    const double rows = rows_of_nodes(f), columns = std::max(nodes_beside(f), columns_beside(f)),
                 strip = std::min(static_cast<double>(width), last_column_);
    double most = 0;
    for (int level = 0; level < f.levels; ++level)
        for (const Block& block : blocks(f, level))
            for (const double row : {-rows, 0.5 * last_row_, last_row_ + rows})
                for (const double first : {0.0, last_column_ - strip})
                    most = std::max(most, law_error_cycles(block, first - columns, first + strip + columns,
                                                           f.column_terms, [&](double column) {
                                                               return MapPlace{row, column};
                                                           }));
    return most;
}

double SpotlightPassage::slip(const Factorisation& f) const {
    double most = 0;
    const auto samples = [&](std::int64_t line, const MapPlace& at) {
        return arrive(line, {at.row, at.column + 1}).cell - arrive(line, at).cell;
    };
    for (int level = 0; level < f.levels; ++level)
        for (const Block& block : blocks(f, level))
            for (const MapPlace& at : places(reach(f).rows, reach(f).columns)) {
                const double own = samples(block.middle, at);
                for (const std::int64_t other : {block.first, block.last}) {
                    const double slips = std::abs(samples(other, at) / own - 1);
                    most = own > 0 && std::isfinite(slips) ? std::max(most, slips) : INFINITY;
                }
            }
    return most;
}

/// Cells run over rows: those of one edge lie as far beside the other one.
double SpotlightPassage::columns_beside(const Factorisation& f) const {
    const double beside = rows_of_nodes(f, 2);
    double most = 0;
    for (const std::int64_t line : some_lines(echo_, looks_along_track))
        for (const double column : {0.0, last_column_})
            for (const auto& [row, from] :
                 {std::pair{-beside, last_row_ + beside}, std::pair{last_row_ + beside, -beside}})
                most = std::max(most, std::abs(column_in(line, row, {from, column}) - column));
    return most;
}

}  // namespace cornerturn
