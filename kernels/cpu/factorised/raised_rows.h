// SPDX-License-Identifier: Apache-2.0
// Pixels that lie off the smooth surface, in vector code: each reads some cells of some rows of nodes, wherever it has
// to.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/back_projection/block_window.h"
#include "kernels/back_projection/factor_tree.h"
#include "kernels/cpu/factorised/factor_rows.h"

namespace cornerturn {

/// Weights between rows of nodes at even fractions of their step, straight between these: [fraction][moment][tap].
template <class Real>
class RowTable {
public:
    static constexpr int fractions = 512;  // straight between to -107 dB
    static constexpr int moments = response_terms;
    static constexpr int room = 16;  // for the taps: loops of a length that the compiler knows

    /// Throws std::logic_error for more taps than it has room for.
    explicit RowTable(const Factorisation& factors);
    int taps() const { return taps_; }
    const Real* at(int fraction) const { return weights_.data() + static_cast<std::size_t>(fraction * moments * room); }

private:
    int taps_;
    std::vector<Real> weights_;
};

/// Rows of nodes of a block, real parts and imaginary ones of each in runs of `room` values.
template <class Real>
struct NodeRows {
    const Real* values = nullptr;
    std::int64_t nodes = 0, room = 0;
    const std::int64_t *first_cell = nullptr, *cells = nullptr;  ///< of each row
};

/// Where the pixels of a group are read, and what becomes of that. NAN for a cell: the pixel has no height.
struct RaisedGroup {
    double cell[nodes_at_a_time], node[nodes_at_a_time], cycles[nodes_at_a_time];
    double re[response_terms][nodes_at_a_time], im[response_terms][nodes_at_a_time];
};

/// to += exp(j 2 pi cycles) response(nodes), of the first `count` pixels. False where one is to be read beside the
/// nodes.
template <class Real>
bool add_raised(const RowTable<Real>& rows, const InterpolationTable<Real>& cells, const NodeRows<Real>& from,
                const RaisedGroup& group, int count, const PlanarRow<Real>& to);

/// The laws of a block along a row of pixels, in the middles of their groups.
class RaisedLaws {
public:
    void find(const FactorTree& tree, int level, const FactorBlock& block, double row, std::int64_t first_column,
              std::int64_t groups);
    /// Of a group's pixels, the heights of which are given as parts of the highest.
    void at(FactorTree::RaisedLaw law, std::size_t group, const double (&part)[nodes_at_a_time],
            double (&value)[nodes_at_a_time]) const;

private:
    static constexpr std::size_t terms = 4;  ///< of a group: value, slope, bend and cube
    std::size_t groups_ = 0;
    std::vector<double> values_;  ///< [law][power of the height][term][group]
};

/// What the pixels of an image take of blocks where they have heights.
template <class Real>
class RaisedPixels {
public:
    /// Keeps a reference to the tree.
    explicit RaisedPixels(const FactorTree& tree) : tree_(tree), rows_(tree.factors) {}

    /// Adds a block's nodes to the pixels of a row in the part that takes it, which `to` begins with. False as above.
    bool add(const TakenBlock& taken, std::int64_t row, const InterpolationTable<Real>& cells,
             const NodeRows<Real>& nodes, RaisedLaws& laws, const PlanarRow<Real>& to) const;

private:
    void find(const TakenBlock& taken, const RaisedLaws& laws, std::size_t group, const double (&part)[nodes_at_a_time],
              RaisedGroup& pixels) const;

    const FactorTree& tree_;
    RowTable<Real> rows_;
};

}  // namespace cornerturn
