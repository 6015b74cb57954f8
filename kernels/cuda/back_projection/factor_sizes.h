// SPDX-License-Identifier: Apache-2.0
// For how many taps and terms kernels of factorised back-projection are compiled.
#pragma once

#include <type_traits>

#include "kernels/passes/factorised_accumulation.h"

namespace cornerturn {

/// Calls f with the least number of taps or of terms that kernels are compiled for and that holds so many: what is
/// beyond has weight zero.
template <class F>
void with_taps_for(int taps, const F& f) {
    if (taps <= 6) return f(std::integral_constant<int, 6>{});
    if (taps <= 8) return f(std::integral_constant<int, 8>{});
    if (taps <= 10) return f(std::integral_constant<int, 10>{});
    if (taps <= 12) return f(std::integral_constant<int, 12>{});
    f(std::integral_constant<int, 24>{});
}
template <class F>
void with_terms_for(int terms, const F& f) {
    if (terms <= 6) return f(std::integral_constant<int, 6>{});
    if (terms <= 10) return f(std::integral_constant<int, 10>{});
    f(std::integral_constant<int, most_law_terms>{});
}

/// Calls f.operator()<Taps, Terms>() of both.
template <class F>
void with_size_for(int taps, int terms, const F& f) {
    with_taps_for(taps, [&](auto padded) {
        with_terms_for(terms,
                       [&](auto most) { f.template operator()<decltype(padded)::value, decltype(most)::value>(); });
    });
}

}  // namespace cornerturn
