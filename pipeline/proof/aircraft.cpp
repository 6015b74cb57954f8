// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/aircraft.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

/// Along, across (to the right) and up.
struct Motion {
    Vec3 place_m{}, velocity_m_s{};
};

/// Straight up from a place, and along a heading there.
struct Axes {
    Vec3 forward, right, up;
};

Axes axes_at(double latitude_deg, double longitude_deg, double heading_deg) {
    const double latitude = latitude_deg * degree, longitude = longitude_deg * degree, heading = heading_deg * degree;
    const Vec3 up{std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude),
                  std::sin(latitude)},
        east{-std::sin(longitude), std::cos(longitude), 0}, north = cross(up, east);
    return {std::cos(heading) * north + std::sin(heading) * east, std::cos(heading) * east - std::sin(heading) * north,
            up};
}

/// Of the ellipsoid's section along a heading (Euler), in metres.
double radius_along_m(double latitude_deg, double heading_deg) {
    const double a = wgs84_equatorial_radius_m, b = wgs84_polar_radius_m, sine = std::sin(latitude_deg * degree);
    const double squared = 1 - (1 - (b * b) / (a * a)) * sine * sine;
    const double meridian_m = b * b / a / std::pow(squared, 1.5), across_m = a / std::sqrt(squared);
    const double c = std::cos(heading_deg * degree), s = std::sin(heading_deg * degree);
    return 1 / (c * c / meridian_m + s * s / across_m);
}

/// Flight round a place at one height above it.
class Turn {
public:
    /// `radius_m` of the Earth there, up to the flight.
    Turn(const Flight& flight, const Vec3& middle_m, const Axes& axes, double radius_m)
        : flight_(flight), forward_(axes.forward) {
        const double tilt = flight.turn_radius_m / radius_m;  // of the way up at the centre against that at the middle
        right_ = std::cos(tilt) * axes.right - std::sin(tilt) * axes.up;
        up_ = std::cos(tilt) * axes.up + std::sin(tilt) * axes.right;
        centre_m_ = middle_m + flight.turn_radius_m * right_;
    }

    StateVector at(double t, const Motion& off) const {
        const double r = flight_.turn_radius_m, a = flight_.acceleration_m_s2;
        const double angle = (flight_.speed_m_s * t + 0.5 * a * t * t) / r, rate = (flight_.speed_m_s + a * t) / r;
        const double s = std::sin(angle), c = std::cos(angle);
        const Vec3 forward = c * forward_ + s * right_, right = c * right_ - s * forward_;
        const double along_m = off.place_m[0], outwards_m = off.place_m[1] - r;  // to the right of the centre
        return {centre_m_ + along_m * forward + outwards_m * right + off.place_m[2] * up_,
                (off.velocity_m_s[0] - rate * outwards_m) * forward + (off.velocity_m_s[1] + rate * along_m) * right +
                    off.velocity_m_s[2] * up_};
    }

private:
    Flight flight_;
    Vec3 forward_, right_{}, up_{}, centre_m_{};
};

/// Flight along the circle that hugs the ellipsoid in the middle of the record, or round a place beside it.
class LevelFlight {
public:
    LevelFlight(const Flight& flight, double middle_s)
        : flight_(flight),
          middle_s_(middle_s),
          middle_m_(to_ecef({flight.latitude_deg, flight.longitude_deg, flight.altitude_m})),
          axes_(axes_at(flight.latitude_deg, flight.longitude_deg, flight.heading_deg)),
          radius_m_(radius_along_m(flight.latitude_deg, flight.heading_deg) + flight.altitude_m) {}

    double since_middle_s(double time_s) const { return time_s - middle_s_; }

    /// `off` the even flight.
    StateVector at(double time_s, const Motion& off) const {
        if (flight_.turn_radius_m != 0)
            return Turn(flight_, middle_m_, axes_, radius_m_).at(since_middle_s(time_s), off);
        const double t = since_middle_s(time_s), a = flight_.acceleration_m_s2, side = flight_.side_acceleration_m_s2;
        const double angle = (flight_.speed_m_s * t + 0.5 * a * t * t) / radius_m_,
                     rate = (flight_.speed_m_s + a * t) / radius_m_;
        const double s = std::sin(angle), c = std::cos(angle), half = std::sin(0.5 * angle);
        const Vec3 forward = c * axes_.forward - s * axes_.up, up = c * axes_.up + s * axes_.forward;
        const double along_m = off.place_m[0], across_m = 0.5 * side * t * t + off.place_m[1], up_m = off.place_m[2];
        // The axes turn with the flight.
        return {middle_m_ + radius_m_ * s * axes_.forward - 2 * radius_m_ * half * half * axes_.up + along_m * forward +
                    across_m * axes_.right + up_m * up,
                (rate * (radius_m_ + up_m) + off.velocity_m_s[0]) * forward +
                    (side * t + off.velocity_m_s[1]) * axes_.right + (off.velocity_m_s[2] - rate * along_m) * up};
    }

private:
    Flight flight_;
    double middle_s_;
    Vec3 middle_m_;
    Axes axes_;
    double radius_m_;
};

Wave wave_of(const SwayWave& sway) {
    const Vec3 amplitude_m{sway.along_m, sway.across_m, sway.up_m};
    return {2 * std::numbers::pi * sway.frequency_hz, std::sin(sway.phase_deg * degree) * amplitude_m,
            std::cos(sway.phase_deg * degree) * amplitude_m};
}

Motion sum_of(const std::vector<Wave>& waves, double t) {
    Motion sum;
    for (const Wave& wave : waves) {
        const double c = std::cos(wave.rate_rad_s * t), s = std::sin(wave.rate_rad_s * t);
        sum.place_m = sum.place_m + c * wave.cosine_m + s * wave.sine_m;
        sum.velocity_m_s = sum.velocity_m_s + wave.rate_rad_s * (c * wave.sine_m - s * wave.cosine_m);
    }
    return sum;
}

}  // namespace

Trajectory even_track(const Flight& flight, double middle_s) {
    return [level = LevelFlight(flight, middle_s)](double time_s) { return level.at(time_s, {}); };
}

Trajectory flown_track(const Flight& flight, double middle_s, double ground_m) {
    std::vector<Wave> waves = waves_of(flight.turbulence, flight.speed_m_s, flight.altitude_m - ground_m);
    for (const SwayWave& sway : flight.sway) waves.push_back(wave_of(sway));
    return [level = LevelFlight(flight, middle_s), waves = std::move(waves)](double time_s) {
        return level.at(time_s, sum_of(waves, level.since_middle_s(time_s)));
    };
}

}  // namespace cornerturn
