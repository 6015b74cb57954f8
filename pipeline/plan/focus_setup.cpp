// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/focus_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "kernels/errors.h"
#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/fits/surface_fit.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/formers/beam_ends.h"
#include "pipeline/formers/folded_chirp.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/range_filter.h"
#include "pipeline/plan/former_plan.h"
#include "pipeline/plan/image_checks.h"
#include "pipeline/plan/image_part.h"
#include "pipeline/plan/map_setup.h"
#include "pipeline/plan/sum_warnings.h"
#include "pipeline/plan/view_choice.h"

namespace cornerturn {
namespace {

/// Filters take what there is of points beside the beam at the carrier. Where a beam fills the PRF so that its soft
/// ends are lost, rows of sums over pulses may lie closer. Else points are as theory says in a part of the beam, which
/// is taken where nobody asked for a band.
ImagePlan without_lost_ends(const Acquisition& acquisition, const FocusOptions& options, const ImagePlan& image,
                            const Former& former) {
    if (image.map || image.parameters.rows_per_pulse != 1) return image;
    FormerParameters wanted = image.parameters;
    const bool given = options.azimuth_bandwidth_hz || options.force;
    const auto planned = [&](const FormerParameters& parameters) {
        if (parameters == image.parameters) return image;
        ImagePlan plan = plan_image(acquisition, parameters, *image.geometry);
        return plan.geometry->steady() ? plan : with_history_of_rows(plan, acquisition, 0, plan.grid.rows);
    };
    if (!given) {
        if (former.weighs_pulses)
            wanted.lobes_aside_hz = lobes_aside_hz(acquisition, image);
        else
            wanted.azimuth_bandwidth_hz = band_of_whole_points_hz(acquisition, image);
    }
    const ImagePlan whole = planned(wanted);
    if (former.weighs_pulses && options.finer_rows)
        wanted.rows_per_pulse = rows_per_pulse_for(acquisition, image, given);
    if (wanted.rows_per_pulse > 1 && !given) {
        const double rows = wanted.rows_per_pulse;
        wanted = parameters_of_finer_rows(acquisition, image);
        wanted.rows_per_pulse = rows;
    } else if (!given)
        wanted.azimuth_bandwidth_hz = band_beside_lost_ends_hz(acquisition, whole, former);
    return wanted == whole.parameters ? whole : planned(wanted);
}

/// Over a terrain points may be off by more than elsewhere; where they are, that is told of.
std::optional<Prediction> with_relief(std::optional<Prediction> predicted, const FocusOptions& options,
                                      FocusSetup& setup) {
    if (!options.terrain || setup.image.map) return predicted;
    const Prediction off = sum_of(predicted.value_or(Prediction{}), setup.relief);
    if (!holds(off) && !options.force)
        setup.warnings.push_back(fmt::format(
            "{}: histories of range follow a smooth surface through it, up to {:.0f} m off, and points may be off by "
            "{}; {} hold where there is no terrain; maps (--grid) take each pixel's own height",
            options.terrain->name(), setup.height_m.largest_relief_m(), text_of(off), text_of(error_limits)));
    return off;
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
void require_lines_of_track(const Acquisition& acquisition, const ImagePlan& image, const Former& former) {
    if (image.parameters.rows_per_pulse != 1 && !former.weighs_pulses)
        throw InputError(fmt::format(
            "--algorithm {}: makes one row for each pulse, but the beam needs {:g}; use backprojection, ffbp or auto",
            former.name, image.parameters.rows_per_pulse));
    if (acquisition.burst && !former.follows_rows)
        throw InputError(fmt::format(
            "--algorithm {}: the beam of a burst ({} {}) is steered from line to line, which this has no room for; use "
            "backprojection or auto",
            former.name, acquisition.burst->swath, acquisition.burst->number));
    if (!acquisition.flown_beside || former.follows_rows) return;
    throw InputError(
        fmt::format("the track sways up to {:.3g} m, and motion compensation, which --algorithm {} needs, does not do",
                    acquisition.motion->largest_distance_m, former.name));
}

/// Of a point's spectrum, by what processes one band for all of the chirp.
struct LostAtChirpEnds {
    double part = 0;
    std::string text;
};
LostAtChirpEnds lost_at_chirp_ends(const Acquisition& acquisition, const ImagePlan& image, const Former& former) {
    const double lost = image.map || former.weighs_pulses ? 0 : part_lost_at_chirp_ends(acquisition, image.parameters);
    if (!(lost > 0)) return {};
    return {lost, fmt::format(
                      "the beam of {:.6g} Hz lies up to {:.3g} Hz beside its centre at the chirp's ends: {:.2g} % of a "
                      "point's spectrum lie beyond the {:.6g} Hz that are processed",
                      *acquisition.azimuth_bandwidth_hz, moved_at_chirp_ends_hz(acquisition, image.parameters),
                      100 * lost, image.parameters.azimuth_bandwidth_hz)};
}

/// At most, as what is lost comes back at the other end of the PRF with a phase that nobody knows beforehand: that part
/// of the energy, at the ends of the band and a quarter of a cycle beside the rest, moves a peak by 6 / (2 pi) of it.
double most_moved_px(const Acquisition& acquisition, const LostAtChirpEnds& lost) {
    const double columns = acquisition.sample_rate_hz() / acquisition.chirp.bandwidth_hz();  // of 1 / (range band)
    return 3 / std::numbers::pi * lost.part * std::max(1.0, columns);
}

/// A little less than all of a beam is an image of it, a quarter is not, unless somebody asks for a part.
void require_chirp_ends(const Acquisition& acquisition, const FocusOptions& options, const ImagePlan& image,
                        const Former& former) {
    constexpr double most_lost = 0.1;
    if (options.azimuth_bandwidth_hz || image.parameters.force) return;
    const LostAtChirpEnds lost = lost_at_chirp_ends(acquisition, image, former);
    if (lost.part > most_lost)
        throw InputError(
            fmt::format("--algorithm {}: {}, at most {:.0f} % may be, as points are wider in range for it; "
                        "use backprojection, ffbp or auto, or narrow the band by --azimuth-bandwidth",
                        former.name, lost.text, 100 * most_lost));
}

/// On which grid, from where it is seen.
FocusSetup set_up_image(const Acquisition& acquisition, const FocusOptions& options, ViewChoice view) {
    FocusSetup setup;
    setup.image = plan_image(acquisition, view.parameters, *view.geometry);
    setup.doppler = std::move(view.doppler);
    setup.velocity_source = std::move(view.velocity_source);
    setup.height_m = std::move(view.height_m);
    setup.warnings = std::move(view.warnings);
    check_image(acquisition, options, setup);
    if (options.map) put_on_map(acquisition, options, setup);
    return setup;
}

/// Receivers that filter pulses before they sample them leave nothing to fold back: told of, not refused.
void warn_of_folding(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    const double band_hz = acquisition.chirp.bandwidth_hz(), sampled_hz = acquisition.sample_rate_hz();
    const Prediction lost = lost_by_folding(acquisition.chirp, sampled_hz, options.range_window);
    constexpr Prediction beside_interpolation{.position_px = 0.0035, .phase_deg = 1.8, .width_percent = 0.8};
    if (holds(lost, beside_interpolation)) return;
    setup.warnings.push_back(fmt::format(
        "the chirp of {:.4g} MHz x {:.4g} us is so short that its spectrum goes on beyond the {:.4g} MHz "
        "of its sampling: if nothing filtered it before, points are off by up to {} in range, where {} "
        "are allowed; only a higher sampling rate helps",
        band_hz / 1e6, acquisition.chirp.duration_s * 1e6, sampled_hz / 1e6, text_of(lost), text_of(error_limits)));
}

/// Of what the file has of azimuth and range, but no image can show. `wanted_hz`: the azimuth band before it was
/// planned.
void warn_of_bands(const Acquisition& acquisition, const FocusOptions& options, double wanted_hz, FocusSetup& setup) {
    if (!options.azimuth_bandwidth_hz && setup.image.parameters.azimuth_bandwidth_hz == wanted_hz &&
        acquisition.azimuth_bandwidth_hz > wanted_hz)
        setup.warnings.push_back(
            fmt::format("azimuthBandwidth of the file: of its {:.6g} Hz only {:.6g} Hz can be processed",
                        *acquisition.azimuth_bandwidth_hz, wanted_hz));
    if (const double widened = widened_by_floor(acquisition.chirp, acquisition.sample_rate_hz(), options.range_window);
        widened > 0.01)
        setup.warnings.push_back(
            fmt::format("the edges of the band of chirpWaveform are so weak that they are not made flat (noise would "
                        "rise by more than {:.0f} dB): points come out {:.2g} % wider in range than theory says; "
                        "--range-window hamming does not need them",
                        10 * std::log10(most_noise_gain), 100 * widened));
}

bool has_zero_doppler(const FocusSetup& setup) { return !setup.image.map || !setup.image.map->free_track; }

/// FocusSetup::image_doppler_hz, of an image with rows of zero Doppler.
DopplerSurface doppler_of_image(const Acquisition& acquisition, const FocusSetup& setup) {
    constexpr int times = 5, ranges = 6;
    const ImageGrid& grid = setup.image.map ? setup.image.map->seen : setup.image.grid;  // that covers the map
    const double last_row = static_cast<double>(std::max<std::int64_t>(2, grid.rows) - 1),
                 last_column = static_cast<double>(std::max<std::int64_t>(2, grid.columns) - 1);
    const SmoothSurface frame{.x_centre = grid.time_s(0.5 * last_row),
                              .x_half = 0.5 * last_row * grid.time_spacing_s,
                              .y_centre = grid.range_m(0.5 * last_column),
                              .y_half = 0.5 * last_column * grid.range_spacing_m};
    const ViewingGeometry& geometry = *setup.image.geometry;
    // In straight flight both are alike; beside a reference track the centroid is that along rows.
    const bool beside_rows = geometry.steady() || acquisition.flown_beside;
    std::vector<SurfacePoint> points;
    for (const double u : chebyshev_points(-1, 1, times))
        for (const double v : chebyshev_points(-1, 1, ranges)) {
            const double time_s = frame.x_centre + u * frame.x_half, range_m = frame.y_centre + v * frame.y_half;
            const BeamCentre beam = geometry.beam_centre(time_s, range_m);
            // Along a curved orbit rows far beside the pulses see a phase turn a little faster than pulses do.
            const double along_rows_hz = beside_rows ? beam.centroid_hz
                                                     : row_frequency_hz(geometry.track(), time_s, range_m,
                                                                        time_s + beam.time_s, geometry.carrier_hz());
            points.push_back({.x = time_s, .y = range_m, .value = along_rows_hz});
        }
    return fit_surface(DopplerSurface(frame, setup.doppler.surface_hz.nadir_m), powers_up_to(3, 3), points);
}

/// Or that in blocks of lines, of a spotlight whose sum takes so long that planning them is worth it. Exact sums from
/// far away, whose phase lies in the cells, take down to a fifth of what is predicted on a CPU; those over hills up to
/// a hundred times as much, as their tiles are summed in double precision where they hold few lines.
PlannedFormer cheaper_in_blocks(Device& device, const PlanFormer& plan, PlannedFormer whole, FocusSetup& setup) {
    constexpr double worth_a_look_s = 0.05, times_over_hills = 100;
    const bool hills = setup.image.map->ground->has_relief();
    const double least_s = hills ? worth_a_look_s : 2, most_of_whole = hills ? 0.5 : 0.25;
    if (whole.offer.seconds < (hills ? worth_a_look_s / times_over_hills : worth_a_look_s)) return whole;
    if (hills || !device.info().shares_host_memory) whole.offer.seconds = seconds_looked_at(device, whole);
    if (whole.offer.seconds < least_s) return whole;
    PlannedFormer in_blocks = unless_refused(plan, former_named("ffbp"));
    setup.offers = {whole.offer, in_blocks.offer};
    return in_blocks.offer.holds() && in_blocks.offer.seconds < most_of_whole * whole.offer.seconds ? in_blocks : whole;
}

/// Blocks far shorter than the lines that they need beside their own do all the work over and over, for hours: refused
/// where somebody asked for them, told of where the track leaves no others.
void look_at_repeated_work(const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    constexpr double most_times = 32;
    if (options.force) return;
    const std::int64_t rows = setup.memory.blocks.front().rows, fewest = fewest_block_rows(setup.image.lines.overlap());
    const double times = static_cast<double>(lines_of(setup.memory.blocks)) / static_cast<double>(acquisition.lines);
    if (rows >= fewest || times <= most_times) return;
    if (options.memory.block_rows)
        throw InputError(fmt::format(
            "--block-rows {}: {} blocks need so many lines of their neighbours that each line would be "
            "processed {:.0f} times, at most {:.0f} are allowed; give {} rows or more, or leave --block-rows out",
            *options.memory.block_rows, setup.memory.blocks.size(), times, most_times, fewest));
    if (!former_named(setup.algorithm).follows_rows)
        setup.warnings.push_back(fmt::format(
            "--algorithm {}: range histories change so much along the track that it takes {} blocks of {} rows, in "
            "which each line is processed {:.0f} times; --algorithm backprojection and --algorithm ffbp need none",
            setup.algorithm, setup.memory.blocks.size(), rows, times));
}

}  // namespace

ImagePlan FocusSetup::image_of(const Acquisition& acquisition, std::size_t block) const {
    if (image.geometry->steady() || image.map || memory.blocks.size() == 1)
        return image;  // which was planned as seen by all rows
    const AzimuthBlock& rows = memory.blocks[block];
    return with_history_of_rows(image, acquisition, rows.first_row, rows.rows);
}

FocusSetup set_up_focus(Device& device, const Acquisition& acquisition, const FocusOptions& options) {
    check_map(acquisition, options);
    if (acquisition.sums_all_pulses()) {
        FocusSetup setup = set_up_all_pulses(acquisition, options);
        plan_steps(device, acquisition, options, setup);
        return setup;
    }
    require_rows(acquisition, options);
    ViewChoice view = options.part ? *options.part->view : choose_view(acquisition, options);
    const double wanted_hz = view.parameters.azimuth_bandwidth_hz;
    FocusSetup setup = set_up_image(acquisition, options, std::move(view));
    plan_steps(device, acquisition, options, setup);
    if (acquisition.motion && !setup.image.map)
        setup.notes.push_back(acquisition.flown_beside ? note_of_reference(*acquisition.motion, options)
                                                       : note_of(*acquisition.motion));
    warn_of_bands(acquisition, options, wanted_hz, setup);
    warn_of_folding(acquisition, options, setup);
    return setup;
}

namespace {

void plan_with_warnings(Device& device, const Acquisition& acquisition, const FocusOptions& options,
                        FocusSetup& setup) {
    if (!setup.image.geometry->steady() && !setup.image.map)
        setup.image = with_history_of_rows(setup.image, acquisition, 0, setup.image.grid.rows);
    const PlanFormer plan = [&](const Former& former) {
        check_delays(options, former);
        require_lines_of_track(acquisition, setup.image, former);
        const ImagePlan image = without_lost_ends(acquisition, options, setup.image, former);
        require_chirp_ends(acquisition, options, image, former);
        return plan_former(device, acquisition, image, former, options.lowering, options.memory);
    };
    const double whole_hz = setup.image.parameters.azimuth_bandwidth_hz;
    PlannedFormer planned;
    if (options.algorithm != automatic_algorithm) {
        planned = forced(plan, former_named(options.algorithm), options.force, setup);
        if (setup.image.map && setup.image.map->ground->has_relief() && former_named(options.algorithm).sums_pixels)
            planned.offer.seconds = seconds_looked_at(device, planned);
    } else if (setup.image.map) {
        planned = plan(former_named(map_algorithm));
        if (acquisition.phase_history) planned = cheaper_in_blocks(device, plan, std::move(planned), setup);
    } else {
        FormerChoice choice = cheapest_that_holds(
            {[&](const Former& former) { return unless_refused(plan, former); },
             [&](const PlannedFormer& sums) {
                 // Processors make tiles as small as they need to be, but over hills.
                 return device.info().shares_host_memory ? sums.offer.seconds : seconds_looked_at(device, sums);
             }},
            options.weigh_all);
        setup.offers = std::move(choice.offers);
        planned = std::move(choice.taken);
    }
    if (setup.offers.empty()) setup.offers.push_back(planned.offer);
    setup.algorithm = planned.offer.algorithm;
    setup.predicted = with_relief(planned.offer.predicted, options, setup);
    setup.image = std::move(planned.image);
    if (const double part_hz = setup.image.parameters.azimuth_bandwidth_hz;
        part_hz < std::min(whole_hz, widest_beam_hz(acquisition, setup.image)))
        setup.warnings.push_back(
            fmt::format("the beam of {:.6g} Hz has soft ends, as few lines see a point, for which the PRF of {:.6g} Hz "
                        "has no room: {:.6g} Hz are processed; --azimuth-bandwidth says otherwise",
                        *acquisition.azimuth_bandwidth_hz, acquisition.prf_hz, part_hz));
    if (const LostAtChirpEnds lost = lost_at_chirp_ends(acquisition, setup.image, former_named(setup.algorithm));
        lost.part > most_lost_at_chirp_ends)
        setup.warnings.push_back(
            lost.text + fmt::format(", and points are wider in range for it and, as the PRF has no room for "
                                    "the rest, lie up to {:.2g} px off; backprojection and ffbp keep all of it",
                                    most_moved_px(acquisition, lost)));
    if (const double rows = setup.image.parameters.rows_per_pulse; rows > 1)
        setup.warnings.push_back(
            fmt::format("the beam of {:.6g} Hz needs more room along rows than the PRF of {:.6g} Hz: there are {:g} "
                        "rows for each pulse",
                        *acquisition.azimuth_bandwidth_hz, acquisition.prf_hz, rows));
    for (std::string& warning : former_named(setup.algorithm).weighs_pulses
                                    ? warnings_of_sums(acquisition, setup.image)
                                    : warnings_of_gain(acquisition, setup.image))
        setup.warnings.push_back(std::move(warning));
    setup.notes = std::move(planned.notes);
    setup.memory = std::move(planned.memory);
    look_at_repeated_work(acquisition, options, setup);
    if (has_zero_doppler(setup)) setup.image_doppler_hz = doppler_of_image(acquisition, setup);
}

}  // namespace

void plan_steps(Device& device, const Acquisition& acquisition, const FocusOptions& options, FocusSetup& setup) {
    std::vector<std::string> others = std::exchange(setup.warnings, {});
    for (const std::string& told : setup.warnings_of_steps)
        if (const auto found = std::find(others.begin(), others.end(), told); found != others.end())
            others.erase(found);
    plan_with_warnings(device, acquisition, options, setup);
    setup.warnings_of_steps = setup.warnings;
    setup.warnings.insert(setup.warnings.begin(), others.begin(), others.end());
}

}  // namespace cornerturn
