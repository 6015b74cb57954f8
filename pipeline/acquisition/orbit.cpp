// SPDX-License-Identifier: Apache-2.0
// Cubic Hermite interpolation of state vectors.
#include "pipeline/acquisition/orbit.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace cornerturn {
namespace {

/// Outside the span the cubic through the two outermost state vectors of closely spaced ones would blow up their noise by the cube of the
/// distance; one over this many seconds stays tame, and a satellite's orbit leaves it by less than a millimetre within it.
constexpr double extrapolation_base_s = 10.0;

struct Bracket {
    std::size_t first, last;
};

Bracket bracket(const std::vector<double>& time_s, double t) {
    const std::size_t count = time_s.size();
    if (t < time_s.front()) {
        std::size_t last = 1;
        while (last + 1 < count && time_s[last] - time_s.front() < extrapolation_base_s) ++last;
        return {0, last};
    }
    if (t > time_s.back()) {
        std::size_t first = count - 2;
        while (first > 0 && time_s.back() - time_s[first] < extrapolation_base_s) --first;
        return {first, count - 1};
    }
    const auto above = std::upper_bound(time_s.begin(), time_s.end(), t) - time_s.begin();
    const std::size_t last = std::clamp<std::size_t>(static_cast<std::size_t>(above), 1, count - 1);
    return {last - 1, last};
}

}  // namespace

StateVector interpolate(const Orbit& orbit, double time_s) {
    const std::size_t count = orbit.time_s.size();
    if (count < 2 || orbit.position_m.size() != count || orbit.velocity_m_s.size() != count)
        throw std::logic_error("orbit interpolation needs two state vectors or more, with a position and a velocity each");
    const auto [i, j] = bracket(orbit.time_s, time_s);
    const double h = orbit.time_s[j] - orbit.time_s[i];
    const double u = (time_s - orbit.time_s[i]) / h;
    // Written about the first position, so that metres are not drowned in the megametres of ECEF coordinates.
    const double rise = u * u * (3.0 - 2.0 * u), start = u * (1.0 - u) * (1.0 - u), end = u * u * (u - 1.0);
    const double d_rise = 6.0 * u * (1.0 - u) / h, d_start = (1.0 - u) * (1.0 - 3.0 * u), d_end = u * (3.0 * u - 2.0);
    StateVector state;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double step = orbit.position_m[j][axis] - orbit.position_m[i][axis];
        const double v0 = orbit.velocity_m_s[i][axis], v1 = orbit.velocity_m_s[j][axis];
        state.position_m[axis] = orbit.position_m[i][axis] + (rise * step + h * (start * v0 + end * v1));
        state.velocity_m_s[axis] = d_rise * step + d_start * v0 + d_end * v1;
    }
    return state;
}

double seconds_outside(const Orbit& orbit, double time_s) {
    return std::max({0.0, orbit.time_s.front() - time_s, time_s - orbit.time_s.back()});
}

}  // namespace cornerturn
