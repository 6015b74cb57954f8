// SPDX-License-Identifier: Apache-2.0
// Loops whose index is a constant of each step. An array that is indexed by anything else leaves the registers of a GPU
// for its memory, silently.
#pragma once

#include <utility>

#include "kernels/math/host_device.h"

namespace cornerturn {

template <class F, int... Steps>
CT_HOST_DEVICE void unroll(const F& step, std::integer_sequence<int, Steps...>) {
    (step.template operator()<Steps>(), ...);
}

/// Calls step.operator()<0>() ... step.operator()<Count - 1>().
template <int Count, class F>
CT_HOST_DEVICE void unrolled(const F& step) {
    unroll(step, std::make_integer_sequence<int, Count>{});
}

}  // namespace cornerturn
