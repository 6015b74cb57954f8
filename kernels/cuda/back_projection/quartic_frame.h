// SPDX-License-Identifier: Apache-2.0
// The phase of a line over a tile as a polynomial of fourth degree either way, found by a warp in shared memory.
#pragma once

#include "kernels/cuda/back_projection/view.h"

namespace cornerturn {

/// Nothing where phase is not curved.
template <bool Curved>
struct QuarticFrame {
    static constexpr int count = Curved ? quartic_nodes : 0, all = count * count, some = Curved ? all : 1;
    Place place[some];
    double cycles[some], in_y[some];
    float of[some];  ///< [power of x][power of y], over places from -1 to 1; without what is linear

    /// Found by a warp.
    template <class Block>
    CT_HOST_DEVICE void find(const Block& block, const AccumulationView& view, const PulsePath& path,
                             TileFrame& frame) {
        const int number = block.thread().x & 31, row = number / quartic_nodes, power = number % quartic_nodes;
        const auto weighed = [&](const double* values, int apart) {
            double sum = 0;
            for (int node = 0; node < quartic_nodes; ++node)
                sum += quartic_weight(apart > 1 ? row : power, node) * values[node * apart];
            return sum;
        };
        if (number < all) cycles[number] = arrival(view.timing, path, place[number]).cycles;
        block.sync_warp();
        if (number < all) in_y[number] = weighed(cycles + row * quartic_nodes, 1);
        block.sync_warp();
        if (number < all) {
            const double value = weighed(in_y + power, quartic_nodes);
            of[number] = row + power > 1 ? static_cast<float>(value) : 0;
            if (row == 1 && power == 0) frame.x = in_turns(value / view.scale.half_x);
            if (row == 0 && power == 1) frame.y = in_turns(value / view.scale.half_y);
        }
    }
    /// Of powers of y at a place across.
    CT_HOST_DEVICE void at(int x, const TileScale& scale, float* powers) const {
        const float part = static_cast<float>(x) / static_cast<float>(scale.half_x);
        for (int power = count; power-- > 0;)
            for (int k = 0; k < count; ++k) powers[k] = powers[k] * part + of[power * count + k];
    }
};

}  // namespace cornerturn
