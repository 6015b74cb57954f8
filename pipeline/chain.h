// SPDX-License-Identifier: Apache-2.0
// Three ways through the same passes, and which of them a scene takes on a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"
#include "pipeline/range_doppler.h"

namespace cornerturn {

std::string_view name_of(Chain chain);
/// `plain`, `fused`, `turn-free`; nullopt for `auto`. Throws InputError listing them.
std::optional<Chain> chain_named(std::string_view name);

/// The chain a scene takes, planned, and why it is not a faster one.
struct ChainChoice {
    RangeDopplerPlan plan;
    std::vector<std::string> passed_over;  ///< "turn-free: why not", the cheapest first
};

/// Plans the asked chain or, without one, the cheapest that the device can do. Throws Unsupported with the reason where it cannot do
/// what was asked, and InputError where the parameters do not fit the acquisition.
ChainChoice choose_chain(Device& device, const Acquisition& acquisition, const RangeDopplerParameters& parameters,
                         std::optional<Chain> asked);

/// Time that a chain's memory traffic takes, in copies of the echo as complex64: what the planner compares.
double chain_cost(const Acquisition& acquisition, const RangeDopplerPlan& plan);

}  // namespace cornerturn
