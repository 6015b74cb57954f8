// SPDX-License-Identifier: Apache-2.0
// Memory in which a thread of factorised back-projection sums rows of nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/block_window.h"
#include "kernels/cpu/factorised/factor_rows.h"
#include "kernels/cpu/factorised/raised_rows.h"

namespace cornerturn {

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
