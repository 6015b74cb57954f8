// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/autofocus.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "kernels/errors.h"
#include "pipeline/autofocus/minimum_entropy.h"
#include "pipeline/autofocus/phase_gradient.h"
#include "pipeline/echo/kept_columns.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"

namespace cornerturn {
namespace {

constexpr double settled_bend_rad = 0.02;
constexpr std::int64_t held_back = 4;  // one band of so many
/// What is taken has to be so many times what two halves of the scene tell differently: what is left is less than it
/// was then.
constexpr double least_agreement = 2;

std::size_t bytes_to_keep(const FocusOptions& options) {
    constexpr std::size_t enough = std::size_t{512} << 20;
    return options.memory.most_bytes ? std::min(enough, *options.memory.most_bytes / 4) : enough;
}

/// The image that is looked at: all that the lines see, without what weighs the aperture.
FocusOptions options_for_looking(FocusOptions options) {
    options.timeline.reset();
    options.extent = ImageExtent::full;
    options.azimuth_window = {};
    options.lowering.precision = Precision::full;
    options.azimuth_bandwidth_hz.reset();  // an end of the band that is not one of the beam has phases of its own
    options.block_rows_of_frames.clear();
    options.autofocus = Autofocus::none;
    options.finer_rows = false;  // phases are looked for row by row, as of pulses
    options.autofocused.reset();
    return options;
}

StripImage strip_image(const Acquisition& echo, const FocusSetup& setup, KeptColumns& kept) {
    const ImagePlan& plan = setup.image;
    const HistorySpan span{
        .from_m = plan.nearest_m, .to_m = plan.farthest_m, .half_band_hz = plan.history.half_band_hz()};
    const double processed_hz = plan.parameters.azimuth_bandwidth_hz;
    return {.grid = kept.grid(),
            .range_m = kept.range_m(),
            .samples = kept.take(),
            .lines = echo.lines,
            .first_line_time_s = echo.first_pulse_time_s,
            .illuminated_band_hz = std::min(processed_hz, echo.azimuth_bandwidth_hz.value_or(processed_hz)),
            .steady = setup.geometry->steady(),
            .history = [geometry = setup.geometry, span](double time_s) { return geometry->history(time_s, span); }};
}

/// The pieces in whose bands of neighbours `wanted` is so: a bright target lies in several columns.
template <class Wanted>
Strip bands_of(const Strip& strip, std::size_t largest_band, const Wanted& wanted) {
    const std::size_t band = std::clamp<std::size_t>(strip.pieces.size() / 8, 1, largest_band);
    Strip part{.lines = strip.lines,
               .length = strip.length,
               .aperture_lines = strip.aperture_lines,
               .rows_per_cell = strip.rows_per_cell,
               .pieces = {}};
    for (std::size_t i = 0; i < strip.pieces.size(); ++i)
        if (wanted(i / band)) part.pieces.push_back(strip.pieces[i]);
    return part;
}

/// The pieces that are not held back, and those that are.
struct Split {
    Strip worked, held;
    explicit Split(const Strip& all)
        : worked(bands_of(all, 8, [](std::size_t band) { return band % held_back != held_back - 1; })),
          held(bands_of(all, 8, [](std::size_t band) { return band % held_back == held_back - 1; })) {}
};

class LinePhases {
public:
    LinePhases(std::span<Device* const> devices, EchoSource& echo, const FocusOptions& options, int threads,
               const Progress& progress)
        : devices_(devices),
          echo_(echo),
          method_(options.autofocus),
          options_(with_estimates(echo, options_for_looking(options), threads)),
          threads_(threads > 0 ? threads : omp_get_max_threads()),
          progress_(progress),
          phase_rad_(static_cast<std::size_t>(echo.acquisition().lines)),
          weight_(phase_rad_.size()) {}

    AutofocusReport find() {
        AutofocusReport report;
        for (int round = 0; round < most_autofocus_rounds; ++round) {
            const Strip strip = looked_at(report);
            if (round == 0 && !begins(strip, report)) break;
            if (round > 0 && !goes_on(strip, report)) break;
        }
        const Acquisition& echo = echo_.acquisition();
        report.record = {.method = method_,
                         .first_time_s = echo.first_pulse_time_s,
                         .time_spacing_s = 1 / echo.prf_hz,
                         .phase_rad = phase_rad_};
        report.rms_rad = rms_rad(phase_rad_, weight_);
        report.bend_rad = bend_rad(phase_rad_, weight_, aperture_lines_);
        report.told_lines = std::count_if(weight_.begin(), weight_.end(), [](double w) { return w > 0; });
        report.residual_rad = residual_rad();
        return report;
    }

private:
    /// The strip with what was found so far taken away.
    Strip looked_at(AutofocusReport& report) {
        PhasedEcho phased(echo_, phase_rad_);
        EchoSource* const frame = &phased;
        KeptColumns kept(bytes_to_keep(options_));
        const Progress told = [&](std::string_view stage, double done) {
            if (progress_) progress_(fmt::format("autofocus: {}", stage), done);
        };
        const auto reports = focus_frames(devices_, std::span(&frame, 1), options_, kept, told).frames;
        const FocusSetup& setup = reports.front().setup;
        report.columns = kept.columns();
        constexpr std::int64_t columns_for_points = 192, columns_for_entropy = 96;
        const std::int64_t columns = method_ == Autofocus::minimum_entropy ? columns_for_entropy : columns_for_points;
        Strip strip =
            strip_of(strip_image(phased.acquisition(), setup, kept), {.columns = columns, .threads = threads_});
        aperture_lines_ = strip.aperture_lines;
        return strip;
    }

    PhaseEstimate estimate(const Strip& strip) const {
        return method_ == Autofocus::minimum_entropy ? minimum_entropy(strip, threads_)
                                                     : phase_gradient(strip, threads_);
    }

    /// Of what two halves of the strip tell, each by itself: the error of their mean, as far as it bends within
    /// apertures.
    double half_the_difference_rad(const Strip& strip) const {
        PhaseEstimate one = estimate(bands_of(strip, 16, [](std::size_t band) { return band % 2 == 0; }));
        const PhaseEstimate other = estimate(bands_of(strip, 16, [](std::size_t band) { return band % 2 == 1; }));
        for (std::size_t i = 0; i < one.phase_rad.size(); ++i) {
            one.phase_rad[i] = 0.5 * (one.phase_rad[i] - other.phase_rad[i]);
            one.weight[i] = std::min(one.weight[i], other.weight[i]);
        }
        return bend_rad(one.phase_rad, one.weight, strip.aperture_lines);
    }

    AutofocusRound round_of(const Strip& strip, const PhaseEstimate& found) const {
        const std::vector<double> none(found.phase_rad.size());
        return {.rms_rad = rms_rad(found.phase_rad, found.weight),
                .bend_rad = bend_rad(found.phase_rad, found.weight, strip.aperture_lines),
                .targets = found.targets,
                .entropy_before = entropy(strip, none, threads_),
                .entropy_after = entropy(strip, found.phase_rad, threads_)};
    }

    void take(const PhaseEstimate& found) {
        for (std::size_t i = 0; i < phase_rad_.size(); ++i) phase_rad_[i] += found.phase_rad[i];
        weight_ = found.weight;
        remove_line(phase_rad_, weight_);
    }

    /// Whether there is anything to take away; if so, it is.
    bool begins(const Strip& strip, AutofocusReport& report) {
        const Split split(strip);
        const PhaseEstimate found = estimate(split.worked);
        weight_ = found.weight;
        const AutofocusRound worked = round_of(split.worked, found), held = round_of(split.held, found);
        report.rounds.push_back(worked);
        if (found.rounds == 0) {
            report.verdict = "nothing stands out of the scene by which a phase could be told; left as it is";
            return false;
        }
        if (worked.bend_rad < focused_bend_rad) {
            report.verdict = fmt::format(
                "in focus: what was found bends by {:.3f} rad rms within apertures, less than {}; left as it is",
                worked.bend_rad, focused_bend_rad);
            return false;
        }
        const double gain = worked.entropy_before - worked.entropy_after,
                     shared = held.entropy_before - held.entropy_after;
        if (!(gain > 0 && shared > 0)) {
            report.verdict = fmt::format(
                "too little contrast: what was found changes the entropy of the columns looked at by {:+.2g}, that of "
                "others by {:+.2g}; left as it is",
                -gain, -shared);
            return false;
        }
        if (const double doubt_rad = half_the_difference_rad(strip); !(worked.bend_rad > least_agreement * doubt_rad)) {
            report.verdict = fmt::format(
                "not sure: what was found bends by {:.3f} rad rms within apertures, what two halves of the scene tell "
                "is {:.3f} off their mean; left as it is",
                worked.bend_rad, doubt_rad);
            return false;
        }
        take(found);
        report.rounds.back().residual_rad = residual_rad();
        report.verdict = "phase error taken away";
        return true;
    }

    /// Whether more was found, and another look is worth while.
    bool goes_on(const Strip& strip, AutofocusReport& report) {
        const PhaseEstimate found = estimate(strip);
        const AutofocusRound round = round_of(strip, found);
        report.rounds.push_back(round);
        if (!(round.entropy_after < round.entropy_before)) return false;
        take(found);
        report.rounds.back().residual_rad = residual_rad();
        return round.bend_rad >= settled_bend_rad;
    }

    std::optional<double> residual_rad() const {
        std::vector<double> left = echo_.acquisition().true_phase_error_rad;
        if (left.size() != phase_rad_.size()) return std::nullopt;
        for (std::size_t i = 0; i < left.size(); ++i) left[i] -= phase_rad_[i];
        remove_line(left, weight_);
        return rms_rad(left, weight_);
    }

    std::span<Device* const> devices_;
    EchoSource& echo_;
    Autofocus method_;
    FocusOptions options_;
    int threads_;
    const Progress& progress_;
    double aperture_lines_ = 0;
    std::vector<double> phase_rad_, weight_;
};

}  // namespace

AutofocusReport find_line_phases(std::span<Device* const> devices, EchoSource& echo, const FocusOptions& options,
                                 int threads, const Progress& progress) {
    StageClock clock;
    AutofocusReport report = LinePhases(devices, echo, options, threads, progress).find();
    report.wall_s = clock.lap();
    return report;
}

AutofocusNeed autofocus_need(const ImageGrid& grid, const FocusOptions& options) {
    const std::int64_t columns = KeptColumns::columns_within(grid, bytes_to_keep(options));
    return {.columns = columns, .bytes = static_cast<std::size_t>(columns * grid.rows) * sizeof(std::complex<float>)};
}

std::vector<double> phases_for(const AutofocusRecord& record, const Acquisition& of, const Acquisition& frame) {
    if (frame.lines != std::ssize(record.phase_rad) || frame.prf_hz != of.prf_hz ||
        frame.first_pulse_time_s != of.first_pulse_time_s)
        throw InputError(
            fmt::format("--autofocus: the phases of the {} lines of frequency {} {} do not fit the {} lines of "
                        "frequency {} {}, which are others; focus them into files of their own",
                        of.lines, of.frequency, of.polarization, frame.lines, frame.frequency, frame.polarization));
    std::vector<double> phases = record.phase_rad;
    for (double& rad : phases) rad *= frame.carrier_hz / of.carrier_hz;
    return phases;
}

}  // namespace cornerturn
