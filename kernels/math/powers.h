// SPDX-License-Identifier: Apache-2.0
// A polynomial whose coefficients lie in registers.
#pragma once

#include "kernels/math/host_device.h"

namespace cornerturn {

/// sum of power[k] x^k, k from 0 to Terms - 1.
template <class T, int Terms>
struct Powers {
    T power[Terms];

    explicit CT_HOST_DEVICE Powers(const T* table) {
        for (int k = 0; k < Terms; ++k) power[k] = table[k];
    }
    CT_HOST_DEVICE T operator()(T x) const {
        T value = power[Terms - 1];
        for (int k = Terms - 1; k-- > 0;) value = value * x + power[k];
        return value;
    }
};

}  // namespace cornerturn
