// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/scene_geometry.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/recording.h"

namespace cornerturn {
namespace {

constexpr int least_vectors = 16;         // of a straight flight
constexpr double orbit_spacing_s = 10;    // eight coefficients hold 1e-10 m
constexpr double attitude_spacing_s = 1;  // linear interpolation holds 1e-8 rad
constexpr double slowest_satellite_m_s = 3000;

/// Northward over the equator at longitude 0, at the scene's altitude in the middle of the record.
Trajectory straight_flight(const Scene& scene) {
    const double altitude_m = scene.altitude_m.value_or(0.6 * scene.near_range_m);
    return straight_track({{wgs84_equatorial_radius_m + altitude_m, 0, 0}, {0, 0, scene.velocity_m_s}},
                          scene.mid_time_s());
}

Trajectory track_of(const Scene& scene) {
    if (const auto* kepler = std::get_if<KeplerOrbit>(&scene.orbit))
        return kepler_track(*kepler, scene.first_pulse_time_s);
    if (const auto* vectors = std::get_if<Orbit>(&scene.orbit)) return interpolated_track(*vectors);
    if (const auto* flight = std::get_if<Flight>(&scene.orbit))
        return flown_track(*flight, scene.mid_time_s(), scene.height_m);
    return straight_flight(scene);
}

/// An antenna fixed to an aircraft is held to the even flight. Of one that is known by positions that is the one from
/// the first pulse's to the last one's.
Trajectory attitude_track_of(const Scene& scene, const Trajectory& track) {
    if (scene.beam.steering == Steering::zero_doppler) return track;
    if (const auto* flight = std::get_if<Flight>(&scene.orbit)) return even_track(*flight, scene.mid_time_s());
    if (!std::holds_alternative<Orbit>(scene.orbit)) return track;
    const double first_s = scene.first_pulse_time_s, duration_s = static_cast<double>(scene.lines - 1) / scene.prf_hz;
    if (duration_s == 0 || norm(track(first_s).velocity_m_s) >= slowest_satellite_m_s) return track;
    const Vec3 first_m = track(first_s).position_m;
    return straight_track({first_m, 1 / duration_s * (track(first_s + duration_s).position_m - first_m)}, first_s);
}

/// Unit quaternion (w, x, y, z) of the rotation whose columns are the axes (Shepperd 1978: from the largest component).
std::array<double, 4> quaternion(const Vec3& x, const Vec3& y, const Vec3& z) {
    const double trace = x[0] + y[1] + z[2];
    const std::array<double, 4> square{1 + trace, 1 + 2 * x[0] - trace, 1 + 2 * y[1] - trace,
                                       1 + 2 * z[2] - trace};  // 4 w^2, 4 x^2 ...
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

Vec3 turned(const Vec3& a, const Vec3& towards, double angle_deg) {
    return std::cos(angle_deg * degree) * a + std::sin(angle_deg * degree) * towards;
}

}  // namespace

SceneGeometry::SceneGeometry(const Scene& scene)
    : scene_(scene),
      radar_(timing_of(scene), track_of(scene)),
      spot_m_(to_ecef({scene.beam.spot.latitude_deg, scene.beam.spot.longitude_deg,
                       scene.beam.spot_height_m.value_or(scene.height_m)})),
      attitude_track_(attitude_track_of(scene, radar_.track())) {}

Vec3 SceneGeometry::long_axis(double time_s) const {
    const StateVector state = attitude_track_(time_s);
    if (spotlight()) {
        const Vec3 look = unit(spot_m_ - radar_.track()(time_s).position_m);
        return unit(state.velocity_m_s - dot(state.velocity_m_s, look) * look);
    }
    if (norm(state.velocity_m_s) < slowest_satellite_m_s) {
        const Vec3 forward = unit(state.velocity_m_s), right = unit(cross(forward, ellipsoid_normal(state.position_m)));
        return turned(turned(forward, right, scene_.beam.yaw_deg), cross(right, forward), scene_.beam.pitch_deg);
    }
    const Vec3 up = unit(state.position_m), inertial_m_s = inertial_velocity_m_s(state);
    const Vec3 forward =
        unit(scene_.beam.steering == Steering::zero_doppler ? state.velocity_m_s
                                                            : inertial_m_s - dot(inertial_m_s, up) * up);
    const Vec3 down = unit(dot(state.position_m, forward) * forward - state.position_m), right = cross(down, forward);
    return turned(turned(forward, right, scene_.beam.yaw_deg), -1.0 * down, scene_.beam.pitch_deg);
}

/// y against the long axis' forward direction, z to mid swath, x away from nadir.
SceneGeometry::Frame SceneGeometry::antenna_frame(double time_s) const {
    const StateVector state = attitude_track_(time_s);
    const double range_m = scene_.near_range_m + 0.5 * static_cast<double>(scene_.samples) * scene_.range_spacing_m();
    if (scene_.on_orbit()) {
        const Vec3 y = -1.0 * long_axis(time_s);
        const Vec3 z = unit(place_at(state.position_m, -1.0 * y, range_m, 0, scene_.height_m, scene_.look_side) -
                            state.position_m);
        return {cross(y, z), y, z};
    }
    // In the plane through the flight and mid swath, so that the plane across the long axis has the same Doppler nearly
    // everywhere.
    const double sine = 0.5 * scene_.wavelength_m() * scene_.doppler_centroid_hz / scene_.velocity_m_s;
    const Vec3 z =
        unit(place_at(state.position_m, state.velocity_m_s, range_m, sine, scene_.height_m, scene_.look_side) -
             state.position_m);
    const Vec3 y = unit(dot(z, unit(state.velocity_m_s)) * z - unit(state.velocity_m_s));
    return {cross(y, z), y, z};
}

double SceneGeometry::beam_centre_hz(double line, const Vec3& place_m) const {
    if (!scene_.on_orbit()) return scene_.doppler_centroid_hz;
    const double time_s = radar_.pulse_time_s(line) + 0.5 * (scene_.chirp_duration_s + radar_.delay_s(line, place_m));
    const StateVector state = radar_.track()(time_s);
    const Vec3 axis = long_axis(time_s), look = place_m - state.position_m;
    return 2 / scene_.wavelength_m() * dot(unit(look - dot(look, axis) * axis), state.velocity_m_s);
}

double SceneGeometry::aperture_lines(const Vec3& place_m) const {
    const double line = radar_.line_at(radar_.closest_approach(place_m, radar_.pulse_time_s(mid_line())).time_s);
    const double rate_hz = std::abs(radar_.doppler_hz(line + 1, place_m) - radar_.doppler_hz(line, place_m));  // a line
    return std::max(1.0, scene_.azimuth_bandwidth_hz / rate_hz);
}

bool SceneGeometry::in_spotlight(std::int64_t line, const Vec3& place_m) const {
    return std::abs(offset_hz(static_cast<double>(line), place_m)) <= 0.5 * scene_.azimuth_bandwidth_hz;
}

bool SceneGeometry::seen_again(const Vec3& place_m) const {
    if (!spotlight()) return false;
    int times = 0;
    bool before = false;
    for (std::int64_t line = 0; line < scene_.lines; ++line) {
        const bool seen = in_spotlight(line, place_m);
        times += seen && !before;
        before = seen;
    }
    return times > 1;
}

double SceneGeometry::centre_line(const Vec3& place_m) const {
    if (spotlight()) {
        const IlluminatedLines lines = illuminated(place_m);
        return 0.5 * (lines.first + lines.last);
    }
    const double near_line = radar_.line_at(radar_.closest_approach(place_m, radar_.pulse_time_s(mid_line())).time_s);
    return RadarGeometry::crossing([&](double line) { return offset_hz(line, place_m); }, 0, near_line,
                                   aperture_lines(place_m));
}

IlluminatedLines SceneGeometry::illuminated(const Vec3& place_m) const {
    if (spotlight()) {  // lines of the record; none: behind its end
        std::int64_t first = 0, last = scene_.lines - 1;
        while (first <= last && !in_spotlight(first, place_m)) ++first;
        while (last > first && !in_spotlight(last, place_m)) --last;
        return {static_cast<double>(first), static_cast<double>(std::max(first, last))};
    }
    const double centre = centre_line(place_m), step = aperture_lines(place_m),
                 half_hz = 0.5 * scene_.azimuth_bandwidth_hz;
    const auto offset = [&](double line) { return offset_hz(line, place_m); };
    return {RadarGeometry::crossing(offset, half_hz, centre, step),
            RadarGeometry::crossing(offset, -half_hz, centre, step)};
}

double SceneGeometry::edge(double line, const Vec3& place_m) const {
    return (radar_.delay_s(line, place_m) - radar_.timing().first_sample_s) * scene_.sample_rate_hz;
}

Footprint SceneGeometry::spotlight_footprint(const Vec3& place_m) const {
    Footprint seen{illuminated(place_m), INFINITY, -INFINITY};
    for (double line = seen.lines.first; line <= seen.lines.last; ++line) {
        const double at = edge(line, place_m);
        seen.first_edge = std::min(seen.first_edge, at), seen.last_edge = std::max(seen.last_edge, at);
    }
    return seen;
}

Footprint SceneGeometry::footprint(const Vec3& place_m) const {
    if (spotlight()) return spotlight_footprint(place_m);
    const IlluminatedLines lines = illuminated(place_m);
    const ClosestApproach approach = radar_.closest_approach(place_m, radar_.pulse_time_s(mid_line()));
    const double nearest =
        radar_.line_at(approach.time_s - approach.range_m / speed_of_light_m_s);  // sent so as to turn back then
    const double at_first = edge(lines.first, place_m), at_last = edge(lines.last, place_m);
    return {lines, std::min({at_first, at_last, edge(std::clamp(nearest, lines.first, lines.last), place_m)}),
            std::max(at_first, at_last)};
}

Vec3 SceneGeometry::place_in_beam(const BeamCentrePosition& position, double height_m) const {
    const double delay_s = radar_.timing().first_sample_s + position.sample / scene_.sample_rate_hz;
    const StateVector state =
        radar_.track()(radar_.pulse_time_s(position.line) + 0.5 * (scene_.chirp_duration_s + delay_s));
    const double speed_m_s = norm(state.velocity_m_s);
    double range_m = 0.5 * speed_of_light_m_s * delay_s,
           doppler_hz = scene_.on_orbit() ? 0 : scene_.doppler_centroid_hz;
    Vec3 place_m{};
    // What a straight line from the middle does not know of delay and Doppler is small, and smaller still how it
    // changes.
    for (int round = 0; round < 30; ++round) {
        place_m = place_at(state.position_m, state.velocity_m_s, range_m,
                           0.5 * scene_.wavelength_m() * doppler_hz / speed_m_s, height_m, scene_.look_side);
        const double range_error_m = 0.5 * speed_of_light_m_s * (delay_s - radar_.delay_s(position.line, place_m));
        const double doppler_error_hz = offset_hz(position.line, place_m);
        range_m += range_error_m;
        doppler_hz -= doppler_error_hz;
        if (std::abs(range_error_m) < 1e-9 && std::abs(doppler_error_hz) < 1e-7) break;
    }
    return place_m;
}

/// About a place that a flight turns round zero Doppler is up to a turn away, and comes again: the time nearest to the
/// middle of the record is looked for, as far beyond it as it is long, before Newton's method goes there.
ClosestApproach SceneGeometry::approach_of(const Vec3& place_m) const {
    const double middle_s = radar_.pulse_time_s(mid_line());
    if (!spotlight()) return radar_.closest_approach(place_m, middle_s);
    constexpr int looks = 720;
    const double reach_s = static_cast<double>(scene_.lines) / scene_.prf_hz, step_s = 1.5 * reach_s / looks;
    const auto passed = [&](double time_s) {
        const StateVector state = radar_.track()(time_s);
        return dot(place_m - state.position_m, state.velocity_m_s);
    };
    for (int k = 0; k < looks; ++k)
        for (const double side : {1.0, -1.0}) {
            const double from_s = middle_s + side * k * step_s, to_s = from_s + side * step_s;
            if (passed(from_s) * passed(to_s) <= 0) return radar_.closest_approach(place_m, 0.5 * (from_s + to_s));
        }
    return radar_.closest_approach(place_m, middle_s);
}

LocatedTarget SceneGeometry::locate(const SceneTarget& target) const {
    LocatedTarget located;
    PointTarget& truth = located.truth;
    truth.height_m = target.height_m.value_or(scene_.height_m);
    truth.amplitude = std::polar(target.amplitude, target.phase_deg * degree);
    ClosestApproach approach;
    if (const auto* closest = std::get_if<ZeroDopplerPosition>(&target.position)) {
        approach = {scene_.first_pulse_time_s + closest->time_s, closest->range_m};
    } else if (const auto* beam = std::get_if<BeamCentrePosition>(&target.position)) {
        approach = radar_.closest_approach(place_in_beam(*beam, truth.height_m), radar_.pulse_time_s(beam->line));
    } else {
        const auto& ground = std::get<GroundPosition>(target.position);
        approach = approach_of(to_ecef({ground.latitude_deg, ground.longitude_deg, truth.height_m}));
    }
    located.place_m = radar_.zero_doppler_place(approach, truth.height_m);
    located.illuminated = illuminated(located.place_m);
    truth.range_m = approach.range_m;
    truth.zero_doppler_time_s = approach.time_s;
    truth.beam_centre_time_s = radar_.pulse_time_s(centre_line(located.place_m));
    // N lines light a band of N of their steps in Doppler.
    const double first = std::max(0.0, std::ceil(located.illuminated.first)),
                 last = std::min(static_cast<double>(scene_.lines - 1), std::floor(located.illuminated.last));
    if (first <= last && !spotlight()) {  // round whose spot frequencies neither fall nor pass each value once
        truth.illuminated_band_hz = DopplerBand{radar_.doppler_hz(last + 0.5, located.place_m),
                                                radar_.doppler_hz(first - 0.5, located.place_m)};
        truth.illuminated_s = TimeSpan{radar_.pulse_time_s(first - 0.5), radar_.pulse_time_s(last + 0.5)};
    }
    return located;
}

double SceneGeometry::altitude_m() const {
    return to_geodetic(radar_.track()(radar_.pulse_time_s(mid_line())).position_m).height_m;
}

double SceneGeometry::doppler_centroid_hz() const {
    const double sample = 0.5 * (static_cast<double>(scene_.samples) - scene_.chirp_duration_s * scene_.sample_rate_hz);
    return beam_centre_hz(mid_line(), place_in_beam({mid_line(), sample}, scene_.height_m));
}

std::optional<DopplerSurface> SceneGeometry::doppler_of_pixels_hz() const {
    if (const auto* flight = std::get_if<Flight>(&scene_.orbit); flight && flight->sways()) return std::nullopt;
    if (spotlight()) return std::nullopt;
    constexpr int times = 9, ranges = 8;
    const double last_line = static_cast<double>(scene_.lines - 1),
                 last_sample = static_cast<double>(scene_.samples - 1);
    double first_s = INFINITY, last_s = -INFINITY, near_m = INFINITY, far_m = -INFINITY;
    const auto pixel_of = [&](const BeamCentrePosition& position) {
        return radar_.closest_approach(place_in_beam(position, scene_.height_m), radar_.pulse_time_s(position.line));
    };
    for (const double line : {0.0, last_line})
        for (const double sample : {0.0, last_sample}) {
            const ClosestApproach pixel = pixel_of({line, sample});
            first_s = std::min(first_s, pixel.time_s), last_s = std::max(last_s, pixel.time_s);
            near_m = std::min(near_m, pixel.range_m), far_m = std::max(far_m, pixel.range_m);
        }
    const DopplerSurface frame({.x_centre = 0.5 * (first_s + last_s),
                                .x_half = std::max(1e-9, 0.5 * (last_s - first_s)),
                                .y_centre = 0.5 * (near_m + far_m),
                                .y_half = std::max(1e-9, 0.5 * (far_m - near_m))},
                               altitude_m() < 100e3 ? altitude_m() - scene_.height_m : 0);
    std::vector<SurfacePoint> points;
    for (const double time_s : chebyshev_points(first_s, last_s, times))
        for (const double v : chebyshev_points(-1, 1, ranges)) {
            const double range_m = frame.range_at_m(v);
            const Vec3 place_m = radar_.zero_doppler_place({time_s, range_m}, scene_.height_m);
            points.push_back({.x = time_s, .y = range_m, .value = radar_.doppler_hz(centre_line(place_m), place_m)});
        }
    const double fastest_hz =
        2 * norm(radar_.track()(radar_.pulse_time_s(mid_line())).velocity_m_s) / scene_.wavelength_m();
    if (!std::all_of(points.begin(), points.end(), [&](const auto& p) { return std::abs(p.value) < fastest_hz; }))
        return std::nullopt;
    return fit_surface(frame, powers_up_to(3, 3), points);
}

/// Of pulses, and of the closest approaches of all that they see.
IlluminatedLines SceneGeometry::needed_times() const {
    const double last_line = static_cast<double>(scene_.lines - 1);
    IlluminatedLines span{radar_.pulse_time_s(0), radar_.pulse_time_s(last_line)};
    const auto include = [&](double time_s) { span = {std::min(span.first, time_s), std::max(span.last, time_s)}; };
    for (const double line : {0.0, last_line}) {
        for (const double sample : {0.0, static_cast<double>(scene_.samples)}) {
            if (spotlight()) continue;  // it passes over nothing
            const Vec3 place_m = place_in_beam({line, sample}, scene_.height_m);
            const double time_s = radar_.closest_approach(place_m, radar_.pulse_time_s(line)).time_s;
            const IlluminatedLines lines = illuminated(place_m);
            include(time_s + (lines.first - line) / scene_.prf_hz);
            include(time_s + (lines.last - line) / scene_.prf_hz);
        }
    }
    for (const SceneTarget& target : scene_targets(scene_)) include(locate(target).truth.zero_doppler_time_s);
    return span;
}

Orbit SceneGeometry::orbit() const {
    if (const auto* vectors = std::get_if<Orbit>(&scene_.orbit)) return *vectors;
    const IlluminatedLines span = needed_times();
    if (std::holds_alternative<Flight>(scene_.orbit)) return dense_state_vectors(radar_.track(), span.first, span.last);
    if (scene_.on_orbit()) return state_vectors(radar_.track(), span.first, span.last, orbit_spacing_s);
    return state_vectors(radar_.track(), span.first, span.last,
                         std::max(1.0, std::ceil((span.last - span.first) / least_vectors)));
}

Attitude SceneGeometry::attitude() const {
    const Orbit spanned = orbit();
    const double spacing_of_orbit_s = spanned.time_s[1] - spanned.time_s[0];
    const double spacing_s = scene_.on_orbit() ? std::min(attitude_spacing_s, spacing_of_orbit_s) : spacing_of_orbit_s;
    Attitude attitude;
    for (double i = std::ceil(spanned.time_s.front() / spacing_s); i * spacing_s <= spanned.time_s.back(); ++i) {
        const Frame frame = antenna_frame(i * spacing_s);
        attitude.time_s.push_back(i * spacing_s);
        attitude.quaternions.push_back(quaternion(frame.x, frame.y, frame.z));
    }
    return attitude;
}

}  // namespace cornerturn
