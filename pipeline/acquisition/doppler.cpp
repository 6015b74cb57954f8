// SPDX-License-Identifier: Apache-2.0
// Choice of the Doppler centroid and its prediction from orbit and attitude.
#include "pipeline/acquisition/doppler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/ambiguity.h"
#include "pipeline/acquisition/doppler_fit.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/range_history.h"
#include "pipeline/acquisition/surface_fit.h"

namespace cornerturn {
namespace {

/// A beam this far off the flight's broadside or off the middle of the swath it should light is no real antenna
/// pointing; edges of an aircraft's swath are farther off.
constexpr double cosine_of_alignment = 0.866;  // 30 deg
constexpr double cosine_of_edges = 0.174;      // 80 deg

/// A prediction must come this close (in PRF) to the value chosen, or the next multiple would be as likely.
constexpr double safe_distance_prf = 0.35;

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

double to_multiple_hz(double baseband_hz, double near_hz, double prf_hz) {
    return baseband_hz + prf_hz * std::round((near_hz - baseband_hz) / prf_hz);
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

/// By orbit and attitude at one place; where time and range are those of the pulse's turning point.
std::optional<double> beam_doppler_hz(const Acquisition& acquisition, double time_s, double range_m,
                                      const SceneHeight& height_m, double least_cosine = cosine_of_edges) {
    const auto quaternion = quaternion_at(*acquisition.attitude, time_s);
    if (!quaternion || std::abs((*quaternion)[0]) > 1.0 - 1e-12) return std::nullopt;
    const StateVector state = interpolate(*acquisition.orbit, time_s);
    const Vec3 flight = unit(state.velocity_m_s);
    const Vec3 x = rotate(*quaternion, {1, 0, 0}), y = rotate(*quaternion, {0, 1, 0}),
               boresight = rotate(*quaternion, {0, 0, 1});
    // The antenna's long axis is whichever lies along the flight; the beam is the plane across it.
    Vec3 along = std::abs(dot(x, flight)) > std::abs(dot(y, flight)) ? x : y;
    if (dot(along, flight) < 0) along = -1.0 * along;
    if (dot(along, flight) < cosine_of_alignment || !ellipsoid_intersection(state.position_m, boresight))
        return std::nullopt;
    const GroundPoint target = point_in_beam(acquisition, state, time_s, along, range_m, height_m);
    const Vec3 look = unit(target.position_m - state.position_m);
    if (!target.on_ellipsoid || dot(look, boresight) < least_cosine) return std::nullopt;
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
    if (!acquisition.orbit || !acquisition.attitude || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    return beam_doppler_hz(acquisition, time_s + range_m / speed_of_light_m_s, range_m, height_m);
}

namespace {

/// Whether the antenna looks at the middle of the swath.
bool looks_at_swath(const Acquisition& acquisition, const SceneHeight& height_m) {
    if (!acquisition.orbit || !acquisition.attitude || acquisition.orbit->time_s.size() < 2) return false;
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

namespace {

/// What the cells of an estimate make of the surface of attitude, else of a constant.
void refine(const Acquisition& acquisition, const std::optional<DopplerSurface>& predicted,
            const DopplerEstimate& found, DopplerChoice& choice) {
    const DopplerSurface base = predicted.value_or(constant_doppler(acquisition, choice.centroid_hz));
    const auto fit = fit_doppler(found.cells, doppler_prior(acquisition, base, predicted.has_value(), found.whole_beam),
                                 acquisition.prf_hz, found.whole_beam);
    if (!fit) {
        choice.surface_hz = base + (choice.centroid_hz - in_the_middle_hz(acquisition, base));
        return;
    }
    choice.surface_hz = fit->surface_hz;
    choice.centroid_hz = in_the_middle_hz(acquisition, choice.surface_hz);
    choice.error_hz = fit->error_hz;
    choice.source += predicted && fit->terms == 0 ? ", as attitude has it" : "";
    choice.source += fmt::format(", +- {:.1f} Hz by {} cells that scatter by {:.1f} Hz", fit->error_hz,
                                 found.cells.size(), fit->scatter_hz);
}

/// Data that tell the centroid no better than this leave it to attitude.
constexpr double well_told_prf = 0.02;

/// Whoever knows the pointing to a tenth of the PRF would not be so far off.
constexpr double contradiction_prf = 0.1;

/// A single number: the level of the shape that attitude has, with a warning where that contradicts it. A file with an
/// effective velocity describes straight flight, in which one number holds over the swath.
DopplerChoice of_number(const Acquisition& acquisition, double number_hz, const SceneHeight& height_m) {
    DopplerChoice choice{number_hz, constant_doppler(acquisition, number_hz), DopplerOrigin::file, "file", true};
    const auto predicted = predicted_doppler(acquisition, height_m);
    if (!predicted) return choice;
    const double predicted_hz = in_the_middle_hz(acquisition, *predicted);
    if (!acquisition.effective_velocity_m_s) {
        choice.surface_hz = *predicted + (number_hz - predicted_hz);
        choice.source = "file, a number, over the swath as attitude has it";
    }
    if (std::abs(number_hz - predicted_hz) > contradiction_prf * acquisition.prf_hz)
        choice.warnings.push_back(
            fmt::format("dopplerCentroid of the file: {:.1f} Hz, but orbit and attitude say {:.1f} Hz, {:.2f} of the "
                        "PRF away; the file's is taken: --doppler-centroid data asks the echo, orbit takes attitude",
                        number_hz, predicted_hz, std::abs(number_hz - predicted_hz) / acquisition.prf_hz));
    return choice;
}

/// Where the echo tells nothing.
DopplerChoice without_estimate(const Acquisition& acquisition, const std::optional<DopplerSurface>& predicted) {
    if (predicted)
        return {in_the_middle_hz(acquisition, *predicted), *predicted, DopplerOrigin::orbit,
                "orbit and attitude, as the echo tells nothing", true};
    DopplerChoice zero{0, constant_doppler(acquisition, 0), DopplerOrigin::estimate,
                       "ASSUMED, neither attitude, file nor data tell it", false};
    zero.warnings.push_back(
        "Doppler centroid: 0 Hz is assumed, as the echo holds no signal that neighbouring lines share, and neither "
        "file nor attitude tell it; give --doppler-centroid HZ");
    return zero;
}

}  // namespace

std::optional<AmbiguityFromData> told_by_data(const Acquisition& acquisition, const DopplerEstimate& found) {
    struct Method {
        double hz, error_hz;
        std::string words;
    };
    std::vector<Method> methods;
    if (found.absolute_hz)
        methods.push_back(
            {*found.absolute_hz, found.absolute_error_hz, "the phase slope of the correlation over range frequency"});
    if (found.walk_hz) methods.push_back({*found.walk_hz, found.walk_error_hz, "the range walk between looks"});
    if (methods.empty() || !found.baseband_hz) return std::nullopt;
    const Method& best = *std::min_element(methods.begin(), methods.end(),
                                           [](const Method& a, const Method& b) { return a.error_hz < b.error_hz; });
    const double near_hz = to_multiple_hz(*found.baseband_hz, best.hz, acquisition.prf_hz);
    std::vector<AmbiguityVote> votes;
    AmbiguityFromData told{.error_hz = best.error_hz};
    for (const Method& method : methods) {
        votes.push_back({(method.hz - near_hz) / acquisition.prf_hz, method.error_hz / acquisition.prf_hz});
        told.how += fmt::format("{} {} ({:.0f} +- {:.0f} Hz)", told.how.empty() ? "from" : " and", method.words,
                                method.hz, method.error_hz);
    }
    const Ambiguity ambiguity = ambiguity_of(votes);
    told.near_hz = near_hz + ambiguity.multiple * acquisition.prf_hz;
    told.confidence = ambiguity.confidence;
    return told;
}

DopplerChoice choose_doppler(const Acquisition& acquisition, std::optional<double> option, ParameterSource from,
                             const DopplerEstimator& estimate, const SceneHeight& height_m) {
    const auto require_frequency = [](double value_hz, const char* where) {
        if (!std::isfinite(value_hz))
            throw InputError(
                fmt::format("{}: {} is no frequency; give --doppler-centroid HZ or data", where, value_hz));
    };
    const auto known = [&](double value_hz, const char* where, DopplerOrigin origin, const char* source) {
        require_frequency(value_hz, where);
        return DopplerChoice{value_hz, constant_doppler(acquisition, value_hz), origin, source, true};
    };
    if (option) return known(*option, "--doppler-centroid", DopplerOrigin::option, "option");
    if (acquisition.doppler_of_pixels_hz && from == ParameterSource::automatic) {
        const DopplerSurface& table = *acquisition.doppler_of_pixels_hz;
        return known(table(table.x_centre, table.y_centre), "dopplerCentroid of the file", DopplerOrigin::file,
                     "file, a table");
    }
    if (acquisition.doppler_centroid_hz && from == ParameterSource::automatic) {
        require_frequency(*acquisition.doppler_centroid_hz, "dopplerCentroid of the file");
        return of_number(acquisition, *acquisition.doppler_centroid_hz, height_m);
    }
    const std::optional<DopplerSurface> predicted = predicted_doppler(acquisition, height_m);
    if (from == ParameterSource::orbit) {
        if (!predicted)
            throw InputError(
                "--doppler-centroid orbit: the file has no orbit with an attitude that looks at the swath; give HZ, "
                "auto or data");
        return {in_the_middle_hz(acquisition, *predicted), *predicted, DopplerOrigin::orbit, "orbit and attitude",
                true};
    }

    const DopplerEstimate found = estimate();
    if (!found.baseband_hz) {
        if (from == ParameterSource::data)
            throw InputError(
                "--doppler-centroid data: the echo holds no signal that neighbouring lines share; give HZ, auto or "
                "orbit");
        return without_estimate(acquisition, predicted);
    }
    const double prf = acquisition.prf_hz, baseband_hz = *found.baseband_hz;
    const auto choice = [&](double near_hz, bool certain, const std::string& how) {
        DopplerChoice chosen{to_multiple_hz(baseband_hz, near_hz, prf), {}, DopplerOrigin::estimate, "", certain};
        const double ambiguity = std::round((chosen.centroid_hz - baseband_hz) / prf);
        chosen.source =
            fmt::format("estimated: baseband {:.1f} Hz from the lag-1 correlation of the lines, ambiguity {:+.0f} {}",
                        baseband_hz, ambiguity, how);
        refine(acquisition, predicted, found, chosen);
        // Over a swath of more than a PRF the middle need not be where the mean is.
        const double off_hz = prf * std::round((near_hz - chosen.centroid_hz) / prf);
        chosen.surface_hz = chosen.surface_hz + off_hz;
        chosen.centroid_hz += off_hz;
        return chosen;
    };
    const auto safe = [&](double near_hz) {
        return std::abs(to_multiple_hz(baseband_hz, near_hz, prf) - near_hz) < safe_distance_prf * prf;
    };
    if (predicted) {
        const double middle_hz = in_the_middle_hz(acquisition, *predicted);
        DopplerChoice of_data =
            choice(middle_hz, safe(middle_hz), fmt::format("from orbit and attitude ({:.0f} Hz predicted)", middle_hz));
        if (from == ParameterSource::data || of_data.error_hz.value_or(INFINITY) < well_told_prf * prf) return of_data;
        const std::string how_well =
            of_data.error_hz ? fmt::format("to {:.1f} Hz only", *of_data.error_hz) : "too poorly";
        return {middle_hz, *predicted, DopplerOrigin::orbit, "orbit and attitude, as the data tell it " + how_well,
                true};
    }
    if (acquisition.doppler_centroid_hz && std::isfinite(*acquisition.doppler_centroid_hz))
        return choice(*acquisition.doppler_centroid_hz, safe(*acquisition.doppler_centroid_hz),
                      fmt::format("from the file's dopplerCentroid of {} Hz", *acquisition.doppler_centroid_hz));
    if (const auto told = told_by_data(acquisition, found)) {
        if (told->confidence >= certain_confidence) return choice(told->near_hz, true, told->how);
        // Not even that it is another one than the nearest to 0.
        if (std::abs(told->near_hz - baseband_hz) > 2.0 * told->error_hz + 0.5 * prf)
            return choice(told->near_hz, false, told->how + ", NOT CERTAIN: give --doppler-centroid HZ");
    }
    return choice(baseband_hz, false, "ASSUMED, neither attitude, file nor data tell it: give --doppler-centroid HZ");
}

}  // namespace cornerturn
