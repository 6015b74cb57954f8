// SPDX-License-Identifier: Apache-2.0
// Weights of a Doppler window over the pixels of a tile, looked up for each or as a geometric series along it.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/cpu/tiles/tile_block.h"
#include "kernels/host/lanes.h"

namespace cornerturn {

/// By how much a line's weight may change along a tile to be taken as a geometric series.
inline constexpr float largest_weight_change = 0.01f;

template <int Count>
class LineWeights {
    using L = Lanes<Count>;
    using Floats = typename L::Floats;
    using Ints = typename L::Ints;

    const TileBlock& b_;

public:
    CT_HOST_DEVICE explicit LineWeights(const TileBlock& block) : b_(block) {}

    CT_HOST_DEVICE Floats at(const LineStep& line, const Floats& x, const Floats& y) const {
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
            here = L::picked(b_.window + first, whole - first);
            next = L::picked(b_.window + first + 1, whole - first);
        } else if (Count > 4 && spread < 2 * Count - 2) {
            const int across = b_.layout.patch_across;
            const float* const from = b_.window + std::min(std::min(whole[0], whole[Count - 1]),
                                                           std::min(whole[across - 1], whole[Count - across]));
            const Ints number = whole - static_cast<int>(from - b_.window);
            here = L::picked_of_two(from, number);
            next = L::picked_of_two(from + 1, number);
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
    CT_HOST_DEVICE bool grow(const LineStep& line, const Floats& x, const Floats& lane_y, Floats& weight,
                             Floats& growth) const {
        const auto steps = static_cast<float>(b_.layout.groups * vectors_at_a_time - 1);
        weight = at(line, x, lane_y);
        const Floats last = at(line, x, lane_y + steps * static_cast<float>(b_.layout.patch_along));
        const Floats middle = at(line, x, lane_y + 0.5f * steps * static_cast<float>(b_.layout.patch_along));
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
};

}  // namespace cornerturn
