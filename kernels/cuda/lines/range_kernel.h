// SPDX-License-Identifier: Apache-2.0
// Range compression of lines by one kernel, or a few. Apart from the plan that runs it: nvcc takes its time, and a
// source file for each kind need not be compiled anew where the pass is changed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/pass_tuning.h"
#include "kernels/device/matrix.h"
#include "kernels/math/complex.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

struct RangeFilter {
    std::vector<Complex64> response;  ///< over the bins of the transform, with 1 / length of the inverse one
    float growth;                     ///< of a component of the echo to a modulus behind the filter, at most

    std::int64_t fft_length() const { return static_cast<std::int64_t>(response.size()); }
};

/// Lines of an echo.
struct EchoLines {
    SampleFormat format;
    EchoReader<float, std::int8_t> reader;  ///< of any format: only the type of its samples has to be put right
    std::int64_t first;                     ///< of the pass
    std::int64_t count;
    std::int64_t samples;  ///< of a line, here and in the result
    unsigned* not_finite;  ///< set to 1 where a sample may not be; not looked at by the split kernels
};

class RangeKernel {
public:
    virtual ~RangeKernel() = default;
    /// out: all lines of the pass, of Complex64 or of halves with a scale for each line.
    virtual void run(const EchoLines& lines, Matrix& out) = 0;
};

/// Of the formats that Echo serves (range_line.cuh), to Complex64 or HalfPair. Throws Unsupported for a length that has
/// no kernel.
template <class Echo, class Sample>
std::unique_ptr<RangeKernel> range_kernel(const RangeFilter& filter, SharedContext context);

/// For `lines` that no block of threads can hold, of any format. Throws Unsupported likewise.
std::unique_ptr<RangeKernel> split_range_kernel(const RangeFilter& filter, std::int64_t lines, SampleFormat format,
                                                const PassTuning& tuning, SharedContext context);

}  // namespace cornerturn
