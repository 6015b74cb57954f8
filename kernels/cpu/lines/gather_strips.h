// SPDX-License-Identifier: Apache-2.0
// Strips of image columns that azimuth compression makes one after the other, and the range cells that each reads: a
// window over these moves along with the strips.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

inline constexpr std::int64_t gathered_at_a_time = 16;  ///< image columns
static_assert(least_band_columns % gathered_at_a_time == 0 && band_columns % gathered_at_a_time == 0,
              "columns that are gathered together share a band");

/// Columns that all threads together make at a time: so many for each that they seldom wait for one another.
constexpr std::int64_t strip_columns(int threads) { return 4 * gathered_at_a_time * (threads > 2 ? threads : 2); }

struct GatherStrips {
    struct Strip {
        std::int64_t first_column, last_column;
        std::int64_t first_cell, last_cell;  ///< that it or a later one reads, and up to those that are overwritten
    };
    std::vector<Strip> strips;
    std::int64_t window = 0;  ///< cells; a power of two
};

/// Neither the first cells of the strips nor the last ones go back, and the last ones lie behind the strip's columns
/// where the matrix does: what a strip leaves may take the place of cells that were read.
GatherStrips gather_strips(const AzimuthCompression& pass, std::int64_t columns);

}  // namespace cornerturn
