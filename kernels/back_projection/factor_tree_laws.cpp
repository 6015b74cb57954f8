// SPDX-License-Identifier: Apache-2.0
// Where the nodes of blocks, and the pixels that take them, arrive.

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/back_projection/factor_tree.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {

Place FactorTree::place_of_node(const FactorBlock& block, double row, double cell) const {
    const double columns_per_cell = 1 / static_cast<double>(factors.nodes_per_column);
    double column = 0.5 * static_cast<double>(sum.columns), at = cell_in(block, row, column);
    double next = column + (cell - at) * columns_per_cell;
    for (int round = 0; round < 5 && std::fabs(cell - at) > 1e-6; ++round) {
        const double there = cell_in(block, row, next), slope = there != at ? (next - column) / (there - at) : 0;
        column = next;
        at = there;
        next = column + (cell - at) * slope;
    }
    return place(row, column);
}

void FactorTree::find_laws(int l) {
    FactorLevel& level = level_at(l);
    const std::size_t blocks = level.blocks.size(),
                      each = 2 * static_cast<std::size_t>(l == 0 ? level.lines : factors.merged) * fit.points();
    level.merge_laws.resize(blocks * each);
    for_each_line(
        static_cast<std::int64_t>(blocks), threads,
        [&](std::int64_t i) {
            FactorBlock& block = level.blocks[static_cast<std::size_t>(i)];
            block.merge_laws = static_cast<std::size_t>(i) * each;
            if (block.nodes == 0) return;
            std::vector<Place> places(fit.points());
            fit.for_points(block.area, [&](std::size_t point, double row, double cell) {
                places[point] = place_of_node(block, row, cell);
            });
            l == 0 ? find_line_laws(block, places) : find_block_laws(l, i, places);
            find_band(block, l);
        },
        1);
}

void FactorTree::find_line_laws(const FactorBlock& block, const std::vector<Place>& places) {
    const std::int64_t lines = block.lines.last - block.lines.first;
    const std::size_t points = places.size();
    std::vector<Arrival> arrivals(points * static_cast<std::size_t>(lines));
    for (std::size_t i = 0; i < points; ++i)
        find_arrivals(sum.timing, geometry.paths, block.lines.first, 1, lines, places[i],
                      arrivals.data() + i * static_cast<std::size_t>(lines));
    std::vector<double> own(points), cell(points), cycles(points);
    for (std::size_t i = 0; i < points; ++i) own[i] = arrive(block.middle, places[i]).cycles;
    for (std::int64_t line = 0; line < lines; ++line) {
        for (std::size_t i = 0; i < points; ++i) {
            const Arrival& at = arrivals[i * static_cast<std::size_t>(lines) + static_cast<std::size_t>(line)];
            cell[i] = at.cell;
            cycles[i] = at.cycles - own[i];
        }
        keep(cell, cycles,
             level_at(0).merge_laws.data() + block.merge_laws + static_cast<std::size_t>(2 * line) * points);
    }
}

void FactorTree::find_block_laws(int l, std::int64_t number, const std::vector<Place>& places) {
    FactorLevel& level = level_at(l);
    const FactorBlock& block = level.blocks[static_cast<std::size_t>(number)];
    const std::size_t points = places.size();
    std::vector<double> cell(points), cycles(points);
    for (std::int64_t child = 0; child < factors.merged; ++child) {
        const FactorBlock* const below = child_of(l, number, child);
        if (below == nullptr) continue;
        for (std::size_t i = 0; i < points; ++i) {
            const Arrival at = arrive(below->middle, places[i]);
            cell[i] = at.cell / static_cast<double>(cells_per_node);
            cycles[i] = at.cycles - arrive(block.middle, places[i]).cycles;
        }
        keep(cell, cycles, level.merge_laws.data() + block.merge_laws + static_cast<std::size_t>(2 * child) * points);
    }
}

void FactorTree::keep(const std::vector<double>& cell, const std::vector<double>& cycles, double* laws) const {
    fit.fit(cell.data(), laws);
    fit.fit(cycles.data(), laws + fit.points());
}

const FactorBlock* FactorTree::child_of(int l, std::int64_t number, std::int64_t child) const {
    const auto& below = levels[static_cast<std::size_t>(l - 1)].blocks;
    const auto at = static_cast<std::size_t>(number * factors.merged + child);
    return at < below.size() ? &below[at] : nullptr;
}

void FactorTree::find_band(FactorBlock& block, int l) const {
    const double row = 0.5 * (block.area.from_row + block.area.to_row),
                 cell = 0.5 * (block.area.from_column + block.area.to_column);
    const auto step = static_cast<double>(levels[static_cast<std::size_t>(l)].step);
    const Place behind = place_of_node(block, row + 0.5 * step, cell),
                before = place_of_node(block, row - 0.5 * step, cell), here = place_of_node(block, row, cell);
    const std::int64_t first = block.lines.first, last = block.lines.last - 1;
    if (first == last) return;
    const auto apart = [&](const Place& at) { return arrive(last, at).cycles - arrive(first, at).cycles; };
    const double cycles_per_node = apart(behind) - apart(before),
                 hz = arrive(last, here).row_hz - arrive(first, here).row_hz;
    block.half_hz = hz / cycles_per_node * 0.5 * factors.row_band;
}

void FactorTree::find_image_laws() {
    const std::size_t points = fit.points();
    for (FactorLevel& level : levels) {
        level.image_laws.resize(3 * points * level.blocks.size());
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), threads,
            [&](std::int64_t i) {
                const FactorBlock& block = level.blocks[static_cast<std::size_t>(i)];
                if (block.first_row > block.last_row) return;
                std::vector<double> cell(points), cycles(points), offset(points);
                fit.for_points(block.seen, [&](std::size_t point, double row, double column) {
                    const PixelNode pixel = mesh.at(row, column);
                    const Arrival at = arrive(block.middle, pixel.place);
                    cell[point] = at.cell / static_cast<double>(cells_per_node);
                    cycles[point] = at.cycles + pixel.phase_cycles;
                    offset[point] = at.row_hz - pixel.centroid_hz;
                });
                double* const laws = level.image_laws.data() + block.image_laws;
                fit.fit(cell.data(), laws + of_cell * points);
                fit.fit(cycles.data(), laws + of_cycles * points);
                fit.fit(offset.data(), laws + of_offset * points);
            },
            1);
    }
}

}  // namespace cornerturn
