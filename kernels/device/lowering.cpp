// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/lowering.h"

#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<Chain> chains[] = {{Chain::plain, "plain"}, {Chain::fused, "fused"}, {Chain::turn_free, "turn-free"}};
constexpr Named<Precision> precisions[] = {{Precision::full, "full"}, {Precision::half_middle, "half-middle"}};

}  // namespace

std::string_view name_of(Chain chain) { return name_in(chains, chain); }
std::string_view name_of(Precision precision) { return name_in(precisions, precision); }

std::optional<Chain> chain_named(std::string_view name) {
    if (name == "auto") return std::nullopt;
    return choose_in(chains, "chain", name, "auto");
}

Precision precision_named(std::string_view name) { return choose_in(precisions, "precision", name); }

}  // namespace cornerturn
