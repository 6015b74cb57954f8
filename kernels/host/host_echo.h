// SPDX-License-Identifier: Apache-2.0
// An echo reader over lines that lie in host memory as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/passes/decoding.h"

namespace cornerturn {

/// `stored` begins with `first_line`; both it and `decoding` must outlive the reader.
template <class Real, class Component>
EchoReader<Real, Component> host_echo(const std::byte* stored, std::int64_t samples_per_line,
                                      const EchoDecoding& decoding, std::int64_t first_line) {
    return {.samples = reinterpret_cast<const Stored<Component>*>(stored),
            .first_line = first_line,
            .samples_per_line = samples_per_line,
            .line_gain = decoding.line_gain.empty() ? nullptr : decoding.line_gain.data(),
            .valid_samples = decoding.valid_samples.data(),
            .intervals_per_line = decoding.valid_samples.empty() ? 0 : decoding.intervals_per_line,
            .levels = decoding.levels.data()};
}

}  // namespace cornerturn
