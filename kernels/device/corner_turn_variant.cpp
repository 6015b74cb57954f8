// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/corner_turn_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/errors.h"
#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<CornerTurnVariant> variant_names[] = {{CornerTurnVariant::naive, "naive"},
                                                      {CornerTurnVariant::patent16, "patent16"},
                                                      {CornerTurnVariant::tile32, "tile32"},
                                                      {CornerTurnVariant::rectangular, "rectangular"},
                                                      {CornerTurnVariant::rectangular1x2, "rectangular1x2"},
                                                      {CornerTurnVariant::padded, "padded"},
                                                      {CornerTurnVariant::coarsened, "coarsened"},
                                                      {CornerTurnVariant::vectorized, "vectorized"},
                                                      {CornerTurnVariant::production, "production"},
                                                      {CornerTurnVariant::inplace, "inplace"},
                                                      {CornerTurnVariant::cublas, "cublas"}};

}  // namespace

std::string_view name_of(CornerTurnVariant variant) { return name_in(variant_names, variant); }
CornerTurnVariant corner_turn_variant(std::string_view name) { return choose_in(variant_names, "corner turn", name); }

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
