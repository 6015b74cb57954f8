// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "kernels/cuda/context.h"
#include "kernels/exchange.h"

namespace cornerturn {

/// Between GPUs of this host, by peer memory. Throws DeviceError where two cannot reach each other's.
std::unique_ptr<ExchangeBench> exchange_by_peers(std::vector<SharedContext> gpus);

}  // namespace cornerturn
