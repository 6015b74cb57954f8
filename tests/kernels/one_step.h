// SPDX-License-Identifier: Apache-2.0
// A step by itself on a device.
#pragma once

#include <memory>

#include "kernels/device/device.h"
#include "kernels/device/step_plan.h"

namespace cornerturn {

/// A pass made ready; any that a step may be. Tests of one need not be compiled anew for the others.
template <class Pass>
std::unique_ptr<StepPlan> plan_of(Device& device, const Pass& pass, Chain chain = Chain::plain);

}  // namespace cornerturn
