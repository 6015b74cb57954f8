// SPDX-License-Identifier: Apache-2.0
// Hermite interpolation of state vectors.
#include "pipeline/acquisition/orbit.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace cornerturn {
namespace {

constexpr std::size_t most_vectors = 4;

/// Outside the span the polynomial through closely spaced state vectors would blow up their noise by high powers of the
/// distance; through some that lie this far apart it stays tame. Neighbours on such a grid count however their times
/// were rounded.
constexpr double extrapolation_spacing_s = 10.0 * (1 - 1e-6);

/// The state vectors that an interpolation goes through.
struct Chosen {
    std::array<std::size_t, most_vectors> index{};
    std::size_t count = 0;
    void add(std::size_t i) { index[count++] = i; }
};

/// The two neighbours and one more on either side, at an end the outermost.
Chosen around(const std::vector<double>& time_s, double t) {
    Chosen chosen;
    const std::size_t vectors = std::min(time_s.size(), most_vectors);
    const auto above = static_cast<std::size_t>(std::upper_bound(time_s.begin(), time_s.end(), t) - time_s.begin());
    const std::size_t half = vectors / 2;
    const std::size_t first = std::clamp(above, half, time_s.size() - vectors + half) - half;
    for (std::size_t i = first; i < first + vectors; ++i) chosen.add(i);
    return chosen;
}

/// From one end inwards, at least extrapolation_spacing_s apart; first and last where no two are.
Chosen from_the_end(const std::vector<double>& time_s, bool front) {
    const std::size_t count = time_s.size();
    const auto inwards = [&](std::size_t i) { return front ? i : count - 1 - i; };
    Chosen chosen;
    chosen.add(inwards(0));
    for (std::size_t i = 1; i < count && chosen.count < most_vectors; ++i) {
        const double apart_s = time_s[inwards(i)] - time_s[chosen.index[chosen.count - 1]];
        if ((front ? apart_s : -apart_s) >= extrapolation_spacing_s) chosen.add(inwards(i));
    }
    if (chosen.count < 2) chosen.add(inwards(count - 1));
    return chosen;
}

/// Newton's polynomial through values and derivatives, every node twice (Stoer & Bulirsch, section 2.1.5).
class NewtonHermite {
public:
    NewtonHermite(const Orbit& orbit, const Chosen& chosen) : coefficients_(2 * chosen.count) {
        // Written about the first position, so that metres are not drowned in the megametres of ECEF coordinates.
        origin_m_ = orbit.position_m[chosen.index[0]];
        double per_s[most_vectors][most_vectors];
        for (std::size_t i = 0; i < chosen.count; ++i)
            for (std::size_t k = 0; k < i; ++k)
                per_s[i][k] = 1 / (orbit.time_s[chosen.index[i]] - orbit.time_s[chosen.index[k]]);
        for (std::size_t i = 0; i < coefficients_; ++i) {
            node_s_[i] = orbit.time_s[chosen.index[i / 2]];
            for (std::size_t axis = 0; axis < 3; ++axis)
                difference_[i][axis] = orbit.position_m[chosen.index[i / 2]][axis] - origin_m_[axis];
        }
        for (std::size_t order = 1; order < coefficients_; ++order)
            for (std::size_t i = coefficients_ - 1; i >= order; --i) {
                if (order == 1 && i % 2 == 1) {
                    difference_[i] = orbit.velocity_m_s[chosen.index[i / 2]];
                    continue;
                }
                const double shorter = per_s[i / 2][(i - order) / 2];
                for (std::size_t axis = 0; axis < 3; ++axis)
                    difference_[i][axis] = (difference_[i][axis] - difference_[i - 1][axis]) * shorter;
            }
    }

    StateVector at(double time_s) const {
        StateVector state;
        for (std::size_t i = coefficients_; i-- > 0;) {
            const double away_s = time_s - node_s_[i];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                state.velocity_m_s[axis] = state.velocity_m_s[axis] * away_s + state.position_m[axis];
                state.position_m[axis] = state.position_m[axis] * away_s + difference_[i][axis];
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) state.position_m[axis] += origin_m_[axis];
        return state;
    }

private:
    std::size_t coefficients_;
    Vec3 origin_m_;
    std::array<double, 2 * most_vectors> node_s_;
    std::array<Vec3, 2 * most_vectors> difference_;
};

}  // namespace

StateVector interpolate(const Orbit& orbit, double time_s) {
    const std::size_t count = orbit.time_s.size();
    if (count < 2 || orbit.position_m.size() != count || orbit.velocity_m_s.size() != count)
        throw std::logic_error(
            "orbit interpolation needs two state vectors or more, with a position and a velocity each");
    const bool before = time_s<orbit.time_s.front(), behind = time_s> orbit.time_s.back();
    const Chosen chosen = before || behind ? from_the_end(orbit.time_s, before) : around(orbit.time_s, time_s);
    return NewtonHermite(orbit, chosen).at(time_s);
}

double seconds_outside(const Orbit& orbit, double time_s) {
    return std::max({0.0, orbit.time_s.front() - time_s, time_s - orbit.time_s.back()});
}

}  // namespace cornerturn
