// SPDX-License-Identifier: Apache-2.0
// The passes as cuFFT calls with one kernel per hook: any length, always available.
#pragma once

#include <memory>
#include <string_view>

#include "kernels/cuda/context.h"
#include "kernels/device.h"

namespace cornerturn {

std::unique_ptr<PassPlan> plain_plan(const RangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const AzimuthSpectrum& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const SecondaryRangeCompression& pass, SharedContext context);
std::unique_ptr<PassPlan> plain_plan(const AzimuthCompression& pass, SharedContext context);

/// Throws std::logic_error if a matrix is not what the pass was planned for.
void require_matrix(const Matrix& matrix, SampleFormat format, std::int64_t rows, std::int64_t columns, std::string_view what);

}  // namespace cornerturn
