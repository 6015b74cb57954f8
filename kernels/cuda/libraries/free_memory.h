// SPDX-License-Identifier: Apache-2.0
// The free memory of GPUs on which nothing is to be begun.
#pragma once

#include <cstddef>

namespace cornerturn {

/// As NVIDIA's management library tells it; 0 where it does not. cudaMemGetInfo would make a context, which takes some
/// hundred megabytes of the GPU and a third of a second.
std::size_t free_memory_bytes(int gpu);

}  // namespace cornerturn
