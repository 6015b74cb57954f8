// SPDX-License-Identifier: Apache-2.0
// Twiddle factors of a line's transform in device memory.
#pragma once

#include "kernels/cuda/fft/line_fft.cuh"
#include "kernels/cuda/runtime/memory.h"

namespace cornerturn {

class LineTables {
public:
    template <class Digits>
    explicit LineTables(Digits)
        : forward_b_(table_on_device(twiddles(Digits::A, Digits::A * Digits::B), "twiddle factors")),
          forward_c_(table_on_device(forward_c_twiddles<Digits>(), "twiddle factors")),
          inverse_b_(table_on_device(twiddles(Digits::C, Digits::B * Digits::C), "twiddle factors")),
          inverse_a_(table_on_device(twiddles(Digits::B * Digits::C, Digits::length), "twiddle factors")) {}

    LineTwiddles get() const {
        return {.forward_b = forward_b_.data<Twiddle>(),
                .forward_c = forward_c_.data<Twiddle>(),
                .inverse_b = inverse_b_.data<Twiddle>(),
                .inverse_a = inverse_a_.data<Twiddle>()};
    }

private:
    DeviceBuffer forward_b_, forward_c_, inverse_b_, inverse_a_;
};

}  // namespace cornerturn
