// SPDX-License-Identifier: Apache-2.0
// The steps of an algorithm on a GPU: recognises what can be fused, each pass by itself, and takes the way that moves
// the least memory.
#pragma once

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/device_bench.h"

namespace cornerturn {

/// `free_bytes` of the GPU, for the choice. Throws InputError for hints that no way can follow.
LoweringReport probe_on_gpu(const Algorithm& algorithm, const LoweringHints& hints, std::size_t free_bytes,
                            const DeviceBench& device, const GpuLimits& limits);

/// The device must outlive what is lowered.
Lowered lower_on_gpu(const Algorithm& algorithm, const LoweringHints& hints, std::size_t free_bytes,
                     DeviceBench& device, SharedContext context);

}  // namespace cornerturn
