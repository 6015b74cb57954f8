// SPDX-License-Identifier: Apache-2.0
// An echo reader over host memory.
#pragma once

#include "kernels/matrix.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

template <class Real, class Component>
EchoReader<Real, Component> echo_reader(const Matrix& echo, const EchoDecoding& decoding, std::int64_t first_line = 0) {
    return {.samples = echo.data<Stored<Component>>(),
            .first_line = first_line,
            .samples_per_line = echo.columns,
            .line_gain = decoding.line_gain.empty() ? nullptr : decoding.line_gain.data(),
            .valid_samples = decoding.valid_samples.data(),
            .intervals_per_line = decoding.valid_samples.empty() ? 0 : decoding.intervals_per_line,
            .levels = decoding.levels.data()};
}

}  // namespace cornerturn
