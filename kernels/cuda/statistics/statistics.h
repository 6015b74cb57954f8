// SPDX-License-Identifier: Apache-2.0
// What is counted on the GPU: of an echo, and of samples on their way to their last place.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/memory.h"
#include "kernels/device/matrix.h"
#include "kernels/device/staging.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// What the last reduction had for its sums, for the next one: to allocate them takes longer than to fill them.
struct ReductionMemory {
    DeviceBuffer sums;
    PinnedBuffer on_host;
};

/// `memory`: of the device; is taken meanwhile, and comes back.
std::unique_ptr<EchoReduction> reduction_on_gpu(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding,
                                                SharedContext context, std::shared_ptr<ReductionMemory> memory);

/// Copies and looks at each sample on its way.
class FiniteCopy {
public:
    /// Of complex64, as large as `to`. Returns when it is done: false if one of them is not finite.
    bool run(const Matrix& from, Matrix& to, const CudaContext& context);

private:
    DeviceBuffer mark_;  // one number; made at first use, like where it comes to on the host
    PinnedBuffer seen_;
};

}  // namespace cornerturn
