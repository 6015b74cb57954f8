// SPDX-License-Identifier: Apache-2.0
// Where pixels that lie off the smooth surface are read of nodes on it.

#include <algorithm>
#include <cmath>

#include "kernels/back_projection/factor_tree.h"
#include "kernels/errors.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
RaisedRead FactorTree::read_of(const BlockLines& lines, double step, const Place& raised, double row,
                               double column) const {
    struct Surface {
        const FactorTree& tree;
        Place place(double r, double c) const { return tree.place(r, c); }
        Arrival arrive(std::int64_t line, const Place& at) const { return tree.arrive(line, at); }
    };
    const RaisedRead read = raised_read(Surface{*this}, lines, 0.5 * factors.row_band / step, raised, row, column);
    if (!read.found) throw Unsupported(no_place_to_read);
    return read;
}

void FactorTree::look_beside() {
    constexpr double spare = 1.1, level_m = 1e-3;
    constexpr std::int64_t looks = 5;
    const std::int64_t half = factors.lines_of(factors.levels - 1) / 2;
    highest_m = std::max(geometry.largest_relief_m(), level_m);
    const auto last_row = static_cast<double>(sum.rows - 1), last_column = static_cast<double>(sum.columns - 1);
    BesidePixels most;
    for (std::int64_t look = 0; look < looks; ++look)
        for (const double row : {0.0, 0.5 * last_row, last_row})
            for (const double column : {0.0, 0.5 * last_column, last_column})
                for (const double height_m : {-highest_m, highest_m}) {
                    const std::int64_t line = (sum.lines - 1) * look / (looks - 1);
                    const BlockLines about{std::max<std::int64_t>(line - half, 0), line,
                                           std::min(line + half, sum.lines - 1)};
                    const PixelNode pixel = mesh.at(row, column);
                    const Place high = raised(pixel, height_m);
                    const RaisedRead at = read_of(about, static_cast<double>(factors.row_step), high, row, column);
                    most.rows = std::max(most.rows, std::fabs(at.row - row));
                    most.columns = std::max(most.columns, std::fabs(at.column - column));
                    most.offset_hz = std::max(most.offset_hz,
                                              std::fabs(arrive(line, high).row_hz - arrive(line, pixel.place).row_hz));
                }
    beside = {spare * most.rows + 1, spare * most.columns + 1, spare * most.offset_hz};
}

void FactorTree::find_raised_laws() {
    if (!has_heights()) return;
    const std::size_t each = raised_law_count * height_terms * fit.points();
    // Without a window all pixels take the longest blocks.
    for (int l = window.weight == nullptr ? factors.levels - 1 : 0; l < factors.levels; ++l) {
        FactorLevel& level = level_at(l);
        level.raised_laws.resize(each * level.blocks.size());
        for_each_line(
            static_cast<std::int64_t>(level.blocks.size()), threads,
            [&](std::int64_t i) {
                const FactorBlock& block = level.blocks[static_cast<std::size_t>(i)];
                if (block.taken && block.first_row <= block.last_row)
                    find_raised_laws(level, block, level.raised_laws.data() + block.raised_laws);
            },
            1);
    }
}

void FactorTree::find_raised_laws(const FactorLevel& level, const FactorBlock& block, double* laws) const {
    const std::size_t points = fit.points();
    const std::vector<double> heights_m = chebyshev_points(-highest_m, highest_m, height_terms);
    const PowersThrough through_heights(height_terms);
    // [law][power of the height][point], of values at the points first.
    std::vector<double> powers(raised_law_count * height_terms * points);
    fit.for_points(block.seen, [&](std::size_t point, double row, double column) {
        const PixelNode pixel = mesh.at(row, column);
        double value[raised_law_count][height_terms];
        for (std::size_t k = 0; k < height_terms; ++k) {
            const Place high = raised(pixel, heights_m[k]);
            const Arrival at = arrive(block.middle, high);
            const RaisedRead read = read_of({block.lines.first, block.middle, block.lines.last - 1},
                                            static_cast<double>(level.step), high, row, column);
            value[raised_cell][k] = at.cell / static_cast<double>(cells_per_node);
            value[raised_cycles][k] = at.cycles + pixel.phase_cycles;
            value[raised_offset][k] = at.row_hz - pixel.centroid_hz;
            value[raised_node][k] = read.row / static_cast<double>(level.step) - static_cast<double>(block.first_node);
            value[raised_bend][k] = read.turn.bend_rad;
            value[raised_twist][k] = read.turn.twist_rad;
        }
        for (std::size_t law = 0; law < raised_law_count; ++law) {
            double of_height[height_terms];
            through_heights(value[law], of_height);
            for (std::size_t k = 0; k < height_terms; ++k)
                powers[(law * height_terms + k) * points + point] = of_height[k];
        }
    });
    for (std::size_t i = 0; i < raised_law_count * height_terms; ++i)
        fit.fit(powers.data() + i * points, laws + i * points);
}

}  // namespace cornerturn
