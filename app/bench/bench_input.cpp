// SPDX-License-Identifier: Apache-2.0
#include "app/bench/bench_input.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed) {
    std::vector<float> numbers(count);
    std::uint64_t state = seed;
    for (float& number : numbers) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;  // Marsaglia's xorshift
        number = static_cast<float>(static_cast<std::int32_t>(state >> 32) | 1) * 0x1p-31f;
    }
    return numbers;
}

void require_memory(const DeviceInfo& info, double bytes, const std::string& what) {
    constexpr double mebibyte = 1024.0 * 1024.0;
    const auto free_bytes = static_cast<double>(info.memory_free_bytes);
    if (free_bytes > 0 && bytes > free_bytes)
        throw InputError(fmt::format("{} needs {:.0f} MiB on {}, of which {:.0f} MiB are free; choose a smaller one",
                                     what, bytes / mebibyte, info.name, free_bytes / mebibyte));
}

}  // namespace cornerturn
