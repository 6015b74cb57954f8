// SPDX-License-Identifier: Apache-2.0
// Where a thread's pixels look up the weights of a line.
#pragma once

#include "kernels/cuda/back_projection/view.h"

namespace cornerturn {

/// A thread's middle in the index of the window, from the window's middle, and the step from pixel to pixel.
struct WindowPlace {
    float middle = 0, step = 0;
};

/// A place among the entries of the window's table, as a part of it: from the window's middle on, in entries. What
/// lies beyond the window is at either end, where entries are zero.
struct TablePlace {
    float middle, step;
};
CT_HOST_DEVICE TablePlace table_place(const DopplerWindowView& window, const WindowPlace& place) {
    const auto half = static_cast<float>(window.middle);
    const float per_entry = 1 / (2 * half + 2);
    return {(place.middle + half + 1) * per_entry, place.step * per_entry};
}
struct WindowWeight {
    float value, slope;
};
template <class Block>
CT_HOST_DEVICE WindowWeight weight_at(const Block& block, const AccumulationView& view, float part) {
    const float at = block.saturated(part) * (2 * static_cast<float>(view.window.middle) + 2),
                below = (at - 0.5f) + Block::to_whole;
    const WindowEntry entry = block.window_entry(view.window_entries, below);
    return {entry.value + (at - (below - Block::to_whole)) * entry.slope, entry.slope};
}

}  // namespace cornerturn
