// SPDX-License-Identifier: Apache-2.0
// Steps between two corner turns, which a device may do on the matrix as it lies.
#pragma once

#include <cstddef>
#include <variant>

#include "kernels/steps/steps.h"

namespace cornerturn {

/// Corner turn, pass, corner turn, from a step on; nullptr: something else.
template <class Pass>
const Pass* turned_pass(const Steps& steps, std::size_t first) {
    if (first + 3 > steps.size() || !std::holds_alternative<CornerTurn>(steps[first].work) ||
        !std::holds_alternative<CornerTurn>(steps[first + 2].work))
        return nullptr;
    return std::get_if<Pass>(&steps[first + 1].work);
}

/// Corner turn, azimuth spectrum, gather, corner turn.
inline bool is_turned_compression(const Steps& steps, std::size_t first) {
    return first + 4 <= steps.size() && std::holds_alternative<CornerTurn>(steps[first].work) &&
           std::holds_alternative<AzimuthSpectrum>(steps[first + 1].work) &&
           std::holds_alternative<AzimuthCompression>(steps[first + 2].work) &&
           std::holds_alternative<CornerTurn>(steps[first + 3].work);
}

}  // namespace cornerturn
