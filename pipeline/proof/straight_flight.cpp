// SPDX-License-Identifier: Apache-2.0
// State vectors and quaternions of a straight flight.
#include "pipeline/proof/straight_flight.h"

#include <algorithm>
#include <cmath>

#include "kernels/hyperbola.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr int least_vectors = 16;

struct Span {
    double first_s, last_s;
};

/// Pulses, and zero-Doppler times of what they see at either end of the swath and of the beam.
Span needed_times(const Scene& scene) {
    const double last_pulse_s = static_cast<double>(scene.lines - 1) / scene.prf_hz;
    const double far_m = scene.near_range_m + static_cast<double>(scene.samples) * scene.range_spacing_m();
    Span span{0, last_pulse_s};
    for (const double slant_m : {scene.near_range_m, far_m}) {
        for (const double doppler_hz : {scene.doppler_low_hz(), scene.doppler_high_hz()}) {
            const double range_m = slant_m * migration_factor(doppler_hz, scene.velocity_m_s, scene.wavelength_m());
            const double offset_s = beam_time_offset_s(range_m, doppler_hz, scene.velocity_m_s, scene.wavelength_m());
            span = {std::min(span.first_s, -offset_s), std::max(span.last_s, last_pulse_s - offset_s)};
        }
    }
    for (const SceneTarget& target : scene_targets(scene)) {
        const double time_s = locate(scene, target).zero_doppler_time_s - scene.first_pulse_time_s;
        span = {std::min(span.first_s, time_s), std::max(span.last_s, time_s)};
    }
    return {scene.first_pulse_time_s + span.first_s, scene.first_pulse_time_s + span.last_s};
}

/// Unit quaternion (w, x, y, z) of the rotation whose columns are the axes (Shepperd 1978: from the largest component).
std::array<double, 4> quaternion(const Vec3& x, const Vec3& y, const Vec3& z) {
    const double trace = x[0] + y[1] + z[2];
    const std::array<double, 4> square{1 + trace, 1 + 2 * x[0] - trace, 1 + 2 * y[1] - trace, 1 + 2 * z[2] - trace};  // 4 w^2, 4 x^2 ...
    const auto largest = std::max_element(square.begin(), square.end()) - square.begin();
    const double r = 2 * std::sqrt(square[static_cast<std::size_t>(largest)]);
    const double wx = (y[2] - z[1]) / r, wy = (z[0] - x[2]) / r, wz = (x[1] - y[0]) / r;
    const double xy = (x[1] + y[0]) / r, xz = (x[2] + z[0]) / r, yz = (y[2] + z[1]) / r;
    switch (largest) {
        case 0: return {r / 4, wx, wy, wz};
        case 1: return {wx, r / 4, xy, xz};
        case 2: return {wy, xy, r / 4, yz};
        default: return {wz, xz, yz, r / 4};
    }
}

/// Antenna frame: z to mid swath with Doppler frequency 2 (v . z) / lambda = f_dc, y along the flight.
std::array<double, 4> antenna_frame(const Scene& scene, double altitude_m) {
    const double sine = 0.5 * scene.wavelength_m() * scene.doppler_centroid_hz / scene.velocity_m_s;
    const double cosine = std::sqrt(1 - sine * sine);
    const double radius_m = wgs84_equatorial_radius_m + altitude_m;
    const double range_m = (scene.near_range_m + 0.5 * static_cast<double>(scene.samples) * scene.range_spacing_m()) * cosine;
    // Law of cosines in the plane of the equator; beyond the horizon the beam points at the horizon.
    const double law =
        (radius_m * radius_m + range_m * range_m - wgs84_equatorial_radius_m * wgs84_equatorial_radius_m) / (2 * radius_m * range_m);
    const double horizon = std::sqrt(1 - wgs84_equatorial_radius_m * wgs84_equatorial_radius_m / (radius_m * radius_m));
    const double down = std::clamp(law, horizon, 1.0);
    const double east = std::sqrt(1 - down * down) * (scene.look_side == LookSide::right ? 1 : -1);
    const Vec3 z{-down * cosine, east * cosine, sine};
    const Vec3 y{down * sine, -east * sine, cosine};
    return quaternion(cross(y, z), y, z);
}

}  // namespace

StraightFlight straight_flight(const Scene& scene) {
    const Span span = needed_times(scene);
    const double spacing_s = std::max(1.0, std::ceil((span.last_s - span.first_s) / least_vectors));
    const double first_s = std::floor(span.first_s) - 3 * spacing_s;  // three to spare on either side, as Hermite readers want
    const int count = std::max(least_vectors, static_cast<int>(std::ceil((span.last_s - first_s) / spacing_s)) + 4);
    const double middle_s = scene.first_pulse_time_s + 0.5 * static_cast<double>(scene.lines - 1) / scene.prf_hz;
    const double altitude_m = scene.altitude_m.value_or(0.6 * scene.near_range_m);
    const std::array<double, 4> frame = antenna_frame(scene, altitude_m);
    StraightFlight flight;
    for (int i = 0; i < count; ++i) {
        const double time_s = first_s + i * spacing_s;
        flight.orbit.time_s.push_back(time_s);
        flight.orbit.position_m.push_back({wgs84_equatorial_radius_m + altitude_m, 0, scene.velocity_m_s * (time_s - middle_s)});
        flight.orbit.velocity_m_s.push_back({0, 0, scene.velocity_m_s});
        flight.attitude.time_s.push_back(time_s);
        flight.attitude.quaternions.push_back(frame);
    }
    return flight;
}

}  // namespace cornerturn
