// SPDX-License-Identifier: Apache-2.0
// Memory for the results of steps: two storages, which the steps read and write alternately.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "kernels/device/lowering.h"

namespace cornerturn {

/// Bytes of both storages: the result of the first step lies in storage 0, that of any other where its input does not.
inline std::array<std::size_t, 2> storage_bytes(std::span<const LoweredStep> steps) {
    std::array<std::size_t, 2> bytes{};
    std::size_t place = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const LoweredStep& step = steps[i];
        const std::size_t input = place;
        if (i > 0) place = 1 - place;
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
