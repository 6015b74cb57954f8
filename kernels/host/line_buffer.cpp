// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/line_buffer.h"

#include <fmt/format.h>

#include <cstdlib>

#include "kernels/errors.h"

namespace cornerturn {

template <class Real>
LineBuffer<Real>::LineBuffer(std::int64_t length) {
    const std::size_t bytes = (static_cast<std::size_t>(length) * sizeof(Complex<Real>) + 63) / 64 * 64;
    data_.reset(static_cast<Complex<Real>*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw DeviceError(fmt::format("no memory for a line buffer of {} bytes", bytes));
}

template <class Real>
void LineBuffer<Real>::Free::operator()(Complex<Real>* p) const {
    std::free(p);
}

template class LineBuffer<float>;
template class LineBuffer<double>;

}  // namespace cornerturn
