// SPDX-License-Identifier: Apache-2.0
// Flights of aircraft and drones: level over the Earth, at a speed that may change, and moved off that way by sway and
// turbulence.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pipeline/proof/trajectory.h"

namespace cornerturn {

/// amplitude_m * sin(2 pi frequency_hz t + phase_deg), t in seconds since the middle of the record.
struct SwayWave {
    double along_m = 0, across_m = 0, up_m = 0;  ///< amplitudes; across: to the right
    double frequency_hz = 0, phase_deg = 0;
    friend bool operator==(const SwayWave&, const SwayWave&) = default;
};

/// Gusts with Dryden's spectra (MIL-F-8785C: low altitude up to 1000 ft above the ground, 1750 ft of scale from 2000 ft
/// on), and an aircraft that follows them, but for an autopilot that holds its track.
struct Turbulence {
    double gust_m_s = 0;        ///< of vertical gusts, root mean square; 0: none
    double autopilot_hz = 0.1;  ///< natural frequency of the loop that holds the track
    std::uint64_t seed = 1;
    friend bool operator==(const Turbulence&, const Turbulence&) = default;
};
/// A tenth of winds of 15, 30 and 45 knots (MIL-F-8785C).
inline constexpr double light_gust_m_s = 0.77, moderate_gust_m_s = 1.54, severe_gust_m_s = 2.31;
/// Of light, moderate and severe turbulence; nothing for other words.
std::optional<double> named_gust_m_s(std::string_view word);

/// Places, heading and speed are those in the middle of the record, without sway and turbulence.
struct Flight {
    double latitude_deg = 0, longitude_deg = 0;
    double altitude_m = 0;   ///< above the ellipsoid; it is held
    double heading_deg = 0;  ///< from north by east
    double speed_m_s = 0;    ///< over the Earth
    double acceleration_m_s2 = 0;
    double side_acceleration_m_s2 = 0;  ///< to the right: a curve
    double turn_radius_m = 0;           ///< of a circle at one height, to the right; negative: to the left; 0: none
    std::vector<SwayWave> sway;
    Turbulence turbulence;
    bool sways() const { return !sway.empty() || turbulence.gust_m_s > 0; }
    friend bool operator==(const Flight&, const Flight&) = default;
};

/// Without sway and turbulence: what attitude is held to.
Trajectory even_track(const Flight& flight, double middle_s);
/// As flown. The ground's height above the ellipsoid tells how large gusts are.
Trajectory flown_track(const Flight& flight, double middle_s, double ground_m);

/// One of the waves that a motion is the sum of: cosine_m cos(rate t) + sine_m sin(rate t), along, across and up.
struct Wave {
    double rate_rad_s = 0;
    Vec3 cosine_m{}, sine_m{};
};
/// What turbulence moves an aircraft by that flies at a speed and a height above the ground: waves of random phases
/// whose powers are those of the gusts' spectra times the aircraft's response.
std::vector<Wave> waves_of(const Turbulence& turbulence, double speed_m_s, double above_ground_m);

}  // namespace cornerturn
