// SPDX-License-Identifier: Apache-2.0
// Progress callback of long work; the library itself prints nothing.
#pragma once

#include <functional>
#include <string_view>

namespace cornerturn {

/// Called with the stage's name and the fraction done in [0, 1], from the calling thread only.
using Progress = std::function<void(std::string_view stage, double fraction)>;

}  // namespace cornerturn
