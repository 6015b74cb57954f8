// SPDX-License-Identifier: Apache-2.0
// Pixels beside the smooth surface that the nodes of blocks lie on: what their lines differ by from those of a node.
//     D_b(X) = sum over lines n of line_n(cell_n(X)) exp(j 2 pi (cycles_n - cycles_b)(X))
// at a place X that lies a height off the surface is read at the place Y of the surface that has X's cell in the
// block's middle line, and past which the block's lines go as they go past X: to first order in the place p of a line
// in the band that D_b has along rows of nodes. Phases of X and Y then part by bend p^2 + twist p^3, which a filter
// over the band brings back, as it takes the Doppler window.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/math/complex.h"
#include "kernels/math/host_device.h"
#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Why heights are refused, in a plan or as late as in its run.
inline constexpr const char* no_place_to_read =
    "--algorithm ffbp: heights of --dem lie so far off the smooth surface of the map that blocks of lines see none of "
    "its places as they see them; use --algorithm backprojection";

/// Powers of the height in laws of pixels, over heights from the lowest to the highest.
inline constexpr int height_terms = 5;

/// Phase over the band of a block, whose places go from -1 to 1: slope p + bend p^2 + twist p^3.
struct BandTurn {
    double slope_rad = 0, bend_rad = 0, twist_rad = 0;
};
/// Lines of a block that tell it.
inline constexpr int turn_lines = 4;
/// The least squares of phases at the places of some lines, against the middle one's at 0. Where lines are too few or
/// lie too close to tell all three, the smallest.
CT_HOST_DEVICE BandTurn band_turn(const double (&place)[turn_lines], const double (&rad)[turn_lines]) {
    constexpr double damping = 1e-9;
    double m[3][3] = {}, v[3] = {}, farthest = 0;
    for (const double at : place) farthest = std::fabs(at) > farthest ? std::fabs(at) : farthest;
    const double scale = farthest > 0 ? 1 / farthest : 0;
    for (int i = 0; i < turn_lines; ++i) {
        const double p = scale * place[i], power[3] = {p, p * p, p * p * p};
        for (int a = 0; a < 3; ++a) {
            v[a] += power[a] * rad[i];
            for (int b = 0; b < 3; ++b) m[a][b] += power[a] * power[b];
        }
    }
    for (int a = 0; a < 3; ++a) m[a][a] += damping;
    for (int a = 0; a < 3; ++a)
        for (int b = a + 1; b < 3; ++b) {
            const double part = m[b][a] / m[a][a];
            for (int c = a; c < 3; ++c) m[b][c] -= part * m[a][c];
            v[b] -= part * v[a];
        }
    const double twist = v[2] / m[2][2], bend = (v[1] - m[1][2] * twist) / m[1][1];
    return {scale * (v[0] - m[0][1] * bend - m[0][2] * twist) / m[0][0], scale * scale * bend,
            scale * scale * scale * twist};
}

/// Where a pixel is read of a block, in rows and columns of the image.
struct RaisedRead {
    double row = 0, column = 0;
    BandTurn turn;
    bool found = false;
};
struct BlockLines {
    std::int64_t first, middle, last;
};
/// `surface.place(row, column)` is a place of the smooth surface, `surface.arrive(line, place)` its arrival; the band
/// of the block's nodes reaches half_band cycles per row to either side. `row` and `column` are those of the pixel.
template <class Surface>
RaisedRead raised_read(const Surface& surface, const BlockLines& lines, double half_band, const Place& raised,
                       double row, double column) {
    constexpr int most_rounds = 30;
    constexpr double close = 1e-5, far = 1e6;  // cells and rad at the ends of the band; rows and columns
    const auto cell = [&](double r, double c) { return surface.arrive(lines.middle, surface.place(r, c)).cell; };
    std::int64_t of[turn_lines];
    for (int i = 0; i < turn_lines; ++i) of[i] = lines.first + (lines.last - lines.first) * i / (turn_lines - 1);
    const Arrival amid = surface.arrive(lines.middle, raised);
    double exact[turn_lines];
    for (int i = 0; i < turn_lines; ++i) exact[i] = surface.arrive(of[i], raised).cycles - amid.cycles;
    const double cell_row = 0.5 * (cell(row + 1, column) - cell(row - 1, column)),
                 cell_column = 0.5 * (cell(row, column + 1) - cell(row, column - 1)), slant = -cell_row / cell_column;
    const auto parted = [&](double r, double c, double(&cycles)[turn_lines]) {
        const Place at = surface.place(r, c);
        const Arrival middle = surface.arrive(lines.middle, at);
        for (int i = 0; i < turn_lines; ++i) cycles[i] = surface.arrive(of[i], at).cycles - middle.cycles;
        return middle.cell;
    };
    // The band is that of phases along a cell of the middle line.
    double behind[turn_lines], before[turn_lines], place[turn_lines], here[turn_lines], rad[turn_lines];
    parted(row + 1, column + slant, behind);
    parted(row - 1, column - slant, before);
    double reach = 0;
    for (int i = 0; i < turn_lines; ++i) {
        place[i] = (behind[i] - before[i]) / (2 * half_band);
        reach = std::fabs(place[i]) > reach ? std::fabs(place[i]) : reach;
    }
    constexpr double two_pi = 6.283185307179586;
    RaisedRead read{row, column, {}, false};
    for (int round = 0; round < most_rounds && !read.found; ++round) {
        const double beyond = amid.cell - parted(read.row, read.column, here);
        for (int i = 0; i < turn_lines; ++i) rad[i] = two_pi * (exact[i] - here[i]);
        read.turn = band_turn(place, rad);
        const double rows = read.turn.slope_rad / (two_pi * half_band), columns = beyond / cell_column + rows * slant;
        if (!(std::fabs(rows) < far && std::fabs(columns) < far)) return read;
        read.found = std::fabs(read.turn.slope_rad) * reach < close && std::fabs(beyond) < close;
        read.row += rows;
        read.column += columns;
    }
    return read;
}

/// Moments of rows of nodes (OptimalInterpolation) by which a block's band is filtered.
inline constexpr int response_terms = WindowPolynomial::terms;
/// A filter over the band of a block: what each moment counts.
template <class Real>
struct BlockResponse {
    Real re[response_terms], im[response_terms];
};
/// The polynomial through weights of a window at the places of the band (band_place) times exp(j (bend p^2 + twist
/// p^3)). Turns of half a radian are off by 2e-6.
template <class Real>
CT_HOST_DEVICE BlockResponse<Real> block_response(const Real (&weight)[response_terms], Real bend_rad, Real twist_rad) {
    Real re[response_terms], im[response_terms];
    for (int i = 0; i < response_terms; ++i) {
        const Real p = static_cast<Real>(band_place(i)), rad = p * p * (bend_rad + p * twist_rad), square = rad * rad;
        re[i] = weight[i] * (1 - square * (Real(1) / 2 - square * (Real(1) / 24)));
        im[i] = weight[i] * rad * (1 - square * (Real(1) / 6 - square * (Real(1) / 120)));
    }
    Real of_re[response_terms], of_im[response_terms];
    polynomial_over_band(re, of_re);
    polynomial_over_band(im, of_im);
    // Odd moments come without their factor j.
    return {{of_re[0], -of_im[1], of_re[2], -of_im[3]}, {of_im[0], of_re[1], of_im[2], of_re[3]}};
}

}  // namespace cornerturn
