// SPDX-License-Identifier: Apache-2.0
// Rows of nodes in vector code: neighbouring rows blended into one, and rows brought to other places along range,
// turned and added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/back_projection/factor_laws.h"
#include "kernels/math/complex.h"
#include "kernels/math/optimal_interpolation.h"

namespace cornerturn {

/// Real and imaginary parts, each in a run of `room` values.
template <class Real>
struct PlanarRow {
    Real* re = nullptr;
    std::ptrdiff_t room = 0;
    Real* im() const { return re + room; }
};

/// to = sum of weight[tap] rows[tap], of `count` values from each pointer on.
template <class Real>
void blend_rows(int taps, const Real* const* rows, const Real* weight, std::int64_t count, Real* to);

/// Weights of nodes from those of every `step`-th one, by the cubics through four of these: the second of `at` is that
/// of the first node, and two are needed behind the last interval.
template <class Real>
void weights_between(const Real* at, std::int64_t step, std::int64_t intervals, Real* weight);
/// row *= weight, of `count` values.
template <class Real>
void weigh_row(const Real* weight, std::int64_t count, const PlanarRow<Real>& row);
/// to += weight from, or j weight from.
template <class Real>
void add_weighed(const PlanarRow<Real>& from, const Real* weight, bool times_j, std::int64_t count,
                 const PlanarRow<Real>& to);

/// Cells of a row, evenly spaced.
struct EvenCells {
    double first, step;
    std::size_t count;
};
/// A law in the columns that lie there, as `cell` has them, which is known from one column to another. `columns` is
/// scratch.
void values_at_cells(const LawAlongRow& law, const LawAlongRow& cell, double from_column, double to_column,
                     const EvenCells& at, std::vector<double>& columns, std::vector<double>& to);

/// Where groups of nodes lie in a row that they are taken from, in its nodes; and by how much they are turned.
template <class Real>
struct RowShift {
    explicit RowShift(std::int64_t most_groups)
        : middle(static_cast<std::size_t>(most_groups)),
          slide(middle.size()),
          bend(middle.size()),
          cycles(middle.size()),
          turn(middle.size()),
          arch(middle.size()),
          cube(middle.size()) {}
    std::vector<double> middle;  ///< of the group
    std::vector<double> slide;   ///< from node to node, beyond the row's own `stride`
    std::vector<double> bend;    ///< times the square of the nodes from the middle
    std::vector<double> cycles;  ///< in the middle
    std::vector<double> turn;    ///< cycles from node to node
    std::vector<double> arch;    ///< likewise, times the square
    std::vector<double> cube;    ///< and times the third power
    double tolerance = 0;        ///< of what is neglected where it slides, amplitude; beyond it each node has weights
                                 ///< of its own
};

/// A row to be taken from, its values in `stride` runs: value i is number i / stride of run i mod stride.
template <class Real>
struct RowRuns {
    const Real* re = nullptr;
    std::ptrdiff_t im = 0;        ///< from a real part to its imaginary one
    std::ptrdiff_t run_room = 0;  ///< from run to run
    std::int64_t stride = 1;
};

/// to += exp(j 2 pi cycles) from(place), group by group.
template <class Real>
void add_shifted(const InterpolationTable<Real>& table, const RowRuns<Real>& from, const RowShift<Real>& shift,
                 std::int64_t groups, const PlanarRow<Real>& to);

/// Parts a row of complex values, or a planar one, into runs.
template <class Real>
void part_into_runs(const Complex<Real>* from, std::int64_t count, const RowRuns<Real>& runs, Real* re);
template <class Real>
void part_into_runs(const PlanarRow<Real>& from, std::int64_t count, const RowRuns<Real>& runs, Real* re);

}  // namespace cornerturn
