// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>

#include "kernels/device/matrix.h"
#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// A step made ready: FFT plans made, tables on the device. Running it allocates nothing. Not re-entrant: a device and
/// its plans belong to one thread at a time.
class StepPlan {
public:
    virtual ~StepPlan() = default;
    /// Shapes are those of the step; `in` and `out` must not share storage unless the pass says so.
    virtual void run(const Matrix& in, Matrix& out) = 0;
    /// Whether the host works between its kernels: such a run cannot be recorded.
    virtual bool needs_host() const { return false; }
    /// First step only: takes the tables of another echo of the same format. False: this plan cannot, make another one.
    virtual bool decode_as(const EchoDecoding& /*decoding*/) { return false; }
    /// First step only: `in` holds the echo lines from first_line on, as many as it has rows; their rows of `out`,
    /// which is the whole matrix, are written. Blocks of any size give what run gives. Throws std::logic_error for any
    /// other step.
    virtual void run_lines(const Matrix& /*in*/, std::int64_t /*first_line*/, Matrix& /*out*/) {
        throw std::logic_error("this step does not run over blocks of lines");
    }
};

}  // namespace cornerturn
