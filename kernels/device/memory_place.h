// SPDX-License-Identifier: Apache-2.0
// Kind of memory that holds samples: ours, or another program's.
#pragma once

#include "kernels/device/matrix.h"

namespace cornerturn {

struct MemoryPlace {
    int gpu = -1;  ///< number of the GPU whose memory it is; -1: the host's
    friend bool operator==(const MemoryPlace&, const MemoryPlace&) = default;
};
constexpr MemoryPlace host_memory_place{};

/// A matrix over samples in foreign memory, which must outlive it.
inline Matrix matrix_on(const void* samples, SampleFormat format, std::int64_t rows, std::int64_t columns) {
    Matrix matrix{.storage = {}, .capacity_bytes = 0, .format = format, .rows = rows, .columns = columns};
    matrix.storage = {std::shared_ptr<void>(), const_cast<void*>(samples)};  // of those that are only read, too
    matrix.capacity_bytes = matrix.bytes();
    return matrix;
}

}  // namespace cornerturn
