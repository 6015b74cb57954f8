// SPDX-License-Identifier: Apache-2.0
// Platform state vectors (ECEF, WGS84) and their interpolation.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace cornerturn {

using Vec3 = std::array<double, 3>;

struct StateVector {
    Vec3 position_m{};
    Vec3 velocity_m_s{};
};

/// State vectors in ECEF at strictly increasing, uniformly spaced times (seconds since the acquisition's epoch).
struct Orbit {
    std::vector<double> time_s;
    std::vector<Vec3> position_m;
    std::vector<Vec3> velocity_m_s;
    std::string interpolation = "Hermite";
    std::string type = "Custom";

    StateVector vector(std::size_t i) const { return {position_m[i], velocity_m_s[i]}; }
    void add(double at_s, const StateVector& state) {
        time_s.push_back(at_s);
        position_m.push_back(state.position_m);
        velocity_m_s.push_back(state.velocity_m_s);
    }
    friend bool operator==(const Orbit&, const Orbit&) = default;
};

/// Rotations of the antenna frame into ECEF, quaternions (w, x, y, z).
struct Attitude {
    std::vector<double> time_s;
    std::vector<std::array<double, 4>> quaternions;
    friend bool operator==(const Attitude&, const Attitude&) = default;
};

/// Position and velocity at a time, one the derivative of the other: Hermite's polynomial through positions and
/// velocities of the four nearest state vectors (fewer where there are fewer), exact to 1e-8 m for a satellite's every
/// 10 s; outside the span, through the outermost ones that lie 10 s apart, or first and last where none do. Needs at
/// least two state vectors.
StateVector interpolate(const Orbit& orbit, double time_s);

/// How far a time lies before the first or behind the last state vector; 0 inside.
double seconds_outside(const Orbit& orbit, double time_s);

}  // namespace cornerturn
