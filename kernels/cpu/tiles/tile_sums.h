// SPDX-License-Identifier: Apache-2.0
// The sums of a tile of pixels over a block of lines, in vector code (kernels/back_projection/accumulation_tile.h has
// what a tile and a block are). Lines come in stages whose tables lie in the innermost caches. Sixteen pixels' cells
// lie in a window of sixteen or thirty-two neighbours, out of which they are picked in registers; value + u slope with
// u the cell itself is what lies between cells, so that no fraction is taken. The frame leaves so little phase that one
// phasor serves all pixels of a line across, or is stepped along: seven multiply-adds, an addition and four picks for a
// vector of pixels and a line; stepped two multiply-adds and two additions more, curved another two and one; two
// multiplications where weights grow.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/back_projection/accumulation_tile.h"
#include "kernels/host/lanes.h"
#include "kernels/math/complex.h"

namespace cornerturn {

inline constexpr int vectors_at_a_time = 8;  ///< one above the other: their sums stay in registers
inline constexpr int lines_of_stage = 16;

/// How the pixels of a tile lie in vectors: a vector is a patch of patch_across x patch_along pixels;
/// `vectors_at_a_time` patches follow each other along, then across, then again along.
struct TileLayout {
    int lanes = 0, patch_across = 0, patch_along = 0;
    int strips = 0;  ///< patches across
    int groups = 0;  ///< of patches along

    int pixels() const { return strips * groups * vectors_at_a_time * lanes; }
    int across() const { return strips * patch_across; }
    int along() const { return groups * vectors_at_a_time * patch_along; }
    int first_of(int group, int strip, int vector = 0) const {
        return ((group * strips + strip) * vectors_at_a_time + vector) * lanes;
    }
    int x(int strip, int lane) const { return strip * patch_across + lane % patch_across - across() / 2; }
    int y(int group, int vector, int lane) const {
        return (group * vectors_at_a_time + vector) * patch_along + lane / patch_across - along() / 2;
    }
};

/// How far apart the cells of a vector's pixels may lie.
enum class Reach : std::uint8_t {
    near,  ///< in half a window of as many cells as there are lanes
    wide,  ///< in a window of twice as many
    far
};

/// What a line weighs over a tile.
enum class LineWeight : std::uint8_t {
    nothing,
    level,  ///< the same everywhere
    grows,  ///< a geometric series along the tile
    each    ///< looked up for each pixel
};

/// Index into the Doppler window over pixels from the tile's centre.
struct WindowIndex {
    float value, x, y, xx, xy, yy, xxy, xyy, xxyy;
};

/// A line as the pixels of a tile see it, over pixels from its centre.
struct LineStep {
    float cell, cell_x, cell_y, cell_xx, cell_xy;  ///< from the table's middle, less 1/2
    float cycles, cycles_per_cell,
        cycles_per_cell2;                            ///< that the table is turned by, over cells from the tile's centre
    float cycles_x, cycles_y, cycles_xx, cycles_xy;  ///< what is left
    float cycles_xxy, cycles_xyy, cycles_xxyy;
    WindowIndex weight;
    LineWeight weighing;  ///< nothing or level, where that is so all over the tile
    float level_weight;
    std::int64_t middle_cell;  ///< of the line, in the middle of its table
};

/// What the sums of a block of lines read and write.
struct TileBlock {
    TileLayout layout;
    const float* along;                     ///< of each pixel, bent
    const float *along_least, *along_most;  ///< of each vector
    const Reach* reach;                     ///< [group][strip]
    float *re, *im;
    const LineStep* lines;
    int count;
    const Complex64* compressed;  ///< the block's first line
    std::int64_t cells;
    int entries;  ///< of a table, a multiple of twice the lanes
    /// Straight between its entries, zero outside 0 to last; twice the lanes' entries more at the end. nullptr: 1.
    const float* window;
    float window_last;
    float largest_weight_bend;  ///< twice what its middle may be off the mean of both ends
    /// Scratch: `entries` + 2 lanes; 2 x entries + 2 lanes complex slopes and values a line of a stage; eight floats
    /// for a pixel across and line.
    float *turned_re, *turned_im, *table, *phasors;
    LineWeight* weighing;  ///< of a strip and line of a stage
};

/// By how much a line's weight may change along a tile to be taken as a geometric series.
inline constexpr float largest_weight_change = 0.01f;

template <int Count, AlongPhase Along, bool Weighted>
class TileSums {
    using L = Lanes<Count>;
    using Floats = typename L::Floats;
    using Ints = typename L::Ints;
    using Narrow = Lanes<vectors_at_a_time>;

    static constexpr bool curved = Along == AlongPhase::curved, stepped = Along == AlongPhase::stepped || curved;
    static constexpr int half = Count / 2;  ///< entries between windows
    static constexpr int row = 4 * Count;   ///< floats in a window: values and slopes
    /// Vectors of a phasor: value, last change, curvature and its turn and change, growth.
    static constexpr int state = (curved ? 7 : stepped ? 5 : 2) + (Weighted ? 1 : 0);
    static constexpr bool kept = !stepped && !Weighted;  ///< from patch to patch along

    const TileBlock& b_;
    Floats lane_x_, lane_y_;

public:
    CT_HOST_DEVICE explicit TileSums(const TileBlock& block) : b_(block), lane_x_{}, lane_y_{} {
        for (int lane = 0; lane < Count; ++lane) {
            lane_x_[lane] = static_cast<float>(b_.layout.x(0, lane));
            lane_y_[lane] = static_cast<float>(b_.layout.y(0, 0, lane));
        }
    }

    CT_HOST_DEVICE void add() const {
        for (int first = 0; first < b_.count; first += lines_of_stage) {
            const int lines = std::min(lines_of_stage, b_.count - first);
            fetch_ahead(first + lines, std::min(lines_of_stage, b_.count - first - lines));
            for (int line = 0; line < lines; ++line) {
                if (Weighted && b_.lines[first + line].weighing == LineWeight::nothing) continue;
                tabulate(b_.lines[first + line], b_.compressed + (first + line) * b_.cells,
                         b_.table + line * table_floats());
                turn(b_.lines[first + line], b_.phasors + line * phasor_floats(),
                     b_.weighing + line * b_.layout.strips);
            }
            for (int group = 0; group < b_.layout.groups; ++group)
                for (int strip = 0; strip < b_.layout.strips; ++strip) {
                    const Reach reach = b_.reach[group * b_.layout.strips + strip];
                    if constexpr (Count > 4) {
                        if (reach == Reach::near) {
                            add_lines<Reach::near>(group, strip, b_.lines + first, lines);
                            continue;
                        }
                        if (reach == Reach::wide) {
                            add_lines<Reach::wide>(group, strip, b_.lines + first, lines);
                            continue;
                        }
                    }
                    add_lines<Reach::far>(group, strip, b_.lines + first, lines);
                }
        }
    }

private:
    /// Windows start every half of their length; one more is read, but not used.
    CT_HOST_DEVICE std::int64_t table_floats() const { return static_cast<std::int64_t>(b_.entries / half + 2) * row; }
    CT_HOST_DEVICE std::int64_t phasor_floats() const {
        return static_cast<std::int64_t>(b_.layout.strips) * state * Count;
    }

    /// The cells that the next stage reads lie far apart in memory.
    CT_HOST_DEVICE void fetch_ahead(int begin, int count) const {
        constexpr std::int64_t cells_of_cache_line = 64 / sizeof(Complex64);
        for (int line = begin; line < begin + count; ++line) {
            const std::int64_t first = b_.lines[line].middle_cell - b_.entries / 2,
                               last = std::min(first + b_.entries + 1, b_.cells);
            for (std::int64_t cell = std::max<std::int64_t>(first, 0); cell < last; cell += cells_of_cache_line)
                __builtin_prefetch(b_.compressed + line * b_.cells + cell);
        }
    }

    /// A line's cells, turned: in entry i, `from` the middle, lies what is found between the cells i and i + 1 of the
    /// line: value and slope. Entry i is in lane i mod Count of every window that holds it, so that windows at odd
    /// numbers begin in the middle.
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

        Floats before[4] = {};
        for (int chunk = 0; chunk * Count < entries; ++chunk) {
            const int i = chunk * Count;
            const Floats re = L::load(b_.turned_re + i), im = L::load(b_.turned_im + i);
            const Floats slope_re = L::load_anywhere(b_.turned_re + i + 1) - re,
                         slope_im = L::load_anywhere(b_.turned_im + i + 1) - im;
            const Floats at = number + (static_cast<float>(i) - 0.5f);
            const Floats values[4] = {re - at * slope_re, im - at * slope_im, slope_re, slope_im};
            float* const here = table + 2 * chunk * row;
#pragma GCC unroll 4
            for (int part = 0; part < 4; ++part) {
                L::store(values[part], here + part * Count);
                if (chunk > 0) L::store(upper_half() != 0 ? before[part] : values[part], here - row + part * Count);
                before[part] = values[part];
            }
        }
        for (int part = 0; part < 4; ++part) L::store(before[part], table + (entries / half - 1) * row + part * Count);
    }
    CT_HOST_DEVICE static Ints upper_half() {
        Ints upper{};
        for (int lane = half; lane < Count; ++lane) upper[lane] = -1;
        return upper;
    }
    CT_HOST_DEVICE void turn_cells(const LineStep& line, const Floats& number) const {
        const float reach = 0.5f * static_cast<float>(b_.entries);
        const bool turns = line.cycles_per_cell != 0 || std::fabs(line.cycles_per_cell2) * reach * reach > 1e-7f;
        // A small turn about the middle's is a short series: its fourth power is below single precision.
        constexpr float small = 0.03f, two_pi = 2 * std::numbers::pi_v<float>;
        const bool turns_little =
            two_pi * reach * (std::fabs(line.cycles_per_cell) + std::fabs(line.cycles_per_cell2) * reach) < small;
        const typename L::Phasors middle = L::phasors(L::all(line.cycles));
        typename L::Phasors by = middle;
        for (int i = 0; i <= b_.entries; i += Count) {
            if (turns && turns_little) {
                const Floats cell = number + (static_cast<float>(i) - line.cell - 0.5f);
                const Floats angle = two_pi * cell * (cell * line.cycles_per_cell2 + line.cycles_per_cell),
                             square = angle * angle, c = 1.0f - 0.5f * square, t = angle * (1.0f - square * (1.0f / 6));
                by = {middle.re * c - middle.im * t, middle.im * c + middle.re * t};
            } else if (turns) {
                const Floats cell = number + (static_cast<float>(i) - line.cell - 0.5f);
                by = L::phasors(cell * (cell * line.cycles_per_cell2 + line.cycles_per_cell) + line.cycles);
            }
            const Floats re = L::load(b_.turned_re + i), im = L::load(b_.turned_im + i);
            L::store(re * by.re - im * by.im, b_.turned_re + i);
            L::store(re * by.im + im * by.re, b_.turned_im + i);
        }
    }

    CT_HOST_DEVICE Floats weights(const LineStep& line, const Floats& x, const Floats& y) const {
        const WindowIndex& w = line.weight;
        const Floats index = x * (x * (y * (w.xxyy * y + w.xxy) + w.xx) + y * (w.xyy * y + w.xy) + w.x) +
                             (y * (w.yy * y + w.y) + w.value);
        const Floats zero{}, last = L::all(b_.window_last);
        const Floats within = L::least(index < zero ? zero : index, last);
        const Ints whole = __builtin_convertvector(within, Ints);
        Floats here{}, next{};
        const float spread = std::fabs(w.x) * static_cast<float>(b_.layout.patch_across - 1) +
                             std::fabs(w.y) * static_cast<float>(b_.layout.patch_along - 1);
        if (Count > 4 && spread < Count - 2) {
            // The least lies in a corner of the patch.
            const int across = b_.layout.patch_across;
            const int first =
                std::min(std::min(whole[0], whole[Count - 1]), std::min(whole[across - 1], whole[Count - across]));
            here = L::picked_anywhere(b_.window + first, whole - first);
            next = L::picked_anywhere(b_.window + first + 1, whole - first);
        } else if (Count > 4 && spread < 2 * Count - 2) {
            const int across = b_.layout.patch_across;
            const float* const from = b_.window + std::min(std::min(whole[0], whole[Count - 1]),
                                                           std::min(whole[across - 1], whole[Count - across]));
            const Ints number = whole - static_cast<int>(from - b_.window);
            here = L::picked_anywhere(from, from + Count, number);
            next = L::picked_anywhere(from + 1, from + 1 + Count, number);
        } else {
            for (int lane = 0; lane < Count; ++lane) {
                here[lane] = b_.window[whole[lane]];
                next[lane] = b_.window[whole[lane] + 1];
            }
        }
        const Floats value = here + (within - __builtin_convertvector(whole, Floats)) * (next - here);
        return index >= zero ? (index < last ? value : zero) : zero;
    }

    /// Weight of the first patches and its growth from patch to patch. False: it does not grow evenly.
    CT_HOST_DEVICE bool grow(const LineStep& line, const Floats& x, Floats& weight, Floats& growth) const {
        const auto steps = static_cast<float>(b_.layout.groups * vectors_at_a_time - 1);
        weight = weights(line, x, lane_y_);
        const Floats last = weights(line, x, lane_y_ + steps * static_cast<float>(b_.layout.patch_along));
        const Floats middle = weights(line, x, lane_y_ + 0.5f * steps * static_cast<float>(b_.layout.patch_along));
        const Floats more = last - weight, most = largest_weight_change * weight, bent = 2.0f * middle - weight - last;
        const Floats most_bent = L::all(b_.largest_weight_bend);
        const Ints smooth = (more <= most) & (-more <= most) & (bent <= most_bent) & (-bent <= most_bent);
        bool all = true;
        for (int lane = 0; lane < Count; ++lane) all = all && smooth[lane] != 0;
        const Floats change = more / (weight > 0.0f ? weight : L::all(1));
        const Floats step = change * (1.0f - change * (0.5f - change * (1.0f / 3))) * (1 / steps);
        growth = 1.0f + step * (1.0f + 0.5f * step);
        return all;
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
                else if (!grow(line, x, weight, growth)) {
                    weighing[strip] = LineWeight::each;
                    weight = growth = L::all(1);
                }
                L::store(stepped ? growth * growth : growth, to + (state - 1) * Count);
            }
            if constexpr (stepped) {
                Floats per_y = line.cycles_xy * x + line.cycles_y, per_y2{};
                if constexpr (curved) {
                    per_y += line.cycles_xxy * x * x;
                    per_y2 = x * (line.cycles_xxyy * x + line.cycles_xyy);
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

    /// Where the windows of patches begin, in floats of the table.
    template <Reach Far>
    CT_HOST_DEVICE void find_windows(const LineStep& line, int group, int strip, int* first, int* second) const {
        const int at = b_.layout.first_of(group, strip) / Count;
        const Narrow::Floats least = Narrow::load_anywhere(b_.along_least + at),
                             most = Narrow::load_anywhere(b_.along_most + at);
        const auto low = [&](float x, float more) {
            const float cell_y = line.cell_y + line.cell_xy * x,
                        cell = line.cell + x * (line.cell_x + line.cell_xx * x) + more;
            return (cell_y > 0 ? cell_y * least : cell_y * most) + cell;
        };
        const float across = static_cast<float>(b_.layout.patch_across - 1);
        const float left = static_cast<float>(strip * b_.layout.patch_across - b_.layout.across() / 2),
                    right = left + across;
        constexpr float rounding = 1e-3f;
        const float to_entries = static_cast<float>(b_.entries / 2) + 0.5f - rounding;
        Narrow::Floats cell;
        if constexpr (stepped) {
            const float more = to_entries - 0.25f * std::fabs(line.cell_xx) * across * across;
            cell = Narrow::least(low(left, more), low(right, more));
        } else {
            cell = low(line.cell_x > 0 ? left : right, to_entries);
        }
        const Narrow::Ints number = __builtin_convertvector(cell, Narrow::Ints);
        if constexpr (Far == Reach::near) {
            const Narrow::Ints window = (number >> std::countr_zero(static_cast<unsigned>(half))) * row;
            std::memcpy(first, &window, sizeof window);
        } else {
            const int uneven = b_.entries / (2 * Count) & 1;  // before the middle
            const Narrow::Ints chunk = (number >> std::countr_zero(static_cast<unsigned>(Count))) + uneven;
            const Narrow::Ints even = (((chunk + 1) & ~1) - uneven) * (2 * row),
                               odd = ((chunk | 1) - uneven) * (2 * row);
            std::memcpy(first, &even, sizeof even);
            std::memcpy(second, &odd, sizeof odd);
        }
    }

    template <Reach Far>
    CT_HOST_DEVICE void add_lines(int group, int strip, const LineStep* lines, int count) const {
        constexpr int n = vectors_at_a_time;
        const int at = b_.layout.first_of(group, strip);
        const float* const along = b_.along + at;
        Floats sum_re[n], sum_im[n];
#pragma GCC unroll 8
        for (int k = 0; k < n; ++k) {
            sum_re[k] = L::load(b_.re + at + k * Count);
            sum_im[k] = L::load(b_.im + at + k * Count);
        }
        const Floats x = lane_x_ + static_cast<float>(strip * b_.layout.patch_across);
        // Where windows begin is known before the sums, which would wait for it.
        alignas(64) int windows[2 * lines_of_stage][n];
        if constexpr (Far != Reach::far)
            for (int number = 0; number < count; ++number)
                find_windows<Far>(lines[number], group, strip, windows[number], windows[lines_of_stage + number]);
        const float* table = b_.table;
        float* phasor = b_.phasors + strip * state * Count;
        for (int number = 0; number < count; ++number, table += table_floats(), phasor += phasor_floats()) {
            const LineStep& line = lines[number];
            const int *const first = windows[number], *const second = windows[lines_of_stage + number];
            if constexpr (!Weighted) {
                add_line<Far, LineWeight::level>(line, table, first, second, group, x, along, phasor, sum_re, sum_im);
            } else {
                if (line.weighing == LineWeight::nothing) continue;
                const LineWeight weighing = b_.weighing[number * b_.layout.strips + strip];
                if (weighing == LineWeight::level)
                    add_line<Far, LineWeight::level>(line, table, first, second, group, x, along, phasor, sum_re,
                                                     sum_im);
                else if (weighing == LineWeight::grows)
                    add_line<Far, LineWeight::grows>(line, table, first, second, group, x, along, phasor, sum_re,
                                                     sum_im);
                else
                    add_line<Far, LineWeight::each>(line, table, first, second, group, x, along, phasor, sum_re,
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
    CT_HOST_DEVICE void add_line(const LineStep& line, const float* table, const int* first, const int* second,
                                 int group, const Floats& x, const float* along, float* phasor,
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
            const Floats cell = cell_y * L::load(along + k * Count) + cell_x;
            Floats value_re, value_im, slope_re, slope_im;
            const auto whole = cell + L::to_whole;
            const Ints entry = L::bits_of(whole);
            if constexpr (Far == Reach::near) {
                const float* const w = table + first[k];
                value_re = L::picked(w, entry);
                value_im = L::picked(w + Count, entry);
                slope_re = L::picked(w + 2 * Count, entry);
                slope_im = L::picked(w + 3 * Count, entry);
            } else if constexpr (Far == Reach::wide) {
                const float *const w = table + first[k], *const v = table + second[k];
                value_re = L::picked(w, v, entry);
                value_im = L::picked(w + Count, v + Count, entry);
                slope_re = L::picked(w + 2 * Count, v + 2 * Count, entry);
                slope_im = L::picked(w + 3 * Count, v + 3 * Count, entry);
            } else {
                pick(table, entry, value_re, value_im, slope_re, slope_im);
            }
            value_re += cell * slope_re;
            value_im += cell * slope_im;
            if constexpr (Weighing == LineWeight::each) {
                const int along_patches = (group * n + k) * b_.layout.patch_along;
                const Floats weight = weights(line, x, lane_y_ + static_cast<float>(along_patches));
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
        if constexpr (!kept) {
            L::store(re, phasor);
            L::store(im, phasor + Count);
        }
        if constexpr (stepped) {
            L::store(change_re, phasor + 2 * Count);
            L::store(change_im, phasor + 3 * Count);
        }
        if constexpr (curved) L::store(curvature, phasor + 4 * Count);
    }

    /// One by one: where a vector's cells lie far apart, and on processors that cannot pick.
    CT_HOST_DEVICE void pick(const float* table, const Ints& bits, Floats& value_re, Floats& value_im, Floats& slope_re,
                             Floats& slope_im) const {
        const Ints number = bits - L::bits_of(L::all(L::to_whole)) + b_.entries / 2;
#pragma GCC unroll 16
        for (int lane = 0; lane < Count; ++lane) {
            const float* const from = table + number[lane] / Count * (2 * row) + number[lane] % Count;
            value_re[lane] = from[0];
            value_im[lane] = from[Count];
            slope_re[lane] = from[2 * Count];
            slope_im[lane] = from[3 * Count];
        }
    }
};

}  // namespace cornerturn
