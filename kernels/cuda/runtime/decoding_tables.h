// SPDX-License-Identifier: Apache-2.0
// The tables of an echo's decoding in device memory, and readers over them.
#pragma once

#include "kernels/cuda/runtime/memory.h"
#include "kernels/device/matrix.h"
#include "kernels/passes/decoding.h"

namespace cornerturn {

class DecodingTables {
public:
    explicit DecodingTables(const EchoDecoding& decoding)
        : line_gain_(table_on_device(decoding.line_gain, "the line gains")),
          valid_samples_(table_on_device(decoding.valid_samples, "the valid samples")),
          levels_(table_on_device(decoding.levels, "the levels")),
          intervals_per_line_(decoding.valid_samples.empty() ? 0 : decoding.intervals_per_line) {}

    template <class Real, class Component>
    EchoReader<Real, Component> reader(const Matrix& echo, std::int64_t first_line = 0) const {
        return {.samples = echo.data<Stored<Component>>(),
                .first_line = first_line,
                .samples_per_line = echo.columns,
                .line_gain = line_gain_.data<float>(),
                .valid_samples = valid_samples_.data<Interval>(),
                .intervals_per_line = intervals_per_line_,
                .levels = levels_.data<float>()};
    }

private:
    DeviceBuffer line_gain_, valid_samples_, levels_;
    int intervals_per_line_;
};

}  // namespace cornerturn
