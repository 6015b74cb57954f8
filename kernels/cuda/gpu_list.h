// SPDX-License-Identifier: Apache-2.0
// What is known of the GPUs of this machine without a context on any of them.
#pragma once

#include <string>

#include "kernels/device/device.h"
#include "kernels/device/ways/gpu_limits.h"

namespace cornerturn {

/// The number of GPUs, or why there is none.
struct GpuCount {
    int count = 0;
    std::string reason;
};
GpuCount count_gpus();

/// What it is, and what of its memory is free now. Throws DeviceError where the driver does not tell.
DeviceInfo listed(int index);
GpuLimits limits_of(int index);

/// Whether nothing is known that would keep a context from being made: another program that has the GPU for itself, too
/// little memory, an architecture older than all that this program was built for.
bool opens_surely(int index);

}  // namespace cornerturn
