// SPDX-License-Identifier: Apache-2.0
// Adds lines, whose cells are in a table, to the pixels of a thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/cuda/back_projection/line_phasor.h"
#include "kernels/cuda/back_projection/tile_thread.h"
#include "kernels/cuda/back_projection/tilings.h"
#include "kernels/cuda/back_projection/view.h"
#include "kernels/cuda/back_projection/window_place.h"
#include "kernels/cuda/launch/unrolled.h"

namespace cornerturn {

/// Sums of a thread's pixels over the lines of a block, and what bends at its middle (CellBends): places along the tile
/// at which cells are straight over them, or cells.
template <class Tiling>
struct BlockSums {
    float re[Tiling::pixels], im[Tiling::pixels], bent[Tiling::pixels];
};

template <class Tiling, bool Weighted>
struct LineSums {
    const AccumulationView& view;

    static constexpr bool curved = Tiling::along_phase == AlongPhase::curved;
    static constexpr bool bends = Tiling::along_phase != AlongPhase::in_cells;
    using Thread = TileThread<Tiling>;
    using Line = TileLineEntry<Tiling::along_phase, Weighted>;
    using Sums = BlockSums<Tiling>;
    static constexpr float two_pi = 6.2831853071795865f;
    static constexpr float middle_pixel = 0.5f * (Tiling::pixels - 1), span = (Tiling::pixels - 1) * Tiling::apart;

    /// Lines side by side. What a warp does with them is the same for all, so that the instructions of one can fill the
    /// waits of another.
    template <class Block>
    CT_HOST_DEVICE void add_some(const Block& block, const Thread& mine, const WindowPlace& bend, unsigned table,
                                 const Line* lines, Sums& sums) const {
        constexpr unsigned apart = Tiling::entries * 16;
        if constexpr (!Weighted) {
            unrolled<Tiling::unrolled>(
                [&]<int i>() { add_pixels<Weights::none>(block, mine, {}, table + i * apart, lines[i], sums); });
        } else {
            WindowPlace places[Tiling::unrolled];
            bool seen = false, bent = false, tilted = false;
            unrolled<Tiling::unrolled>([&]<int i>() {
                places[i] = window_place(lines[i], mine, bend);
                const float off = std::fabs(places[i].middle), half = middle_pixel * std::fabs(places[i].step);
                const bool of_line = off < static_cast<float>(view.window.middle) + half;
                seen |= of_line;
                bent |= of_line && off + half > view.straight_from_middle;
                tilted |= of_line && off + half > view.level_from_middle;
            });
            const auto add = [&]<Weights Weighing>() {
                unrolled<Tiling::unrolled>(
                    [&]<int i>() { add_pixels<Weighing>(block, mine, places[i], table + i * apart, lines[i], sums); });
            };
            if (!block.any_in_warp(seen)) return;
            if (block.any_in_warp(bent))
                for (int i = 0, count = block.not_known(Tiling::unrolled); i < count; ++i)
                    add_pixels<Weights::each>(block, mine, window_place(lines[i], mine, bend),
                                              table + static_cast<unsigned>(i) * apart, lines[i], sums);
            else if (block.any_in_warp(tilted))
                add.template operator()<Weights::straight>();
            else
                add.template operator()<Weights::level>();
        }
    }

private:
    enum class Weights : std::uint8_t { none, level, straight, each };

    CT_HOST_DEVICE static WindowPlace window_place(const Line& line, const Thread& mine, const WindowPlace& bend) {
        const float middle_y = static_cast<float>(mine.y) + 0.5f * span;
        return {line.weight.x + line.weight.y * static_cast<float>(mine.x) + line.weight.z * middle_y + bend.middle,
                line.weight.z * Tiling::apart + bend.step};
    }

    template <Weights Weighing, class Block>
    CT_HOST_DEVICE void add_pixels(const Block& block, const Thread& mine, const WindowPlace& place, unsigned table,
                                   const Line& line, Sums& sums) const {
        constexpr int count = Tiling::pixels;
        const Float4 step = line.step;
        const auto x = static_cast<float>(mine.x);
        float cell_x = step.y * x + step.x, cell_y = step.z, angle = step.w * x, turn_step = 0, curve = 0;
        if constexpr (bends) {
            const auto cells_per_radian = static_cast<float>(view.cells_per_cycle) * (1 / two_pi);
            const float more_y = line.bend.z * x, more_x = line.bend.y * (x * x),
                        middle_y = static_cast<float>(mine.y) + 0.5f * span;
            float per_y = more_y + line.bend.x;
            cell_y += more_y * cells_per_radian;
            cell_x += more_x * cells_per_radian;
            if constexpr (curved) {
                const float per_y2 = x * (line.curve.z * x + line.curve.x) + line.curve.w;
                per_y += line.curve.y * (x * x) + per_y2 * middle_y;
                angle += more_x + per_y * middle_y;
                turn_step = (per_y + per_y2 * middle_y) * Tiling::apart;
                curve = 2 * per_y2 * (Tiling::apart * Tiling::apart);
            } else {
                angle += more_x + per_y * middle_y;
                turn_step = per_y * Tiling::apart;
            }
        }
        float weight = 1, more_weight = 0;
        TablePlace weighed = {};
        if constexpr (Weighing != Weights::none) weighed = table_place(view.window, place);
        if constexpr (Weighing == Weights::straight || Weighing == Weights::level) {
            const WindowWeight of_middle = weight_at(block, view, weighed.middle);
            weight = of_middle.value;
            if constexpr (Weighing == Weights::straight) more_weight = of_middle.slope * place.step;
        }
        auto of = LinePhasor<Tiling>::of_line(block, angle, turn_step, weight, more_weight, curve);
        const float first_cell = cell_y * static_cast<float>(mine.y) + cell_x, next_cell = cell_y * Tiling::apart;
        unrolled<count>([&]<int k>() {
            float cell = cell_y * sums.bent[k] + cell_x;
            if constexpr (Tiling::cell_bends == CellBends::apart)
                cell = line.bend.w * sums.bent[k] + (next_cell * static_cast<float>(k) + first_cell);
            const Float4 entry = block.entry(table, cell);
            float value_re = cell * entry.z + entry.x, value_im = cell * entry.w + entry.y;
            if constexpr (Weighing == Weights::each) {
                const float of_pixel = weight_at(block, view, weighed.middle + (k - middle_pixel) * weighed.step).value;
                value_re *= of_pixel;
                value_im *= of_pixel;
            }
            sums.re[k] = value_re * of.re + sums.re[k];
            sums.im[k] = value_im * of.re + sums.im[k];
            sums.re[k] = -value_im * of.im + sums.re[k];
            sums.im[k] = value_re * of.im + sums.im[k];
            if constexpr (k + 1 < count) of.template step<k, Weighing == Weights::straight>();
        });
    }
};

}  // namespace cornerturn
