// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/trajectory.h"

#include <cmath>
#include <utility>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr double gravitation_m3_s2 = 3.986004418e14;  // WGS84
constexpr double earth_rate_rad_s = 7.2921151467e-5;

/// E - e sin E = M.
double eccentric_anomaly(double mean, double eccentricity) {
    double anomaly = mean;
    for (int round = 0; round < 30; ++round)
        anomaly -= (anomaly - eccentricity * std::sin(anomaly) - mean) / (1 - eccentricity * std::cos(anomaly));
    return anomaly;
}

double mean_anomaly(double true_anomaly, double eccentricity) {
    const double eccentric = std::atan2(std::sqrt(1 - eccentricity * eccentricity) * std::sin(true_anomaly),
                                        eccentricity + std::cos(true_anomaly));
    return eccentric - eccentricity * std::sin(eccentric);
}

}  // namespace

Trajectory straight_track(const StateVector& state, double time_s) {
    return [=](double t) {
        return StateVector{state.position_m + (t - time_s) * state.velocity_m_s, state.velocity_m_s};
    };
}

Trajectory kepler_track(const KeplerOrbit& orbit, double time_s) {
    const double axis_m = wgs84_equatorial_radius_m + orbit.altitude_m, e = orbit.eccentricity;
    const double motion_rad_s = std::sqrt(gravitation_m3_s2 / (axis_m * axis_m * axis_m)),
                 flattening = std::sqrt(1 - e * e);
    const double start_rad = mean_anomaly((orbit.latitude_argument_deg - orbit.perigee_deg) * degree, e);
    const double perigee = orbit.perigee_deg * degree, inclination = orbit.inclination_deg * degree;
    // Towards the perigee and a quarter turn further, in axes whose x points to the node and whose z is the Earth's.
    const Vec3 p{std::cos(perigee), std::sin(perigee) * std::cos(inclination),
                 std::sin(perigee) * std::sin(inclination)};
    const Vec3 q{-std::sin(perigee), std::cos(perigee) * std::cos(inclination),
                 std::cos(perigee) * std::sin(inclination)};
    return [=](double t) {
        const double anomaly = eccentric_anomaly(start_rad + motion_rad_s * (t - time_s), e);
        const double c = std::cos(anomaly), s = std::sin(anomaly), rate = axis_m * motion_rad_s / (1 - e * c);
        const Vec3 r = axis_m * (c - e) * p + axis_m * flattening * s * q,
                   v = -rate * s * p + rate * flattening * c * q;
        const double turn = orbit.node_deg * degree - earth_rate_rad_s * (t - time_s), ct = std::cos(turn),
                     st = std::sin(turn);
        const auto turned = [&](const Vec3& a) { return Vec3{ct * a[0] - st * a[1], st * a[0] + ct * a[1], a[2]}; };
        const Vec3 position = turned(r);
        return StateVector{position, turned(v) - cross({0, 0, earth_rate_rad_s}, position)};
    };
}

Trajectory interpolated_track(Orbit orbit) {
    return [orbit = std::move(orbit)](double t) { return interpolate(orbit, t); };
}

Vec3 inertial_velocity_m_s(const StateVector& state) {
    return state.velocity_m_s + cross({0, 0, earth_rate_rad_s}, state.position_m);
}

Orbit state_vectors(const Trajectory& track, double first_s, double last_s, double spacing_s) {
    Orbit orbit;
    const double from = std::floor(first_s / spacing_s) - 3, to = std::ceil(last_s / spacing_s) + 3;
    for (double i = from; i <= to; ++i) orbit.add(i * spacing_s, track(i * spacing_s));
    return orbit;
}

Orbit dense_state_vectors(const Trajectory& track, double first_s, double last_s) {
    constexpr double largest_s = 0.25, least_s = 1.0 / 256;
    constexpr double most_cubic_m = 2e-5;
    constexpr double most_velocity = 3e-9;  // of the speed: zero Doppler at 10 km is told to 0.03 mm
    const auto holds = [&](const Orbit& orbit) {
        for (std::size_t i = 1; i < orbit.time_s.size(); ++i) {
            const double from_s = orbit.time_s[i - 1], step_s = orbit.time_s[i] - from_s;
            // In the middle between two the interpolation of a fourth power is off by most.
            const Vec3 middle_m = 0.5 * (orbit.position_m[i - 1] + orbit.position_m[i]) +
                                  0.125 * step_s * (orbit.velocity_m_s[i - 1] - orbit.velocity_m_s[i]);
            if (norm(track(from_s + 0.5 * step_s).position_m - middle_m) > most_cubic_m) return false;
            if (i < 2 || i + 2 > orbit.time_s.size()) continue;  // the ends have neighbours on one side only
            const StateVector exact = track(from_s + 0.25 * step_s);
            const Vec3 told_m_s = interpolate(orbit, from_s + 0.25 * step_s).velocity_m_s;
            if (norm(told_m_s - exact.velocity_m_s) > most_velocity * norm(exact.velocity_m_s)) return false;
        }
        return true;
    };
    double spacing_s = largest_s;
    Orbit orbit = state_vectors(track, first_s, last_s, spacing_s);
    while (spacing_s > least_s && !holds(orbit)) orbit = state_vectors(track, first_s, last_s, spacing_s *= 0.5);
    return orbit;
}

}  // namespace cornerturn
