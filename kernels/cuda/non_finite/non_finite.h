// SPDX-License-Identifier: Apache-2.0
// Samples that are no numbers, counted on the GPU: of an echo, and of an image on its way to its last place.
#pragma once

#include <memory>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/memory.h"
#include "kernels/device/matrix.h"
#include "kernels/device/staging.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// A count on the GPU, and where it comes to on the host.
class CountOnGpu {
public:
    /// Makes both, or clears the count.
    void clear(const Stream& stream);
    unsigned long long* on_gpu() { return on_gpu_.data<unsigned long long>(); }
    /// Waits for it.
    std::int64_t value(const Stream& stream);

private:
    DeviceBuffer on_gpu_;
    PinnedBuffer on_host_;
};

/// `count` is taken meanwhile, and comes back: to allocate one takes longer than to fill it.
std::unique_ptr<NonFiniteCounter> non_finite_counter_on_gpu(const EchoDecoding& decoding, SharedContext context,
                                                            std::shared_ptr<CountOnGpu> count);

/// Copies complex64 to a place as large, and looks at each sample on its way. Returns when it is done: false if one of
/// them is not finite.
bool copy_finite_on_gpu(const Matrix& from, Matrix& to, const Stream& stream, CountOnGpu& count);

}  // namespace cornerturn
