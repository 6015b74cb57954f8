// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/carrier.h"

#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<Carrier> carriers[] = {
    {Carrier::fastest, "fastest"}, {Carrier::peer, "peer"}, {Carrier::nccl, "nccl"}, {Carrier::host, "host"}};

}  // namespace

std::string name_of(Carrier carrier) { return std::string(name_in(carriers, carrier)); }
std::optional<Carrier> carrier_named(std::string_view name) { return find_in(carriers, name); }

std::vector<std::string> carrier_names() {
    std::vector<std::string> names;
    for (const auto& [value, name] : carriers) names.emplace_back(name);
    return names;
}

}  // namespace cornerturn
