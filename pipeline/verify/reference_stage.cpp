// SPDX-License-Identifier: Apache-2.0
// The checks of the reference stage and their limits.
#include "pipeline/verify/reference_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "kernels/interrupt.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/verify/allowance.h"
#include "pipeline/verify/image_excerpt.h"
#include "pipeline/verify/map_checks.h"
#include "pipeline/verify/pixel_sample.h"
#include "pipeline/verify/reference_chip.h"
#include "pipeline/verify/seen_targets.h"
#include "pipeline/verify/signal_to_error.h"
#include "pipeline/verify/two_chains.h"

namespace cornerturn {
namespace {

/// Factorised sums need to be no nearer than 20 dB below the error that is asked of them. A CPU, in double precision,
/// too, takes phases and places of 16 nodes together, as near as that error lets it; a GPU each by itself. At -60 dB
/// the two were seen 85 to 107 dB apart, the least along flights near their swath (`drone`), at -80 dB 107 dB there.
double least_signal_to_error_db(const FocusOptions& options, const Former& former) {
    constexpr double below_error_db = 20;
    const double least_db = least_signal_to_error_db(options.lowering.precision);
    const bool factorised = former.follows_rows && !former.sums_pixels;
    return factorised ? std::min(least_db, below_error_db - options.error_db) : least_db;
}

/// The chain's response is flat over the band, that of back-projection has the ripples (Fresnel) of the spectrum of the
/// pulse and of the aperture. Time-bandwidth products of 500 leave 0.9995; without any likeness 16 x 16 pixels come to
/// some 0.1.
constexpr double least_correlation_of_long_chirps = 0.99;
constexpr double largest_width_error_percent = 1;
constexpr double largest_sidelobe_error_db = 0.15;
constexpr double largest_sidelobe_error_squinted_db = 0.2;  // of a skewed support
constexpr double squinted_range_cycles = 0.01;  // range carrier per pixel from which on the support counts as skewed

/// Short chirps have strong ripples. With time-bandwidth products of 14, 22, 43 and 86 the correlation was 0.956,
/// 0.967, 0.986 and 0.994, and sidelobes were 0.65, 0.29, 0.09 and 0.01 dB off those of a flat band.
struct RippleOfChirp {
    /// Pulses that come compressed have none; below products of 14 nothing more is allowed.
    explicit RippleOfChirp(const Chirp& chirp)
        : product(chirp.compressed() ? INFINITY : std::max(14.0, chirp.bandwidth_hz() * chirp.duration_s)) {}
    double least_correlation() const { return std::min(least_correlation_of_long_chirps, 1 - 0.9 / product); }
    double largest_sidelobe_error_db(double of_long_chirps_db) const {
        return std::max(of_long_chirps_db, 12 / product);
    }
    double product;  // of time and bandwidth
};

NoiseAllowance allowance_of(const Image& image, const PointTarget& target, double noise) {
    const ResponseSupport support = target_support(image, analysis_target(target));
    const double band = std::min(support.range_bandwidth_hz * 2.0 * image.grid.range_spacing_m / speed_of_light_m_s,
                                 support.effective_azimuth_bandwidth_hz() * image.grid.time_spacing_s);
    return noise_allowance(std::norm(target.amplitude * illuminated_fraction(support)) / noise, band);
}

/// Takes the rows of the image in double precision beside those of the image under test, of which it looks at a sample
/// if there is one.
class Compared final : public ImageSink {
public:
    Compared(const ImageExcerpt& image, const std::optional<PixelSample>& sample) : image_(image), sample_(sample) {}
    void begin(const Image&) override {}
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        const auto tested = image_.rows(first_row, rows.size());
        sample_ ? sample_->add(first_row, tested, rows, ratio_) : ratio_.add(tested, rows);
    }
    double db() const { return ratio_.db(); }
    bool nothing() const { return ratio_.nothing(); }

private:
    const ImageExcerpt& image_;
    const std::optional<PixelSample>& sample_;
    SignalToError ratio_;
};

/// Hands an image to two sinks, or to one.
class Both final : public ImageSink {
public:
    Both(ImageSink& one, ImageSink* other) : one_(one), other_(other) {}
    void begin(const Image& header) override {
        one_.begin(header);
        if (other_ != nullptr) other_->begin(header);
    }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        one_.write(first_row, rows);
        if (other_ != nullptr) other_->write(first_row, rows);
    }

private:
    ImageSink& one_;
    ImageSink* other_;
};

/// Where most of the energy of an image lies.
PixelSample sample_of(const ImageExcerpt& image) {
    constexpr std::size_t bright_places = 16;
    const std::vector<PixelBlock> of_targets = image.patches();
    return {image.header().grid, of_targets.empty() ? image.brightest(bright_places) : of_targets};
}

std::string extent_of(const PixelSample& sample, const ImageExcerpt& image) {
    const std::size_t targets = image.header().acquisition.truth.size();
    return fmt::format(
        "of {} pixels all over the image and the surroundings of {}", sample.outside(),
        targets > 0 ? fmt::format("{} target{}", targets, targets > 1 ? "s" : "") : "its brightest places");
}

/// Forms the image on the device under test, and beside it the one in double precision: block by block, or all of it
/// where parts of the pulses are added up.
void check_against_double(Device& device, Device& reference, EchoSource& echo, const FocusOptions& options,
                          ImageExcerpt& image, ImageSink* keep, const Progress& progress, ReferenceOutcome& outcome) {
    TwoChains chains = ChainPlanner(device, reference, echo, options).plan();
    const bool at_once = chains.one_after_the_other;
    const Former& former = former_named(chains.setup.algorithm);
    const bool sums_pixels = former.sums_pixels;
    const double least_db = least_signal_to_error_db(options, former);
    std::optional<PixelSample> sample;
    Compared compared(image, sample);
    Both sink(image, keep);
    image.hold_all(at_once);
    BlockFocus tested(device, echo, chains.options, std::move(chains.setup), sink, progress);
    std::optional<BlockFocus> in_double;
    for (std::size_t i = 0; i < tested.blocks(); ++i) {
        image.forget_rows();
        tested.run(i);
        if (progress)
            progress("the chain in double precision", static_cast<double>(i) / static_cast<double>(tested.blocks()));
        if (at_once && i + 1 < tested.blocks()) continue;
        if (!in_double) {  // only now is known where the targets lie in the image
            if (sums_pixels) chains.setup_in_double.image.asked_pixels = sample.emplace(sample_of(image)).pixels();
            in_double.emplace(reference, echo, chains.options_in_double, std::move(chains.setup_in_double), compared);
        }
        const std::size_t blocks = in_double->blocks();
        for (std::size_t k = at_once ? 0 : i; k < (at_once ? blocks : i + 1); ++k) in_double->run(k);
    }
    image.hold_all(false);
    image.forget_rows();
    if (compared.nothing())
        throw NothingToJudge(
            fmt::format("{}: the image is zero wherever it was looked at, and so is the same chain in double "
                        "precision: the echo holds no signal, and there is nothing to judge; verify another echo, or "
                        "another part of it by --lines, --time or --bbox",
                        frame_name(echo.acquisition())));
    outcome.report = std::move(tested.report());
    outcome.checks.push_back({"image against the same chain in double precision, signal-to-error", compared.db(),
                              least_db, true, "dB", sample ? extent_of(*sample, image) : ""});
}

/// Where the record has gaps, a target at a pixel that they touch is not judged: it is made of a part of its echo.
bool touched_by_gaps(const Image& image, const PointTarget& target) {
    if (image.acquisition.decoding.valid_samples.empty()) return false;
    const PixelPosition place = pixel_position(image.grid, target.range_m, target.zero_doppler_time_s);
    const auto row = std::lround(place.row);
    const auto column = static_cast<std::int32_t>(std::lround(place.column));
    return row >= 0 && row < image.grid.rows && !image.valid(row, {column, column + 1});
}

void check_against_backprojection(Device& reference, EchoSource& echo, const ImageExcerpt& seen,
                                  const SeenTargets& targets, double noise, const Progress& progress,
                                  ReferenceOutcome& outcome) {
    const Image& image = seen.header();
    const ImageView view = seen.view();
    const auto& truth = image.acquisition.truth;
    Worst amplitude, phase_at_truth, distance, phase;
    std::optional<double> least;
    std::size_t least_target = 0;
    double correlation_factor = 1;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (progress) progress("back-projection", static_cast<double>(i) / static_cast<double>(truth.size()));
        if (!targets.whole[i]) continue;
        if (touched_by_gaps(image, truth[i])) {
            outcome.remarks.push_back(fmt::format("target {} is not judged: gaps in the record touch its echo", i + 1));
            continue;
        }
        const ChipComparison chip = compare_with_backprojection(reference, echo, view, truth[i]);
        if (!chip.refused.empty()) {
            outcome.remarks.push_back(
                fmt::format("target {} is not compared with back-projection: {}", i + 1, chip.refused));
            continue;
        }
        const NoiseAllowance allowed = allowance_of(image, truth[i], noise);
        // The sum over the echo does not fill in what single transmissions hide, the image does.
        const bool whole = echo.acquisition().decoding.valid_samples.empty();
        if (chip.fully_recorded && whole && image.acquisition.azimuth_bandwidth_hz) {
            amplitude.add(20.0 * std::log10(std::abs(chip.at_truth_over_truth)), allowed.amplitude_db, i);
            phase_at_truth.add(std::arg(chip.at_truth_over_truth) / degree, allowed.phase_deg, i);
        }
        if (!least || !(chip.correlation >= *least)) least = chip.correlation, least_target = i;
        correlation_factor = std::min(correlation_factor, allowed.correlation_factor);
        distance.add(chip.distance_px, allowed.position_px, i);
        phase.add(chip.phase_deg, allowed.phase_deg, i);
    }
    amplitude.check("echo by back-projection at the true places, amplitude error", largest_amplitude_error_db, "dB",
                    outcome.checks);
    phase_at_truth.check("echo by back-projection at the true places, phase error", largest_phase_error_deg, "deg",
                         outcome.checks);
    if (least)
        outcome.checks.push_back({"image against back-projection, normalised correlation", *least,
                                  RippleOfChirp(image.acquisition.chirp).least_correlation() * correlation_factor, true,
                                  "", fmt::format("worst: target {}", least_target + 1)});
    distance.check("image against back-projection, distance of the peaks", largest_position_error_px, "px",
                   outcome.checks);
    phase.check("image against back-projection, phase at the peak", largest_phase_error_deg, "deg", outcome.checks);
}

void check_against_theory(const ImageExcerpt& seen, const SeenTargets& judged, double noise,
                          ReferenceOutcome& outcome) {
    const Image& image = seen.header();
    const ImageView view = seen.view();
    Worst range, azimuth, phase, amplitude, width, pslr, islr;
    double sidelobe_limit_db = largest_sidelobe_error_db;
    std::size_t measured = 0;
    const auto targets = known_targets(image);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        throw_if_interrupted();
        if (!judged.whole[i] || touched_by_gaps(image, image.acquisition.truth[i])) continue;
        const PointAnalysis point = analyze_point(view, targets[i]);
        if (!point.refused.empty()) {
            outcome.remarks.push_back(fmt::format("target {} is not measured: {}", i + 1, point.refused));
            continue;
        }
        ++measured;
        const NoiseAllowance allowed = allowance_of(image, image.acquisition.truth[i], noise);
        range.add(*point.range.position_error_px, allowed.position_px, i);
        azimuth.add(*point.azimuth.position_error_px, allowed.position_px, i);
        if (point.phase_error_deg) phase.add(*point.phase_error_deg, allowed.phase_deg, i);
        if (point.magnitude_error_db) amplitude.add(*point.magnitude_error_db, allowed.amplitude_db, i);
        for (const AxisAnalysis* axis : {&point.range, &point.azimuth}) {
            width.add(100.0 * (axis->measured.irw_px / axis->theory.irw_px - 1.0), allowed.width_percent, i);
            pslr.add(axis->measured.pslr_db - axis->theory.pslr_db, allowed.pslr_db, i);
            islr.add(axis->measured.islr_db - axis->theory.islr_db, allowed.islr_db, i);
        }
        const ResponseSupport support = target_support(image, targets[i]);
        const double carrier_cycles = support.image_range_frequency_hz(0, support.centre_hz()) * 2.0 *
                                      image.grid.range_spacing_m / speed_of_light_m_s;
        if (std::abs(carrier_cycles) > squinted_range_cycles) sidelobe_limit_db = largest_sidelobe_error_squinted_db;
    }
    outcome.checks.push_back(check_of_measured(measured, targets.size()));
    range.check("position error in range", largest_position_error_px, "px", outcome.checks);
    azimuth.check("position error in azimuth", largest_position_error_px, "px", outcome.checks);
    phase.check("phase error", largest_phase_error_deg, "deg", outcome.checks);
    amplitude.check("amplitude error", largest_amplitude_error_db, "dB", outcome.checks);
    width.check("width (IRW) off theory", largest_width_error_percent, "%", outcome.checks);
    sidelobe_limit_db = RippleOfChirp(image.acquisition.chirp).largest_sidelobe_error_db(sidelobe_limit_db);
    pslr.check("highest sidelobe (PSLR) off theory", sidelobe_limit_db, "dB", outcome.checks);
    islr.check("energy of sidelobes (ISLR) off theory", sidelobe_limit_db, "dB", outcome.checks);
}

/// What is kept of an image that is focused for it alone.
ImageExcerpt seen(Device& device, EchoSource& echo, const FocusOptions& options, const Progress& progress) {
    class Patches final : public ImageSink {
    public:
        void begin(const Image& header) override { image.begin(header); }
        void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
            image.write(first_row, rows);
            image.forget_rows();
        }
        ImageExcerpt image;
    } sink;
    EchoSource* const frame = &echo;
    focus_frames(device, std::span(&frame, 1), options, sink, progress);
    return std::move(sink.image);
}

}  // namespace

bool ReferenceOutcome::passed() const {
    return !checks.empty() &&
           std::all_of(checks.begin(), checks.end(), [](const ReferenceCheck& check) { return check.passed(); });
}

ReferenceOutcome run_reference_stage(Device& device, Device& in_double, EchoSource& recorded,
                                     const FocusOptions& wanted, const Imager& imager, const Progress& progress,
                                     ImageSink* keep) {
    ReferenceOutcome outcome;
    const auto uniform = on_even_lines(recorded, wanted, imager, &outcome.remarks);
    EchoSource& even = uniform ? *uniform : recorded;
    const FocusOptions options = with_estimates(even, wanted, imager);
    const auto finer = on_finer_samples(even, options, imager.threads, &outcome.remarks);
    EchoSource& echo = finer ? *finer : even;
    ImageExcerpt image;
    check_against_double(device, in_double, echo, options, image, keep, progress, outcome);
    if (image.header().acquisition.truth.empty()) {
        outcome.remarks.emplace_back("no known targets: neither compared with back-projection nor with theory");
        return outcome;
    }
    const SeenTargets targets = seen_targets(recorded.acquisition());
    if (const std::string remark = targets.remark(); !remark.empty()) outcome.remarks.push_back(remark);
    if (!targets.any()) return outcome;
    const double noise = image.noise_power();
    if (image.header().map) {
        check_map(image, targets, noise, options.terrain.get(), outcome);
        return outcome;
    }
    if (options.range_window == Window() && options.azimuth_window == Window()) {
        check_against_backprojection(in_double, recorded, image, targets, noise, progress, outcome);
    } else {
        FocusOptions flat = options;  // back-projection weights nothing
        flat.range_window = flat.azimuth_window = Window();
        const ImageExcerpt unweighted = seen(device, echo, flat, progress);
        check_against_backprojection(in_double, recorded, unweighted, targets, unweighted.noise_power(), progress,
                                     outcome);
        outcome.remarks.emplace_back("back-projection is compared with the image without its windows");
    }
    check_against_theory(image, targets, noise, outcome);
    return outcome;
}

}  // namespace cornerturn
