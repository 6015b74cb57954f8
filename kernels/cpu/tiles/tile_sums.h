// SPDX-License-Identifier: Apache-2.0
// The sums of a tile of pixels over a block of lines, in vector code (kernels/back_projection/accumulation_tile.h has
// what a tile and a block are). Lines come in stages whose tables lie in the innermost caches. Sixteen pixels' cells
// lie in a window of sixteen, thirty-two or sixty-four neighbours, out of which they are picked in registers; value + u
// slope with u the cell itself is what lies between cells, so that no fraction is taken. The frame leaves so little
// phase that one phasor serves all pixels of a line across, or is stepped along: seven multiply-adds, an addition and
// four picks for a vector of pixels and a line, eight picks and four choices where windows have sixty-four; stepped two
// multiply-adds and two additions more, curved another two and one; two multiplications where weights grow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/cpu/tiles/line_tables.h"
#include "kernels/cpu/tiles/line_weights.h"

namespace cornerturn {

template <int Count, AlongPhase Along, CellBends Bends, bool Weighted>
class TileSums {
    using L = Lanes<Count>;
    using Floats = typename L::Floats;
    using Ints = typename L::Ints;

    static constexpr bool curved = Along == AlongPhase::curved, stepped = Along == AlongPhase::stepped || curved,
                          apart = Bends == CellBends::apart;
    /// Vectors of a phasor: value, last change, curvature and its turn and change, growth.
    static constexpr int state = (curved ? 7 : stepped ? 5 : 2) + (Weighted ? 1 : 0);
    struct Value {
        Floats re, im;
    };
    static constexpr bool kept = !stepped && !Weighted;  ///< from patch to patch along
    /// Vectors longer than this processor's, which tests alone compute with, would take a minute to compile with them.
    static constexpr bool has_long_windows = Count > 4 && sizeof(Floats) <= bytes_at_once;

    const TileBlock& b_;
    LineTables<Count> tables_;
    LineWeights<Count> weights_;
    Floats lane_x_, lane_y_;

public:
    CT_HOST_DEVICE explicit TileSums(const TileBlock& block)
        : b_(block), tables_(block), weights_(block), lane_x_{}, lane_y_{} {
        for (int lane = 0; lane < Count; ++lane) {
            lane_x_[lane] = static_cast<float>(b_.layout.x(0, lane));
            lane_y_[lane] = static_cast<float>(b_.layout.y(0, 0, lane));
        }
    }

    CT_HOST_DEVICE void add() const {
        StageCells cells = {};
        for (int first = 0; first < b_.count; first += lines_of_stage) {
            const int lines = std::min(lines_of_stage, b_.count - first);
            for (int line = 0; line < lines; ++line) {
                if (Weighted && b_.lines[first + line].weighing == LineWeight::nothing) continue;
                tables_.tabulate(b_.lines[first + line], b_.compressed + (first + line) * b_.cells,
                                 b_.table + line * tables_.table_floats());
                turn(b_.lines[first + line], b_.phasors + line * phasor_floats(),
                     b_.weighing + line * b_.layout.strips);
            }
            set_cells(b_.lines + first, lines, cells);
            for (int group = 0; group < b_.layout.groups; ++group)
                for (int strip = 0; strip < b_.layout.strips; ++strip) {
                    tables_.fetch_ahead(first + lines, group * b_.layout.strips + strip,
                                        b_.layout.groups * b_.layout.strips);
                    const Reach reach = b_.reach[group * b_.layout.strips + strip];
                    if constexpr (Count > 4) {
                        if (reach == Reach::near) {
                            add_lines<Reach::near>(group, strip, b_.lines + first, cells, lines);
                            continue;
                        }
                    }
                    if constexpr (has_long_windows) {
                        if (reach == Reach::wide) {
                            add_lines<Reach::wide>(group, strip, b_.lines + first, cells, lines);
                            continue;
                        }
                        if (reach == Reach::broad) {
                            add_lines<Reach::broad>(group, strip, b_.lines + first, cells, lines);
                            continue;
                        }
                    }
                    add_lines<Reach::far>(group, strip, b_.lines + first, cells, lines);
                }
        }
    }

private:
    CT_HOST_DEVICE std::int64_t phasor_floats() const {
        return static_cast<std::int64_t>(b_.layout.strips) * state * Count;
    }

    /// Phasors of a line at the first patches of the tile.
    CT_HOST_DEVICE void turn(const LineStep& line, float* to, LineWeight* weighing) const {
        typename L::Phasors now = L::phasors(line.cycles_x * lane_x_);
        const auto across = static_cast<float>(b_.layout.patch_across);
        const typename L::Phasors next = L::phasors(L::all(line.cycles_x * across));
        for (int strip = 0; strip < b_.layout.strips; ++strip, to += state * Count) {
            const Floats x = lane_x_ + across * static_cast<float>(strip);
            Floats weight = L::all(1), growth = L::all(1);
            if constexpr (Weighted) {
                weighing[strip] = line.weighing;
                if (line.weighing == LineWeight::level)
                    weight = L::all(line.level_weight);
                else if (!weights_.grow(line, x, lane_y_, weight, growth)) {
                    weighing[strip] = LineWeight::each;
                    weight = growth = L::all(1);
                }
                L::store(stepped ? growth * growth : growth, to + (state - 1) * Count);
            }
            if constexpr (stepped) {
                Floats per_y = line.cycles_xy * x + line.cycles_y, per_y2{};
                if constexpr (curved) {
                    per_y += line.cycles_xxy * x * x;
                    per_y2 = x * (line.cycles_xxyy * x + line.cycles_xyy) + line.cycles_yy;
                }
                now = L::phasors(x * (line.cycles_xx * x + line.cycles_x) + lane_y_ * (lane_y_ * per_y2 + per_y));
                turn_steps(per_y, per_y2, now, weight, growth, to);
            }
            L::store(weight * now.re, to);
            L::store(weight * now.im, to + Count);
            if constexpr (!stepped) {
                const Floats a = now.re;
                now.re = a * next.re - now.im * next.im;
                now.im = a * next.im + now.im * next.re;
            }
        }
    }

    /// A step turns a phasor T by an angle t and lets it grow by r: T(k+1) - T(k) = r^2 (T(k) - T(k-1)) - ((1-r)^2 + 2
    /// r (1 - cos t)) T(k). Where angles grow by e from step to step, t is the mean of those before and behind k, e j r
    /// cos t T(k) is added, and 2 r (1 - cos t) grows by 2 r e sin t: so little (`largest_curve_cycles`) that both are
    /// those of the tile's middle.
    CT_HOST_DEVICE void turn_steps(const Floats& per_y, const Floats& per_y2, const typename L::Phasors& now,
                                   const Floats& weight, const Floats& growth, float* to) const {
        const auto step = static_cast<float>(b_.layout.patch_along);
        const typename L::Phasors h = L::phasors(0.5f * step * per_y);
        Floats less_cosine = 2.0f * h.im * h.im, sine = 2.0f * h.im * h.re, curvature = 2.0f * less_cosine;
        if constexpr (curved) {
            const Floats turn = (4 * std::numbers::pi_v<float>)*step * step * per_y2, steps = lane_y_ * (1 / step),
                         cosine = 1.0f - less_cosine, from_middle = turn * (steps - 0.5f), middle_sine = sine;
            // The last step's angle is the middle's and so much more: little.
            sine += from_middle * cosine;
            less_cosine += from_middle * middle_sine;
            L::store(growth * turn * cosine, to + 5 * Count);
            L::store(2.0f * growth * turn * middle_sine, to + 6 * Count);
            curvature += 2.0f * turn * steps * middle_sine;
        }
        Floats by_re = less_cosine, by_im = sine;
        if constexpr (Weighted) {
            by_re = (less_cosine + (growth - 1.0f)) / growth;
            by_im = sine / growth;
            curvature = (growth - 1.0f) * (growth - 1.0f) + growth * curvature;
        }
        L::store(weight * (now.re * by_re - now.im * by_im), to + 2 * Count);
        L::store(weight * (now.re * by_im + now.im * by_re), to + 3 * Count);
        L::store(curvature, to + 4 * Count);
    }

    /// Where the lines of a stage are read, side by side.
    struct StageCells {
        alignas(64) float cell[lines_of_stage], x[lines_of_stage], y[lines_of_stage], xx[lines_of_stage],
            xy[lines_of_stage], bends[lines_of_stage];
    };
    CT_HOST_DEVICE static void set_cells(const LineStep* lines, int count, StageCells& cells) {
        for (int i = 0; i < count; ++i) {
            cells.cell[i] = lines[i].cell;
            cells.x[i] = lines[i].cell_x;
            cells.y[i] = lines[i].cell_y;
            cells.xx[i] = lines[i].cell_xx;
            cells.xy[i] = lines[i].cell_xy;
            cells.bends[i] = lines[i].bends;
        }
    }

    /// Where the windows of a group's patches begin in rows of the lines' tables, and what brings a cell's number in
    /// its window into the last bits.
    struct Windows {
        alignas(64) int begin[vectors_at_a_time][lines_of_stage];
        alignas(64) float to_number[vectors_at_a_time][lines_of_stage];
    };
    CT_HOST_DEVICE void find_windows(const StageCells& cells, int group, int strip, Windows& windows) const {
        const int at = b_.layout.first_of(group, strip) / Count;
        const auto across = static_cast<float>(b_.layout.patch_across - 1);
        const auto left = static_cast<float>(strip * b_.layout.patch_across - b_.layout.across() / 2);
        const float right = left + across, middle = static_cast<float>(b_.entries / 2);
        constexpr float rounding = 1e-3f;
        for (int line = 0; line < lines_of_stage; line += Count) {
            const Floats cell = L::load(cells.cell + line) + (middle + 0.5f - rounding), x = L::load(cells.x + line),
                         y = L::load(cells.y + line);
            Floats of_left = cell + x * left, of_right = cell + x * right, y_left = y, y_right = y;
            if constexpr (stepped) {
                const Floats xx = L::load(cells.xx + line), xy = L::load(cells.xy + line),
                             bent = 0.25f * across * across * L::most(xx, -xx);
                of_left += xx * (left * left) - bent;
                of_right += xx * (right * right) - bent;
                y_left += xy * left;
                y_right += xy * right;
            } else {
                of_left = L::least(of_left, of_right);
            }
            for (int k = 0; k < vectors_at_a_time; ++k) {
                const float least = (apart ? b_.y_least : b_.bent_least)[at + k],
                            most = (apart ? b_.y_most : b_.bent_most)[at + k];
                Floats low = L::least(y_left * least, y_left * most) + of_left;
                if constexpr (stepped) low = L::least(low, L::least(y_right * least, y_right * most) + of_right);
                if constexpr (apart) low += L::load(cells.bends + line) * b_.bent_least[at + k];
                const Ints begin = __builtin_convertvector(low, Ints);
                std::memcpy(windows.begin[k] + line, &begin, sizeof begin);
                L::store((L::to_whole + middle) - __builtin_convertvector(begin, Floats), windows.to_number[k] + line);
            }
        }
    }

    template <Reach Far>
    CT_HOST_DEVICE void add_lines(int group, int strip, const LineStep* lines, const StageCells& cells,
                                  int count) const {
        constexpr int n = vectors_at_a_time;
        const int at = b_.layout.first_of(group, strip);
        const float *const y = b_.y + at, *const bent = b_.bent + at;
        Floats sum_re[n], sum_im[n];
#pragma GCC unroll 8
        for (int k = 0; k < n; ++k) {
            sum_re[k] = L::load(b_.re + at + k * Count);
            sum_im[k] = L::load(b_.im + at + k * Count);
        }
        const Floats x = lane_x_ + static_cast<float>(strip * b_.layout.patch_across);
        // Where windows begin is known before the sums, which would wait for it.
        Windows windows;
        if constexpr (Far != Reach::far) find_windows(cells, group, strip, windows);
        const float* table = b_.table;
        float* phasor = b_.phasors + strip * state * Count;
        for (int number = 0; number < count; ++number, table += tables_.table_floats(), phasor += phasor_floats()) {
            const LineStep& line = lines[number];
            if constexpr (!Weighted) {
                add_line<Far, LineWeight::level>(line, table, windows, number, group, x, y, bent, phasor, sum_re,
                                                 sum_im);
            } else {
                if (line.weighing == LineWeight::nothing) continue;
                const LineWeight weighing = b_.weighing[number * b_.layout.strips + strip];
                if (weighing == LineWeight::level)
                    add_line<Far, LineWeight::level>(line, table, windows, number, group, x, y, bent, phasor, sum_re,
                                                     sum_im);
                else if (weighing == LineWeight::grows)
                    add_line<Far, LineWeight::grows>(line, table, windows, number, group, x, y, bent, phasor, sum_re,
                                                     sum_im);
                else
                    add_line<Far, LineWeight::each>(line, table, windows, number, group, x, y, bent, phasor, sum_re,
                                                    sum_im);
            }
        }
#pragma GCC unroll 8
        for (int k = 0; k < n; ++k) {
            L::store(sum_re[k], b_.re + at + k * Count);
            L::store(sum_im[k], b_.im + at + k * Count);
        }
    }

    /// A line to a group of patches, whose sums are in registers.
    template <Reach Far, LineWeight Weighing>
    CT_HOST_DEVICE void add_line(const LineStep& line, const float* table, const Windows& windows, int number,
                                 int group, const Floats& x, const float* y, const float* bent, float* phasor,
                                 Floats (&sum_re)[vectors_at_a_time], Floats (&sum_im)[vectors_at_a_time]) const {
        constexpr int n = vectors_at_a_time;
        constexpr bool grows = Weighing == LineWeight::grows;
        Floats cell_x = line.cell_x * x + line.cell, cell_y = L::all(line.cell_y);
        Floats re = L::load(phasor), im = L::load(phasor + Count);
        Floats change_re{}, change_im{}, curvature{}, curve{}, more_curvature{}, growth{};
        if constexpr (grows) growth = L::load(phasor + (state - 1) * Count);
        if constexpr (stepped) {
            cell_x = x * (line.cell_xx * x + line.cell_x) + line.cell;
            cell_y = line.cell_xy * x + line.cell_y;
            change_re = L::load(phasor + 2 * Count);
            change_im = L::load(phasor + 3 * Count);
            curvature = L::load(phasor + 4 * Count);
        }
        if constexpr (curved) {
            curve = L::load(phasor + 5 * Count);
            more_curvature = L::load(phasor + 6 * Count);
        }
#pragma GCC unroll 8
        for (int k = 0; k < n; ++k) {
            Floats cell = cell_y * L::load((apart ? y : bent) + k * Count) + cell_x;
            if constexpr (apart) cell += line.bends * L::load(bent + k * Count);
            auto [value_re, value_im] =
                between_cells<Far>(table, windows.begin[k][number], windows.to_number[k][number], cell);
            if constexpr (Weighing == LineWeight::each) {
                const auto along_patches = static_cast<float>((group * n + k) * b_.layout.patch_along);
                const Floats weight = weights_.at(line, x, lane_y_ + along_patches);
                value_re *= weight;
                value_im *= weight;
            }
            sum_re[k] += value_re * re;
            sum_im[k] += value_im * re;
            sum_re[k] -= value_im * im;
            sum_im[k] += value_re * im;
            if constexpr (stepped) {
                if constexpr (grows) change_re *= growth, change_im *= growth;
                change_re -= curvature * re;
                change_im -= curvature * im;
                if constexpr (curved) {
                    change_re -= curve * im;
                    change_im += curve * re;
                    curvature += more_curvature;
                }
                re += change_re;
                im += change_im;
            } else if constexpr (grows) {
                re *= growth;
                im *= growth;
            }
        }
        if constexpr (!kept) L::store(re, phasor), L::store(im, phasor + Count);
        if constexpr (stepped) L::store(change_re, phasor + 2 * Count), L::store(change_im, phasor + 3 * Count);
        if constexpr (curved) L::store(curvature, phasor + 4 * Count);
    }

    /// What lies in cells of a line's table.
    template <Reach Far>
    CT_HOST_DEVICE Value between_cells(const float* table, int begin, float to_number, const Floats& cell) const {
        const std::int64_t row = tables_.row();
        const float* const from = table + (Far == Reach::far ? b_.entries / 2 : begin);
        const Ints number = Far == Reach::far ? L::bits_of(cell + L::to_whole) - L::bits_of(L::all(L::to_whole))
                                              : L::bits_of(cell + to_number);
        return {picked<Far>(from, number) + cell * picked<Far>(from + 2 * row, number),
                picked<Far>(from + row, number) + cell * picked<Far>(from + 3 * row, number)};
    }
    /// Of a window of one, two or four vectors, or one by one, where a vector's cells lie far apart and on processors
    /// that cannot pick.
    template <Reach Far>
    CT_HOST_DEVICE static Floats picked(const float* from, const Ints& number) {
        if constexpr (Far == Reach::near) return L::picked(from, number);
        if constexpr (Far == Reach::wide) return L::picked_of_two(from, number);
        if constexpr (Far == Reach::broad) return L::picked_of_four(from, number);
        Floats value{};
#pragma GCC unroll 16
        for (int lane = 0; lane < Count; ++lane) value[lane] = from[number[lane]];
        return value;
    }
};

}  // namespace cornerturn
