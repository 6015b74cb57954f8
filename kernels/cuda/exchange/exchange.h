// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/device/exchange.h"

namespace cornerturn {

/// Between GPUs of this host. Throws DeviceError where the carrier is not there. Whether GPUs reach each other's memory
/// is a state of the process: it is as the exchange that was made last wants it.
std::unique_ptr<ExchangeBench> exchange_between_gpus(std::vector<SharedContext> gpus, Carrier carrier);

}  // namespace cornerturn
