// SPDX-License-Identifier: Apache-2.0
// The CPU back end, in single precision for work and in double precision as the reference.
#pragma once

#include <memory>

#include "kernels/device/device.h"

namespace cornerturn {

/// `threads` 0: all cores.
std::unique_ptr<Device> open_cpu_device(int threads);
std::unique_ptr<Device> open_cpu_double_device(int threads);
DeviceInfo cpu_info(int threads);

}  // namespace cornerturn
