// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/carrier.h"

#include <utility>

namespace cornerturn {

namespace {
constexpr std::pair<Carrier, std::string_view> carriers[] = {
    {Carrier::fastest, "fastest"}, {Carrier::peer, "peer"}, {Carrier::nccl, "nccl"}, {Carrier::host, "host"}};
}

std::string name_of(Carrier carrier) {
    for (const auto& [value, name] : carriers)
        if (value == carrier) return std::string(name);
    return {};
}

std::optional<Carrier> carrier_named(std::string_view name) {
    for (const auto& [value, called] : carriers)
        if (called == name) return value;
    return std::nullopt;
}

std::vector<std::string> carrier_names() {
    std::vector<std::string> names;
    for (const auto& [value, name] : carriers) names.emplace_back(name);
    return names;
}

}  // namespace cornerturn
