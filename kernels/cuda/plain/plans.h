// SPDX-License-Identifier: Apache-2.0
// The passes as cuFFT calls with sweeps over the rows between them: any length, always available.
#pragma once

#include <memory>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace cornerturn {

std::unique_ptr<PassPlan> plain_plan(const RangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const AzimuthSpectrum& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const SecondaryRangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const AzimuthCompression& pass, SharedContext context);
/// Throws Unsupported: without corner turns there are fused kernels alone.
std::unique_ptr<PassPlan> plain_plan(const UnturnedAzimuthCompression& pass, SharedContext context);

}  // namespace cornerturn
