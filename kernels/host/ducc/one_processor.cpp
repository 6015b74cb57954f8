// SPDX-License-Identifier: Apache-2.0
// A program that was compiled for one kind of processor has one kind of transforms.
#include "kernels/host/ducc/line_transform.h"

namespace cornerturn {

template <class Real>
std::shared_ptr<LineTransform<Real>> plan_line_here(std::int64_t length, FftDirection direction) {
    return plan_line<Processor::any, Real>(length, direction);
}

const char* vectors_here() { return "vectors as compiled"; }

template std::shared_ptr<LineTransform<float>> plan_line_here(std::int64_t, FftDirection);
template std::shared_ptr<LineTransform<double>> plan_line_here(std::int64_t, FftDirection);

}  // namespace cornerturn
