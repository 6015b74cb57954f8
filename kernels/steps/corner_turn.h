// SPDX-License-Identifier: Apache-2.0
// The corner turn as a step. kernels/device/corner_turn_variant.h has the ways to do it.
#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn {

/// The transpose of a matrix of native samples between range and azimuth processing.
struct CornerTurn {
    static constexpr std::string_view title = "corner turn";

    std::int64_t rows = 0;  ///< of what is turned
    std::int64_t columns = 0;
};

}  // namespace cornerturn
