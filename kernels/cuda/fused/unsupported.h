// SPDX-License-Identifier: Apache-2.0
// Why a pass has no fused kernel: all throw Unsupported. Apart from the kernels, because nvcc does not take the text
// library.
#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn {

struct TileLaws;

[[noreturn]] void refuse_length(std::string_view transform, std::int64_t length);
[[noreturn]] void refuse_shared_memory(std::string_view transform, std::int64_t length);
[[noreturn]] void refuse_taps(int taps);
[[noreturn]] void refuse_velocity(const TileLaws& laws);
[[noreturn]] void refuse_slope(const TileLaws& laws);
/// The migration spreads over more cells than the largest tile holds.
[[noreturn]] void refuse_migration(std::int64_t cells, std::int64_t limit);

}  // namespace cornerturn
