// SPDX-License-Identifier: Apache-2.0
// Rows that are blended of those of a block's nodes. Several are formed together, so that each number that is read
// serves all of them.
#pragma once

#include <cstdint>

#include "kernels/cuda/back_projection/factor_views.h"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/complex.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Rows between those of a block's nodes, several at once.
struct RowBlend {
    const float* weights;  ///< [row between][moment][tap]
    int taps;
    std::int64_t first_step;  ///< image rows between nodes of level 0
    static constexpr int moments = WindowPolynomial::terms, most_taps = 24, at_once = 2,
                         most_read = (most_taps + rows_at_once) / at_once * at_once;

    /// What threads share of it: what each row of nodes that is read counts for the rows between, and where it lies.
    struct alignas(16) Weights {
        float weight[most_read][moments][rows_at_once];
    };
    struct Reads {
        int count;
        const Complex64* row[most_read];
    };
    /// Image rows, of which some are there.
    struct Between {
        std::int64_t first, step;
        int first_there, last_there;
        CT_HOST_DEVICE std::int64_t row(int number) const { return first + number * step; }
    };
    struct Place {
        int below, phase;  ///< row of nodes, and image rows beyond it
    };
    CT_HOST_DEVICE static Place place_of(std::int64_t row, std::int64_t nodes_step) {
        // Divisions of 64 bits take longer than all the rest.
        const int at = static_cast<int>(row), step = static_cast<int>(nodes_step),
                  below = at / step - (at % step < 0 ? 1 : 0);
        return {below, at - below * step};
    }
    /// Rows of nodes that are read, in whole groups; those beyond have weight zero.
    CT_HOST_DEVICE int read_count(const Between& between, std::int64_t step) const {
        const int apart = place_of(between.row(between.last_there - 1), step).below -
                          place_of(between.row(between.first_there), step).below;
        return (taps + apart + at_once - 1) / at_once * at_once;
    }
    /// Makes a weight ready: item / rows_at_once is the row that is read.
    CT_HOST_DEVICE void put_weight(Weights& to, int item, std::int64_t nodes_step, const Between& between,
                                   int wanted_moments, float factor) const {
        const int read = item / rows_at_once, number = item % rows_at_once;
        const int lowest = place_of(between.row(between.first_there), nodes_step).below;
        const Place at = place_of(between.row(number), nodes_step);
        const int tap = read - (at.below - lowest);
        const bool counts = number >= between.first_there && number < between.last_there && tap >= 0 && tap < taps;
        const int phases = static_cast<int>(first_step) / static_cast<int>(nodes_step);
        for (int moment = 0; moment < wanted_moments; ++moment)
            to.weight[read][moment][number] =
                counts ? factor * weights[(at.phase * phases * moments + moment) * taps + tap] : 0.0f;
    }
    /// Makes a row of nodes ready. False where cells are missing.
    CT_HOST_DEVICE bool put_row(Reads& to, int read, const FactorLevelView& level, const FactorBlockView& of,
                                const Complex64* nodes, const Between& between, IndexRange cells) const {
        const int lowest = place_of(between.row(between.first_there), level.step).below,
                  apart = place_of(between.row(between.last_there - 1), level.step).below - lowest,
                  last = taps + apart - 1;
        const std::int64_t node = lowest - taps / 2 + 1 + (read < last ? read : last);
        to.row[read] = row_of(level, of, nodes, node - of.first_node, cells);
        return to.row[read] != nullptr;
    }
    /// A cell of all rows.
    CT_HOST_DEVICE void at(const Weights& weights_of, const Reads& reads, int cell,
                           Complex64 (&sum)[rows_at_once]) const {
        for_reads(weights_of, reads, cell, [&](const float(&weight)[moments][rows_at_once], Complex64 sample) {
            unrolled<rows_at_once>([&]<int R>() {
                sum[R] = {sum[R].re + weight[0][R] * sample.re, sum[R].im + weight[0][R] * sample.im};
            });
        });
    }
    /// A cell of two rows from First on, each filtered by its window over the band.
    template <int First>
    CT_HOST_DEVICE void weighed(const Weights& weights_of, const Reads& reads, int cell,
                                const float (&window)[2][moments], Complex64 (&sum)[2]) const {
        Complex64 moment[2][moments] = {};
        for_reads(weights_of, reads, cell, [&](const float(&weight)[moments][rows_at_once], Complex64 sample) {
            unrolled<2 * moments>([&]<int N>() {
                constexpr int row = N / moments, i = N % moments;
                const float w = weight[i][First + row];
                moment[row][i] = {moment[row][i].re + w * sample.re, moment[row][i].im + w * sample.im};
            });
        });
        unrolled<2>([&]<int R>() {
            const auto& w = window[R];
            const auto& m = moment[R];
            sum[R] = {w[0] * m[0].re - w[1] * m[1].im + w[2] * m[2].re - w[3] * m[3].im,
                      w[0] * m[0].im + w[1] * m[1].re + w[2] * m[2].im + w[3] * m[3].re};
        });
    }
    CT_HOST_DEVICE static const Complex64* row_of(const FactorLevelView& level, const FactorBlockView& of,
                                                  const Complex64* nodes, std::int64_t node, IndexRange cells) {
        if (node < 0 || node >= of.nodes) return nullptr;
        const FactorRowView filled = level.rows[of.first_row + node];
        if (cells.first < filled.first_cell || cells.last > filled.first_cell + filled.cells) return nullptr;
        return nodes + of.at + node * of.room + (cells.first - filled.first_cell);
    }

private:
    /// Calls add(weights, sample) for each row that is read, several at a time, so that their loads do not wait for one
    /// another.
    template <class Add>
    CT_HOST_DEVICE void for_reads(const Weights& weights_of, const Reads& reads, int cell, const Add& add) const {
        for (int begin = 0; begin < reads.count; begin += at_once) {
            Complex64 sample[at_once];
            unrolled<at_once>([&]<int J>() { sample[J] = reads.row[begin + J][cell]; });
            unrolled<at_once>([&]<int J>() { add(weights_of.weight[begin + J], sample[J]); });
        }
    }
};

}  // namespace cornerturn
