// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/reference_track.h"
#include "pipeline/acquisition/track_offset.h"
#include "pipeline/acquisition/zero_doppler.h"
#include "pipeline/formers/map_plan.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/formers/range_filter.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/former_plan.h"

namespace cornerturn {
namespace {

/// The beam's band; without a window, which has to span just that, with the ripple that its edges spill over (Fresnel:
/// it has fallen to some -30 dB within four times the root of the FM rate), as what is cut off there is missed in the
/// response. Where its centre wanders, wherever it may lie.
double band_of_beam_hz(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                       const VelocityProfile& velocity) {
    const double wander_hz = acquisition.motion ? acquisition.motion->wander_hz : 0;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz + 2 * wander_hz, range_m = acquisition.range_m(0);
    if (options.azimuth_window.kind != Window::Kind::none) return beam_hz;
    const double factor = migration_factor(centroid_hz, velocity(range_m), acquisition.wavelength_m());
    return beam_hz +
           8 * std::sqrt(azimuth_fm_rate_hz_s(factor * range_m, factor, velocity(range_m), acquisition.wavelength_m()));
}

/// What the user gave; else what the beam fills where the file knows it, else the PRF, neither beyond what the geometry
/// holds: of a high PRF a slow platform uses little.
double processed_azimuth_bandwidth_hz(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                                      const VelocityProfile& velocity) {
    if (options.azimuth_bandwidth_hz) return *options.azimuth_bandwidth_hz;
    const double widest_hz = widest_azimuth_band_hz(acquisition, centroid_hz, velocity);
    if (!acquisition.azimuth_bandwidth_hz) return widest_hz;
    return std::min(band_of_beam_hz(acquisition, options, centroid_hz, velocity), widest_hz);
}

void check_delays(const FocusOptions& options, const Former& former) {
    if (!has_delays(options)) return;
    if (!former.takes_delays)
        throw InputError(
            fmt::format("--algorithm {}: knows no delays beside those of straight flight; use rda or omegak, or leave "
                        "--range-delay and "
                        "--troposphere out",
                        former.name));
}

void check_troposphere(const FocusOptions& options, const VelocityChoice& velocity) {
    if (options.troposphere && velocity.source != "orbit")
        throw InputError(fmt::format(
            "--troposphere standard: needs an orbit, which tells how steeply echoes come through the air, but the "
            "velocity comes from the {}; use --troposphere none",
            velocity.source));
}

/// Along the orbit where that tells the velocity, else straight.
std::shared_ptr<const Track> track_of(const Acquisition& acquisition, const FocusOptions& options,
                                      const VelocityChoice& velocity, const FocusSetup& setup) {
    const SceneHeight& height_m = setup.height_m;
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

void take_surface(const Acquisition& acquisition, const DopplerSurface& surface_hz, DopplerChoice& doppler) {
    doppler.surface_hz = surface_hz;
    doppler.centroid_hz = in_the_middle_hz(acquisition, surface_hz);
}

void check_map(const Acquisition& acquisition, const FocusOptions& options) {
    if (!options.map) {
        if (acquisition.local_track)
            throw InputError(
                "the antenna's positions are in a frame of the scene's own, where there is no zero Doppler; give "
                "--grid local "
                "--spacing METRES --algorithm backprojection");
        return;
    }
    if (options.algorithm != map_algorithm && options.algorithm != automatic_algorithm)
        throw InputError(
            fmt::format("--grid: --algorithm {} makes images on the zero-Doppler grid only; use backprojection",
                        options.algorithm));
    const auto projection = options.map->grid ? options.map->grid->projection : options.map->projection;
    const bool local = projection && projection->is_local();
    if (acquisition.local_track && !local)
        throw InputError(fmt::format(
            "--grid {}: the antenna's positions are in a frame of the scene's own, of which nothing says where on the "
            "Earth it lies; use --grid local",
            projection ? projection->name() : "utm"));
    if (!acquisition.local_track && local)
        throw InputError(
            "--grid local: the file has no positions in a frame of the scene's own; use utm or geographic with its "
            "orbit");
}

/// Of an echo whose pulses all count: neither Doppler centroid nor velocity matters.
FocusSetup set_up_all_pulses(Device& device, const Acquisition& acquisition, const FocusOptions& options) {
    const auto leave = [](const char* option, const char* why) {
        throw InputError(fmt::format(
            "{}: {}, as all pulses of a track in a frame of the scene's own are summed; leave it out", option, why));
    };
    if (options.azimuth_bandwidth_hz) leave("--azimuth-bandwidth", "there is no band to be chosen");
    if (options.azimuth_window.kind != Window::Kind::none) leave("--azimuth-window", "there is no band to be weighed");
    if (options.terrain) leave("--dem", "nothing says where on the Earth the scene lies,");
    if (options.troposphere) leave("--troposphere standard", "nothing says how high the track lies,");
    const double first_s = acquisition.pulse_time_s(0),
                 last_s = acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1));
    const Orbit& track = *acquisition.local_track;
    if (const double outside_s = std::max(seconds_outside(track, first_s), seconds_outside(track, last_s));
        outside_s > 0)
        throw InputError(fmt::format(
            "the antenna's positions: end {:.6g} s before pulses do; the file needs them for every pulse", outside_s));
    const double speed_m_s = norm(interpolate(track, last_s).position_m - interpolate(track, first_s).position_m) /
                             std::max(last_s - first_s, 1 / acquisition.prf_hz);
    FocusSetup setup;
    setup.height_m = options.height_m;
    setup.doppler.surface_hz = constant_doppler(acquisition, 0);
    setup.doppler.source = "of no matter: all pulses are summed";
    setup.velocity_source = "positions";
    const FormerParameters parameters{.velocity = VelocityProfile(speed_m_s),
                                      .azimuth_bandwidth_hz = acquisition.prf_hz,
                                      .range_window = options.range_window,
                                      .azimuth_window = {},
                                      .interpolation_taps = options.interpolation_taps,
                                      .extent = options.extent};
    setup.image = plan_of_all_pulses(acquisition, track, parameters, *options.map, options.height_m,
                                     2 / c_m_s * options.range_delay_m);
    setup.geometry = std::make_shared<ViewingGeometry>(
        straight_geometry(acquisition, parameters));  // steady, of which nothing is asked
    plan_steps(device, acquisition, options, setup);
    return setup;
}

/// A polynomial knows nothing far from the echo, but is asked there while beam centres are looked for.
DopplerModel held(const Acquisition& acquisition, const DopplerSurface& surface_hz) {
    const double lines = static_cast<double>(acquisition.lines), samples = static_cast<double>(acquisition.samples),
                 beyond = 0.5;
    const double from_s = acquisition.pulse_time_s(-beyond * lines),
                 to_s = acquisition.pulse_time_s((1 + beyond) * lines);
    const double from_m = acquisition.range_m(-beyond * samples), to_m = acquisition.range_m((1 + beyond) * samples);
    return [=](double time_s, double range_m) {
        return surface_hz(std::clamp(time_s, from_s, to_s), std::clamp(range_m, from_m, to_m));
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

/// Of gaps that leave no pixel whole.
void warn_of_nothing_valid(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (acquisition.decoding.valid_samples.empty()) return;
    const auto& valid = setup.image.valid_columns;
    if (std::any_of(valid.begin(), valid.end(), [](Interval i) { return i.first < i.last; })) return;
    const std::string what = "the gaps of the echo leave no point that is covered fully";
    if (options.extent == ImageExtent::valid)
        throw InputError(fmt::format("extent valid: {}; use --extent full", what));
    setup.warnings.push_back(what + ": no pixel of the image is marked as valid");
}

/// All pixels whose beam centre an echo may hold, over ground of no height.
PixelSpan pixels_of(const Acquisition& acquisition, const DopplerSurface& doppler_hz) {
    const ViewingGeometry geometry(
        std::make_shared<OrbitTrack>(*acquisition.orbit, acquisition.identification.look_side, 0.0), doppler_hz,
        acquisition.carrier_hz);
    PixelSpan span{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const double line : {-0.5, static_cast<double>(acquisition.lines) - 0.5})
        for (const double sample : {0.0, static_cast<double>(acquisition.samples - 1)}) {
            const double time_s = acquisition.pulse_time_s(line), slant_m = acquisition.range_m(sample);
            const double range_m =
                slant_m * migration_factor(doppler_hz(time_s, slant_m), geometry.track().speed_m_s(time_s, slant_m),
                                           acquisition.wavelength_m());
            const double zero_doppler_s = geometry.zero_doppler_time_s(time_s, range_m);
            span = {std::min(span.from_s, zero_doppler_s), std::max(span.to_s, zero_doppler_s),
                    std::min(span.from_m, range_m), std::max(span.to_m, range_m)};
        }
    return span;
}

/// Which Doppler centroid comes first and has little to do with heights; where attitude tells it, it is told anew over
/// these.
void follow_terrain(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    const bool other_velocity = options.velocity_m_s || options.velocity_from == ParameterSource::data;
    if (!acquisition.orbit || other_velocity)
        throw InputError(
            fmt::format("{}: {}, so nothing says where on it the scene lies; leave --dem out", options.terrain->name(),
                        other_velocity ? "--velocity takes the place of an orbit" : "the file has no orbit"));
    setup.height_m =
        height_over_terrain(*acquisition.orbit, acquisition.identification.look_side,
                            pixels_of(acquisition, setup.doppler.surface_hz), *options.terrain, setup.warnings);
    setup.doppler = doppler_by(acquisition, options, setup.height_m);
}

/// Of an orbit that tells the geometry, and all of the pulses.
void check_zero_doppler(const Acquisition& acquisition, const FocusOptions& options, const FocusSetup& setup) {
    if (!acquisition.orbit || options.velocity_m_s || options.velocity_from == ParameterSource::data) return;
    const Orbit& orbit = *acquisition.orbit;
    for (const double line : {0.0, static_cast<double>(acquisition.lines - 1)})
        if (seconds_outside(orbit, acquisition.pulse_time_s(line)) > 0) return;
    require_one_zero_doppler(acquisition, OrbitTrack(orbit, acquisition.identification.look_side, setup.height_m),
                             setup.doppler.centroid_hz);
}

/// Of options, data, orbit or file, with a warning where data contradict the orbit.
VelocityChoice velocity_by(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (options.velocity_m_s || options.velocity_from != ParameterSource::data)
        return choose_velocity(acquisition, setup.doppler.centroid_hz, options.velocity_m_s, options.velocity_from);
    if (!options.estimates.velocity)
        throw std::logic_error("the data have to tell the velocity, but nobody asked them");
    const VelocityEstimate& found = *options.estimates.velocity;
    VelocityChoice choice = choose_velocity(acquisition, setup.doppler.centroid_hz, found.velocity_m_s);
    choice.source = fmt::format("data: {:.2f} +- {:.2f} m/s", found.velocity_m_s, found.error_m_s);
    if (found.orbit_velocity_m_s &&
        std::abs(*found.orbit_velocity_m_s - found.velocity_m_s) > velocity_contradiction * found.error_m_s)
        setup.warnings.push_back(
            fmt::format("effective velocity: the orbit has {:.2f} m/s, the data say {:.2f} +- {:.2f} m/s",
                        *found.orbit_velocity_m_s, found.velocity_m_s, found.error_m_s));
    return choice;
}

/// As all of its rows see it.
void put_on_map(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (setup.velocity_source != "orbit")
        throw InputError(
            fmt::format("--grid: the velocity comes from the {}, so nothing says where on a map the scene lies; {}",
                        setup.velocity_source,
                        acquisition.orbit ? "leave --velocity out" : "the file has no orbit, leave --grid out"));
    const ImagePlan seen = seen_by(setup.image, acquisition, *setup.geometry, 0, setup.image.grid.rows);
    setup.image = on_map(seen, *options.map, {options.height_m, options.terrain.get()}, setup.warnings);
}

/// Where a beam fills the PRF so that its soft ends are lost, points are as theory says in a part of the beam, which is
/// taken where nobody asked for a band.
ImagePlan without_lost_ends(const Acquisition& acquisition, const FocusOptions& options,
                            const ViewingGeometry& geometry, const ImagePlan& image, const Former& former) {
    if (options.azimuth_bandwidth_hz || options.force || image.map) return image;
    FormerParameters in_part = image.parameters;
    in_part.azimuth_bandwidth_hz = band_beside_lost_ends_hz(acquisition, image, former.weighs_pulses);
    if (in_part.azimuth_bandwidth_hz == image.parameters.azimuth_bandwidth_hz) return image;
    ImagePlan part = plan_image(acquisition, in_part, geometry);
    return geometry.steady() ? part : seen_by(part, acquisition, geometry, 0, part.grid.rows);
}

/// Throws what does not hold of an image; where that is forced, it is told of and recorded.
void refuse_unless_forced(const FocusOptions& options, const std::string& what, FocusSetup& setup) {
    if (!options.force) throw InputError(what);
    setup.warnings.push_back("--force: made though " + what);
    if (setup.forced_over.empty()) setup.forced_over = what;
}

/// Range histories are those of a smooth surface: where the terrain is finer, points are displaced.
void check_relief(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!options.terrain || setup.image.map) return;
    const Prediction off = predicted_for_relief(acquisition, setup.image, setup.height_m);
    if (holds(off, error_limits_over_terrain)) return;
    refuse_unless_forced(
        options,
        fmt::format("{}: lies up to {:.0f} m off the smooth surface that the zero-Doppler grid follows, and points "
                    "would be off by {}; at most {} are allowed: use --grid, whose pixels have heights of their own",
                    options.terrain->name(), setup.height_m.largest_relief_m(), text_of(off),
                    text_of(error_limits_over_terrain)),
        setup);
}

/// Uneven pulses tell little of the ends of a beam that fills the PRF. Where points would be off for it, less of the
/// beam makes them right, if nobody asked for a band.
void check_interpolation(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!acquisition.interpolated || setup.image.map) return;
    const Prediction whole = predicted_for_interpolation(acquisition, setup.image);
    if (holds(whole)) return;
    const std::string what = fmt::format(
        "uneven pulses: interpolated to equal steps, the {:.6g} Hz that are processed of a PRF of {:.6g} Hz would "
        "leave points off by {}; at most {} are allowed",
        illuminated_band_hz(acquisition, setup.image.parameters), acquisition.prf_hz, text_of(whole),
        text_of(error_limits));
    if (options.force) return refuse_unless_forced(options, what, setup);
    constexpr int most_parts = 99, fewest_parts = 90;  // of a hundred
    const double beam_hz = acquisition.azimuth_bandwidth_hz.value_or(0);
    ImagePlan part = setup.image;
    for (int parts = most_parts; parts >= fewest_parts && beam_hz > 0 && !options.azimuth_bandwidth_hz; --parts) {
        part.parameters.azimuth_bandwidth_hz = 0.01 * parts * beam_hz;
        if (part.parameters.azimuth_bandwidth_hz >= setup.image.parameters.azimuth_bandwidth_hz ||
            !holds(predicted_for_interpolation(acquisition, part)))
            continue;
        setup.image = plan_image(acquisition, part.parameters, *setup.geometry);
        setup.warnings.push_back(fmt::format("{}: {:.6g} Hz are processed; --azimuth-bandwidth says otherwise", what,
                                             part.parameters.azimuth_bandwidth_hz));
        return;
    }
    throw InputError(fmt::format("{}; give less by --azimuth-bandwidth", what));
}

/// Of a centroid that the data tell no better than what lies beside the beam, some of the beam may be cut off: refused
/// where they were asked, told of where nothing else tells it.
void check_centroid_error(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    constexpr double most_of_beam = 0.03;
    constexpr double of_stated = 0.25;  // deviations that are stated are three to six times what errors are
    if (!setup.doppler.error_hz || !acquisition.azimuth_bandwidth_hz || setup.image.map) return;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz,
                 beside_hz = 0.5 * (setup.image.parameters.azimuth_bandwidth_hz - beam_hz),
                 error_hz = *setup.doppler.error_hz;
    if (beside_hz < 0 || of_stated * error_hz - beside_hz <= most_of_beam * beam_hz) return;
    const std::string what = fmt::format(
        "Doppler centroid: the data tell it to +-{:.1f} Hz only, but {:.1f} Hz are processed to either side of the "
        "beam of {:.6g} Hz, and more than {:.0f} % of it could be cut off; give --doppler-centroid HZ or orbit",
        error_hz, beside_hz, beam_hz, 100 * most_of_beam);
    if (options.doppler_from != ParameterSource::data) return setup.warnings.push_back(what);
    refuse_unless_forced(options, what, setup);
}

using PlanFormer = std::function<PlannedFormer(const Former&)>;

PlannedFormer unless_refused(const PlanFormer& plan, const Former& former) {
    try {
        return plan(former);
    } catch (const InputError& refusal) {
        PlannedFormer refused;
        refused.offer = {.algorithm = former.name, .refusal = refusal.what()};
        return refused;
    }
}

/// Of any point in the image, where such a band is processed: at both ends of the swath and of the strip.
double widest_image_bandwidth_hz(const Acquisition& acquisition, const DopplerSurface& centroid_hz,
                                 const VelocityProfile& velocity, double azimuth_band_hz) {
    double widest_hz = 0;
    for (const double along : {0.0, 0.5, 1.0})
        for (const double across : {0.0, 0.5, 1.0}) {
            const double time_s = acquisition.pulse_time_s(along * static_cast<double>(acquisition.lines - 1)),
                         range_m = acquisition.range_m(across * static_cast<double>(acquisition.samples - 1));
            widest_hz = std::max(widest_hz, image_bandwidth_hz(acquisition, velocity, range_m,
                                                               centroid_hz(time_s, range_m), azimuth_band_hz));
        }
    return widest_hz;
}

/// Points of an image whose spectrum is wider than its sampling cannot be told from others between its samples:
/// whatever the algorithm, they are moved and widened.
void check_range_sampling(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    const FormerParameters& parameters = setup.image.parameters;
    const auto widest_hz = [&](double band_hz) {
        return widest_image_bandwidth_hz(acquisition, setup.doppler.surface_hz, parameters.velocity, band_hz);
    };
    const double wide_hz = widest_hz(illuminated_band_hz(acquisition, parameters)),
                 sampled_hz = acquisition.sample_rate_hz();
    if (wide_hz <= sampled_hz) return;
    const auto fits = [&](double band_hz) { return widest_hz(band_hz) <= sampled_hz; };
    double fitting_hz = 0, too_wide_hz = parameters.azimuth_bandwidth_hz;
    for (int round = 0; round < 40; ++round) {
        const double middle_hz = 0.5 * (fitting_hz + too_wide_hz);
        (fits(middle_hz) ? fitting_hz : too_wide_hz) = middle_hz;
    }
    const std::string what = fmt::format(
        "squint and aperture widen the range spectrum of the image to {:.6g} MHz, more than the {:.6g} MHz of its "
        "sampling, and its edges would alias; give --azimuth-bandwidth, at most {:.2f} (Hz)",
        wide_hz / 1e6, sampled_hz / 1e6, std::floor(fitting_hz * 100) / 100);
    refuse_unless_forced(options, what, setup);
}

/// Of an algorithm that was named: where it does not hold and is forced, with what it says of that.
PlannedFormer forced(const PlanFormer& plan, const Former& former, bool force, FocusSetup& setup) {
    if (!force) return plan(former);
    setup.image.parameters.force = false;
    PlannedFormer planned = unless_refused(plan, former);
    if (planned.offer.holds()) return planned;
    setup.forced_over = planned.offer.refusal;
    setup.warnings.push_back(fmt::format("--force: made though {}", setup.forced_over));
    setup.image.parameters.force = true;
    return plan(former);
}

}  // namespace

FocusOptions with_doppler(const FocusOptions& options, const DopplerChoice& known) {
    FocusOptions same = options;
    same.doppler_centroid_hz = known.centroid_hz;
    same.doppler_surface = known.surface_hz;
    same.doppler_slopes.reset();
    same.doppler_from = ParameterSource::automatic;
    return same;
}

ImagePlan FocusSetup::image_of(const Acquisition& acquisition, std::size_t block) const {
    if (geometry->steady() || image.map || memory.blocks.size() == 1)
        return image;  // which was planned as seen by all rows
    const AzimuthBlock& rows = memory.blocks[block];
    return seen_by(image, acquisition, *geometry, rows.first_row, rows.rows);
}

FocusOptions options_beside(const Acquisition& first, const DopplerChoice& of_first, const Acquisition& frame,
                            const FocusOptions& options) {
    FocusOptions same = options;
    if (of_first.origin != DopplerOrigin::file)
        same = with_doppler(same, at_carrier(of_first, first.carrier_hz, frame.carrier_hz));
    if (options.estimates.velocity) {
        same.velocity_m_s = options.estimates.velocity->velocity_m_s;
        same.velocity_from = ParameterSource::automatic;
    }
    return same;
}

namespace {

/// What is chosen before an image is planned: Doppler, velocity, band and geometry.
FormerParameters choose_view(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    setup.height_m = options.height_m;
    setup.doppler = doppler_by(acquisition, options, setup.height_m);
    if (options.terrain) follow_terrain(acquisition, options, setup);
    setup.warnings.insert(setup.warnings.end(), setup.doppler.warnings.begin(), setup.doppler.warnings.end());
    if (!setup.doppler.ambiguity_certain && setup.doppler.warnings.empty())
        setup.warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid "
                        "if you know it",
                        setup.doppler.centroid_hz, setup.doppler.source));
    check_zero_doppler(acquisition, options, setup);
    const VelocityChoice velocity = velocity_by(acquisition, options, setup);
    setup.velocity_source = velocity.source;
    const std::shared_ptr<const Track> track = track_of(acquisition, options, velocity, setup);
    if (acquisition.doppler_of_pixels_hz && setup.doppler.origin == DopplerOrigin::file)
        take_surface(acquisition, doppler_of_echo(acquisition, *track, *acquisition.doppler_of_pixels_hz),
                     setup.doppler);
    if (options.terrain && velocity.source != "orbit")
        throw InputError(fmt::format(
            "{}: the velocity comes from the {}, so nothing says where on it the scene lies; leave --dem out",
            options.terrain->name(), velocity.source));
    const double azimuth_bandwidth_hz =
        processed_azimuth_bandwidth_hz(acquisition, options, setup.doppler.centroid_hz, velocity.profile);
    setup.geometry =
        std::make_shared<ViewingGeometry>(track, held(acquisition, setup.doppler.surface_hz), acquisition.carrier_hz,
                                          !drifts(acquisition, setup.doppler.surface_hz));
    return {.doppler_centroid_hz = setup.doppler.centroid_hz,
            .velocity = velocity.profile,
            .azimuth_bandwidth_hz = azimuth_bandwidth_hz,
            .range_window = options.range_window,
            .azimuth_window = options.azimuth_window,
            .interpolation_taps = options.interpolation_taps,
            .extent = options.extent,
            .error_db = options.error_db,
            .keeps_beam = options.keep_beam};
}

/// Where neither file nor user knows the beam, its band is taken for the whole PRF, which it hardly ever fills: no
/// ground to refuse an image for its sampling, or to change that.
bool knows_range_bandwidth(const Acquisition& acquisition, const FocusOptions& options) {
    return (acquisition.azimuth_bandwidth_hz || options.azimuth_bandwidth_hz) && !options.map;
}

FormerNote note_of(const CompensatedMotion& motion) {
    const Prediction left{motion.position_px, motion.phase_deg, motion.width_percent};
    return {.name = "motion",
            .text = fmt::format("lines are those of an even flight, up to {:.3g} m off the one that was flown, which "
                                "sways; that leaves at most {}",
                                motion.largest_distance_m, text_of(left)),
            .key = "motion_compensation",
            .values = {{"largest_distance_m", motion.largest_distance_m},
                       {"position_px", left.position_px},
                       {"phase_deg", left.phase_deg},
                       {"width_percent", left.width_percent}}};
}

/// Of lines as they were recorded.
FormerNote note_of_reference(const CompensatedMotion& motion, const FocusOptions& options) {
    return {.name = "reference track",
            .text = fmt::format("rows are zero Doppler of {}, up to {:.3g} m off the one that was flown{}",
                                options.reference_track ? "the track that was given" : "an even flight",
                                motion.largest_distance_m, options.reference_track ? "" : ", which sways"),
            .key = "reference_track",
            .values = {{"largest_distance_m", motion.largest_distance_m}}};
}

/// Rows of a track that sways are those of another one, beside which lines have to be put first (on_even_lines).
void require_rows(const Acquisition& acquisition, const FocusOptions& options) {
    const bool straight = options.velocity_m_s || options.velocity_from == ParameterSource::data;
    if (straight && options.reference_track)
        throw InputError("--reference-track: --velocity takes the place of an orbit; leave one of them out");
    if (!straight && !options.force && reference_of(acquisition, options))
        throw std::logic_error("a track that sways needs lines along or beside a reference track (on_even_lines)");
}

/// Algorithms of the frequency domain know one track.
void require_lines_of_track(const Acquisition& acquisition, const Former& former) {
    if (!acquisition.flown_beside || former.follows_rows) return;
    throw InputError(
        fmt::format("the track sways up to {:.3g} m, and motion compensation, which --algorithm {} needs, does not do",
                    acquisition.motion->largest_distance_m, former.name));
}

}  // namespace

std::optional<DopplerSurface> doppler_before_data(const Acquisition& acquisition, const FocusOptions& options) {
    if (options.doppler_surface) return options.doppler_surface;
    if (acquisition.local_track) return std::nullopt;
    FocusOptions known = options;
    known.velocity_from = ParameterSource::automatic;
    const bool told = options.doppler_centroid_hz || options.doppler_from == ParameterSource::orbit ||
                      (options.doppler_from == ParameterSource::automatic &&
                       (acquisition.doppler_of_pixels_hz || acquisition.doppler_centroid_hz));
    if (!told) known.doppler_from = ParameterSource::orbit;
    try {
        FocusSetup setup;
        choose_view(acquisition, known, setup);
        return setup.doppler.surface_hz;
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
    if (!options.terrain) return options.height_m;
    FocusSetup setup;
    choose_view(acquisition, options, setup);
    return setup.height_m;
}

std::optional<double> range_bandwidth_of_image_hz(const Acquisition& acquisition, const FocusOptions& options) {
    if (acquisition.local_track || !knows_range_bandwidth(acquisition, options)) return std::nullopt;
    try {
        FocusSetup setup;
        const FormerParameters parameters = choose_view(acquisition, options, setup);
        return widest_image_bandwidth_hz(acquisition, setup.doppler.surface_hz, parameters.velocity,
                                         illuminated_band_hz(acquisition, parameters));
    } catch (const InputError&) {
        return std::nullopt;  // set_up_focus tells why
    }
}

FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options) {
    check_map(acquisition, options);
    if (acquisition.local_track) return set_up_all_pulses(device, acquisition, options);
    require_rows(acquisition, options);
    FocusSetup setup;
    const FormerParameters parameters = choose_view(acquisition, options, setup);
    setup.image = plan_image(acquisition, parameters, *setup.geometry);
    check_centroid_error(acquisition, options, setup);
    check_interpolation(acquisition, options, setup);
    check_relief(acquisition, options, setup);
    warn_of_nothing_valid(acquisition, options, setup);
    if (knows_range_bandwidth(acquisition, options)) check_range_sampling(acquisition, options, setup);
    if (options.map) put_on_map(acquisition, options, setup);
    plan_steps(device, acquisition, options, setup);
    if (acquisition.motion && !setup.image.map)
        setup.notes.push_back(acquisition.flown_beside ? note_of_reference(*acquisition.motion, options)
                                                       : note_of(*acquisition.motion));
    if (!options.azimuth_bandwidth_hz &&
        setup.image.parameters.azimuth_bandwidth_hz == parameters.azimuth_bandwidth_hz &&
        acquisition.azimuth_bandwidth_hz > parameters.azimuth_bandwidth_hz)
        setup.warnings.push_back(
            fmt::format("azimuthBandwidth of the file: of its {:.6g} Hz only {:.6g} Hz can be processed",
                        *acquisition.azimuth_bandwidth_hz, parameters.azimuth_bandwidth_hz));
    if (const double widened = widened_by_floor(acquisition.chirp, acquisition.sample_rate_hz(), options.range_window);
        widened > 0.01)
        setup.warnings.push_back(
            fmt::format("the edges of the band of chirpWaveform are so weak that they are not made flat (noise would "
                        "rise by more than {:.0f} dB): points come out {:.2g} % wider in range than theory says; "
                        "--range-window hamming does not need them",
                        10 * std::log10(most_noise_gain), 100 * widened));
    return setup;
}

void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    if (!setup.geometry->steady() && !setup.image.map)
        setup.image = seen_by(setup.image, acquisition, *setup.geometry, 0, setup.image.grid.rows);
    const PlanFormer plan = [&](const Former& former) {
        check_delays(options, former);
        require_lines_of_track(acquisition, former);
        const ImagePlan image = without_lost_ends(acquisition, options, *setup.geometry, setup.image, former);
        return plan_former(device, acquisition, image, *setup.geometry, former, options.lowering, options.memory);
    };
    const double whole_hz = setup.image.parameters.azimuth_bandwidth_hz;
    PlannedFormer planned;
    if (options.algorithm != automatic_algorithm) {
        planned = forced(plan, former_named(options.algorithm), options.force, setup);
    } else if (setup.image.map) {
        planned = plan(former_named(map_algorithm));
    } else {
        FormerChoice choice =
            cheapest_that_holds([&](const Former& former) { return unless_refused(plan, former); }, options.weigh_all);
        setup.offers = std::move(choice.offers);
        planned = std::move(choice.taken);
    }
    if (setup.offers.empty()) setup.offers.push_back(planned.offer);
    setup.algorithm = planned.offer.algorithm;
    setup.predicted = planned.offer.predicted;
    setup.image = std::move(planned.image);
    if (const double part_hz = setup.image.parameters.azimuth_bandwidth_hz; part_hz < whole_hz)
        setup.warnings.push_back(
            fmt::format("the beam of {:.6g} Hz has soft ends, as few lines see a point, for which the PRF of {:.6g} Hz "
                        "has no room: {:.6g} Hz are processed; --azimuth-bandwidth says otherwise",
                        *acquisition.azimuth_bandwidth_hz, acquisition.prf_hz, part_hz));
    setup.notes = std::move(planned.notes);
    setup.memory = std::move(planned.memory);
}

}  // namespace cornerturn
