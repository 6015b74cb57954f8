// SPDX-License-Identifier: Apache-2.0
// Entries of a Doppler window as tables have them, and where their weights may be taken as straight or level.
#pragma once

#include <vector>

#include "kernels/back_projection/accumulation_tile.h"

namespace cornerturn {

/// Of a Doppler window that is straight between its entries.
struct alignas(8) WindowEntry {
    float value, slope;
};
/// With a zero before its weights and two behind.
std::vector<WindowEntry> window_entries(const DopplerWindow& window);
/// How far from the middle of a Doppler window, in entries, weights may be taken as straight over any so many entries
/// (or as level), to `tolerance`.
float straight_from_middle(const std::vector<float>& weight, double entries, bool level, double tolerance);
/// Likewise over the entries of a tile, straight as such or in so many level parts: what those miss is nothing in the
/// mean.
float even_from_middle(const std::vector<float>& weight, double entries, AlongPhase along, double part,
                       double tolerance);

}  // namespace cornerturn
