// SPDX-License-Identifier: Apache-2.0
// Memory in which a thread of factorised back-projection sums rows of nodes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/block_window.h"
#include "kernels/cpu/factorised/factor_rows.h"
#include "kernels/cpu/factorised/raised_rows.h"

namespace cornerturn {

/// Whether no group reads beyond cells [0, cells), be it `stride` apart from its middle on or where nodes are.
template <class Real>
bool lies_within(const RowShift<Real>& shift, std::int64_t groups, std::int64_t stride, int line_taps,
                 std::int64_t cells) {
    constexpr double half = 0.5 * (nodes_at_a_time - 1);
    const double taps = 0.5 * line_taps;
    for (std::size_t i = 0; i < static_cast<std::size_t>(groups); ++i) {
        const double apart = static_cast<double>(stride) + std::max(0.0, shift.slide[i]),
                     reach = half * (apart + half * std::abs(shift.bend[i]));
        if (!(shift.middle[i] - reach >= taps - 1 && shift.middle[i] + reach < static_cast<double>(cells) - taps))
            return false;
    }
    return true;
}

/// Memory of one thread: rows of nodes while they are summed, weighed and shifted.
template <class Real>
struct RowWork {
    /// For rows of at most `room` nodes.
    explicit RowWork(std::int64_t room)
        : shift(whole_groups(room) + 2),
          row(static_cast<std::size_t>(2 * room)),
          moment(row.size()),
          runs(row.size()),
          sum(row.size()) {}
    RowShift<Real> shift;
    std::vector<Real> row, moment, runs, sum;
    std::vector<Real> weight, at_places;
    std::vector<double> columns, offsets_hz;  ///< at which the window is looked up
    std::vector<WindowPolynomial> places;
    std::vector<TakenBlock> taken;
    RaisedLaws raised;

    /// So many values, all zero.
    Real* runs_of(std::int64_t values) {
        runs.assign(std::max(runs.size(), static_cast<std::size_t>(values)), Real{0});
        return runs.data();
    }
};

}  // namespace cornerturn
