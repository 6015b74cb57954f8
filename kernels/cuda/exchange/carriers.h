// SPDX-License-Identifier: Apache-2.0
// What GPUs can exchange by.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/carrier.h"

namespace cornerturn {

bool reach_each_other(const std::vector<SharedContext>& gpus);
/// Opens the memory of another GPU to the current one, or closes it.
void set_access(const CudaContext& other, bool open);
/// No GPU is named twice.
bool all_different(const std::vector<SharedContext>& gpus);
/// The fastest where that is wanted. Throws DeviceError where the GPUs cannot have what is.
Carrier settled(Carrier wanted, const std::vector<SharedContext>& gpus, std::string_view doing);

}  // namespace cornerturn
