// SPDX-License-Identifier: Apache-2.0
// Time spans in which a part of the machine was busy.
#pragma once

#include <chrono>

namespace cornerturn {

/// On the host's clock, by which the work of a GPU is placed to some 10 us.
struct BusySpan {
    std::chrono::steady_clock::time_point begin, end;
};

}  // namespace cornerturn
