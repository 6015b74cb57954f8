// SPDX-License-Identifier: Apache-2.0
// The sweep over columns that lie in the image already.
#pragma once

#include <cstdint>

#include "kernels/math/host_device.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {

/// Completes image columns that were transformed where they lie, at the beginning of rows of the image's length, which
/// is at least the transform's: repeats what wraps around and clears what was not covered. Touches nothing else. One
/// block to a row.
struct CompleteColumns {
    static constexpr int threads = 256;
    AzimuthCompressionHooks hooks;
    std::int64_t columns;
    Complex64* out;

    std::int64_t blocks() const { return columns; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t column = block.number();
        const StoreRule rule = hooks.store(column);
        const Interval covered = rule.covered;
        Complex64* rows = out + column * hooks.image_rows;
        for (std::int64_t row = hooks.fft_length + block.thread().x; row < hooks.image_rows; row += threads)
            if (rule.covers(row)) rows[row] = rows[rule.source(row)];
        block.sync();  // what is cleared may have been repeated
        for (std::int64_t row = block.thread().x; row < covered.first && row < hooks.image_rows; row += threads)
            rows[row] = {0, 0};
        const std::int64_t behind = covered.last > 0 ? covered.last : 0;
        for (std::int64_t row = behind + block.thread().x; row < hooks.image_rows; row += threads) rows[row] = {0, 0};
    }
};

/// Whether columns that were transformed where they lie need no completion.
inline bool complete(const AzimuthCompression& pass) {
    if (pass.image_rows > pass.fft_length) return false;
    for (const Interval& covered : pass.covered_rows)
        if (covered.first > 0 || covered.last < pass.image_rows) return false;
    return true;
}

}  // namespace cornerturn
