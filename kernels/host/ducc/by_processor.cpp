// SPDX-License-Identifier: Apache-2.0
// A program for any x86-64 asks, when it runs, on which kind it does.
#include "kernels/host/ducc/line_transform.h"

namespace cornerturn {
namespace {

Processor processor_here() {
    if (__builtin_cpu_supports("x86-64-v4")) return Processor::avx512;
    return __builtin_cpu_supports("x86-64-v3") ? Processor::avx2 : Processor::any;
}

}  // namespace

template <class Real>
std::shared_ptr<LineTransform<Real>> plan_line_here(std::int64_t length, FftDirection direction) {
    switch (processor_here()) {
        case Processor::avx512: return plan_line<Processor::avx512, Real>(length, direction);
        case Processor::avx2: return plan_line<Processor::avx2, Real>(length, direction);
        default: return plan_line<Processor::any, Real>(length, direction);
    }
}

const char* vectors_here() {
    constexpr const char* names[] = {"SSE2", "AVX2", "AVX-512"};
    return names[static_cast<int>(processor_here())];
}

template std::shared_ptr<LineTransform<float>> plan_line_here(std::int64_t, FftDirection);
template std::shared_ptr<LineTransform<double>> plan_line_here(std::int64_t, FftDirection);

}  // namespace cornerturn
