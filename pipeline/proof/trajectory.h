// SPDX-License-Identifier: Apache-2.0
// Position of the antenna at any time, in Earth-fixed coordinates; simulator and back-projection use it.
#pragma once

#include <functional>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// Position and velocity, one the derivative of the other, at a time since the epoch.
using Trajectory = std::function<StateVector(double time_s)>;

/// An ellipse about the centre of the Earth, which turns below it.
struct KeplerOrbit {
    double altitude_m = 0;  ///< semi-major axis less the equatorial radius
    double eccentricity = 0;
    double inclination_deg = 0;
    double node_deg = 0;               ///< longitude of the ascending node at the first pulse
    double perigee_deg = 0;            ///< from the node
    double latitude_argument_deg = 0;  ///< angle from the node to the satellite at the first pulse
    friend bool operator==(const KeplerOrbit&, const KeplerOrbit&) = default;
};

Trajectory straight_track(const StateVector& state, double time_s);
/// `time_s` is when the elements hold.
Trajectory kepler_track(const KeplerOrbit& orbit, double time_s);
Trajectory interpolated_track(Orbit orbit);

/// Velocity in axes that do not turn with the Earth.
Vec3 inertial_velocity_m_s(const StateVector& state);

/// State vectors on multiples of a spacing, three to spare before the first time and behind the last.
Orbit state_vectors(const Trajectory& track, double first_s, double last_s, double spacing_s);

/// The same with the largest spacing of 1/4, 1/8, 1/16 ... s, 1/256 s at the least, at which cubic Hermite
/// interpolation is off the track by 0.02 mm at most, and interpolate() tells zero Doppler as the track does.
Orbit dense_state_vectors(const Trajectory& track, double first_s, double last_s);

}  // namespace cornerturn
