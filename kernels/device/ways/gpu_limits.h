// SPDX-License-Identifier: Apache-2.0
// Limits of a GPU that kernels and batches must fit. Contains no CUDA: ways are compared with it on any machine.
#pragma once

#include <cstdint>

namespace cornerturn {

struct GpuLimits {
    std::int64_t shared_bytes = 232'448;                ///< shared memory that a block of threads may ask for
    std::int64_t cache_bytes = std::int64_t{50} << 20;  ///< of L2
    int multiprocessors = 132;

    /// Lines that go together from kernel to kernel: as many as stay in the L2 cache between the two, 32 MiB at most;
    /// more where those would not fill the multiprocessors.
    std::int64_t batch_bytes(std::int64_t line_bytes) const;
    /// Likewise for one of two streams whose batches share the cache with what passes by, 12 MiB at most; a line keeps
    /// `blocks_of_line` blocks busy.
    std::int64_t lane_bytes(std::int64_t line_bytes, std::int64_t blocks_of_line) const;
    /// Blocks, `wanted` at most, by which a kernel may ask for its input of `block_bytes` before its turn: what waits
    /// there may take half of the L2 cache.
    unsigned blocks_ahead(int wanted, std::int64_t block_bytes) const;

    friend bool operator==(const GpuLimits&, const GpuLimits&) = default;
};

/// A GPU made to act as a smaller one: CORNERTURN_SHARED_MEMORY_KIB (48 at least) and CORNERTURN_L2_KIB lower its
/// limits, and raise none. Throws InputError for what is no number.
GpuLimits lowered_by_environment(GpuLimits limits);

}  // namespace cornerturn
