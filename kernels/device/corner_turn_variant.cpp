// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/corner_turn_variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/errors.h"

namespace cornerturn {

std::string_view name_of(CornerTurnVariant variant) {
    switch (variant) {
        case CornerTurnVariant::naive: return "naive";
        case CornerTurnVariant::patent16: return "patent16";
        case CornerTurnVariant::tile32: return "tile32";
        case CornerTurnVariant::rectangular: return "rectangular";
        case CornerTurnVariant::rectangular1x2: return "rectangular1x2";
        case CornerTurnVariant::padded: return "padded";
        case CornerTurnVariant::coarsened: return "coarsened";
        case CornerTurnVariant::vectorized: return "vectorized";
        case CornerTurnVariant::production: return "production";
        case CornerTurnVariant::inplace: return "inplace";
        case CornerTurnVariant::cublas: return "cublas";
    }
    throw std::logic_error(fmt::format("corner turn variant {} has no name", static_cast<int>(variant)));
}

CornerTurnVariant corner_turn_variant(std::string_view name) {
    for (const CornerTurnVariant variant : corner_turn_variants)
        if (name_of(variant) == name) return variant;
    throw InputError(fmt::format("corner turn '{}': unknown; choose {}", name, corner_turn_variant_names()));
}

std::string corner_turn_variant_names(std::span<const CornerTurnVariant> variants) {
    std::string names;
    for (const CornerTurnVariant variant : variants)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(variant));
    return names;
}

void require_corner_turn(std::string_view device, std::span<const CornerTurnVariant> there, CornerTurnVariant variant,
                         std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
    if (std::find(there.begin(), there.end(), variant) == there.end())
        throw InputError(fmt::format("corner turn '{}': {} does not have it; choose {}", name_of(variant), device,
                                     corner_turn_variant_names(there)));
    if (variant == CornerTurnVariant::inplace && rows != columns)
        throw InputError(fmt::format(
            "corner turn 'inplace' of {} x {}: only square matrices can be turned in place; choose another variant",
            rows, columns));
    if (variant == CornerTurnVariant::inplace && pitch != 0 && pitch != columns)
        throw InputError(fmt::format(
            "corner turn 'inplace' of {} columns in rows {} apart: only packed rows can be turned in place; choose "
            "another variant",
            columns, pitch));
}

}  // namespace cornerturn
