// SPDX-License-Identifier: Apache-2.0
// What a device and its plans share: the stream and the scratch memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/cuda/runtime/check.h"
#include "kernels/cuda/runtime/growing_memory.h"
#include "kernels/cuda/runtime/memory.h"
#include "kernels/cuda/runtime/stream.h"
#include "kernels/device/ways/gpu_limits.h"
#include "kernels/interrupt.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// Scratch memory of all plans of a device: they run one after the other in one stream. Grows when a plan is made,
/// never in a run; where it cannot, plans made earlier keep what they have. A copy shares the memory, and keeps it when
/// the original grows.
class Workspace {
public:
    void reserve_lines(std::size_t bytes) { grow(lines_, bytes, "FFT buffer"); }
    void reserve_fft(std::size_t bytes) {
        grow(fft_, std::max<std::size_t>(bytes, 256), "cuFFT work area");
    }  // cuFFT takes no null
    Complex64* lines() const { return static_cast<Complex64*>(lines_.get()); }
    void* fft() const { return fft_.get(); }

private:
    static void grow(GrowingMemory& memory, std::size_t bytes, const char* what) {
        memory.grow(bytes, [=](std::size_t more) { return DeviceBuffer(more, what).share(); });
    }
    GrowingMemory lines_, fft_;
};

struct CudaContext {
    const int index;
    const GpuLimits limits;
    Stream stream;
    Stream copies;  ///< of what comes in while the other computes
    Workspace workspace;

    /// Chooses the GPU first: a stream belongs to the one that is current when it is made.
    CudaContext(int gpu, const GpuLimits& gpu_limits) : index(chosen(gpu)), limits(gpu_limits) {}

    /// Makes the GPU the calling thread's current one; launches and allocations go there.
    void use() const { chosen(index); }

private:
    static int chosen(int gpu) {
        check(cudaSetDevice(gpu), "choose the GPU");
        return gpu;
    }
};
using SharedContext = std::shared_ptr<CudaContext>;

/// Lines that go through the FFT buffer together. Large matrices are cut into equal batches, so that FFT buffer and
/// cuFFT work area stay small beside the two matrices of a pass, and a batch may stay in the L2 cache from hook to
/// hook.
struct LineBatches {
    std::int64_t lines = 0;
    std::int64_t batch = 0;

    /// Batches of a multiple of `step` lines, but for the last and where those are too long.
    LineBatches(const GpuLimits& limits, std::int64_t line_count, std::int64_t fft_length, std::int64_t step = 1)
        : LineBatches(line_count, fft_length, limits.batch_bytes(fft_length * sample_bytes), step) {}
    LineBatches(std::int64_t line_count, std::int64_t fft_length, std::int64_t most_bytes, std::int64_t step)
        : lines(line_count) {
        const std::int64_t line_bytes = fft_length * sample_bytes;
        if (step * line_bytes > most_bytes) step = 1;
        const std::int64_t step_bytes = step * line_bytes;
        const std::int64_t steps = (lines + step - 1) / step, most = std::max<std::int64_t>(1, most_bytes / step_bytes);
        const std::int64_t batches = (steps + most - 1) / most;
        batch = batches > 0 ? std::min(lines, (steps + batches - 1) / batches * step) : 0;
    }

    /// Calls f(first line, number of lines) for each batch.
    template <class F>
    void for_each(F f) const {
        for_each(0, lines, f);
    }
    /// The same for the lines from `begin` to before `end`.
    template <class F>
    void for_each(std::int64_t begin, std::int64_t end, F f) const {
        for (std::int64_t first = begin; first < end; first += batch) {
            throw_if_interrupted();
            f(first, std::min(batch, end - first));
        }
    }

private:
    static constexpr auto sample_bytes = static_cast<std::int64_t>(sizeof(Complex64));
};

}  // namespace cornerturn
