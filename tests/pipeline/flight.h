// SPDX-License-Identifier: Apache-2.0
// Aircraft whose tracks are known as state vectors: straight, but with a speed that changes, or swaying.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>

#include "pipeline/acquisition/geometry.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {

/// Beyond straight flight at one speed, in m, at a time since the first pulse.
struct Sway {
    double along_m = 0, across_m = 0, up_m = 0;
};

/// small_scene from an aircraft that flies north at 1800 m, and leaves its straight way by this much.
inline Scene flight(std::int64_t lines, std::int64_t samples, const std::function<Sway(double time_s)>& sway,
                    double spacing_s = 0.05) {
    Scene scene = small_scene(lines, samples);
    const Vec3 start{6378137.0 + 1800, 0, 0}, north{0, 0, 1}, east{0, 1, 0}, up{1, 0, 0};
    const auto at = [&](double time_s) {
        const Sway s = sway(time_s);
        return start + (scene.velocity_m_s * time_s + s.along_m) * north + s.across_m * east + s.up_m * up;
    };
    Orbit orbit;
    const double last_s = static_cast<double>(lines) / scene.prf_hz + 2;
    for (double time_s = -2; time_s <= last_s; time_s += spacing_s) {
        constexpr double h = 1e-3;
        orbit.add(scene.first_pulse_time_s + time_s, {at(time_s), 1 / (2 * h) * (at(time_s + h) - at(time_s - h))});
    }
    scene.orbit = orbit;
    scene.doppler_centroid_hz = scene.velocity_m_s = 0;
    return scene;
}

/// In a zigzag between two samples, so many lines apart.
inline void put_targets(Scene& scene, int count, double first_line, double apart_lines, double far_sample) {
    scene.targets.emplace();
    for (int i = 0; i < count; ++i)
        scene.targets->push_back(
            {BeamCentrePosition{first_line + apart_lines * i, i % 2 == 0 ? 60.2 : far_sample}, 1.0, 30.0 * i});
}

/// By a part of the speed from the first line to the last.
inline std::function<Sway(double)> faster_by(double part, std::int64_t lines) {
    const Scene scene = small_scene(lines, 1);
    const double duration_s = static_cast<double>(lines) / scene.prf_hz;
    return [=](double t) { return Sway{0.5 * part * scene.velocity_m_s / duration_s * t * t, 0, 0}; };
}

/// To and fro across the flight.
inline std::function<Sway(double)> swaying(double across_m, double hz) {
    return [=](double t) { return Sway{0, across_m * std::sin(2 * std::numbers::pi * hz * t), 0}; };
}

/// By so many times 0.35 m across, 0.1 m up, and 0.5 % of the speed along.
inline std::function<Sway(double)> gusts(double scale = 1) {
    return [scale](double t) {
        const auto wave = [t](double hz) { return std::sin(2 * std::numbers::pi * hz * t + hz); };
        return Sway{scale * 0.2 * wave(0.3), scale * (0.3 * wave(0.25) + 0.05 * wave(0.6)), scale * 0.1 * wave(0.4)};
    };
}

inline constexpr std::int64_t lines_of_four_targets = 2400;
inline Scene four_targets(const std::function<Sway(double)>& sway) {
    Scene scene = flight(lines_of_four_targets, 500, sway);
    put_targets(scene, 4, 500.3, 430.2, 220.6);
    return scene;
}

/// The aircraft sways across the flight, amid which its beam is held.
inline void sway_under_held_beam(Scene& scene, double across_m, double hz) {
    Flight flight;
    flight.altitude_m = 1800;
    flight.speed_m_s = 120;
    flight.sway.push_back({});
    flight.sway.back().across_m = across_m;
    flight.sway.back().frequency_hz = hz;
    scene.orbit = flight;
    scene.beam.steering = Steering::fixed;
}

/// From an aircraft close above, whose held beam looks ahead and nearly straight down (draw 283 of the campaign's
/// flights of seed 4713).
inline Scene steep_squint(std::int64_t lines, std::int64_t samples, double near_range_m) {
    Scene scene = small_scene(lines, samples);
    Flight flight;
    flight.altitude_m = 984;
    flight.speed_m_s = 81.8;
    flight.heading_deg = 232;
    scene.orbit = flight;
    scene.beam = {.steering = Steering::fixed, .yaw_deg = -16.4};
    scene.carrier_hz = 8.24e9;
    scene.prf_hz = 251;
    scene.sample_rate_hz = 47.5e6;
    scene.chirp_slope_hz_s = 4.99e12;
    scene.chirp_duration_s = 8.4e-6;
    scene.near_range_m = near_range_m;
    scene.azimuth_bandwidth_hz = 210;
    scene.doppler_centroid_hz = scene.velocity_m_s = 0;
    return scene;
}

}  // namespace cornerturn
