// SPDX-License-Identifier: Apache-2.0
// Tables of interpolation in vector code: weights at any fraction, loops whose length the compiler knows.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "kernels/math/host_device.h"
#include "kernels/math/optimal_interpolation.h"

namespace cornerturn {

/// Weights of a table at a fraction of a cell.
template <int Taps, class Real>
CT_HOST_DEVICE void weights_at(const InterpolationTable<Real>& table, double fraction, Real (&weight)[Taps]) {
    constexpr int fractions = InterpolationTable<Real>::fractions;
    const int nearest = static_cast<int>(fraction * fractions + 0.5);
    const auto rest = static_cast<Real>(fraction - nearest * (1.0 / fractions));
    const Real *const at = table.weights(nearest), *const slope = table.slopes(nearest),
                      *const bend = table.bends(nearest);
    for (int tap = 0; tap < Taps; ++tap) weight[tap] = at[tap] + rest * (slope[tap] + rest * bend[tap]);
}

/// Calls f with the number of taps as a constant.
template <class F>
CT_HOST_DEVICE void with_taps(int taps, F&& f) {
    switch (taps) {
        case 4: return f(std::integral_constant<int, 4>{});
        case 6: return f(std::integral_constant<int, 6>{});
        case 8: return f(std::integral_constant<int, 8>{});
        case 10: return f(std::integral_constant<int, 10>{});
        case 12: return f(std::integral_constant<int, 12>{});
        case 14: return f(std::integral_constant<int, 14>{});
        case 16: return f(std::integral_constant<int, 16>{});
        case 18: return f(std::integral_constant<int, 18>{});
        case 20: return f(std::integral_constant<int, 20>{});
        case 22: return f(std::integral_constant<int, 22>{});
        case 24: return f(std::integral_constant<int, 24>{});
        default: throw std::logic_error("rows of nodes are interpolated with 4 to 24 taps");
    }
}

}  // namespace cornerturn
