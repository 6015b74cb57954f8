// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/view_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/acquisition/track/state_vector_check.h"
#include "pipeline/acquisition/track/track_offset.h"
#include "pipeline/acquisition/track/zero_doppler.h"
#include "pipeline/formers/former.h"

namespace cornerturn {
namespace {

/// The beam's band; without a window, which has to span just that, with the ripple that its edges spill over (Fresnel:
/// it has fallen to some -30 dB within four times the root of the FM rate), as what is cut off there is missed in the
/// response. Where its centre wanders or is in doubt, wherever it may lie.
double band_of_beam_hz(const Acquisition& acquisition, const FocusOptions& options, const FormerParameters& view) {
    const double aside_hz = view.centroid_doubt_hz + (acquisition.motion ? acquisition.motion->wander_hz : 0);
    const double beam_hz = *acquisition.azimuth_bandwidth_hz + 2 * aside_hz, range_m = acquisition.range_m(0);
    if (acquisition.burst || options.azimuth_window.kind != Window::Kind::none) return beam_hz;
    const double speed_m_s = view.velocity(range_m), wavelength_m = acquisition.wavelength_m(),
                 factor = migration_factor(view.doppler_centroid_hz, speed_m_s, wavelength_m);
    return beam_hz + 8 * std::sqrt(azimuth_fm_rate_hz_s(factor * range_m, factor, speed_m_s, wavelength_m));
}

/// What the user gave; else what the beam fills where the file knows it, else the PRF, neither beyond what the geometry
/// holds: of a high PRF a slow platform uses little.
double processed_azimuth_bandwidth_hz(const Acquisition& acquisition, const FocusOptions& options,
                                      const FormerParameters& view) {
    if (options.azimuth_bandwidth_hz) return *options.azimuth_bandwidth_hz;
    const double widest_hz = widest_azimuth_band_hz(acquisition, view.doppler_centroid_hz, view.velocity);
    if (!acquisition.azimuth_bandwidth_hz) return widest_hz;
    return std::min(band_of_beam_hz(acquisition, options, view), widest_hz);
}

void check_troposphere(const FocusOptions& options, const VelocityChoice& velocity) {
    if (options.troposphere && velocity.source != "orbit")
        throw InputError(
            fmt::format("--troposphere standard: needs an orbit, which tells how steeply echoes come through the air, "
                        "but the velocity comes from the {}; use --troposphere none",
                        velocity.source));
}

/// Along the orbit where that tells the velocity, else straight.
std::shared_ptr<const Track> track_of(const Acquisition& acquisition, const FocusOptions& options,
                                      const VelocityChoice& velocity, const SceneHeight& height_m) {
    if (options.algorithm != automatic_algorithm) check_delays(options, former_named(options.algorithm));
    check_troposphere(options, velocity);
    const LookSide side = acquisition.identification.look_side;
    std::shared_ptr<const Track> track = std::make_shared<StraightTrack>(velocity.profile);
    if (acquisition.flown_beside)
        track = std::make_shared<TrackBeside>(acquisition.flown_beside, side, height_m);
    else if (velocity.source == "orbit")
        track = std::make_shared<OrbitTrack>(*acquisition.orbit, side, height_m);
    if (options.range_delay_m != 0)
        track = std::make_shared<DelayedTrack>(track,
                                               [added_m = options.range_delay_m](double, double) { return added_m; });
    if (options.troposphere)
        track = std::make_shared<DelayedTrack>(track, troposphere_along(*acquisition.orbit, side, height_m));
    return track;
}

/// By an option that tells it for all places.
DopplerChoice given(const Acquisition& acquisition, const DopplerSurface& surface_hz) {
    return {in_the_middle_hz(acquisition, surface_hz), surface_hz, DopplerOrigin::option, "option", true};
}

/// A file's table of pixels is one of the echo once the track is known.
void take_surface(const Acquisition& acquisition, const DopplerSurface& surface_hz, DopplerChoice& doppler) {
    doppler.surface_hz = surface_hz;
    doppler.centroid_hz = in_the_middle_hz(acquisition, surface_hz);
}

/// Between the times at which the beam's centre passes over targets of one zero-Doppler time: of all ranges.
double spread_of_beam_s(const Acquisition& acquisition, const Track& track, const DopplerSurface& surface_hz) {
    const double middle_s = acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1));
    double first_s = INFINITY, last_s = -INFINITY;
    for (const double part : {0.0, 0.5, 1.0}) {
        const double range_m = acquisition.range_m(part * static_cast<double>(acquisition.samples - 1)),
                     hz = surface_hz(middle_s, range_m);
        const double offset_s =
            offset_under_beam_s(track, acquisition.carrier_hz, middle_s, range_m, [hz](double, double) { return hz; });
        first_s = std::min(first_s, offset_s), last_s = std::max(last_s, offset_s);
    }
    return last_s > first_s ? last_s - first_s : 0;
}

/// A polynomial knows nothing far from the echo, but is asked there while beam centres are looked for. The rows of a
/// block are looked at in all ranges, which the beam's centre passes over at other times: so long it goes on evenly, as
/// laws over range, which are smooth, would not follow a bend.
DopplerModel held(const Acquisition& acquisition, const Track& track, const DopplerSurface& surface_hz) {
    const double lines = static_cast<double>(acquisition.lines), samples = static_cast<double>(acquisition.samples),
                 beyond = 0.5;
    // Targets of a burst have their zero-Doppler times far outside, and its steering goes on evenly.
    const double beyond_lines = (acquisition.burst ? 5 : beyond) * lines;
    const double from_s = acquisition.pulse_time_s(-beyond_lines),
                 to_s = acquisition.pulse_time_s(lines + beyond_lines), step_s = 1e-3 * (to_s - from_s),
                 most_s = spread_of_beam_s(acquisition, track, surface_hz);
    const double from_m = acquisition.range_m(-beyond * samples), to_m = acquisition.range_m((1 + beyond) * samples);
    return [=](double time_s, double range_m) {
        const double within_s = std::clamp(time_s, from_s, to_s), within_m = std::clamp(range_m, from_m, to_m),
                     hz = surface_hz(within_s, within_m);
        if (within_s == time_s || most_s == 0) return hz;
        const double inside_s = within_s + (time_s > to_s ? -step_s : step_s);
        return hz + (surface_hz(inside_s, within_m) - hz) / (inside_s - within_s) *
                        std::clamp(time_s - within_s, -most_s, most_s);
    };
}

/// Whether the centroid of any range changes over time by more than what a block of one band allows, 4 % of the PRF:
/// whoever says so, as tables of files drift like estimates, and so does a number over the swath as attitude has it.
bool drifts(const Acquisition& acquisition, const DopplerSurface& surface_hz) {
    constexpr double largest_prf = 0.04;
    for (const double sample : {0.0, 0.5, 1.0}) {
        const double range_m = acquisition.range_m(sample * static_cast<double>(acquisition.samples - 1));
        double lowest_hz = INFINITY, highest_hz = -INFINITY;
        for (const double line : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            const double hz =
                surface_hz(acquisition.pulse_time_s(line * static_cast<double>(acquisition.lines - 1)), range_m);
            lowest_hz = std::min(lowest_hz, hz), highest_hz = std::max(highest_hz, hz);
        }
        if (highest_hz - lowest_hz > largest_prf * acquisition.prf_hz) return true;
    }
    return false;
}

/// Closest range of the target that the beam's centre sees at a time and slant range.
double closest_range_m(const ViewingGeometry& geometry, double time_s, double slant_m) {
    constexpr int rounds = 4;  // each gains two digits
    double range_m = slant_m;
    for (int round = 0; round < rounds; ++round) {
        const double zero_doppler_s = geometry.zero_doppler_time_s(time_s, range_m);
        const double delay_s = geometry.track().delay_history(zero_doppler_s, range_m)(time_s - zero_doppler_s);
        range_m += slant_m - 0.5 * speed_of_light_m_s * delay_s;
    }
    return range_m;
}

/// All pixels whose beam centre an echo holds.
PixelSpan pixels_of(const Acquisition& acquisition, const ViewingGeometry& geometry) {
    constexpr int ranges = 9;
    PixelSpan span{INFINITY, -INFINITY, INFINITY, -INFINITY};
    const double last_line = static_cast<double>(acquisition.lines) - 0.5;
    for (const double line : {-0.5, 0.5 * (last_line - 0.5), last_line})
        for (int i = 0; i < ranges; ++i) {
            const double time_s = acquisition.pulse_time_s(line),
                         sample = static_cast<double>(acquisition.samples - 1) * i / (ranges - 1),
                         range_m = closest_range_m(geometry, time_s, acquisition.range_m(sample)),
                         zero_doppler_s = geometry.zero_doppler_time_s(time_s, range_m);
            span = {std::min(span.from_s, zero_doppler_s), std::max(span.to_s, zero_doppler_s),
                    std::min(span.from_m, range_m), std::max(span.to_m, range_m)};
        }
    return span;
}

void check_terrain(const Acquisition& acquisition, const FocusOptions& options) {
    const bool other_velocity = options.velocity_m_s || options.velocity_from == ParameterSource::data;
    if (!acquisition.orbit || other_velocity)
        throw InputError(
            fmt::format("{}: {}, so nothing says where on it the scene lies; leave --dem out", options.terrain->name(),
                        other_velocity ? "--velocity takes the place of an orbit" : "the file has no orbit"));
}

/// Of an orbit that tells the geometry, and all of the pulses.
void check_zero_doppler(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m,
                        double centroid_hz) {
    if (!acquisition.orbit || options.velocity_m_s || options.velocity_from == ParameterSource::data) return;
    const Orbit& orbit = *acquisition.orbit;
    for (const double line : {0.0, static_cast<double>(acquisition.lines - 1)})
        if (seconds_outside(orbit, acquisition.pulse_time_s(line)) > 0) return;
    require_one_zero_doppler(acquisition, OrbitTrack(orbit, acquisition.identification.look_side, height_m),
                             centroid_hz);
}

/// Of a velocity that is given, where orbit or file contradict it so much that points blur: the phase that is left at
/// the ends of apertures is pi B^2 / (4 Ka) of twice the relative error (Cumming & Wong 2005, section 5.5).
void warn_of_velocity(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                      std::vector<std::string>& warnings) {
    constexpr double blurring_rad = std::numbers::pi / 4;
    std::optional<VelocityChoice> told;
    try {
        told = choose_velocity(acquisition, centroid_hz, {});
    } catch (const InputError&) {
        return;  // whoever knows nothing contradicts nothing
    }
    const double given_m_s = *options.velocity_m_s, wavelength_m = acquisition.wavelength_m(),
                 slant_m = 0.5 * (acquisition.range_m(0) + acquisition.far_range_m()),
                 factor = migration_factor(centroid_hz, given_m_s, wavelength_m), range_m = factor * slant_m,
                 told_m_s = told->profile(range_m),
                 band_hz = options.azimuth_bandwidth_hz.value_or(
                     acquisition.azimuth_bandwidth_hz.value_or(acquisition.prf_hz)),
                 left_rad = std::numbers::pi * band_hz * band_hz /
                            (2 * azimuth_fm_rate_hz_s(range_m, factor, given_m_s, wavelength_m)) *
                            std::abs(given_m_s / told_m_s - 1);
    if (left_rad > blurring_rad)
        warnings.push_back(
            fmt::format("--velocity {:.7g} m/s: the {} has {:.2f} m/s, and {:.2g} rad between them at the ends of "
                        "apertures blur points (from {:.1g} on); leave it out, or ask the echo by --velocity data",
                        given_m_s, told->source, told_m_s, left_rad, blurring_rad));
}

/// Of options, data, orbit or file, with a warning where these contradict each other.
VelocityChoice velocity_by(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                           std::vector<std::string>& warnings) {
    if (options.velocity_m_s || options.velocity_from != ParameterSource::data) {
        VelocityChoice choice = choose_velocity(acquisition, centroid_hz, options.velocity_m_s, options.velocity_from);
        if (options.velocity_m_s) warn_of_velocity(acquisition, options, centroid_hz, warnings);
        return choice;
    }
    if (!options.estimates.velocity)
        throw std::logic_error("the data have to tell the velocity, but nobody asked them");
    const VelocityEstimate& found = *options.estimates.velocity;
    VelocityChoice choice = choose_velocity(acquisition, centroid_hz, found.velocity_m_s);
    choice.source = fmt::format("data: {:.2f} +- {:.2f} m/s", found.velocity_m_s, found.error_m_s);
    if (found.orbit_velocity_m_s &&
        std::abs(*found.orbit_velocity_m_s - found.velocity_m_s) > velocity_contradiction * found.error_m_s)
        warnings.push_back(
            fmt::format("effective velocity: the orbit has {:.2f} m/s, the data say {:.2f} +- {:.2f} m/s",
                        *found.orbit_velocity_m_s, found.velocity_m_s, found.error_m_s));
    return choice;
}

void warn_of_doppler(const DopplerChoice& doppler, std::vector<std::string>& warnings) {
    warnings.insert(warnings.end(), doppler.warnings.begin(), doppler.warnings.end());
    if (!doppler.ambiguity_certain && doppler.warnings.empty())
        warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid "
                        "if you know it",
                        doppler.centroid_hz, doppler.source));
}

/// The centroid that a file tells may be of the ellipsoid or of the ground as high as it is, and nothing says which.
struct OverHeights {
    DopplerSurface surface_hz;  ///< of the ground
    double doubt_hz = 0;        ///< by how much heights may change that
};

/// Attitude tells what heights change: where a file's centroid is that of the ellipsoid, this goes onto it.
OverHeights over_heights(const Acquisition& acquisition, const DopplerSurface& told_hz, const SceneHeight& height_m) {
    constexpr int times = 7, ranges = 6;
    constexpr double plainly = 0.5;  // nearer to the one than to the other
    const double last_line = static_cast<double>(acquisition.lines - 1),
                 last_sample = static_cast<double>(acquisition.samples - 1);
    std::vector<SurfacePoint> points;
    double off_ground = 0, off_ellipsoid = 0, most_hz = 0;  // squares; both at once
    for (const double u : chebyshev_points(0, 1, times))
        for (const double v : chebyshev_points(0, 1, ranges)) {
            const double time_s = acquisition.pulse_time_s(u * last_line),
                         range_m = acquisition.range_m(v * last_sample), here_hz = told_hz(time_s, range_m);
            const auto ground_hz = predicted_doppler_at_hz(acquisition, time_s, range_m, height_m),
                       ellipsoid_hz = predicted_doppler_at_hz(acquisition, time_s, range_m, 0.0);
            if (!ground_hz || !ellipsoid_hz) return {told_hz};
            const double change_hz = *ground_hz - *ellipsoid_hz;
            points.push_back({.x = time_s, .y = range_m, .value = here_hz + change_hz});
            off_ground += std::pow(*ground_hz - here_hz, 2), off_ellipsoid += std::pow(*ellipsoid_hz - here_hz, 2);
            most_hz = std::max(most_hz, std::min(std::abs(*ground_hz - here_hz), std::abs(change_hz)));
        }
    if (off_ground <= plainly * plainly * off_ellipsoid) return {told_hz};
    if (off_ellipsoid > plainly * plainly * off_ground) return {told_hz, most_hz};
    return {fit_surface(told_hz, powers_up_to(4, 3), points)};
}

/// Over ground of such heights.
ViewChoice view_over(const SceneHeight& height_m, const Acquisition& acquisition, const FocusOptions& options) {
    ViewChoice view;
    view.height_m = height_m;
    view.parameters = parameters_by(options);
    view.doppler = doppler_by(acquisition, options, view.height_m);
    view.parameters.centroid_error_hz = likely_error_hz(view.doppler);
    warn_of_doppler(view.doppler, view.warnings);
    if (!options.doppler_surface && (options.doppler_centroid_hz || options.doppler_slopes))  // that was asked for
        if (std::string off = contradicted_option(acquisition, view.doppler.centroid_hz, view.height_m); !off.empty())
            view.warnings.push_back(std::move(off));
    const double centroid_hz = view.doppler.centroid_hz;
    check_zero_doppler(acquisition, options, view.height_m, centroid_hz);
    const VelocityChoice velocity = velocity_by(acquisition, options, centroid_hz, view.warnings);
    view.velocity_source = velocity.source;
    const std::shared_ptr<const Track> track = track_of(acquisition, options, velocity, view.height_m);
    if (acquisition.doppler_of_pixels_hz && view.doppler.origin == DopplerOrigin::file)
        take_surface(acquisition, doppler_of_echo(acquisition, *track, *acquisition.doppler_of_pixels_hz),
                     view.doppler);
    if (acquisition.doppler_of_pixels_hz && view.doppler.origin == DopplerOrigin::file && acquisition.attitude) {
        const OverHeights over = over_heights(acquisition, view.doppler.surface_hz, view.height_m);
        take_surface(acquisition, over.surface_hz, view.doppler);
        view.parameters.centroid_doubt_hz = over.doubt_hz;
    }
    if (options.terrain && velocity.source != "orbit")
        throw InputError(fmt::format(
            "{}: the velocity comes from the {}, so nothing says where on it the scene lies; leave --dem out",
            options.terrain->name(), velocity.source));
    const DopplerSurface& surface_hz = view.doppler.surface_hz;
    view.geometry = std::make_shared<ViewingGeometry>(track, held(acquisition, *track, surface_hz),
                                                      acquisition.carrier_hz, !drifts(acquisition, surface_hz));
    view.parameters.doppler_centroid_hz = centroid_hz;
    view.parameters.velocity = velocity.profile;
    view.parameters.azimuth_bandwidth_hz = processed_azimuth_bandwidth_hz(acquisition, options, view.parameters);
    return view;
}

}  // namespace

void check_delays(const FocusOptions& options, const Former& former) {
    if (!has_delays(options)) return;
    if (!former.takes_delays)
        throw InputError(
            fmt::format("--algorithm {}: knows no delays beside those of straight flight; use rda or omegak, or leave "
                        "--range-delay and --troposphere out",
                        former.name));
}

DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m,
                         const DopplerEstimator& estimate) {
    require_orbit_of_burst(acquisition);
    if (options.doppler_surface) return given(acquisition, *options.doppler_surface);
    if (options.doppler_slopes && acquisition.burst)
        throw InputError(
            "--doppler-centroid C0,C1: a polynomial over range does not tell how the beam of a burst is steered; give "
            "one number, that of the burst's middle, or data or orbit");
    const DopplerChoice chosen =
        choose_doppler(acquisition, options.doppler_centroid_hz, options.doppler_from, estimate, height_m);
    if (!options.doppler_slopes) return chosen;
    return given(acquisition, range_polynomial(acquisition, chosen.centroid_hz, *options.doppler_slopes));
}

DopplerChoice doppler_by(const Acquisition& acquisition, const FocusOptions& options, const SceneHeight& height_m) {
    return doppler_by(acquisition, options, height_m, [&] {
        if (!options.estimates.doppler)
            throw std::logic_error("the data have to tell the Doppler centroid, but nobody asked them");
        return *options.estimates.doppler;
    });
}

FormerParameters parameters_by(const FocusOptions& options) {
    return {.velocity = {},
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .interpolation_taps = options.interpolation_taps,
            .extent = options.extent,
            .error_db = options.error_db,
            .keeps_beam = options.keep_beam};
}

ViewChoice choose_view(const Acquisition& acquisition, const FocusOptions& options) {
    if (!options.terrain) return view_over(options.height_m, acquisition, options);
    check_terrain(acquisition, options);
    // Which part of a terrain is seen depends on its heights, by as much as a pixel's zero-Doppler time does.
    constexpr int most_rounds = 3;
    ViewChoice view = view_over(options.height_m, acquisition, options);
    for (int round = 0; round < most_rounds; ++round) {
        const PixelSpan seen = pixels_of(acquisition, *view.geometry);
        // Where no beam centre is found at all, plans are refused.
        if (view.height_m.covers(seen) || !(seen.from_m < seen.to_m)) break;
        std::vector<std::string> remarks;
        view = view_over(height_over_terrain(*acquisition.orbit, acquisition.identification.look_side, seen,
                                             *options.terrain, remarks),
                         acquisition, options);
        view.warnings.insert(view.warnings.begin(), remarks.begin(), remarks.end());
    }
    return view;
}

std::optional<DopplerSurface> doppler_before_data(const Acquisition& acquisition, const FocusOptions& options) {
    if (options.doppler_surface) return options.doppler_surface;
    if (acquisition.sums_all_pulses()) return std::nullopt;
    FocusOptions known = options;
    known.velocity_from = ParameterSource::automatic;
    const bool told = options.doppler_centroid_hz || options.doppler_from == ParameterSource::orbit ||
                      (options.doppler_from == ParameterSource::automatic &&
                       (acquisition.doppler_of_pixels_hz || acquisition.doppler_centroid_hz));
    if (!told) known.doppler_from = ParameterSource::orbit;
    try {
        return choose_view(acquisition, known).doppler.surface_hz;
    } catch (const InputError&) {
        return std::nullopt;  // set_up_focus tells why
    }
}

std::optional<Orbit> reference_of(const Acquisition& acquisition, const FocusOptions& options) {
    if (acquisition.motion) return std::nullopt;
    if (!options.reference_track) return reference_track(acquisition);
    return acquisition.orbit == options.reference_track ? std::nullopt : options.reference_track;
}

SceneHeight height_of(const Acquisition& acquisition, const FocusOptions& options) {
    return options.terrain ? choose_view(acquisition, options).height_m : options.height_m;
}

}  // namespace cornerturn
