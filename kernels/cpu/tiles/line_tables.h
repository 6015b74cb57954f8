// SPDX-License-Identifier: Apache-2.0
// Tables of the cells of a line between which the pixels of a tile lie: value + u slope, u the cell itself, phase
// included, for windows from which vectors pick.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/cpu/tiles/tile_block.h"
#include "kernels/host/lanes.h"

namespace cornerturn {

template <int Count>
class LineTables {
    using L = Lanes<Count>;
    using Floats = typename L::Floats;

    static constexpr float two_pi = 2 * std::numbers::pi_v<float>;
    const TileBlock& b_;

public:
    CT_HOST_DEVICE explicit LineTables(const TileBlock& block) : b_(block) {}

    /// Floats of a row of the table: real parts, imaginary ones, slopes of both. Windows begin anywhere; up to four
    /// vectors behind the last entry are read, but not used.
    CT_HOST_DEVICE std::int64_t row() const { return b_.entries + 4 * Count; }
    CT_HOST_DEVICE std::int64_t table_floats() const { return 4 * row(); }

    /// The cells that the next stage reads lie far apart in memory. They are asked for a few at a time, in `parts`
    /// parts while this stage is summed: all at once they would keep it from its own. Those of the next block lie where
    /// the last line of this one has them, or nearly so.
    CT_HOST_DEVICE void fetch_ahead(int begin, int part, int parts) const {
        constexpr std::int64_t cells_of_cache_line = 64 / sizeof(Complex64);
        const int pieces = std::max(parts / lines_of_stage, 1), lines = std::max(lines_of_stage / parts, 1),
                  first = begin + part / pieces * lines,
                  end = std::min({first + lines, begin + lines_of_stage, b_.count + b_.lines_behind});
        for (int line = first; line < end; ++line) {
            const std::int64_t count = b_.entries / pieces + 1,
                               from = b_.lines[std::min(line, b_.count - 1)].middle_cell - b_.entries / 2 +
                                      part % pieces * count,
                               last = std::min(from + count, b_.cells);
            for (std::int64_t cell = std::max<std::int64_t>(from, 0); cell < last; cell += cells_of_cache_line)
                __builtin_prefetch(b_.compressed + line * b_.cells + cell);
        }
    }

    /// A line's cells, turned: in entry i, from the middle of each row, lies what is found between the cells i and i +
    /// 1 of the line.
    CT_HOST_DEVICE void tabulate(const LineStep& line, const Complex64* samples, float* table) const {
        const int entries = b_.entries;
        const std::int64_t first = line.middle_cell - entries / 2;
        const auto present = [&](std::int64_t cell) {
            return static_cast<int>(std::clamp<std::int64_t>(cell - first, 0, entries + 1));
        };
        const int begin = present(0), end = present(b_.cells);
        for (int i = 0; i < begin; ++i) b_.turned_re[i] = b_.turned_im[i] = 0;
        const Complex64* const from = samples + first;
        for (int i = begin; i < end; ++i) {
            b_.turned_re[i] = from[i].re;
            b_.turned_im[i] = from[i].im;
        }
        for (int i = end; i <= entries; ++i) b_.turned_re[i] = b_.turned_im[i] = 0;
        Floats number{};
        for (int lane = 0; lane < Count; ++lane) number[lane] = static_cast<float>(lane - entries / 2);
        turn_cells(line, number);

        for (int i = 0; i < entries; i += Count) {
            const Floats re = L::load(b_.turned_re + i), im = L::load(b_.turned_im + i);
            const Floats slope_re = L::load_anywhere(b_.turned_re + i + 1) - re,
                         slope_im = L::load_anywhere(b_.turned_im + i + 1) - im;
            const Floats at = number + (static_cast<float>(i) - 0.5f);
            Floats first_re = re - at * slope_re, first_im = im - at * slope_im;
            if (line.cycles_per_cell != 0) {
                const Floats turn = two_pi * (2.0f * (at - line.cell) * line.cycles_per_cell2 + line.cycles_per_cell);
                const auto between = between_turned_cells(turn, slope_re, slope_im);
                first_re += between.re;
                first_im += between.im;
            }
            L::store(first_re, table + i);
            L::store(first_im, table + row() + i);
            L::store(slope_re, table + 2 * row() + i);
            L::store(slope_im, table + 3 * row() + i);
        }
    }

private:
    CT_HOST_DEVICE void turn_cells(const LineStep& line, const Floats& number) const {
        const float reach = 0.5f * static_cast<float>(b_.entries);
        const bool turns = line.cycles_per_cell != 0 || std::fabs(line.cycles_per_cell2) * reach * reach > 1e-7f;
        const bool turns_little =
            two_pi * reach * (std::fabs(line.cycles_per_cell) + std::fabs(line.cycles_per_cell2) * reach) < L::little;
        const typename L::Phasors middle = L::phasors(L::all(line.cycles));
        typename L::Phasors by = middle;
        for (int i = 0; i <= b_.entries; i += Count) {
            if (turns && turns_little) {
                const Floats cell = number + (static_cast<float>(i) - line.cell - 0.5f);
                by = L::turned(middle, L::little_turn(cell * (cell * line.cycles_per_cell2 + line.cycles_per_cell)));
            } else if (turns) {
                const Floats cell = number + (static_cast<float>(i) - line.cell - 0.5f);
                by = L::phasors(cell * (cell * line.cycles_per_cell2 + line.cycles_per_cell) + line.cycles);
            }
            const Floats re = L::load(b_.turned_re + i), im = L::load(b_.turned_im + i);
            L::store(re * by.re - im * by.im, b_.turned_re + i);
            L::store(re * by.im + im * by.re, b_.turned_im + i);
        }
    }
};

}  // namespace cornerturn
