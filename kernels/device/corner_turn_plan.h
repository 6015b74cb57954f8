// SPDX-License-Identifier: Apache-2.0
// The corner turn as a step, by whichever variant was asked for.
#pragma once

#include "kernels/device/device_bench.h"

namespace cornerturn {

class CornerTurnPlan final : public StepPlan {
public:
    /// The device must outlive the plan.
    CornerTurnPlan(CornerTurnVariant variant, DeviceBench& device) : variant_(variant), device_(device) {}
    void run(const Matrix& in, Matrix& out) override { device_.corner_turn(in, out, variant_); }

private:
    CornerTurnVariant variant_;
    DeviceBench& device_;
};

}  // namespace cornerturn
