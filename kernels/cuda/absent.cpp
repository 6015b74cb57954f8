// SPDX-License-Identifier: Apache-2.0
// Stands in for the CUDA back end in builds without nvcc.
#include <fmt/format.h>

#include "kernels/cuda/cuda_device.h"
#include "kernels/errors.h"

namespace cornerturn {

CudaDevices cuda_devices() { return {.devices = {}, .reason = "this program was built without CUDA"}; }

std::unique_ptr<Device> open_cuda_device(int index) {
    throw DeviceError(fmt::format(
        "cuda:{}: this program was built without CUDA; build with the CUDA Toolkit installed, or use --device cpu",
        index));
}

}  // namespace cornerturn
