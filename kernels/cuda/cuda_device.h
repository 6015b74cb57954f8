// SPDX-License-Identifier: Apache-2.0
// The door to the CUDA back end; without nvcc a stand-in answers behind it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/device/device.h"

namespace cornerturn {

/// Throws DeviceError when there is no such device, or where others hold it. What else keeps it from working shows when
/// it is first to work: its context is made beside what the caller does until then.
std::unique_ptr<Device> open_cuda_device(int index);

struct CudaDevices {
    std::vector<DeviceInfo> devices;
    std::string reason;  ///< why there is none; "" otherwise
};
/// Begins nothing on any of them; what memory is free may not be known.
CudaDevices cuda_devices();

}  // namespace cornerturn
