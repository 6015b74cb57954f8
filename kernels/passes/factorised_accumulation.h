// SPDX-License-Identifier: Apache-2.0
// Fast factorised back-projection (Ulander, Hellsten & Stenstrom 2003): the sum over the lines that back-projection is,
// taken in blocks of lines. What a block adds changes slowly from place to place once its large phase is taken off, so
// that it is found on a few nodes:
//     D_b(node) = sum over lines n of block b of line_n(cell_n) exp(j 2 pi (cycles_n - cycles_b))
// with cell and cycles the arrival (accumulation.h) of the node's place in a line, those of b in the block's middle
// line. Blocks are merged, again and again, into longer ones on denser nodes, and the longest are brought onto the
// image:
//     D_p = sum over blocks b of p of D_b exp(j 2 pi (cycles_b - cycles_p))
//     image = gain sum over blocks b of w_b(D_b) exp(j 2 pi (cycles_b + phase))
// Nodes lie on image rows and on cells of the block's middle line. Along a row only ranges differ from block to block;
// along a cell the band of D_b is that of the lines' Doppler frequencies, in proportion to the length of the block. The
// Doppler window w_b is a filter over that band. It is taken last of all: a block over which it changes too much for a
// short polynomial is taken apart into those that it was merged of, so that blocks are chosen for each row as the
// window asks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "kernels/math/optimal_interpolation.h"
#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Powers beyond are rounded by more than laws may be off.
inline constexpr int most_law_terms = 24;

/// How a sum is taken apart. Level 0 has the shortest blocks.
struct Factorisation {
    std::int64_t block_lines = 0;       ///< of level 0
    int merged = 1;                     ///< blocks that become one of the next level
    int levels = 1;                     ///< of blocks; level 0 is made of lines
    std::int64_t row_step = 1;          ///< image rows between nodes of the last level
    std::int64_t nodes_per_column = 1;  ///< along range
    double row_band = 0;                ///< of a block, over what its nodes' rows could hold
    int line_taps = 0, cell_taps = 0, row_taps = 0;
    double tolerance = 0;         ///< of each approximation that is no interpolation, amplitude
    int law_terms = 8;            ///< over rows, of where blocks arrive and with which phase; at most most_law_terms
    int column_terms = 6;         ///< likewise over the columns of a strip
    double range_part = 0;        ///< half the range band over the carrier
    double window_tolerance = 0;  ///< of the window over a block, amplitude (weighing_error)

    std::int64_t lines_of(int level) const {
        std::int64_t lines = block_lines;
        for (int i = 0; i < level; ++i) lines *= merged;
        return lines;
    }
    std::int64_t step_of(int level) const {
        std::int64_t step = row_step;
        for (int i = level + 1; i < levels; ++i) step *= merged;
        return step;
    }
    friend bool operator==(const Factorisation&, const Factorisation&) = default;
};

/// The window over a block: a polynomial of the place in the block's band, which goes from -1 to 1.
struct WindowPolynomial {
    static constexpr int terms = 4;
    double coefficient[terms];

    CT_HOST_DEVICE double at(double part) const {
        return coefficient[0] + part * (coefficient[1] + part * (coefficient[2] + part * coefficient[3]));
    }
};
/// The four Chebyshev points of a band, from the first to the last.
CT_HOST_DEVICE double band_place(int number) {
    constexpr double inner = 0.38268343236508977, outer = 0.92387953251128674;  // cos 3 pi / 8, cos pi / 8
    return number == 0 ? -outer : number == 1 ? -inner : number == 2 ? inner : outer;
}
/// The polynomial through values at these.
template <class Real>
CT_HOST_DEVICE void polynomial_over_band(const Real (&value)[WindowPolynomial::terms],
                                         Real (&coefficient)[WindowPolynomial::terms]) {
    const Real inner = static_cast<Real>(band_place(2)), outer = static_cast<Real>(band_place(3));
    const Real even_outer = (value[0] + value[3]) / 2, even_inner = (value[1] + value[2]) / 2,
               odd_outer = (value[3] - value[0]) / (2 * outer), odd_inner = (value[2] - value[1]) / (2 * inner);
    const Real span = outer * outer - inner * inner;
    coefficient[2] = (even_outer - even_inner) / span;
    coefficient[3] = (odd_outer - odd_inner) / span;
    coefficient[0] = even_inner - coefficient[2] * inner * inner;
    coefficient[1] = odd_inner - coefficient[3] * inner * inner;
}
/// Over frequencies from offset_hz - half_hz to offset_hz + half_hz, from the pixel's centroid.
CT_HOST_DEVICE WindowPolynomial window_polynomial(const DopplerWindowView& window, double offset_hz, double half_hz) {
    double weight[WindowPolynomial::terms];
    for (int i = 0; i < WindowPolynomial::terms; ++i) weight[i] = window.at(offset_hz + band_place(i) * half_hz);
    WindowPolynomial polynomial{};
    polynomial_over_band(weight, polynomial.coefficient);
    return polynomial;
}
/// On average over a block and its range band, half the band over the carrier being range_part. Range frequencies f +
/// f0 put the lines of a block 1 + f / f0 times as far off the middle of its band as the carrier f0 does, so that what
/// goes by their place there is off by its slope.
CT_HOST_DEVICE double weighing_error(const WindowPolynomial& polynomial, const DopplerWindowView& window,
                                     double offset_hz, double half_hz, double range_part) {
    double most = 0;  // between the places that the polynomial goes through: its mean is less than half of that
    for (const double part : {-1.0, -0.7, 0.0, 0.7, 1.0}) {
        const double error = std::fabs(polynomial.at(part) - window.at(offset_hz + part * half_hz));
        most = error > most ? error : most;
    }
    // Mean squares of x p'(x) over -1 < x < 1 and of f / f0.
    const double* const c = polynomial.coefficient;
    const double slope = c[1] * c[1] / 3 + 4 * c[2] * c[2] / 5 + 9 * c[3] * c[3] / 7 + 6 * c[1] * c[3] / 5;
    return std::sqrt(0.25 * most * most + range_part * range_part / 3 * slope);
}
CT_HOST_DEVICE bool is_flat(const WindowPolynomial& p, double tolerance) {
    return std::fabs(p.coefficient[1]) + std::fabs(p.coefficient[2]) + std::fabs(p.coefficient[3]) < tolerance;
}

/// in: lines x cells, native, compressed in range, as band-limited as `range_power` says. out: rows x columns, native.
struct FactorisedAccumulation {
    static constexpr std::string_view title = "factorised back-projection";

    Accumulation sum;
    Factorisation factors;
    /// Of the lines, over cycles per column.
    PowerOverFrequency range_power;
    std::int64_t cells_per_column = 1;  ///< of the lines
    double node_bytes_of_column = 0;    ///< about what all nodes of a column take
    std::int64_t widest_strip = 0;      ///< columns over which laws hold
    double relative_cost = 1;           ///< of that of the sum as it is
    bool raised = false;                ///< pixels lie beside the smooth surface (AccumulationGeometry::relief_m)
    bool nearer = false;                ///< ranges fall from column to column, as on maps that are seen from the east

    /// Ranges are gone through in strips: columns of all but the last, which may be narrower. Nodes take about
    /// `part_of_lines` of the memory of the lines then: wide strips have fewer edges.
    std::int64_t columns_of_strip(double part_of_lines) const {
        constexpr double least_bytes = 512.0 * (1 << 20), most_bytes = 16 * least_bytes,
                         sample_bytes = 2 * sizeof(float);
        const double room_bytes =
            std::clamp(part_of_lines * sample_bytes * static_cast<double>(sum.lines) * static_cast<double>(sum.cells),
                       least_bytes, most_bytes);
        const auto fitting = static_cast<std::int64_t>(room_bytes / std::max(1.0, node_bytes_of_column));
        const std::int64_t most = std::min({std::max(fitting, narrowest_strip), widest_strip, sum.columns}),
                           strips = (sum.columns + most - 1) / most;
        return (sum.columns + strips - 1) / strips;
    }
    std::size_t nodes_bytes(double part_of_lines) const {
        return static_cast<std::size_t>(static_cast<double>(columns_of_strip(part_of_lines)) * node_bytes_of_column);
    }
    static constexpr std::int64_t narrowest_strip = 256;  ///< mostly edges
    /// What devices take: a GPU waits for the host less in wide strips.
    static constexpr double nodes_on_cpu = 0.25, nodes_on_gpu = 0.5;
};

/// Over cycles per cell where `cells` lie between columns.
inline PowerOverFrequency power_between(PowerOverFrequency of_columns, std::int64_t cells) {
    of_columns.highest /= static_cast<double>(cells);
    return of_columns;
}

}  // namespace cornerturn
