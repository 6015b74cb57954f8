// SPDX-License-Identifier: Apache-2.0
// The steps of an algorithm on the CPU: one walker for each, or for two corner turns and what lies between them.
#pragma once

#include "kernels/device/device_bench.h"

namespace cornerturn {

/// Throws InputError for hints that only a GPU can follow, and for a corner turn that does not go.
LoweringReport probe_on_cpu(const Algorithm& algorithm, const LoweringHints& hints, SampleFormat native, int threads,
                            const DeviceBench& device);

/// The device must outlive what is lowered.
template <class Real>
Lowered lower_on_cpu(const Algorithm& algorithm, const LoweringHints& hints, int threads, DeviceBench& device);

}  // namespace cornerturn
