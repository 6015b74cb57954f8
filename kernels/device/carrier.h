// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn {

/// What brings samples from one GPU to another: writes and copies of GPUs that reach each other's memory; NVIDIA's
/// NCCL, which packs them; the driver, through the memory of the host. `fastest` is the first of these that is there.
enum class Carrier : std::uint8_t { fastest, peer, nccl, host };
/// "peer"
std::string name_of(Carrier carrier);
std::optional<Carrier> carrier_named(std::string_view name);
/// Of all of them, `fastest` first.
std::vector<std::string> carrier_names();

}  // namespace cornerturn
