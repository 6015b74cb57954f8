// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/sampled_lines.h"

#include <algorithm>

namespace cornerturn {
namespace {

constexpr std::int64_t most_groups = 32, most_lines = 256, fewest_lines = 16;
constexpr std::int64_t most_bytes = std::int64_t{256} << 20;

std::int64_t line_bytes(const Acquisition& acquisition) {
    return acquisition.samples * static_cast<std::int64_t>(bytes_per_sample(acquisition.format));
}

}  // namespace

SampledLines sample_lines(EchoSource& source) {
    SampledLines sampled{.acquisition = source.acquisition(), .groups = {}};
    const std::int64_t lines = sampled.acquisition.lines, bytes = line_bytes(sampled.acquisition);
    const std::int64_t groups = std::clamp<std::int64_t>(lines / 8, 1, most_groups), stride = lines / groups;
    const std::int64_t affordable =
        std::clamp(most_bytes / (groups * std::max<std::int64_t>(1, bytes)), fewest_lines, most_lines);
    for (std::int64_t group = 0; group < groups; ++group) {
        const std::int64_t count = std::min(stride, affordable);
        auto& taken = sampled.groups.emplace_back(group * stride, count,
                                                  std::vector<std::byte>(static_cast<std::size_t>(count * bytes)));
        source.read(taken.first_line, count, taken.samples);
    }
    return sampled;
}

}  // namespace cornerturn
