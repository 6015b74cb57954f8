// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/factor_tree.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/host/line_loop.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

constexpr double spare_bound = 1e15;

}  // namespace

FactorTree::FactorTree(const FactorisedAccumulation& pass, int all_threads)
    : sum(pass.sum),
      factors(pass.factors),
      geometry(sum.geometry()),
      mesh(view_of(geometry.pixels)),
      around(geometry.around.mesh.nodes.empty() ? mesh : view_of(geometry.around.mesh)),
      window(view_of(sum.window, sum.window.weight.data())),
      fit(factors.law_terms, factors.column_terms),
      threads(thread_count(all_threads)),
      cells_per_node(pass.cells_per_column / factors.nodes_per_column),
      levels(static_cast<std::size_t>(factors.levels)) {
    if (static_cast<std::int64_t>(geometry.paths.size()) != sum.lines)
        throw std::logic_error("back-projection needs a path of the antenna for each line");
    if (!geometry.relief_m.empty()) look_beside();
}

void FactorTree::lay_out(const ColumnStrip& strip) {
    double migrating = 0;
    for (int l = factors.levels - 1; l >= 0; --l) {
        FactorLevel& level = level_at(l);
        level.lines = factors.lines_of(l);
        level.step = factors.step_of(l);
        const std::int64_t step_above = l + 1 < factors.levels ? factors.step_of(l + 1) : 1;
        level.migrating_rows = migrating += 0.5 * factors.row_taps * static_cast<double>(level.step) +
                                            static_cast<double>((rows_blended_together - 1) * step_above);
        level.guard = (factors.levels - l) * (factors.cell_taps / 2 + 2) + 1;
        level.blocks.assign(static_cast<std::size_t>((sum.lines + level.lines - 1) / level.lines), FactorBlock{});
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), threads, [&](std::int64_t i) { lay_out(l, i, strip); }, 1);
        std::size_t values = 0;
        for (FactorBlock& block : level.blocks) {
            block.at = values;
            values += static_cast<std::size_t>(2 * block.nodes * block.room);
        }
        level.values = values;
    }
    for (int l = 0; l < factors.levels; ++l) gather_rows(l);
}

void FactorTree::gather_rows(int l) {
    const auto count = static_cast<std::int64_t>(level_at(l).blocks.size());
    for (std::int64_t number = 0; number < count; ++number) {
        FactorBlock& block = level_at(l).blocks[static_cast<std::size_t>(number)];
        block.first_row_of_any = block.first_row;
        block.last_row_of_any = block.last_row;
        for (std::int64_t child = 0; l > 0 && child < factors.merged; ++child)
            if (const FactorBlock* const below = child_of(l, number, child)) {
                block.first_row_of_any = std::min(block.first_row_of_any, below->first_row_of_any);
                block.last_row_of_any = std::max(block.last_row_of_any, below->last_row_of_any);
            }
    }
}

void FactorTree::lay_out(int l, std::int64_t number, const ColumnStrip& strip) {
    const FactorLevel& level = level_at(l);
    FactorBlock& block = level_at(l).blocks[static_cast<std::size_t>(number)];
    block.lines = {number * level.lines, std::min((number + 1) * level.lines, sum.lines)};
    block.middle = std::min(block.lines.first + level.lines / 2, sum.lines - 1);
    find_rows(block, l == 0, strip);
    // Pixels go in whole groups: over a strip that is narrower laws would be extrapolated.
    block.seen = {block.first_row, block.last_row, static_cast<double>(strip.first_column),
                  std::max(strip.last_column(), static_cast<double>(strip.first_column + nodes_at_a_time))};
    block.image_laws = 3 * fit.points() * static_cast<std::size_t>(number);
    block.raised_laws = raised_law_count * height_terms * fit.points() * static_cast<std::size_t>(number);
    double first = block.first_row, last = block.last_row;
    if (first <= last) first -= beside.rows, last += beside.rows;
    if (l + 1 < factors.levels) {
        const FactorLevel& above = level_at(l + 1);
        const FactorBlock& parent = above.blocks[static_cast<std::size_t>(number / factors.merged)];
        if (parent.nodes > 0) {
            const auto from = static_cast<double>(parent.first_node * above.step),
                       to = static_cast<double>((parent.first_node + parent.nodes - 1) * above.step);
            first = first <= last ? std::min(first, from) : from;
            last = first <= last ? std::max(last, to) : to;
        }
    }
    if (first > last) return;
    const auto step = static_cast<double>(level.step);
    block.first_node = static_cast<std::int64_t>(std::floor(first / step)) - factors.row_taps / 2 + 1;
    block.nodes = static_cast<std::int64_t>(std::floor(last / step)) + factors.row_taps / 2 - block.first_node + 1;
    find_cells(block, level, strip);
}

void FactorTree::find_rows(FactorBlock& block, bool shortest, const ColumnStrip& strip) const {
    const auto last_row = static_cast<double>(sum.rows - 1);
    block.first_row = 0;
    block.last_row = last_row;
    if (window.weight == nullptr) return;
    const double reach_hz = window.middle / window.per_hz + beside.offset_hz;
    const std::int64_t before = shortest ? block.lines.first : block.middle,
                       behind = shortest ? block.lines.last - 1 : block.middle;
    double first = last_row, last = 0;
    for (const double column : {static_cast<double>(strip.first_column), strip.last_column()}) {
        // Places ahead have higher Doppler frequencies, and each line lower ones than the line before.
        first = std::min(first, first_row_above(before, -reach_hz, column));
        last = std::max(last, first_row_above(behind, reach_hz, column));
    }
    block.first_row = std::max(0.0, std::floor(first) - 1);
    block.last_row = std::min(last_row, std::ceil(last) + 1);
    if (last <= 0 || first >= last_row) close_edges(block, before, behind, reach_hz, strip);
}

void FactorTree::close_edges(FactorBlock& block, std::int64_t before, std::int64_t behind, double reach_hz,
                             const ColumnStrip& strip) const {
    const auto last_row = static_cast<double>(sum.rows - 1);
    bool sees = false;
    for (const double column : {static_cast<double>(strip.first_column), strip.last_column()})
        sees |= offset_hz(before, last_row, column) > -reach_hz && offset_hz(behind, 0, column) < reach_hz;
    if (!sees) block.last_row = block.first_row - 1;
}

double FactorTree::offset_hz(std::int64_t line, double row, double column) const {
    const PixelNode pixel = mesh.at(row, column);
    return arrive(line, pixel.place).row_hz - pixel.centroid_hz;
}

double FactorTree::first_row_above(std::int64_t line, double limit_hz, double column) const {
    double below = -1, above = static_cast<double>(sum.rows);
    while (above - below > 1) {
        const double middle = std::floor(0.5 * (below + above));
        (offset_hz(line, middle, column) < limit_hz ? below : above) = middle;
    }
    return above;
}

void FactorTree::find_cells(FactorBlock& block, const FactorLevel& level, const ColumnStrip& strip) const {
    constexpr int looks = 12;
    const auto step = static_cast<double>(level.step);
    const double from = static_cast<double>(block.first_node) * step - level.migrating_rows,
                 to = static_cast<double>(block.first_node + block.nodes - 1) * step + level.migrating_rows;
    const auto edge = [&](double column) {
        std::vector<double> cells;
        for (const double row : chebyshev_points(from, to, looks)) cells.push_back(cell_in(block, row, column));
        return ChebyshevSeries::through(from, to, cells);
    };
    const ChebyshevSeries low = edge(static_cast<double>(strip.first_column) - beside.columns),
                          high = edge(strip.last_column() + beside.columns);
    const auto nodes = static_cast<std::size_t>(block.nodes);
    std::vector<double> least(nodes, spare_bound), greatest(nodes, -spare_bound), at(nodes);
    for (int look = -4; look <= 4; ++look)
        for (const ChebyshevSeries* series : {&low, &high}) {
            values_along(*series, static_cast<double>(block.first_node) * step + 0.25 * look * level.migrating_rows,
                         step, nodes, at.data());
            for (std::size_t i = 0; i < nodes; ++i) {
                least[i] = std::min(least[i], at[i]);
                greatest[i] = std::max(greatest[i], at[i]);
            }
        }
    std::int64_t most = 0, lowest = INT64_MAX, highest = INT64_MIN;
    for (std::size_t i = 0; i < nodes; ++i) {
        const std::int64_t first =
                               static_cast<std::int64_t>(std::floor(std::max(least[i], -spare_bound))) - level.guard,
                           last =
                               static_cast<std::int64_t>(std::ceil(std::min(greatest[i], spare_bound))) + level.guard;
        block.first_cell.push_back(first);
        block.cells.push_back(last - first + 1);
        most = std::max(most, last - first + 1);
        lowest = std::min(lowest, first);
        highest = std::max(highest, last);
    }
    block.room = whole_groups(most) * nodes_at_a_time;
    block.area = {static_cast<double>(block.first_node) * step,
                  static_cast<double>(block.first_node + block.nodes - 1) * step, static_cast<double>(lowest),
                  static_cast<double>(highest)};
}

std::int64_t FactorTree::largest_room(const ColumnStrip& strip) const {
    std::int64_t room = strip.columns * factors.nodes_per_column;
    for (const FactorLevel& level : levels)
        for (const FactorBlock& block : level.blocks) room = std::max(room, block.room);
    return cells_per_node * (room + 8 * nodes_at_a_time) + 16 * nodes_at_a_time;
}

}  // namespace cornerturn
