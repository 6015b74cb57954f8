// SPDX-License-Identifier: Apache-2.0
// Fused kernels that fit a GPU. Both the planning of ways and the plans themselves ask here, so that they agree.
// Contains no CUDA.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/device/ways/gpu_limits.h"
#include "kernels/passes/migration_law.h"

namespace cornerturn {

/// How range lines are compressed.
enum class RangeLines : std::uint8_t {
    none,          ///< no kernel of this length fits
    one_kernel,    ///< a block of threads holds a line
    three_kernels  ///< a line is split into rows (kernels/cuda/split)
};
RangeLines range_lines(std::int64_t fft_length, const GpuLimits& limits);

/// Whether a block holds an azimuth line (kernels/cuda/lines).
bool has_line_kernels(std::int64_t fft_length, const GpuLimits& limits);
/// Whether a block holds columns of an azimuth transform in a matrix that is not turned (kernels/cuda/turn_free).
bool has_column_kernels(std::int64_t fft_length, const GpuLimits& limits);

/// Tiles of an image in the turn-free kernel that follows the migration (TurnFreeGather in
/// kernels/cuda/turn_free/turn_free.cuh).
struct TurnFreeTiles {
    int cells;     ///< of a tile in shared memory, one of turn_free_cells
    int stepping;  ///< index into weight_steppings
    int width;     ///< columns
    FittedLaws fitted;

    /// Cells that are read for each column.
    double overlap() const { return static_cast<double>(cells) / width; }
};
/// Tiles that there are kernels for. 512 and 256 are as large as one or two blocks of a multiprocessor of an H100 can
/// have; 384 stand in for 512 where a block has 99 KiB, 250 for 256 where it has 64 KiB.
inline constexpr std::array turn_free_cells{250, 256, 384, 512};
constexpr std::int64_t turn_free_shared_bytes(int cells) { return std::int64_t{32} * (cells + 3) * 8; }

/// The cheapest that hold for a gather: laws as good as its hook, the fewest sets of weights, in shared memory that a
/// block may have. By the laws of some bins: whether they hold, at no cost. Throws Unsupported that says what does not.
TurnFreeTiles turn_free_tiles(const AzimuthCompression& pass, const GpuLimits& limits);
/// With the laws of all bins, in this order.
TurnFreeTiles turn_free_tiles(const AzimuthCompression& pass, const GpuLimits& limits,
                              const std::vector<std::int64_t>& order);

}  // namespace cornerturn
