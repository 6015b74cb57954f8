// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/line_fft.h"

#include <fmt/format.h>

#include <exception>

#include "kernels/errors.h"
#include "kernels/host/ducc/line_transform.h"

namespace cornerturn {
namespace {

template <class Real>
std::shared_ptr<void> planned(std::int64_t length, FftDirection direction) {
    try {
        return plan_line_here<Real>(length, direction);
    } catch (const std::exception& failure) {
        throw DeviceError(fmt::format("DUCC0 has no plan for a transform of {} points: {}", length, failure.what()));
    }
}

template <class Real>
const LineTransform<Real>& held(const std::shared_ptr<void>& plan) {
    return *static_cast<const LineTransform<Real>*>(plan.get());
}

}  // namespace

std::string fft_library() { return fmt::format("DUCC0 {}, {}", CORNERTURN_DUCC_VERSION, vectors_here()); }

template <class Real>
LineFft<Real>::LineFft(std::int64_t length, FftDirection direction) : plan_(planned<Real>(length, direction)) {}

template <class Real>
void LineFft<Real>::operator()(Complex<Real>* line) const {
    held<Real>(plan_)(line, line);
}

template <class Real>
PassFft<Real>::PassFft(std::int64_t length, FftDirection direction, std::int64_t)
    : plan_(planned<Real>(length, direction)) {}

template <class Real>
void PassFft<Real>::operator()(const Complex<Real>* from, Complex<Real>* to) const {
    held<Real>(plan_)(from, to);
}

template class LineFft<float>;
template class LineFft<double>;
template class PassFft<float>;
template class PassFft<double>;

}  // namespace cornerturn
