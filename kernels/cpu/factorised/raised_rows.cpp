// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/factorised/raised_rows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/factorised/table_weights.h"
#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr int group = nodes_at_a_time;

/// Weights of rows of nodes for a pixel: complex ones, as the response is.
template <class Real>
struct RowWeights {
    Real re[RowTable<Real>::room], im[RowTable<Real>::room];
};
template <class Real>
CT_HOST_DEVICE void weights_of_rows(const RowTable<Real>& rows, const RaisedGroup& pixels, int i, double fraction,
                                    RowWeights<Real>& weights) {
    constexpr int moments = RowTable<Real>::moments, room = RowTable<Real>::room;
    const double place = fraction * RowTable<Real>::fractions;
    const int below = std::min(static_cast<int>(place), RowTable<Real>::fractions - 1);
    const auto rest = static_cast<Real>(place - below);
    const Real *const here = rows.at(below), *const next = rows.at(below + 1);
    for (int tap = 0; tap < room; ++tap) weights.re[tap] = weights.im[tap] = 0;
    for (int moment = 0; moment < moments; ++moment) {
        const auto re = static_cast<Real>(pixels.re[moment][i]), im = static_cast<Real>(pixels.im[moment][i]);
        for (int tap = 0; tap < room; ++tap) {
            const Real before = here[moment * room + tap],
                       weight = before + rest * (next[moment * room + tap] - before);
            weights.re[tap] += re * weight;
            weights.im[tap] += im * weight;
        }
    }
}

template <int Taps, class Real>
CT_HOST_DEVICE bool add_pixels(const RowTable<Real>& rows, const InterpolationTable<Real>& cells,
                               const NodeRows<Real>& from, const RaisedGroup& pixels, int count,
                               const PlanarRow<Real>& to) {
    const int row_taps = rows.taps();
    for (int i = 0; i < count; ++i) {
        constexpr double most = 1e12;  // beyond are no nodes, nor whole numbers
        if (std::isnan(pixels.cell[i])) continue;
        if (!(std::fabs(pixels.node[i]) < most && std::fabs(pixels.cell[i]) < most)) return false;
        const double node = std::floor(pixels.node[i]), cell = std::floor(pixels.cell[i]);
        const auto first_node = static_cast<std::int64_t>(node) - row_taps / 2 + 1,
                   first = static_cast<std::int64_t>(cell) - Taps / 2 + 1;
        if (first_node < 0 || first_node + row_taps > from.nodes) return false;
        RowWeights<Real> weights;
        weights_of_rows(rows, pixels, i, pixels.node[i] - node, weights);
        Real re[Taps] = {}, im[Taps] = {};
        for (int tap = 0; tap < row_taps; ++tap) {
            const std::int64_t n = first_node + tap, at = first - from.first_cell[n];
            if (at < 0 || at + Taps > from.cells[n]) return false;
            const Real *const node_re = from.values + 2 * n * from.room + at, *const node_im = node_re + from.room;
            const Real w_re = weights.re[tap], w_im = weights.im[tap];
            for (int k = 0; k < Taps; ++k) {
                re[k] += w_re * node_re[k] - w_im * node_im[k];
                im[k] += w_re * node_im[k] + w_im * node_re[k];
            }
        }
        Real weight[Taps], sum_re = 0, sum_im = 0;
        weights_at(cells, pixels.cell[i] - cell, weight);
        for (int k = 0; k < Taps; ++k) {
            sum_re += weight[k] * re[k];
            sum_im += weight[k] * im[k];
        }
        const Complex<Real> turned = unit_phasor<Real>(pixels.cycles[i]) * Complex<Real>{sum_re, sum_im};
        to.re[i] += turned.re;
        to.im()[i] += turned.im;
    }
    return true;
}

CT_VECTOR_CLONES bool add_floats(const RowTable<float>& rows, const InterpolationTable<float>& cells,
                                 const NodeRows<float>& from, const RaisedGroup& pixels, int count,
                                 const PlanarRow<float>& to) {
    bool within = true;
    with_taps(
        cells.taps(), [&](auto taps) __attribute__((always_inline)) {
            within = add_pixels<taps()>(rows, cells, from, pixels, count, to);
        });
    return within;
}

CT_VECTOR_CLONES void values_in_group(const double* const (&term)[height_terms][4], std::size_t of_group,
                                      const double* part, double* value) {
    for (int i = 0; i < group; ++i) {
        const double off = i - 0.5 * (group - 1);
        double sum = 0;
        for (int k = height_terms - 1; k >= 0; --k) {
            const auto& t = term[k];
            sum =
                sum * part[i] + t[0][of_group] + off * (t[1][of_group] + off * (t[2][of_group] + off * t[3][of_group]));
        }
        value[i] = sum;
    }
}

}  // namespace

template <class Real>
RowTable<Real>::RowTable(const Factorisation& factors) : taps_(factors.row_taps) {
    const OptimalInterpolation between = between_rows(factors);
    if (taps_ > room) throw std::logic_error("rows of nodes are read with up to 16 taps where pixels have heights");
    weights_.resize(static_cast<std::size_t>((fractions + 1) * moments * room));
    Real* to = weights_.data();
    for (int fraction = 0; fraction <= fractions; ++fraction)
        for (int moment = 0; moment < moments; ++moment, to += room) {
            const std::vector<double> weights = between.weights(static_cast<double>(fraction) / fractions, moment);
            for (std::size_t tap = 0; tap < weights.size(); ++tap) to[tap] = static_cast<Real>(weights[tap]);
        }
}

template <>
bool add_raised(const RowTable<float>& rows, const InterpolationTable<float>& cells, const NodeRows<float>& from,
                const RaisedGroup& pixels, int count, const PlanarRow<float>& to) {
    return add_floats(rows, cells, from, pixels, count, to);
}
template <>
bool add_raised(const RowTable<double>& rows, const InterpolationTable<double>& cells, const NodeRows<double>& from,
                const RaisedGroup& pixels, int count, const PlanarRow<double>& to) {
    bool within = true;
    with_taps(cells.taps(), [&](auto taps) { within = add_pixels<taps()>(rows, cells, from, pixels, count, to); });
    return within;
}

void RaisedLaws::find(const FactorTree& tree, int level, const FactorBlock& block, double row,
                      std::int64_t first_column, std::int64_t groups) {
    groups_ = static_cast<std::size_t>(groups);
    values_.resize(FactorTree::raised_law_count * height_terms * terms * groups_);
    double* to = values_.data();
    const double middle = static_cast<double>(first_column) + 0.5 * (group - 1);
    for (std::size_t law = 0; law < FactorTree::raised_law_count; ++law)
        for (int power = 0; power < height_terms; ++power, to += terms * groups_)
            along_groups(tree.raised_law(level, block, static_cast<FactorTree::RaisedLaw>(law), power, row), middle,
                         group, groups_, {to, to + groups_, to + 2 * groups_, to + 3 * groups_});
}

void RaisedLaws::at(FactorTree::RaisedLaw law, std::size_t of_group, const double (&part)[nodes_at_a_time],
                    double (&value)[nodes_at_a_time]) const {
    const double* term[height_terms][4];
    const double* from = values_.data() + law * height_terms * terms * groups_;
    for (auto& of_power : term)
        for (const double*& of_term : of_power) of_term = from, from += groups_;
    values_in_group(term, of_group, part, value);
}

template <class Real>
void RaisedPixels<Real>::find(const TakenBlock& taken, const RaisedLaws& laws, std::size_t of_group,
                              const double (&part)[group], RaisedGroup& pixels) const {
    const FactorBlock& block =
        tree_.levels[static_cast<std::size_t>(taken.level)].blocks[static_cast<std::size_t>(taken.number)];
    double bend_rad[group], twist_rad[group], offset_hz[group];
    laws.at(FactorTree::raised_cell, of_group, part, pixels.cell);
    laws.at(FactorTree::raised_cycles, of_group, part, pixels.cycles);
    laws.at(FactorTree::raised_node, of_group, part, pixels.node);
    laws.at(FactorTree::raised_bend, of_group, part, bend_rad);
    laws.at(FactorTree::raised_twist, of_group, part, twist_rad);
    if (!taken.flat) laws.at(FactorTree::raised_offset, of_group, part, offset_hz);
    for (int i = 0; i < group; ++i) {
        double weight[response_terms];
        for (int k = 0; k < response_terms; ++k)
            weight[k] = taken.flat ? taken.weight : tree_.window.at(offset_hz[i] + band_place(k) * block.half_hz);
        const BlockResponse<double> response = block_response(weight, bend_rad[i], twist_rad[i]);
        for (int k = 0; k < response_terms; ++k) {
            pixels.re[k][i] = response.re[k];
            pixels.im[k][i] = response.im[k];
        }
        if (!(std::fabs(part[i]) <= 1)) pixels.cell[i] = NAN;
    }
}

template <class Real>
bool RaisedPixels<Real>::add(const TakenBlock& taken, std::int64_t row, const InterpolationTable<Real>& cells,
                             const NodeRows<Real>& nodes, RaisedLaws& laws, const PlanarRow<Real>& to) const {
    const std::int64_t first = taken.part.first_column, columns = taken.part.columns, groups = whole_groups(columns);
    const FactorBlock& block =
        tree_.levels[static_cast<std::size_t>(taken.level)].blocks[static_cast<std::size_t>(taken.number)];
    laws.find(tree_, taken.level, block, static_cast<double>(row), first, groups);
    const float* const heights_m = tree_.geometry.relief_m.data() + row * tree_.sum.columns + first;
    for (std::int64_t g = 0; g < groups; ++g) {
        const auto count = static_cast<int>(std::min<std::int64_t>(group, columns - g * group));
        double part[group] = {};
        for (int i = 0; i < count; ++i) part[i] = static_cast<double>(heights_m[g * group + i]) / tree_.highest_m;
        RaisedGroup pixels;
        find(taken, laws, static_cast<std::size_t>(g), part, pixels);
        if (!add_raised(rows_, cells, nodes, pixels, count, {to.re + g * group, to.room})) return false;
    }
    return true;
}

template class RowTable<float>;
template class RowTable<double>;
template class RaisedPixels<float>;
template class RaisedPixels<double>;

}  // namespace cornerturn
