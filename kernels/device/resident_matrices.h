// SPDX-License-Identifier: Apache-2.0
// Memory for the results of steps: two storages, which the steps read and write alternately, but for those that leave
// their result in the place of their input.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/device/lowering.h"

namespace cornerturn {

/// Which of the two storages the result of each step lies in: that of the first one in storage 0, that of any other
/// where its input does not, if it need not.
inline std::vector<std::size_t> storages_of(std::span<const LoweredStep> steps) {
    std::vector<std::size_t> places(steps.size(), 0);
    for (std::size_t i = 1; i < steps.size(); ++i) places[i] = steps[i].in_place ? places[i - 1] : 1 - places[i - 1];
    return places;
}

/// Bytes of both storages; the second one is not always needed.
inline std::array<std::size_t, 2> storage_bytes(std::span<const LoweredStep> steps) {
    std::array<std::size_t, 2> bytes{};
    const std::vector<std::size_t> places = storages_of(steps);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const LoweredStep& step = steps[i];
        const std::size_t place = places[i], input = places[i > 0 ? i - 1 : 0];
        const auto grow = [&](std::size_t which, std::int64_t samples, SampleFormat format) {
            bytes[which] = std::max(bytes[which], static_cast<std::size_t>(samples) * bytes_per_sample(format));
        };
        grow(place, std::max(step.room_samples, step.result_rows * step.result_columns), step.format);
        if (i > 0) grow(input, step.room_samples, steps[i - 1].format);
    }
    return bytes;
}

/// At the peak: the echo gives up its memory before the second storage is needed.
inline std::size_t peak_bytes(std::span<const LoweredStep> steps, std::size_t echo_bytes) {
    const auto [first, second] = storage_bytes(steps);
    return first + std::max(second, echo_bytes);
}

}  // namespace cornerturn
