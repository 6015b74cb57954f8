// SPDX-License-Identifier: Apache-2.0
// Devices of the processor for tests that are about what these compute, not about devices.
#pragma once

#include "pipeline/run/data_estimates.h"
#include "pipeline/verify/reference_stage.h"

namespace cornerturn {

inline Imager on_cpu(int threads = 0) { return imager(open_device("cpu", threads), threads); }

inline ReferenceOutcome verified(Device& device, EchoSource& echo, const FocusOptions& options, int threads = 0) {
    return run_reference_stage(device, *open_device("cpu-double", threads), echo, options, on_cpu(threads));
}
inline ReferenceOutcome verified(Device& device, const Echo& echo, const FocusOptions& options, int threads = 0) {
    EchoInMemory source(echo);
    return verified(device, source, options, threads);
}

}  // namespace cornerturn
