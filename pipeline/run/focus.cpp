// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/focus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/errors.h"
#include "kernels/hyperbola.h"
#include "pipeline/acquisition/zero_doppler.h"
#include "pipeline/formers/automatic.h"
#include "pipeline/formers/map_plan.h"

namespace cornerturn {
namespace {

/// The beam's band; without a window, which has to span just that, with the ripple that its edges spill over (Fresnel:
/// it has fallen to some -30 dB within four times the root of the FM rate), as what is cut off there is missed in the
/// response.
double band_of_beam_hz(const Acquisition& acquisition, const FocusOptions& options, double centroid_hz,
                       const VelocityProfile& velocity) {
    const double beam_hz = *acquisition.azimuth_bandwidth_hz, range_m = acquisition.range_m(0);
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

FormerChoice former_for(const Acquisition& acquisition, const FocusOptions& options, const ImagePlan& image) {
    if (options.map && options.algorithm == automatic_algorithm)
        return {&former_named(map_algorithm), "it alone makes images on maps"};
    if (options.algorithm == automatic_algorithm) return choose_former(acquisition, image);
    return {&former_named(options.algorithm), {}};
}

/// Along the orbit where that tells the velocity, else straight.
std::shared_ptr<const Track> track_of(const Acquisition& acquisition, const FocusOptions& options,
                                      const VelocityChoice& velocity, const SceneHeight& height_m) {
    if (options.algorithm != automatic_algorithm) check_delays(options, former_named(options.algorithm));
    check_troposphere(options, velocity);
    const LookSide side = acquisition.identification.look_side;
    std::shared_ptr<const Track> track = std::make_shared<StraightTrack>(velocity.profile);
    if (velocity.source == "orbit") track = std::make_shared<OrbitTrack>(*acquisition.orbit, side, height_m);
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
void follow_terrain(const Acquisition& acquisition, const FocusOptions& options, const DopplerEstimate& estimated,
                    FocusSetup& setup) {
    const bool other_velocity = options.velocity_m_s || options.estimate_velocity;
    if (!acquisition.orbit || other_velocity)
        throw InputError(
            fmt::format("{}: {}, so nothing says where on it the scene lies; leave --dem out", options.terrain->name(),
                        other_velocity ? "--velocity takes the place of an orbit" : "the file has no orbit"));
    setup.height_m =
        height_over_terrain(*acquisition.orbit, acquisition.identification.look_side,
                            pixels_of(acquisition, setup.doppler.surface_hz), *options.terrain, setup.warnings);
    if (setup.doppler.origin == DopplerOrigin::estimate && !options.doppler_centroid_hz)
        setup.doppler = choose_doppler(
            acquisition, {}, options.estimate_doppler, [&] { return estimated; }, setup.height_m);
}

/// Of an orbit that tells the geometry, and all of the pulses.
void check_zero_doppler(const Acquisition& acquisition, const FocusOptions& options, const FocusSetup& setup) {
    if (!acquisition.orbit || options.velocity_m_s || options.estimate_velocity) return;
    const Orbit& orbit = *acquisition.orbit;
    for (const double line : {0.0, static_cast<double>(acquisition.lines - 1)})
        if (seconds_outside(orbit, acquisition.pulse_time_s(line)) > 0) return;
    require_one_zero_doppler(acquisition, OrbitTrack(orbit, acquisition.identification.look_side, setup.height_m),
                             setup.doppler.centroid_hz);
}

/// Of options, data, orbit or file, with a warning where data contradict the orbit.
VelocityChoice velocity_by(const Acquisition& acquisition, const FocusOptions& options,
                           const VelocityEstimator& estimate, FocusSetup& setup) {
    if (!options.estimate_velocity)
        return choose_velocity(acquisition, setup.doppler.centroid_hz, options.velocity_m_s);
    if (!estimate) throw std::logic_error("a velocity is to be estimated, but nobody gave the data");
    const VelocityEstimate found = estimate(setup.doppler.surface_hz);
    VelocityChoice choice = choose_velocity(acquisition, setup.doppler.centroid_hz, found.velocity_m_s);
    choice.source = fmt::format("data: {:.2f} +- {:.2f} m/s", found.velocity_m_s, found.error_m_s);
    if (found.orbit_velocity_m_s &&
        std::abs(*found.orbit_velocity_m_s - found.velocity_m_s) > velocity_contradiction * found.error_m_s)
        setup.warnings.push_back(
            fmt::format("effective velocity: the orbit has {:.2f} m/s, the data say {:.2f} +- {:.2f} m/s",
                        *found.orbit_velocity_m_s, found.velocity_m_s, found.error_m_s));
    return choice;
}

/// Under squint, or along a track that bends, the same rows are seen in other lines at other times: blocks take what
/// any time needs.
void span_all_lines(const Acquisition& acquisition, FocusSetup& setup) {
    constexpr double fewest = 5, most = 200;
    const auto places = static_cast<std::int64_t>(std::clamp(
        std::ceil(4 * static_cast<double>(setup.image.grid.rows) / setup.image.aperture_lines), fewest, most));
    LineSpan& lines = setup.image.lines_of_row;
    for (std::int64_t i = 0; i < places; ++i) {
        const std::int64_t row = (setup.image.grid.rows - 1) * i / (places - 1);
        const LineSpan there = seen_by(setup.image, acquisition, *setup.geometry, row, 1).lines_of_row;
        lines = {std::max(lines.before, there.before), std::max(lines.behind, there.behind)};
    }
}

/// A block has the band about the centroid of its middle: rows over which that moves by a fiftieth of the PRF at most,
/// either way.
std::int64_t rows_of_one_band(const Acquisition& acquisition, const FocusSetup& setup) {
    constexpr double largest_part_of_prf = 0.04;
    const ImageGrid& grid = setup.image.grid;
    const double range_m = setup.image.reference_range_m();
    const auto centroid_hz = [&](double row) {
        return setup.geometry->beam_centre(grid.time_s(row), range_m).centroid_hz;
    };
    const double drift_hz = std::abs(centroid_hz(static_cast<double>(grid.rows - 1)) - centroid_hz(0));
    const double part = std::min(1.0, largest_part_of_prf * acquisition.prf_hz / drift_hz);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(part * static_cast<double>(grid.rows)));
}

/// Where range histories drift, what is left is a shift of range that grows along the block, and over a terrain one of
/// time, too. Heights themselves are not known well enough for blocks shorter than what they need of lines.
std::int64_t rows_without_error(const ImagePlan& image, bool terrain) {
    if (!image.drift) return image.grid.rows;
    const double largest_error_cells = terrain ? 0.005 : 0.0015;
    double part = std::min(1.0, largest_error_cells * image.grid.range_spacing_m / image.drift->range_error_m);
    if (terrain) part = std::min(part, largest_error_cells * image.grid.time_spacing_s / image.drift->time_error_s);
    const std::int64_t fewest =
        terrain ? std::min(image.grid.rows, image.lines_of_row.before + image.lines_of_row.behind) : 1;
    return std::max(fewest, static_cast<std::int64_t>(part * static_cast<double>(image.grid.rows)));
}

const Prediction& limits_of(const FocusSetup& setup) {
    return setup.geometry->track().over_terrain() ? error_limits_over_terrain : error_limits;
}

/// What blocks of so many rows leave of the track; of the first that does not hold, where one does not.
Prediction predicted_in_blocks(const Acquisition& acquisition, const FocusSetup& setup, std::int64_t rows) {
    Prediction worst;
    for (const AzimuthBlock& block : azimuth_blocks(acquisition, setup.image, rows)) {
        const ImagePlan seen = block.rows == setup.image.grid.rows
                                   ? setup.image
                                   : seen_by(setup.image, acquisition, *setup.geometry, block.first_row, block.rows);
        worst = worse_of(worst, predicted_along_track(acquisition, seen, block.first_row, block.rows));
        if (!holds(worst, limits_of(setup))) break;
    }
    return worst;
}

[[noreturn]] void refuse_track(const Former& former, std::int64_t rows, const FocusSetup& setup) {
    throw InputError(fmt::format(
        "--algorithm {}: the track bends so much along an aperture that even blocks of {} rows would be off by {}; at "
        "most {} are allowed: use --algorithm ffbp (on the CPU) or --algorithm backprojection",
        former.name, rows, text_of(*setup.predicted), text_of(limits_of(setup))));
}

/// Rows of a block, at most so many, along which what range histories leave of the track holds the limits.
std::int64_t rows_that_hold(const Acquisition& acquisition, const Former& former, std::int64_t rows,
                            FocusSetup& setup) {
    const LineSpan& lines = setup.image.lines_of_row;
    const std::int64_t fewest = std::min(rows, fewest_block_rows(lines.before + lines.behind));
    for (;;) {
        setup.predicted = predicted_in_blocks(acquisition, setup, rows);
        if (holds(*setup.predicted, limits_of(setup))) return rows;
        if (rows <= fewest) break;
        rows = std::max(fewest, rows / 2);
    }
    refuse_track(former, rows, setup);
}

/// Blocks no longer than their range histories hold for.
void follow_track(const Acquisition& acquisition, const Former& former, FocusSetup& setup, MemoryWish& wish) {
    setup.predicted.reset();
    if (setup.geometry->steady() || former.follows_rows || setup.image.map) return;
    const std::int64_t most_rows =
        std::min({wish.most_rows.value_or(setup.image.grid.rows), rows_of_one_band(acquisition, setup),
                  rows_without_error(setup.image, setup.geometry->track().over_terrain())});
    wish.most_rows = rows_that_hold(acquisition, former, most_rows, setup);
}

/// One that follows each row: the factorised sum where it goes, which is on a CPU.
const Former& former_along_track(const Device& device, const Acquisition& acquisition, const ImagePlan& image) {
    const Former& exact = former_named("backprojection");
    if (!device.info().shares_host_memory) return exact;
    const Former& factorised = former_named("ffbp");
    try {
        factorised.form(acquisition, image);
        return factorised;
    } catch (const InputError&) {
        return exact;
    }
}

/// Those that memory allows, or that a user wants, have other middles.
void check_blocks(const Acquisition& acquisition, const Former& former, FocusSetup& setup) {
    const std::int64_t rows = setup.memory.blocks.front().rows;
    setup.predicted = predicted_in_blocks(acquisition, setup, rows);
    if (!holds(*setup.predicted, limits_of(setup))) refuse_track(former, rows, setup);
}

FormerNote note_of(const Prediction& predicted, const Prediction& limits) {
    return {.name = "foretold",
            .text = fmt::format("what blocks leave of the track is at most {}; {} are allowed", text_of(predicted),
                                text_of(limits)),
            .key = "prediction",
            .values = {{"position_px", predicted.position_px},
                       {"phase_deg", predicted.phase_deg},
                       {"width_percent", predicted.width_percent}}};
}

/// As all of its rows see it.
void put_on_map(const Acquisition& acquisition, const FocusOptions& options, const VelocityChoice& velocity,
                FocusSetup& setup) {
    if (velocity.source != "orbit")
        throw InputError(fmt::format(
            "--grid: the velocity comes from the {}, so nothing says where on a map the scene lies; {}",
            velocity.source, acquisition.orbit ? "leave --velocity out" : "the file has no orbit, leave --grid out"));
    const ImagePlan seen = seen_by(setup.image, acquisition, *setup.geometry, 0, setup.image.grid.rows);
    setup.image = on_map(seen, *options.map, {options.height_m, options.terrain.get()}, setup.warnings);
}

}  // namespace

FocusOptions with_doppler(FocusOptions options, const DopplerChoice& known) {
    options.doppler_centroid_hz = known.centroid_hz;
    options.doppler_surface = known.surface_hz;
    options.doppler_slopes.reset();
    options.estimate_doppler = false;
    return options;
}

ImagePlan FocusSetup::image_of(const Acquisition& acquisition, std::size_t block) const {
    if (geometry->steady() || image.map || memory.blocks.size() == 1)
        return image;  // which was planned as seen by all rows
    const AzimuthBlock& rows = memory.blocks[block];
    return seen_by(image, acquisition, *geometry, rows.first_row, rows.rows);
}

FocusOptions with_velocity(FocusOptions options, const FocusSetup& known) {
    if (!options.estimate_velocity) return options;
    options.velocity_m_s = known.image.parameters.velocity(known.image.reference_range_m());
    options.estimate_velocity = false;
    return options;
}

FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options,
                        const DopplerEstimator& estimate, const VelocityEstimator& estimate_velocity) {
    check_map(acquisition, options);
    if (acquisition.local_track) return set_up_all_pulses(device, acquisition, options);
    FocusSetup setup;
    setup.height_m = options.height_m;
    DopplerEstimate estimated;
    setup.doppler = choose_doppler(
        acquisition, options.doppler_centroid_hz, options.estimate_doppler, [&] { return estimated = estimate(); },
        setup.height_m);
    if (options.doppler_surface)
        setup.doppler.surface_hz = *options.doppler_surface;
    else if (options.doppler_slopes)
        take_surface(acquisition, range_polynomial(acquisition, setup.doppler.centroid_hz, *options.doppler_slopes),
                     setup.doppler);
    if (options.terrain) follow_terrain(acquisition, options, estimated, setup);
    if (!setup.doppler.ambiguity_certain)
        setup.warnings.push_back(
            fmt::format("Doppler centroid {:.1f} Hz ({}); its multiple of the PRF is a guess: give --doppler-centroid "
                        "if you know it",
                        setup.doppler.centroid_hz, setup.doppler.source));
    check_zero_doppler(acquisition, options, setup);
    const VelocityChoice velocity = velocity_by(acquisition, options, estimate_velocity, setup);
    setup.velocity_source = velocity.source;
    const std::shared_ptr<const Track> track = track_of(acquisition, options, velocity, setup.height_m);
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
        std::make_shared<ViewingGeometry>(track, held(acquisition, setup.doppler.surface_hz), acquisition.carrier_hz);
    setup.image = plan_image(acquisition,
                             {.doppler_centroid_hz = setup.doppler.centroid_hz,
                              .velocity = velocity.profile,
                              .azimuth_bandwidth_hz = azimuth_bandwidth_hz,
                              .range_window = options.range_window,
                              .azimuth_window = options.azimuth_window,
                              .interpolation_taps = options.interpolation_taps,
                              .extent = options.extent,
                              .error_db = options.error_db},
                             *setup.geometry);
    warn_of_nothing_valid(acquisition, options, setup);
    if (options.map) put_on_map(acquisition, options, velocity, setup);
    plan_steps(device, acquisition, options, setup);
    if (!options.azimuth_bandwidth_hz && acquisition.azimuth_bandwidth_hz > azimuth_bandwidth_hz)
        setup.warnings.push_back(
            fmt::format("azimuthBandwidth of the file: of its {:.6g} Hz only {:.6g} Hz can be processed",
                        *acquisition.azimuth_bandwidth_hz, azimuth_bandwidth_hz));
    // Where neither file nor user knows the beam, its band is taken for the whole PRF, which it hardly ever fills: no
    // ground for a warning.
    const bool beam_known = acquisition.azimuth_bandwidth_hz || options.azimuth_bandwidth_hz;
    if (beam_known && setup.image.image_range_bandwidth_hz > acquisition.sample_rate_hz())
        setup.warnings.push_back(
            fmt::format("squint widens the range spectrum of the image to {:.6g} MHz, more than the {:.6g} MHz of its "
                        "sampling: the edges alias; a "
                        "smaller --azimuth-bandwidth narrows it",
                        setup.image.image_range_bandwidth_hz / 1e6, acquisition.sample_rate_hz() / 1e6));
    return setup;
}

void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    MemoryWish wish = options.memory;
    if (!setup.geometry->steady() && !setup.image.map)
        setup.image = seen_by(setup.image, acquisition, *setup.geometry, 0, setup.image.grid.rows);
    FormerChoice choice = former_for(acquisition, options, setup.image);
    check_delays(options, *choice.former);
    try {
        follow_track(acquisition, *choice.former, setup, wish);
    } catch (const InputError& refusal) {
        if (options.algorithm != automatic_algorithm) throw;
        choice = {&former_along_track(device, acquisition, setup.image), refusal.what()};
        setup.predicted.reset();
    }
    const Former& former = *choice.former;
    setup.algorithm = former.name;
    setup.notes = former.form(acquisition, setup.image).notes;
    if (!choice.why.empty()) setup.notes.insert(setup.notes.begin(), note_of(choice));
    setup.memory = plan_memory(device, acquisition, setup.image, former, options.lowering, wish);
    if (setup.predicted && setup.memory.blocks.front().rows < wish.most_rows) check_blocks(acquisition, former, setup);
    if (setup.predicted) setup.notes.push_back(note_of(*setup.predicted, limits_of(setup)));
    if (setup.memory.blocks.size() == 1 || setup.geometry->steady() || setup.image.map) return;
    span_all_lines(acquisition, setup);
    setup.memory = plan_memory(device, acquisition, setup.image, former, options.lowering, wish);
}

}  // namespace cornerturn
