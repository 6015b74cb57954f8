// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/lowering.h"

#include <fmt/format.h>

#include "kernels/errors.h"

namespace cornerturn {

std::string_view name_of(Chain chain) {
    switch (chain) {
        case Chain::plain: return "plain";
        case Chain::fused: return "fused";
        case Chain::turn_free: return "turn-free";
    }
    return "";
}

std::optional<Chain> chain_named(std::string_view name) {
    if (name == "auto") return std::nullopt;
    for (const Chain chain : {Chain::plain, Chain::fused, Chain::turn_free})
        if (name == name_of(chain)) return chain;
    throw InputError(fmt::format("chain '{}': unknown; choose auto, plain, fused or turn-free", name));
}

std::string_view name_of(Precision precision) { return precision == Precision::full ? "full" : "half-middle"; }

Precision precision_named(std::string_view name) {
    for (const Precision precision : {Precision::full, Precision::half_middle})
        if (name == name_of(precision)) return precision;
    throw InputError(fmt::format("precision '{}': unknown; choose full or half-middle", name));
}

}  // namespace cornerturn
