// SPDX-License-Identifier: Apache-2.0
// Factorised sums of spotlights on maps: their plan, and the passes as those of strips have them.
#pragma once

#include <optional>
#include <string>

#include "pipeline/formers/factorised_passes.h"

namespace cornerturn {

/// The cheapest that holds, with laws that do; nullopt where none is cheaper than the exact sum, and `why`. Throws
/// InputError where blocks of lines do not hold for this map: rows along which ranges do not grow, or not evenly
/// enough.
std::optional<FactorisationPlan> spotlight_factorisation(const Acquisition& acquisition, const ImagePlan& image,
                                                         std::string& why);

/// As long beyond their window as nodes beside the map read them.
FineLines spotlight_lines(const Acquisition& acquisition, const ImagePlan& image, const FactorisationPlan& plan);
FactorisedAccumulation spotlight_accumulation(const Acquisition& acquisition, const ImagePlan& image,
                                              const FactorisationPlan& plan, FineLines lines);

}  // namespace cornerturn
