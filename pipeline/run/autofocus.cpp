// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/autofocus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/echo/stage_clock.h"
#include "pipeline/run/data_estimates.h"

namespace cornerturn {
namespace {

constexpr double settled_bend_rad = 0.02;
constexpr std::int64_t held_back = 4;  // one band of so many
/// What is taken has to be so many times what two halves of the scene tell differently: what is left is less than it
/// was then.
constexpr double least_agreement = 2;

/// The image that is looked at: all that the lines see, without what weighs the aperture.
FocusOptions options_for_looking(FocusOptions options) {
    options.timeline.reset();
    options.extent = ImageExtent::full;
    options.azimuth_window = {};
    options.lowering.precision = Precision::full;
    options.azimuth_bandwidth_hz.reset();  // an end of the band that is not one of the beam has phases of its own
    options.block_rows_of_frames.clear();
    options.finer_rows = false;  // phases are looked for row by row, as of pulses
    options.autofocused.reset();
    return options;
}

/// The pieces that are not held back, and those that are.
struct Split {
    std::unique_ptr<PhaseEvidence> worked, held;
    explicit Split(const PhaseEvidence& all)
        : worked(all.bands(8, [](std::size_t band) { return band % held_back != held_back - 1; })),
          held(all.bands(8, [](std::size_t band) { return band % held_back == held_back - 1; })) {}
};

/// Whether there was anything that tells phases, and agrees.
bool tells(const PhaseEstimate& found) {
    return found.rounds > 0 && std::any_of(found.weight.begin(), found.weight.end(), [](double w) { return w > 0; });
}

class LinePhases {
public:
    LinePhases(std::span<Device* const> devices, EchoSource& echo, const FocusOptions& options, int threads,
               const Progress& progress)
        : echo_(echo),
          look_{.devices = devices,
                .options = with_estimates(echo, options_for_looking(options), imager(*devices.front(), threads)),
                .threads = thread_count(threads),
                .progress =
                    [&progress](std::string_view stage, double done) {
                        if (progress) progress(fmt::format("autofocus: {}", stage), done);
                    }},
          phase_rad_(static_cast<std::size_t>(echo.acquisition().lines)),
          weight_(phase_rad_.size()) {}

    AutofocusReport find() {
        AutofocusReport report;
        for (int round = 0; round < most_autofocus_rounds; ++round) {
            look_again(report);
            if (round > 0 && !is_sharper(report)) break;
            if (round == 0 && !begins(report)) break;
            if (round > 0 && !goes_on(report)) break;
        }
        const Acquisition& echo = echo_.acquisition();
        report.record = {.method = look_.options.autofocus,
                         .first_time_s = echo.first_pulse_time_s,
                         .time_spacing_s = 1 / echo.prf_hz,
                         .times_s = echo.pulse_times_s,
                         .phase_rad = phase_rad_};
        report.rms_rad = rms_rad(phase_rad_, weight_);
        report.largest_rad = largest_rad();
        report.bend_rad = image_->bend_rad(phase_rad_, weight_);
        report.told_lines = std::count_if(weight_.begin(), weight_.end(), [](double w) { return w > 0; });
        report.residual_rad = residual_rad();
        return report;
    }

private:
    /// The image with what was found so far taken away.
    void look_again(AutofocusReport& report) {
        PhasedEcho phased(echo_, phase_rad_);
        image_ = echo_.acquisition().phase_history ? look_at_spotlight(look_, phased, report.columns)
                                                   : look_at_strip(look_, phased, report.columns);
    }

    /// Whether the image became sharper by what was taken away last; if not, that is put back. Pieces know nothing of
    /// what the PRF and the ends of the strip cut off: of few points whose beam fills the PRF, entropy falls by phases
    /// that blur the image made with them, and two halves of the scene agree on these where they see the same points.
    bool is_sharper(AutofocusReport& report) {
        const double seen = entropy_seen_;
        entropy_seen_ = entropy_now();
        if (entropy_seen_ < seen) return true;
        phase_rad_ = phase_before_;
        if (report.rounds.size() == 1)
            report.verdict = fmt::format(
                "not sure: with what was found taken away, the entropy of the image changes by {:+.2g}; left as it is",
                entropy_seen_ - seen);
        return false;
    }

    double entropy_now() const { return image_->entropy(std::vector<double>(phase_rad_.size()), look_.threads); }

    /// Of what two halves of the image tell, each by itself: the error of their mean, as far as it bends within
    /// apertures. Nothing where one of them tells nothing.
    std::optional<double> half_the_difference_rad() const {
        const auto half = [&](std::size_t which) {
            return image_->bands(16, [=](std::size_t band) { return band % 2 == which; })->estimate(look_.threads);
        };
        PhaseEstimate one = half(0);
        const PhaseEstimate other = half(1);
        if (!tells(one) || !tells(other)) return std::nullopt;
        for (std::size_t i = 0; i < one.phase_rad.size(); ++i) {
            one.phase_rad[i] = 0.5 * (one.phase_rad[i] - other.phase_rad[i]);
            one.weight[i] = std::min(one.weight[i], other.weight[i]);
        }
        return image_->bend_rad(one.phase_rad, one.weight);
    }

    AutofocusRound round_of(const PhaseEvidence& image, const PhaseEstimate& found) const {
        const std::vector<double> none(found.phase_rad.size());
        return {.rms_rad = rms_rad(found.phase_rad, found.weight),
                .bend_rad = image.bend_rad(found.phase_rad, found.weight),
                .targets = found.targets,
                .entropy_before = image.entropy(none, look_.threads),
                .entropy_after = image.entropy(found.phase_rad, look_.threads)};
    }

    void take(const PhaseEstimate& found) {
        phase_before_ = phase_rad_;
        for (std::size_t i = 0; i < phase_rad_.size(); ++i) phase_rad_[i] += found.phase_rad[i];
        weight_ = found.weight;
        image_->remove_line(phase_rad_, weight_);
    }

    /// Whether there is anything to take away; if so, it is.
    bool begins(AutofocusReport& report) {
        const Split split(*image_);
        const PhaseEstimate found = split.worked->estimate(look_.threads);
        weight_ = found.weight;
        const AutofocusRound worked = round_of(*split.worked, found), held = round_of(*split.held, found);
        report.rounds.push_back(worked);
        if (!tells(found)) {
            report.verdict = "nothing stands out of the scene by which a phase could be told; left as it is";
            return false;
        }
        if (worked.bend_rad < focused_bend_rad) {
            report.verdict = fmt::format(
                "in focus: what was found bends by {:.3f} rad rms within apertures, less than {}; left as it is",
                worked.bend_rad, focused_bend_rad);
            return false;
        }
        if (image_->is_of_one_place()) {
            report.verdict =
                "not sure: one place has nearly all of the brightness, by which entropy tells no phase; left as it is";
            return false;
        }
        const double gain = worked.entropy_before - worked.entropy_after,
                     shared = held.entropy_before - held.entropy_after;
        if (!(gain > 0 && shared > 0)) {
            report.verdict = fmt::format(
                "too little contrast: what was found changes the entropy where it was looked for by {:+.2g}, that of "
                "what was kept back by {:+.2g}; left as it is",
                -gain, -shared);
            return false;
        }
        const std::optional<double> doubt_rad = half_the_difference_rad();
        if (!doubt_rad) {
            report.verdict =
                "not sure: too few points stand out of the scene for two halves of it to be compared; left as it is";
            return false;
        }
        if (!(worked.bend_rad > least_agreement * *doubt_rad)) {
            report.verdict = fmt::format(
                "not sure: what was found bends by {:.3f} rad rms within apertures, what two halves of the scene tell "
                "is {:.3f} off their mean; left as it is",
                worked.bend_rad, *doubt_rad);
            return false;
        }
        entropy_seen_ = entropy_now();
        take(found);
        report.rounds.back().residual_rad = residual_rad();
        report.verdict = "phase error taken away";
        return true;
    }

    /// Whether more was found, and another look is worth while.
    bool goes_on(AutofocusReport& report) {
        const PhaseEstimate found = image_->estimate(look_.threads);
        const AutofocusRound round = round_of(*image_, found);
        report.rounds.push_back(round);
        if (!(round.entropy_after < round.entropy_before)) return false;
        take(found);
        report.rounds.back().residual_rad = residual_rad();
        return round.bend_rad >= settled_bend_rad;
    }

    double largest_rad() const {
        double most = 0;
        for (std::size_t i = 0; i < phase_rad_.size(); ++i)
            if (weight_[i] > 0) most = std::max(most, std::abs(phase_rad_[i]));
        return most;
    }

    std::optional<double> residual_rad() const {
        std::vector<double> left = echo_.acquisition().true_phase_error_rad;
        if (left.size() != phase_rad_.size()) return std::nullopt;
        for (std::size_t i = 0; i < left.size(); ++i) left[i] -= phase_rad_[i];
        image_->remove_line(left, weight_);
        return rms_rad(left, weight_);
    }

    EchoSource& echo_;
    AutofocusLook look_;
    std::unique_ptr<PhaseEvidence> image_;
    std::vector<double> phase_rad_, weight_;
    std::vector<double> phase_before_;  ///< what was taken away last
    double entropy_seen_ = 0;           ///< of the image that was looked at last
};

}  // namespace

AutofocusReport find_line_phases(std::span<Device* const> devices, EchoSource& echo, const FocusOptions& options,
                                 int threads, const Progress& progress) {
    StageClock clock;
    AutofocusReport report = LinePhases(devices, echo, options, threads, progress).find();
    report.wall_s = clock.lap();
    return report;
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
