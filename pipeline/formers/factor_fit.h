// SPDX-License-Identifier: Apache-2.0
// How wide strips of a factorised sum may be, and how many terms its laws need over them, wherever they come from.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <numbers>
#include <optional>
#include <string>

#include "kernels/back_projection/factorisation.h"

namespace cornerturn {

/// Raises terms to as many as error_cycles(), which is asked again for each number, needs: nothing, or why no number up
/// to `most` holds.
template <class ErrorCycles>
std::string fit_terms(int& terms, int most, const FactorisationPlan& plan, double allowed_db, const char* what,
                      const ErrorCycles& error_cycles) {
    // The largest anywhere is at least twice what it is on average.
    const double most_cycles = 2 * plan.factors.tolerance / (2 * std::numbers::pi);
    double error = 0;
    for (; terms <= most; terms += 4)
        if ((error = error_cycles()) <= most_cycles) return {};
    return fmt::format(
        "{} so much that phases of blocks of lines would be off by {:.2g} cycles, at most {:.2g} hold --error-db {}",
        what, error, most_cycles, allowed_db);
}

/// The plan with the widest strips over which laws hold; else why not. fit(plan, most column terms) gives a plan its
/// terms, or says why none hold.
template <class Fit>
std::optional<FactorisationPlan> for_widest_strips(const FactorisationPlan& plan, std::string& why, const Fit& fit) {
    // Laws of wide strips are to cost no more than those of narrow ones.
    constexpr std::int64_t widest = 2048, narrowest = FactorisedAccumulation::narrowest_strip;
    const int few_terms = plan.factors.column_terms + 4;
    for (std::int64_t columns = widest; columns >= narrowest; columns /= 2) {
        FactorisationPlan tried = plan;
        tried.widest_strip = columns;
        why = fit(tried, columns > narrowest ? few_terms : most_law_terms);
        if (why.empty()) return tried;
    }
    return std::nullopt;
}

}  // namespace cornerturn
