// SPDX-License-Identifier: Apache-2.0
// Independent results computed in parallel on all cores.
#pragma once

#include <omp.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/host/line_loop.h"

namespace cornerturn {

/// make(0), make(1), ... make(count - 1), as many at a time as OpenMP regions of this thread have threads. What one
/// throws is thrown; throws Interrupted when asked to stop.
template <class Make>
auto side_by_side(std::size_t count, const Make& make) {
    using Made = decltype(make(std::size_t{}));
    std::vector<std::optional<Made>> slots(count);
    for_each_line(
        static_cast<std::int64_t>(count), omp_get_max_threads(),
        [&](std::int64_t i) { slots[static_cast<std::size_t>(i)].emplace(make(static_cast<std::size_t>(i))); }, 1);
    std::vector<Made> made;
    made.reserve(count);
    for (std::optional<Made>& slot : slots) made.push_back(std::move(*slot));
    return made;
}

}  // namespace cornerturn
