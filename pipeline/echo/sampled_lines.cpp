// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/sampled_lines.h"

#include <algorithm>

namespace cornerturn {

SampledLines sample_lines(EchoSource& source) {
    constexpr std::int64_t wanted_groups = 32, longest_group = 256, shortest_group = 16;
    constexpr std::int64_t most_bytes = std::int64_t{256} << 20;
    SampledLines sampled{.acquisition = source.acquisition(), .groups = {}};
    const std::int64_t lines = sampled.acquisition.lines,
                       bytes = sampled.acquisition.samples *
                               static_cast<std::int64_t>(bytes_per_sample(sampled.acquisition.format));
    const std::int64_t groups = std::clamp<std::int64_t>(lines / 8, 1, wanted_groups), stride = lines / groups;
    const std::int64_t affordable =
        std::clamp(most_bytes / (groups * std::max<std::int64_t>(1, bytes)), shortest_group, longest_group);
    for (std::int64_t group = 0; group < groups; ++group) {
        const std::int64_t count = std::min(stride, affordable);
        auto& taken = sampled.groups.emplace_back(group * stride, count,
                                                  std::vector<std::byte>(static_cast<std::size_t>(count * bytes)));
        source.read(taken.first_line, count, taken.samples);
    }
    return sampled;
}

}  // namespace cornerturn
