// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/ways/gpu_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// As many lines as the cached bytes hold, or as fill the multiprocessors twice; `most_bytes` in any case.
std::int64_t bytes_together(std::int64_t cached_bytes, std::int64_t filling_bytes, std::int64_t most_bytes) {
    return std::min(most_bytes, std::max(cached_bytes, filling_bytes));
}

/// What a variable of the environment allows; the limit as it is where there is none.
std::int64_t lowered(std::int64_t limit_bytes, const char* variable, std::int64_t least_kib) {
    const char* const value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return limit_bytes;
    const std::string_view text(value);
    std::int64_t kib = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), kib);
    if (error != std::errc{} || end != text.data() + text.size() || kib < least_kib)
        throw InputError(fmt::format("{}={}: must be a number of KiB from {} on", variable, text, least_kib));
    return kib > limit_bytes >> 10 ? limit_bytes : kib << 10;
}

}  // namespace

std::int64_t GpuLimits::batch_bytes(std::int64_t line_bytes) const {
    return bytes_together(cache_bytes / 3 * 2, 2 * multiprocessors * line_bytes, std::int64_t{32} << 20);
}

std::int64_t GpuLimits::lane_bytes(std::int64_t line_bytes, std::int64_t blocks_of_line) const {
    const std::int64_t lines = (2 * multiprocessors + blocks_of_line - 1) / blocks_of_line;
    return bytes_together(cache_bytes / 4, lines * line_bytes, std::int64_t{12} << 20);
}

unsigned GpuLimits::blocks_ahead(int wanted, std::int64_t block_bytes) const {
    return static_cast<unsigned>(
        std::min<std::int64_t>(wanted, cache_bytes / 2 / std::max<std::int64_t>(1, block_bytes)));
}

GpuLimits lowered_by_environment(GpuLimits limits) {
    // Every GPU has 48 KiB, for which kernels need not ask.
    limits.shared_bytes = lowered(limits.shared_bytes, "CORNERTURN_SHARED_MEMORY_KIB", 48);
    limits.cache_bytes = lowered(limits.cache_bytes, "CORNERTURN_L2_KIB", 1);
    return limits;
}

}  // namespace cornerturn
