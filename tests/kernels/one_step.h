// SPDX-License-Identifier: Apache-2.0
// A step by itself on a device.
#pragma once

#include <memory>

#include "kernels/device.h"
#include "kernels/steps.h"

namespace cornerturn {

/// One step made ready.
inline std::unique_ptr<StepPlan> plan_of(Device& device, const Work& work, Chain chain = Chain::plain) {
    const Algorithm alone{.least = {}, .steps = [&](const FftLengths&) {
                              return Steps{{"step", "rows", "columns", work}};
                          }};
    return std::move(device.lower(alone, {.chain = chain, .fft_lengths = FftLengths{}}).steps.at(0).plan);
}

}  // namespace cornerturn
