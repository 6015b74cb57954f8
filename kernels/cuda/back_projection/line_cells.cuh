// SPDX-License-Identifier: Apache-2.0
// Cells of a line as a tile needs them: turned by the line's phase at the tile's centre, value and slope from cell to
// cell, in a table in shared memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/cuda/back_projection/tilings.h"
#include "kernels/cuda/back_projection/view.h"
#include "kernels/cuda/launch/unrolled.h"
#include "kernels/math/complex.h"

namespace cornerturn {

CT_HOST_DEVICE float as_float(int bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
CT_HOST_DEVICE int as_int(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class Tiling, bool Weighted>
struct LineCells {
    const AccumulationView& view;

    static constexpr bool curved = Tiling::along_phase == AlongPhase::curved;
    static constexpr bool bends = Tiling::along_phase != AlongPhase::in_cells;
    using Line = TileLineEntry<Tiling::along_phase, Weighted>;
    static constexpr float two_pi = 6.2831853071795865f;

    /// What is added to the frame of a block, in single precision.
    CT_HOST_DEVICE void put_line(const TileLine& line, const AddedPhase& added, double centre_cycles, bool there,
                                 Line& to) const {
        const double below = std::floor(line.cell), part = line.cell - below;
        const auto turn = [](double cycles) { return two_pi * static_cast<float>(cycles); };
        to.step = {static_cast<float>(part - 0.5), static_cast<float>(line.cell_x), static_cast<float>(line.cell_y),
                   turn(added.pixels.x)};
        const bool near_cells = below > -1e9 && below < 1e9;
        const int first_cell = there && near_cells ? static_cast<int>(below) - Tiling::entries / 2 : -(1 << 30);
        const double origin = 0.5 - part;  // the centre's cell, where the table counts from
        to.turned = {as_float(first_cell),
                     turn(fraction_of(line.cycles.value + centre_cycles) + added.over_cells(origin)),
                     turn(added.per_cell + 2 * origin * added.per_cell2), turn(added.per_cell2)};
        if constexpr (bends)
            to.bend = {turn(added.pixels.y), turn(added.pixels.xx), turn(added.pixels.xy),
                       Tiling::cell_bends == CellBends::apart ? static_cast<float>(added.bends) : 0};
        if constexpr (curved)
            to.curve = {turn(added.pixels.xyy), turn(added.pixels.xxy), turn(added.pixels.xxyy), turn(added.pixels.yy)};
        if constexpr (Weighted) {
            const double per_hz = view.window.per_hz;
            to.weight = {there ? static_cast<float>(per_hz * line.offset_hz.value) : -1e9f,
                         static_cast<float>(per_hz * line.offset_hz.x), static_cast<float>(per_hz * line.offset_hz.y),
                         0};
        }
    }

    /// A warp fetches some of the cells of one line of a stage.
    template <int First, int Count, class Block>
    CT_HOST_DEVICE void fetch(const Block& block, int line, const Float4& turned, Complex64* raw) const {
        const int first = as_int(turned.x), lane = block.thread().x & 31;
        const Complex64* const from = view.compressed + static_cast<std::int64_t>(line) * view.cells + first + lane;
        const bool inside = first >= 0 && first + 31 * Tiling::chunks < view.cells;
        unrolled<Count>([&]<int c>() {
            const std::int64_t cell = static_cast<std::int64_t>(first) + lane + 31 * (First + c);
            raw[c] = inside || (cell >= 0 && cell < view.cells) ? block.compressed(from + 31 * (First + c))
                                                                : Complex64{0, 0};
        });
    }
    /// And stores value and slope.
    template <int First, int Count, class Block>
    CT_HOST_DEVICE static void tabulate(const Block& block, const Float4& turned, const Complex64* raw,
                                        Float4* entries) {
        const int lane = block.thread().x & 31;
        unrolled<Count>([&]<int c>() {
            const int number = lane + 31 * (First + c);
            const float at = static_cast<float>(number - Tiling::entries / 2) - 0.5f;
            const float angle = at * (at * turned.w + turned.z) + turned.y, cosine = block.cosine(angle),
                        sine = block.sine(angle);
            const float re = raw[c].re * cosine - raw[c].im * sine, im = raw[c].re * sine + raw[c].im * cosine;
            const float slope_re = block.next_in_warp(re) - re, slope_im = block.next_in_warp(im) - im;
            float first_re = re - at * slope_re, first_im = im - at * slope_im;
            if constexpr (turns_between_cells(Tiling::along_phase, Tiling::cell_bends)) {
                const Complex64 between = between_turned_cells(2 * at * turned.w + turned.z, slope_re, slope_im);
                first_re += between.re;
                first_im += between.im;
            }
            if (lane < 31) entries[number] = {first_re, first_im, slope_re, slope_im};
        });
    }
};

}  // namespace cornerturn
