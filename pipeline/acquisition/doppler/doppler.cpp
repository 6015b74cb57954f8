// SPDX-License-Identifier: Apache-2.0
// Choice of the Doppler centroid and its prediction from orbit and attitude.
#include "pipeline/acquisition/doppler/doppler.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/range_history.h"

namespace cornerturn {
namespace {

/// A beam this far off the flight's broadside or off the middle of the swath it should light is no real antenna
/// pointing; edges of an aircraft's swath are farther off.
constexpr double cosine_of_alignment = 0.866;  // 30 deg
constexpr double cosine_of_edges = 0.174;      // 80 deg

/// Normalised linear interpolation, held at the ends.
std::optional<std::array<double, 4>> quaternion_at(const Attitude& attitude, double time_s) {
    const std::size_t count = attitude.time_s.size();
    if (count == 0 || attitude.quaternions.size() != count) return std::nullopt;
    const auto above = static_cast<std::size_t>(
        std::lower_bound(attitude.time_s.begin(), attitude.time_s.end(), time_s) - attitude.time_s.begin());
    const std::size_t last = std::min(above, count - 1), first = above == 0 || above == count ? last : above - 1;
    const double span = attitude.time_s[last] - attitude.time_s[first];
    const double u = span > 0 ? (time_s - attitude.time_s[first]) / span : 0.0;
    const auto &a = attitude.quaternions[first], &b = attitude.quaternions[last];
    const double sign =
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1.0 : 1.0;  // q and -q are the same rotation
    std::array<double, 4> q{};
    for (std::size_t k = 0; k < 4; ++k) q[k] = (1.0 - u) * a[k] + sign * u * b[k];
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0.5 && length < 2.0)) return std::nullopt;
    for (double& component : q) component /= length;
    return q;
}

}  // namespace

namespace {

/// The height of a point of the ground: that of its pixel.
double height_at_m(const Orbit& orbit, const Vec3& place_m, double near_time_s, const SceneHeight& height_m) {
    double zero_doppler_s = near_time_s;
    for (int round = 0; round < 5; ++round) {  // the Earth is round: each leaves a tenth of the distance
        const StateVector state = interpolate(orbit, zero_doppler_s);
        zero_doppler_s +=
            dot(place_m - state.position_m, state.velocity_m_s) / dot(state.velocity_m_s, state.velocity_m_s);
    }
    return height_m(zero_doppler_s, norm(place_m - interpolate(orbit, zero_doppler_s).position_m));
}

/// The ground at a range in the plane across `along`.
GroundPoint point_in_beam(const Acquisition& acquisition, const StateVector& state, double time_s, const Vec3& along,
                          double range_m, const SceneHeight& height_m) {
    const LookSide side = acquisition.identification.look_side;
    GroundPoint point = ground_point(state.position_m, along, range_m, side, height_m(time_s, range_m));
    if (height_m.constant()) return point;
    for (int round = 0; round < 3; ++round)
        point = ground_point(state.position_m, along, range_m, side,
                             height_at_m(*acquisition.orbit, point.position_m, time_s, height_m));
    return point;
}

/// The antenna's long axis, whichever of the frame's x and y lies along the flight, and its boresight. Without attitude
/// the satellite is steered to zero Doppler.
struct Antenna {
    Vec3 along, boresight;
};
std::optional<Antenna> antenna_at(const Acquisition& acquisition, const StateVector& state, double time_s) {
    const Vec3 flight = unit(state.velocity_m_s);
    if (!acquisition.attitude) return Antenna{flight, -1.0 * unit(state.position_m)};
    const auto quaternion = quaternion_at(*acquisition.attitude, time_s);
    if (!quaternion || std::abs((*quaternion)[0]) > 1.0 - 1e-12) return std::nullopt;
    const Vec3 x = rotate(*quaternion, {1, 0, 0}), y = rotate(*quaternion, {0, 1, 0});
    Vec3 along = std::abs(dot(x, flight)) > std::abs(dot(y, flight)) ? x : y;
    if (dot(along, flight) < 0) along = -1.0 * along;
    return Antenna{along, rotate(*quaternion, {0, 0, 1})};
}

/// Whether orbit and attitude are there, or what is taken for it.
bool knows_pointing(const Acquisition& acquisition) {
    return acquisition.orbit && acquisition.orbit->time_s.size() >= 2 &&
           (acquisition.attitude || acquisition.steered_to_zero_doppler);
}

/// By orbit and attitude at one place; where time and range are those of the pulse's turning point.
std::optional<double> beam_doppler_hz(const Acquisition& acquisition, double time_s, double range_m,
                                      const SceneHeight& height_m, double least_cosine = cosine_of_edges) {
    const StateVector state = interpolate(*acquisition.orbit, time_s);
    const auto antenna = antenna_at(acquisition, state, time_s);
    if (!antenna || dot(antenna->along, unit(state.velocity_m_s)) < cosine_of_alignment ||
        !ellipsoid_intersection(state.position_m, antenna->boresight))
        return std::nullopt;
    GroundPoint target = point_in_beam(acquisition, state, time_s, antenna->along, range_m, height_m);
    Vec3 look = unit(target.position_m - state.position_m);
    if (const auto& burst = acquisition.burst) {
        // A plane that holds the same look as the cone: where it meets the ground tells the next one.
        const double sine = std::sin(burst->steering_rad_s * (time_s - burst->broadside_time_s));
        for (int round = 0; round < 4; ++round) {
            const Vec3 turned = unit(antenna->along - sine * look);
            target = point_in_beam(acquisition, state, time_s, turned, range_m, height_m);
            look = unit(target.position_m - state.position_m);
        }
    }
    if (!target.on_ellipsoid) return std::nullopt;
    if (acquisition.attitude && dot(look, antenna->boresight) < least_cosine) return std::nullopt;
    return 2.0 / acquisition.wavelength_m() * dot(state.velocity_m_s, look);
}

/// Places of a scene, scaled: times of emission and the slant ranges whose echoes are recorded as a whole.
SmoothSurface frame_of(const Acquisition& acquisition) {
    const double lines = static_cast<double>(std::max<std::int64_t>(1, acquisition.lines - 1));
    const double samples = std::max(1.0, static_cast<double>(acquisition.samples) - acquisition.chirp_samples());
    return {.x_centre = acquisition.pulse_time_s(0.5 * lines),
            .x_half = std::max(1e-6, 0.5 * lines / acquisition.prf_hz),
            .y_centre = acquisition.range_m(0.5 * samples),
            .y_half = std::max(1e-3, 0.5 * samples * acquisition.range_spacing_m)};
}

/// The same, of a swath over ground at a height.
DopplerSurface over_the_ground(const Acquisition& acquisition, const SceneHeight& height_m) {
    const SmoothSurface frame = frame_of(acquisition);
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return frame;
    return {frame, nadir_range_m(*acquisition.orbit, frame.x_centre, height_m(frame.x_centre, frame.y_centre))};
}

}  // namespace

DopplerSurface constant_doppler(const Acquisition& acquisition, double centroid_hz) {
    return with_powers(frame_of(acquisition), {{0, 0}}, {centroid_hz});
}

/// Powers about a range become those about the middle of the swath by Taylor's formula.
DopplerSurface range_polynomial(const Acquisition& acquisition, double centroid_hz, const DopplerSlopes& slopes) {
    SmoothSurface surface = frame_of(acquisition);
    std::vector<double> powers{centroid_hz};
    powers.insert(powers.end(), slopes.hz_per_km.begin(), slopes.hz_per_km.end());
    const double off_km = (surface.y_centre - slopes.about_range_m.value_or(surface.y_centre)) / 1e3;
    double scale = 1;
    for (std::size_t j = 0; j < powers.size(); ++j, scale *= surface.y_half / 1e3) {
        double shifted = 0, binomial = 1, offset = 1;
        for (std::size_t k = j; k < powers.size(); ++k) {
            shifted += binomial * powers[k] * offset;
            offset *= off_km;
            binomial *= static_cast<double>(k + 1) / static_cast<double>(k + 1 - j);
        }
        surface.powers[0][j] = shifted * scale;
    }
    return surface;
}

namespace {

/// Held beyond the scale of a surface.
double held(const DopplerSurface& surface, double x, double y) {
    return surface(std::clamp(x, surface.x_centre - surface.x_half, surface.x_centre + surface.x_half),
                   std::clamp(y, surface.y_centre - surface.y_half, surface.y_centre + surface.y_half));
}

/// Where and when targets in the beam's centre have to be looked for so that their echoes fill an acquisition.
struct PixelBounds {
    double from_s, to_s, from_m, to_m;
};
PixelBounds pixels_of(const Acquisition& acquisition, const Track& track, const DopplerSurface& of_pixels_hz) {
    const SmoothSurface frame = frame_of(acquisition);
    PixelBounds pixels{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const double u : {-1.0, 1.0})
        for (const double v : {-1.0, 1.0}) {
            const double sent_s = frame.x_centre + u * frame.x_half, slant_m = frame.y_centre + v * frame.y_half;
            double time_s = sent_s, range_m = slant_m;
            for (int round = 0; round < 6; ++round) {
                const double hz = held(of_pixels_hz, time_s, range_m);
                const BeamCentre beam =
                    beam_centre(track, acquisition.carrier_hz, time_s, range_m, [=](double, double) { return hz; });
                const double seen_m = 0.5 * speed_of_light_m_s * track.delay_history(time_s, range_m)(beam.time_s);
                time_s = sent_s - beam.time_s;
                range_m += slant_m - seen_m;
            }
            pixels = {std::min(pixels.from_s, time_s), std::max(pixels.to_s, time_s), std::min(pixels.from_m, range_m),
                      std::max(pixels.to_m, range_m)};
        }
    return pixels;
}

}  // namespace

DopplerSurface doppler_of_echo(const Acquisition& acquisition, const Track& track, const DopplerSurface& of_pixels_hz) {
    constexpr int times = 9, ranges = 8;
    const PixelBounds pixels = pixels_of(acquisition, track, of_pixels_hz);
    std::vector<SurfacePoint> points;
    for (const double time_s : chebyshev_points(pixels.from_s, pixels.to_s, times))
        for (const double range_m : chebyshev_points(pixels.from_m, pixels.to_m, ranges)) {
            const double hz = held(of_pixels_hz, time_s, range_m);
            const BeamCentre beam =
                beam_centre(track, acquisition.carrier_hz, time_s, range_m, [=](double, double) { return hz; });
            points.push_back({.x = time_s + beam.time_s,
                              .y = 0.5 * speed_of_light_m_s * track.delay_history(time_s, range_m)(beam.time_s),
                              .value = hz});
        }
    return fit_surface(DopplerSurface(frame_of(acquisition), of_pixels_hz.nadir_m), powers_up_to(4, 3), points);
}

double in_the_middle_hz(const Acquisition& acquisition, const DopplerSurface& surface) {
    const SmoothSurface frame = frame_of(acquisition);
    return surface(frame.x_centre, frame.y_centre);
}

DopplerChoice at_carrier(DopplerChoice choice, double from_carrier_hz, double to_carrier_hz) {
    choice.centroid_hz = doppler_at_carrier_hz(choice.centroid_hz, from_carrier_hz, to_carrier_hz);
    for (auto& row : choice.surface_hz.powers)
        for (double& power : row) power = doppler_at_carrier_hz(power, from_carrier_hz, to_carrier_hz);
    return choice;
}

std::optional<double> predicted_doppler_at_hz(const Acquisition& acquisition, double time_s, double range_m,
                                              const SceneHeight& height_m) {
    if (!knows_pointing(acquisition)) return std::nullopt;
    return beam_doppler_hz(acquisition, time_s + range_m / speed_of_light_m_s, range_m, height_m);
}

namespace {

/// Whether the antenna looks at the middle of the swath.
bool looks_at_swath(const Acquisition& acquisition, const SceneHeight& height_m) {
    if (!knows_pointing(acquisition)) return false;
    const SmoothSurface frame = frame_of(acquisition);
    return beam_doppler_hz(acquisition, frame.x_centre + frame.y_centre / speed_of_light_m_s, frame.y_centre, height_m,
                           cosine_of_alignment)
        .has_value();
}

}  // namespace

std::optional<DopplerSurface> predicted_doppler(const Acquisition& acquisition, const SceneHeight& height_m) {
    constexpr int times = 7, ranges = 6;
    if (!looks_at_swath(acquisition, height_m)) return std::nullopt;
    const DopplerSurface frame = over_the_ground(acquisition, height_m);
    std::vector<SurfacePoint> points;
    for (const double u : chebyshev_points(-1, 1, times))
        for (const double v : chebyshev_points(-1, 1, ranges)) {
            const double time_s = frame.x_centre + u * frame.x_half, range_m = frame.range_at_m(v);
            const auto doppler_hz = predicted_doppler_at_hz(acquisition, time_s, range_m, height_m);
            if (doppler_hz) points.push_back({.x = time_s, .y = range_m, .value = *doppler_hz});
        }
    if (points.size() < static_cast<std::size_t>(times * (ranges - 1))) return std::nullopt;
    // Along a reference track a beam that follows the sway wanders to and fro, as no polynomial does.
    return fit_surface(frame, acquisition.motion ? powers_up_to(2, 3) : powers_up_to(4, 3), points);
}

std::optional<double> predicted_doppler_centroid_hz(const Acquisition& acquisition, const SceneHeight& height_m) {
    const auto surface = predicted_doppler(acquisition, height_m);
    return surface ? std::optional(in_the_middle_hz(acquisition, *surface)) : std::nullopt;
}

}  // namespace cornerturn
