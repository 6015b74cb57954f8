// SPDX-License-Identifier: Apache-2.0
// A request to stop, set from a signal handler, honoured between lines, blocks and stages.
#pragma once

#include <atomic>

#include "kernels/errors.h"

namespace cornerturn {

inline std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

/// Throws Interrupted after a request. Not for use inside OpenMP regions: no exception may leave one.
inline void throw_if_interrupted() {
    if (interrupt_requested.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace cornerturn
