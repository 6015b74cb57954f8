// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/factorised/factor_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/factorised/table_weights.h"
#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

constexpr int group = nodes_at_a_time;

/// Of a group, in the compiler's notation: where the processor's vectors are shorter it takes several.
template <class Real>
struct GroupOf;
template <>
struct GroupOf<float> {
    typedef float Type __attribute__((vector_size(4 * group)));
};
template <>
struct GroupOf<double> {
    typedef double Type __attribute__((vector_size(8 * group)));
};
template <class Real>
using Group = typename GroupOf<Real>::Type;

template <class Real>
CT_HOST_DEVICE Group<Real> load(const Real* from) {
    Group<Real> value;
    std::memcpy(&value, from, sizeof value);
    return value;
}
template <class Real>
CT_HOST_DEVICE void store(const Group<Real>& value, Real* to) {
    std::memcpy(to, &value, sizeof value);
}

template <int Taps, class Real>
CT_HOST_DEVICE void blend(const Real* const* rows, const Real* weight, std::int64_t count, Real* to) {
    // Copies stay in registers; the originals might be what is stored to.
    const Real* row[Taps];
    Real of_row[Taps];
    std::copy_n(rows, Taps, row);
    std::copy_n(weight, Taps, of_row);
    for (std::int64_t i = 0; i < count; i += group) {
        Group<Real> sum = of_row[0] * load(row[0] + i);
        for (int tap = 1; tap < Taps; ++tap) sum += of_row[tap] * load(row[tap] + i);
        store<Real>(sum, to + i);
    }
}

/// exp(j 2 pi turn i) for i from the middle of a group, and a little more turn taken straight.
template <class Real>
struct Ramp {
    Group<Real> re, im, from_middle;
    double turn = NAN;

    CT_HOST_DEVICE Ramp() : re{}, im{}, from_middle{} {
        for (int i = 0; i < group; ++i) from_middle[i] = static_cast<Real>(i - 0.5 * (group - 1));
    }
    CT_HOST_DEVICE void set(double cycles) {
        constexpr double straight = sizeof(Real) == 4 ? 3e-5 : 1e-8;  // error (2 pi 7.5 turn)^2 / 2
        if (std::fabs(cycles - turn) < straight) return;
        turn = cycles;
        Real at_re[group], at_im[group];
        for (int i = 0; i < group; ++i) {
            const Complex<Real> at = unit_phasor<Real>((i - 0.5 * (group - 1)) * cycles);
            at_re[i] = at.re;
            at_im[i] = at.im;
        }
        re = load(at_re);
        im = load(at_im);
    }
};

template <class Real>
struct Values {
    Group<Real> re, im;
};

/// How the fraction of a cell at which nodes are read changes along a group.
enum class Sliding { none, straight, bent };

/// Groups that are made ready together, in vector code.
constexpr int groups_together = 16;

/// Where groups begin in the row that they are read from, and the phasors of their middles.
template <int Taps, class Real>
struct GroupBegins {
    std::int64_t first[groups_together];  ///< tap
    int nearest[groups_together];         ///< fraction of the table
    Real rest[groups_together], re[groups_together], im[groups_together];
    /// In memory, from where they are spread over a vector as they are loaded: in registers that would take a shuffle.
    Real weight[groups_together][Taps];

    CT_HOST_DEVICE void find(const InterpolationTable<Real>& table, const RowShift<Real>& shift, std::int64_t stride,
                             std::size_t begin, int count) {
        constexpr int fractions = InterpolationTable<Real>::fractions;
        const double *const middle = shift.middle.data() + begin, *const cycles = shift.cycles.data() + begin;
        const double to_begin = 0.5 * (group - 1) * static_cast<double>(stride);
        for (int i = 0; i < count; ++i) {
            const double from = middle[i] - to_begin, below = std::floor(from);
            nearest[i] = static_cast<int>((from - below) * fractions + 0.5);
            rest[i] = static_cast<Real>(from - below - nearest[i] * (1.0 / fractions));
            first[i] = static_cast<std::int64_t>(below) - Taps / 2 + 1;
        }
        for (int i = 0; i < count; ++i) {
            const Complex<Real> at = unit_phasor<Real>(cycles[i]);
            re[i] = at.re;
            im[i] = at.im;
        }
        for (int i = 0; i < count; ++i) {
            const Real *const at = table.weights(nearest[i]), *const slope = table.slopes(nearest[i]),
                              *const bend = table.bends(nearest[i]);
            for (int tap = 0; tap < Taps; ++tap)
                weight[i][tap] = at[tap] + rest[i] * (slope[tap] + rest[i] * bend[tap]);
        }
    }
};

template <class Real>
struct GroupWeights {
    const Real *weight, *slope, *bend;
    Group<Real> slid;  ///< cells by which a node lies beyond the group's fraction

    template <Sliding Slides>
    CT_HOST_DEVICE auto at(int tap) const {
        if constexpr (Slides == Sliding::bent)
            return weight[tap] + slid * (slope[tap] + bend[tap] * slid);
        else if constexpr (Slides == Sliding::straight)
            return weight[tap] + slope[tap] * slid;
        else
            return weight[tap];
    }
    template <Sliding Slides>
    CT_HOST_DEVICE void add(int tap, const Real* re, const Real* im, Values<Real>& sum) const {
        const auto of_tap = at<Slides>(tap);
        sum.re += of_tap * load(re);
        sum.im += of_tap * load(im);
    }
};

template <int Taps, Sliding Slides, class Real>
CT_HOST_DEVICE Values<Real> between(const GroupWeights<Real>& weights, const RowRuns<Real>& from, std::int64_t first) {
    Values<Real> sum{};
    if (from.stride == 1) {
        const Real *const re = from.re + first, *const im = re + from.im;
        for (int tap = 0; tap < Taps; ++tap) weights.template add<Slides>(tap, re + tap, im + tap, sum);
    } else {
        std::int64_t run = first % from.stride;
        const Real* re = from.re + run * from.run_room + first / from.stride;
        for (int tap = 0; tap < Taps; ++tap) {
            weights.template add<Slides>(tap, re, re + from.im, sum);
            const bool last = ++run == from.stride;
            re += last ? 1 - (from.stride - 1) * from.run_room : from.run_room;
            if (last) run = 0;
        }
    }
    return sum;
}

/// Nodes of a group one by one, wherever they lie.
template <int Taps, class Real>
CT_HOST_DEVICE Values<Real> one_by_one(const InterpolationTable<Real>& table, const RowRuns<Real>& from, double middle,
                                       double step, double bend) {
    Values<Real> values{};
    for (int i = 0; i < group; ++i) {
        const double off = i - 0.5 * (group - 1), place = middle + off * (step + off * bend), below = std::floor(place);
        Real weight[Taps];
        weights_at(table, place - below, weight);
        const std::int64_t first = static_cast<std::int64_t>(below) - Taps / 2 + 1;
        Real re = 0, im = 0;
        for (int tap = 0; tap < Taps; ++tap) {
            const std::int64_t at = first + tap;
            const Real* const cell =
                from.stride == 1 ? from.re + at : from.re + at % from.stride * from.run_room + at / from.stride;
            re += weight[tap] * cell[0];
            im += weight[tap] * cell[from.im];
        }
        values.re[i] = re;
        values.im[i] = im;
    }
    return values;
}

/// Of a group's nodes, by what they are turned; its middle's is given. Under squint and near the antenna the phase
/// bends over a group by more than a ramp may be off: each node then has a phasor of its own.
template <class Real>
CT_HOST_DEVICE Values<Real> phasors(const RowShift<Real>& shift, std::size_t g, const Complex<Real>& middle,
                                    Ramp<Real>& ramp) {
    constexpr double half = 0.5 * (group - 1), two_pi = 6.283185307179586;
    // What bends by b rad is off by b^2 / 2 where it is taken as straight.
    const double bent_rad = two_pi * half * half * (std::fabs(shift.arch[g]) + half * std::fabs(shift.cube[g]));
    if (bent_rad * bent_rad > shift.tolerance ||
        two_pi * half * half * half * std::fabs(shift.cube[g]) > shift.tolerance) {
        Real at_re[group], at_im[group];
        for (int i = 0; i < group; ++i) {
            const double off = i - half;
            const Complex<Real> at = unit_phasor<Real>(
                shift.cycles[g] + off * (shift.turn[g] + off * (shift.arch[g] + off * shift.cube[g])));
            at_re[i] = at.re;
            at_im[i] = at.im;
        }
        return {load(at_re), load(at_im)};
    }
    ramp.set(shift.turn[g]);
    const auto more = static_cast<Real>(two_pi * (shift.turn[g] - ramp.turn));
    const Group<Real> bent = ramp.from_middle * (more + static_cast<Real>(two_pi * shift.arch[g]) * ramp.from_middle),
                      cosine = ramp.re - bent * ramp.im, sine = ramp.im + bent * ramp.re;
    return {middle.re * cosine - middle.im * sine, middle.re * sine + middle.im * cosine};
}

template <int Taps, class Real>
CT_HOST_DEVICE void shift_groups(const InterpolationTable<Real>& table, const RowRuns<Real>& from,
                                 const RowShift<Real>& shift, std::int64_t groups, const PlanarRow<Real>& to) {
    // Neglected of a slide d: some d times the change of a sample, d^2 / 2 times that of its change, and d^3 / 6 of
    // that.
    const double most_neglected = shift.tolerance / 30, most_straight = std::sqrt(shift.tolerance / 5) / (0.5 * group),
                 most_bent = std::cbrt(shift.tolerance / 5) / (0.5 * group);
    Ramp<Real> ramp;
    GroupBegins<Taps, Real> begins;
    for (std::int64_t i = 0; i < groups; ++i) {
        const auto g = static_cast<std::size_t>(i);
        const std::size_t k = g % groups_together;
        if (k == 0)
            begins.find(table, shift, from.stride, g,
                        static_cast<int>(std::min<std::int64_t>(groups - i, groups_together)));
        const double slide = std::fabs(shift.slide[g]) + 0.5 * group * std::fabs(shift.bend[g]);
        GroupWeights<Real> weights{begins.weight[k], table.slopes(begins.nearest[k]), table.bends(begins.nearest[k]),
                                   ramp.from_middle};
        weights.slid *= static_cast<Real>(shift.slide[g]) + static_cast<Real>(shift.bend[g]) * ramp.from_middle;
        const std::int64_t first = begins.first[k];
        const Values<Real> value =
            slide <= most_neglected  ? between<Taps, Sliding::none>(weights, from, first)
            : slide <= most_straight ? between<Taps, Sliding::straight>(weights, from, first)
            : slide <= most_bent     ? between<Taps, Sliding::bent>(weights, from, first)
                                     : one_by_one<Taps>(table, from, shift.middle[g],
                                                    static_cast<double>(from.stride) + shift.slide[g], shift.bend[g]);
        const Values<Real> turned = phasors(shift, g, Complex<Real>{begins.re[k], begins.im[k]}, ramp);
        Real *const re = to.re + i * group, *const im = to.im() + i * group;
        store<Real>(load(re) + turned.re * value.re - turned.im * value.im, re);
        store<Real>(load(im) + turned.re * value.im + turned.im * value.re, im);
    }
}

CT_VECTOR_CLONES void blend_floats(int taps, const float* const* rows, const float* weight, std::int64_t count,
                                   float* to) {
    with_taps(
        taps, [&](auto number) __attribute__((always_inline)) { blend<number()>(rows, weight, count, to); });
}
CT_VECTOR_CLONES void shift_floats(const InterpolationTable<float>& table, const RowRuns<float>& from,
                                   const RowShift<float>& shift, std::int64_t groups, const PlanarRow<float>& to) {
    with_taps(
        table.taps(), [&](auto number)
                          __attribute__((always_inline)) { shift_groups<number()>(table, from, shift, groups, to); });
}

CT_VECTOR_CLONES void evaluate(const LawAlongRow& law, std::size_t count, const double* columns, double* to) {
    constexpr std::size_t together = 32;  // several chains of multiply-adds at a time
    for (std::size_t begin = 0; begin < count; begin += together) {
        const std::size_t here = std::min(together, count - begin);
        double part[together] = {}, sum[together] = {};
        for (std::size_t i = 0; i < here; ++i) part[i] = law.area.column_part(columns[begin + i]);
        for (int k = law.terms; k-- > 0;)
            for (std::size_t i = 0; i < together; ++i) sum[i] = sum[i] * part[i] + law.power[k];
        for (std::size_t i = 0; i < here; ++i) to[begin + i] = sum[i];
    }
}

}  // namespace

void values_at_cells(const LawAlongRow& law, const LawAlongRow& cell, double from_column, double to_column,
                     const EvenCells& at, std::vector<double>& columns, std::vector<double>& to) {
    const double first = cell.at(from_column),
                 columns_per_cell =
                     to_column > from_column ? (to_column - from_column) / (cell.at(to_column) - first) : 0;
    columns.resize(at.count);
    to.resize(at.count);
    const auto cell_of = [&](std::size_t i) { return at.first + static_cast<double>(i) * at.step; };
    for (std::size_t i = 0; i < at.count; ++i) columns[i] = from_column + (cell_of(i) - first) * columns_per_cell;
    // Near a track cells are not as wide everywhere: Newton's next step.
    evaluate(cell, at.count, columns.data(), to.data());
    for (std::size_t i = 0; i < at.count; ++i) columns[i] += (cell_of(i) - to[i]) * columns_per_cell;
    evaluate(law, at.count, columns.data(), to.data());
}

template <>
void blend_rows(int taps, const float* const* rows, const float* weight, std::int64_t count, float* to) {
    blend_floats(taps, rows, weight, count, to);
}
template <>
void blend_rows(int taps, const double* const* rows, const double* weight, std::int64_t count, double* to) {
    with_taps(taps, [&](auto number) { blend<number()>(rows, weight, count, to); });
}
template <>
void add_shifted(const InterpolationTable<float>& table, const RowRuns<float>& from, const RowShift<float>& shift,
                 std::int64_t groups, const PlanarRow<float>& to) {
    shift_floats(table, from, shift, groups, to);
}
template <>
void add_shifted(const InterpolationTable<double>& table, const RowRuns<double>& from, const RowShift<double>& shift,
                 std::int64_t groups, const PlanarRow<double>& to) {
    with_taps(table.taps(), [&](auto number) { shift_groups<number()>(table, from, shift, groups, to); });
}

template <class Real>
void weights_between(const Real* at, std::int64_t step, std::int64_t intervals, Real* weight) {
    for (std::int64_t i = 0; i < intervals; ++i) {
        const Real before = at[i], here = at[i + 1], next = at[i + 2], behind = at[i + 3];
        const Real square = Real{0.5} * (before + next) - here, cube = (behind - before - 3 * (next - here)) / 6,
                   slope = next - here - square - cube, part = Real{1} / static_cast<Real>(step);
        for (std::int64_t k = 0; k < step; ++k) {
            const Real x = static_cast<Real>(k) * part;
            weight[i * step + k] = here + x * (slope + x * (square + x * cube));
        }
    }
}

template <class Real>
void weigh_row(const Real* weight, std::int64_t count, const PlanarRow<Real>& row) {
    for (std::int64_t i = 0; i < count; ++i) {
        row.re[i] *= weight[i];
        row.im()[i] *= weight[i];
    }
}

template <class Real>
void add_weighed(const PlanarRow<Real>& from, const Real* weight, bool times_j, std::int64_t count,
                 const PlanarRow<Real>& to) {
    const Real *const to_re = times_j ? from.im() : from.re, *const to_im = times_j ? from.re : from.im();
    const Real sign = times_j ? Real{-1} : Real{1};
    for (std::int64_t i = 0; i < count; ++i) {
        to.re[i] += sign * weight[i] * to_re[i];
        to.im()[i] += weight[i] * to_im[i];
    }
}

template <class Real>
void part_into_runs(const Complex<Real>* from, std::int64_t count, const RowRuns<Real>& runs, Real* re) {
    for (std::int64_t run = 0; run < runs.stride; ++run) {
        Real* const to = re + run * runs.run_room;
        for (std::int64_t i = run, k = 0; i < count; i += runs.stride, ++k) {
            to[k] = from[i].re;
            to[k + runs.im] = from[i].im;
        }
    }
}
template <class Real>
void part_into_runs(const PlanarRow<Real>& from, std::int64_t count, const RowRuns<Real>& runs, Real* re) {
    for (std::int64_t run = 0; run < runs.stride; ++run) {
        Real* const to = re + run * runs.run_room;
        for (std::int64_t i = run, k = 0; i < count; i += runs.stride, ++k) {
            to[k] = from.re[i];
            to[k + runs.im] = from.im()[i];
        }
    }
}

template void weights_between(const float*, std::int64_t, std::int64_t, float*);
template void weigh_row(const float*, std::int64_t, const PlanarRow<float>&);
template void weights_between(const double*, std::int64_t, std::int64_t, double*);
template void weigh_row(const double*, std::int64_t, const PlanarRow<double>&);
template void add_weighed(const PlanarRow<float>&, const float*, bool, std::int64_t, const PlanarRow<float>&);
template void add_weighed(const PlanarRow<double>&, const double*, bool, std::int64_t, const PlanarRow<double>&);
template void part_into_runs(const Complex<float>*, std::int64_t, const RowRuns<float>&, float*);
template void part_into_runs(const Complex<double>*, std::int64_t, const RowRuns<double>&, double*);
template void part_into_runs(const PlanarRow<float>&, std::int64_t, const RowRuns<float>&, float*);
template void part_into_runs(const PlanarRow<double>&, std::int64_t, const RowRuns<double>&, double*);

}  // namespace cornerturn
