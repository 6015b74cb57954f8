// SPDX-License-Identifier: Apache-2.0
// The image of factorised back-projection where pixels have heights of their own (raised_pixel.h), by a thread for each
// pixel: neighbours are read of nodes that lie near each other, but between rows of their own.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/back_projection/raised_pixel.h"
#include "kernels/cuda/back_projection/image_of_blocks.cuh"

namespace cornerturn {

/// Weights of rows of nodes at any place between them, for each moment of the band.
struct RaisedRowWeights {
    static constexpr int most_taps = 16;
    TapPolynomials<most_taps> of_moment[response_terms];
    int taps;

    /// Of the row Tap of most_taps and of the one that mirrors it, those of a filter.
    struct Pair {
        Complex64 first, last;
    };
    template <int Tap>
    CT_HOST_DEVICE Pair pair(float place, const BlockResponse<float>& filter) const {
        Pair sum{{0, 0}, {0, 0}};
        unrolled<response_terms>([&]<int M>() {
            const auto [first, mirrored] = of_moment[M].template pair<Tap>(place);
            const float last = M % 2 == 0 ? mirrored : -mirrored;  // odd moments change sign
            sum.first = {sum.first.re + filter.re[M] * first, sum.first.im + filter.im[M] * first};
            sum.last = {sum.last.re + filter.re[M] * last, sum.last.im + filter.im[M] * last};
        });
        return sum;
    }
};
inline RaisedRowWeights raised_row_weights(const Factorisation& factors) {
    RaisedRowWeights made{};
    made.taps = factors.row_taps;
    const OptimalInterpolation between = between_rows(factors);
    for (int moment = 0; moment < response_terms; ++moment)
        made.of_moment[moment] = tap_polynomials<RaisedRowWeights::most_taps>(between, moment);
    return made;
}

/// The laws of a block for the columns of a warp: cubics over -1 to 1 about its middle.
struct RaisedWarpLaws {
    struct alignas(16) Cubic {
        float value, slope, bend, cube;
    };
    double amid[FactorTree::raised_law_count][height_terms];  ///< values
    Cubic cubic[FactorTree::raised_law_count][height_terms];

    static constexpr int count = static_cast<int>(FactorTree::raised_law_count) * height_terms;
    static_assert(count <= warp_columns);

    /// One of them, from its powers along the row, of which these are about the middle over half a warp.
    CT_HOST_DEVICE void set(int number, const double* powers, int terms, double about, double half) {
        const int law = number / height_terms, power = number % height_terms;
        const LocalCubic at = cubic_about(powers, terms, about);
        double slope = half * at.slope;
        // Whole cycles from column to column are none.
        if (law == static_cast<int>(FactorTree::raised_cycles) && power == 0)
            slope -= half_warp * std::rint(slope / half_warp);
        amid[law][power] = at.value;
        cubic[law][power] = {static_cast<float>(at.value), static_cast<float>(slope),
                             static_cast<float>(half * half * at.bend),
                             static_cast<float>(half * half * half * at.cube)};
    }
    /// At a place of the warp, of a height as a part of the highest.
    template <FactorTree::RaisedLaw Law>
    CT_HOST_DEVICE float at(float place, float part) const {
        float sum = 0;
        unrolled<height_terms>([&]<int K>() {
            const Cubic& of = cubic[Law][height_terms - 1 - K];
            sum = sum * part + of.value + place * (of.slope + place * (of.bend + place * of.cube));
        });
        return sum;
    }
    /// The same where single precision holds only what the columns of a warp differ by.
    template <FactorTree::RaisedLaw Law>
    CT_HOST_DEVICE double exactly_at(float place, double part) const {
        const auto height = static_cast<float>(part);
        double sum = 0;
        float beside = 0;
        unrolled<height_terms>([&]<int K>() {
            const Cubic& of = cubic[Law][height_terms - 1 - K];
            sum = sum * part + amid[Law][height_terms - 1 - K];
            beside = beside * height + place * (of.slope + place * (of.bend + place * of.cube));
        });
        return sum + static_cast<double>(beside);
    }
};

/// Calls f.operator()<Taps>() of just as many: what lies beyond is not read.
template <int Taps = 4, class F>
void with_exact_taps(int taps, const F& f) {
    if constexpr (Taps < RowBlend::most_taps)
        if (taps > Taps) return with_exact_taps<Taps + 2>(taps, f);
    f.template operator()<Taps>();
}

/// Pixels with heights, as sums of the blocks that the window asks for. A warp takes some columns of a row.
template <int Taps>
struct RaisedImage {
    BlocksOfPixels of;
    TapPolynomials<Taps> cell_weights;
    RaisedRowWeights row_weights;
    int law_stride;          ///< of `along`, from law to law
    const float* heights_m;  ///< [row][column] of the image
    double highest_m;

    static constexpr int threads = rows_taken_together * warp_columns, laws = RaisedWarpLaws::count;
    struct Memory {
        RaisedWarpLaws laws[rows_taken_together];
    };
    std::int64_t blocks() const { return of.times.last - of.times.first; }
    std::int64_t block_rows() const { return (of.strip.columns + warp_columns - 1) / warp_columns; }
    std::size_t shared_bytes() const { return sizeof(Memory); }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const int warp = block.thread().x / warp_columns, lane = block.thread().x % warp_columns;
        const std::int64_t time = of.times.first + block.number(), row = time * rows_taken_together + warp,
                           first = of.strip.first_column + static_cast<std::int64_t>(block.row()) * warp_columns,
                           end = of.strip.first_column + of.strip.columns,
                           last = first + warp_columns < end ? first + warp_columns : end, column = first + lane;
        const bool is_pixel = row < of.rows && column < last;
        const double part = is_pixel ? static_cast<double>(heights_m[row * of.columns + column]) / highest_m : 0.0;
        const bool has_height = is_pixel && std::fabs(part) <= 1;  // not where it is unknown
        RaisedWarpLaws& laws_of_warp = block.template memory<Memory>()->laws[warp];
        Complex64 sum{0, 0};
        bool there = true;
        for (std::int64_t next = of.first_taken[time]; next < of.first_taken[time + 1]; ++next) {
            const TakenView& taken = of.taken[next];
            if (row < taken.first_row || row >= taken.last_row || first >= taken.last_column ||
                last <= taken.first_column)
                continue;
            const FactorLevelNodes& level = of.levels[taken.level];
            const FactorBlockView& from = level.view.blocks[taken.block];
            block.sync_warp();
            if (lane < RaisedWarpLaws::count) {
                const std::int64_t of_row = (next - of.taken_then.first) * rows_taken_together + row - taken.first_row;
                laws_of_warp.set(lane, of.along + (of_row * laws + lane) * law_stride, of.shift.terms.columns,
                                 from.seen_columns.part(first + half_warp), from.seen_columns.per_column * half_warp);
            }
            block.sync_warp();
            if (has_height && column >= taken.first_column && column < taken.last_column)
                there &= add(block, Read(level, taken, laws_of_warp, place_in_warp(lane), part), sum);
        }
        if (!there) *of.shift.failed = 1;
        if (is_pixel) of.store(row, column, sum);
    }

private:
    /// What a pixel takes of a block.
    struct Read {
        const TakenView& taken;
        const RaisedWarpLaws& laws;
        float place;                ///< in the warp
        double part;                ///< height
        const FactorRowView* rows;  ///< of nodes
        const Complex64* nodes;
        int row_count, room;
        double half_hz;

        CT_HOST_DEVICE Read(const FactorLevelNodes& level, const TakenView& of, const RaisedWarpLaws& laws_of_warp,
                            float in_warp, double height)
            : taken(of), laws(laws_of_warp), place(in_warp), part(height) {
            const FactorBlockView& from = level.view.blocks[of.block];
            rows = level.view.rows + from.first_row;
            nodes = level.nodes + from.at;
            row_count = static_cast<int>(from.nodes);
            room = static_cast<int>(from.room);
            half_hz = from.half_hz;
        }
        template <FactorTree::RaisedLaw Law>
        CT_HOST_DEVICE float law() const {
            return laws.template at<Law>(place, static_cast<float>(part));
        }
        template <FactorTree::RaisedLaw Law>
        CT_HOST_DEVICE double exact_law() const {
            return laws.template exactly_at<Law>(place, part);
        }
    };
    /// Its number, and from -1/2 to 1/2 the place between it and the next one.
    struct Below {
        int number;
        float place;
        CT_HOST_DEVICE explicit Below(double at) {
            const double below = std::floor(at);
            number = static_cast<int>(below);
            place = static_cast<float>(at - below) - 0.5f;
        }
    };

    CT_HOST_DEVICE BlockResponse<float> response(const Read& read) const {
        float weight[response_terms];
        const double offset_hz = read.taken.flat != 0 ? 0.0 : read.template law<FactorTree::raised_offset>();
        unrolled<response_terms>([&]<int K>() {
            weight[K] = read.taken.flat != 0
                            ? read.taken.weight
                            : static_cast<float>(of.window.at(offset_hz + band_place(K) * read.half_hz));
        });
        return block_response(weight, read.template law<FactorTree::raised_bend>(),
                              read.template law<FactorTree::raised_twist>());
    }
    /// False where cells are missing.
    template <class Block>
    CT_HOST_DEVICE bool add(const Block& block, const Read& read, Complex64& sum) const {
        constexpr double most = 1e9;  // beyond are no nodes, nor whole numbers
        const double cell = read.template exact_law<FactorTree::raised_cell>(),
                     node = read.template exact_law<FactorTree::raised_node>();
        if (!(std::fabs(cell) < most && std::fabs(node) < most)) return false;
        const Below of_cells(cell), of_rows(node);
        float weight[Taps];
        unrolled<Taps / 2>([&]<int Tap>() {
            const auto [first, last] = cell_weights.template pair<Tap>(of_cells.place);
            weight[Tap] = first, weight[Taps - 1 - Tap] = last;
        });
        const BlockResponse<float> filter = response(read);
        constexpr int most_rows = RaisedRowWeights::most_taps;
        const int rows_beyond = (most_rows - row_weights.taps) / 2,
                  first_node = of_rows.number - row_weights.taps / 2 + 1, first_cell = of_cells.number - Taps / 2 + 1;
        Complex64 value{0, 0};
        bool there = true;
        unrolled<most_rows / 2>([&]<int Tap>() {
            const int number = Tap - rows_beyond;
            if (number < 0) return;
            const auto [first, last] = row_weights.template pair<Tap>(of_rows.place, filter);
            value = value + first * along_row(read, first_node + number, first_cell, weight, there);
            value =
                value + last * along_row(read, first_node + row_weights.taps - 1 - number, first_cell, weight, there);
        });
        const double cycles = read.template exact_law<FactorTree::raised_cycles>();
        sum = sum + block.phasor(static_cast<float>(cycles - std::rint(cycles))) * value;
        return there;
    }
    /// A row of nodes between its cells. Where they are missing any are read, so that nothing waits for the answer.
    CT_HOST_DEVICE Complex64 along_row(const Read& read, int node, int first_cell, const float (&weight)[Taps],
                                       bool& there) const {
        const bool is_row = node >= 0 && node < read.row_count;
        const FactorRowView& filled = read.rows[is_row ? node : 0];
        const int at = first_cell - static_cast<int>(filled.first_cell);
        const bool is_filled = is_row && at >= 0 && at + Taps <= static_cast<int>(filled.cells);
        there &= is_filled;
        const Complex64* const cells =
            read.nodes + (is_filled ? static_cast<std::int64_t>(node) * read.room + at : std::int64_t{0});
        Complex64 sum{0, 0};
        unrolled<Taps>([&]<int K>() { sum = {sum.re + weight[K] * cells[K].re, sum.im + weight[K] * cells[K].im}; });
        return sum;
    }
};

}  // namespace cornerturn
