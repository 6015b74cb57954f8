// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/few_pulses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>

#include "kernels/host/side_by_side.h"
#include "kernels/math/phasor.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/response_width.h"
#include "pipeline/formers/zoomed_spectrum.h"

namespace cornerturn {
namespace {

/// In the PRF, from which on what folds back is next to nothing.
constexpr double most_beams = 5;

using Values = std::vector<std::complex<double>>;

/// Times of pulses, or of rows, about a point, in s; one of them lies `part` of an interval before it.
std::vector<double> times_within(double from_s, double to_s, double rate_hz, double part) {
    std::vector<double> times;
    for (double n = std::ceil(from_s * rate_hz + part); n <= std::floor(to_s * rate_hz + part); ++n)
        times.push_back((n - part) / rate_hz);
    return times;
}

/// Frequencies from one end of a band to the other, each the middle of its share.
struct Shares {
    double band_hz;
    int count;
    double at_hz(int share) const { return band_hz * ((share + 0.5) / count - 0.5); }

    /// At each of them the sum of values exp(-j 2 pi f time); `times_s` are those of a rate.
    Values spectrum(const std::vector<double>& times_s, double rate_hz, const Values& values) const {
        if (times_s.empty()) return Values(static_cast<std::size_t>(count));
        return zoomed_spectrum(values, {times_s.front(), 1 / rate_hz}, {-at_hz(0), -band_hz / count}, count);
    }
};

/// Phases are those of a linear FM, pi Ka t^2, and Doppler frequencies Ka t.
class FewPulses {
public:
    FewPulses(const Acquisition& acquisition, const ImagePlan& image, const ShownBeam& beam)
        : image_(image),
          beam_(beam),
          prf_hz_(acquisition.prf_hz),
          sampled_hz_(prf_hz_ * (beam.weighs_pulses ? image.parameters.rows_per_pulse : 1)) {
        const double looked_at_hz = beam.weighs_pulses
                                        ? most_beams * beam.beam_hz
                                        : image.parameters.azimuth_bandwidth_hz + image.fades.azimuth_fade_hz;
        shares_.band_hz = std::min(sampled_hz_, std::max(looked_at_hz, 2 * beam.beam_hz));
        // What comes back at the other end of the PRF lies so far from the point that it must not appear at it.
        constexpr double beside = 1.2, fewest = 401;
        shares_.count = static_cast<int>(
            std::ceil(std::max(fewest, beside * shares_.band_hz * (beam.beam_hz + sampled_hz_) / beam.fm_rate_hz_s)));
        if (!beam.weighs_pulses) filter_ = filter();
    }

    Prediction off(double aside_hz, double line, double row) const {
        const std::vector<double> along_chirp_hz =
            offsets_along_chirp_hz(is_worth(beam_.chirp_hz) ? beam_.chirp_hz : 0);
        const BandResponse carrier = shown(aside_hz, std::span(along_chirp_hz).first(1), line, row),
                           chirp = along_chirp_hz.size() > 1 ? shown(aside_hz, along_chirp_hz, line, row) : carrier;
        const double ideal_s = width_in_theory_s(lit(aside_hz, line)), ideal_cycles = beam_.weighs_pulses ? 0 : 0.125;
        const double turned = chirp.phase_cycles - ideal_cycles;
        return {.position_px = sampled_hz_ / shares_.band_hz * std::abs(chirp.place),
                .phase_deg = 360 * std::abs(turned - std::round(turned)),
                .width_percent = 100 * std::abs(carrier.width / shares_.band_hz / ideal_s - 1)};
    }

    /// Where a point may lie between lines: what it is off by changes at once where the beam takes in one pulse more at
    /// either end, and smoothly in between.
    std::array<double, 6> lines_within(double aside_hz) const {
        constexpr double next_to = 0.01;
        std::array<double, 2> change;
        for (const int end : {0, 1}) {
            const double pulses = (aside_hz + (end - 0.5) * beam_.beam_hz) / beam_.fm_rate_hz_s * prf_hz_;
            change[static_cast<std::size_t>(end)] = std::ceil(pulses) - pulses;
        }
        const double middle = 0.5 * (change[0] + change[1]);
        return {change[0] - next_to, change[0] + next_to, change[1] - next_to, change[1] + next_to, middle,
                middle + 0.5};
    }

private:
    /// Less of a beam lights the same pulses.
    bool is_worth(double aside_hz) const { return aside_hz > 0.004 * beam_.beam_hz; }

    std::vector<double> lit(double aside_hz, double line) const {
        return times_within((aside_hz - 0.5 * beam_.beam_hz) / beam_.fm_rate_hz_s,
                            (aside_hz + 0.5 * beam_.beam_hz) / beam_.fm_rate_hz_s, prf_hz_, line);
    }

    /// The mean over the chirp.
    BandResponse shown(double aside_hz, std::span<const double> along_chirp_hz, double line, double row) const {
        Values mean(static_cast<std::size_t>(shares_.count));
        for (const double moved_hz : along_chirp_hz) {
            const std::vector<double> pulses = lit(aside_hz + moved_hz, line);
            const Values of_these = beam_.weighs_pulses ? summed(pulses, row) : filtered(pulses);
            for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += of_these[i];
        }
        return response_of(mean);
    }

    Values filtered(const std::vector<double>& pulses) const {
        Values echo;
        for (const double t : pulses) echo.push_back(std_phasor(0.5 * beam_.fm_rate_hz_s * t * t));
        Values spectrum = shares_.spectrum(pulses, prf_hz_, echo);
        for (std::size_t share = 0; share < spectrum.size(); ++share) spectrum[share] *= filter_[share];
        return spectrum;
    }

    Values filter() const {
        Values filter;
        for (int share = 0; share < shares_.count; ++share) {
            const double hz = shares_.at_hz(share);
            filter.push_back(azimuth_window(image_, prf_hz_, hz) * std_phasor(0.5 * hz * hz / beam_.fm_rate_hz_s));
        }
        return filter;
    }

    /// In the rows that see any of the pulses.
    Values summed(const std::vector<double>& pulses, double row) const {
        if (pulses.empty()) return Values(static_cast<std::size_t>(shares_.count));
        const double rate_hz_s = beam_.fm_rate_hz_s, reach_s = image_.fades.pulse_reach_hz / rate_hz_s;
        const std::vector<double> rows =
            times_within(pulses.front() - reach_s, pulses.back() + reach_s, sampled_hz_, row);
        Values image;
        for (const double at : rows) {
            const std::complex<double> turn = std_phasor(rate_hz_s * at / prf_hz_);
            std::complex<double> sum = 0, now = std_phasor(rate_hz_s * at * (pulses.front() - 0.5 * at));
            for (const double t : pulses) {
                sum += pulse_window(image_, rate_hz_s * (t - at)) * now;
                now *= turn;
            }
            image.push_back(sum);
        }
        return shares_.spectrum(rows, sampled_hz_, image);
    }

    double width_in_theory_s(const std::vector<double>& pulses) const {
        const FormerParameters& parameters = image_.parameters;
        Values weights;
        if (parameters.azimuth_bandwidth_hz < beam_.beam_hz) {
            constexpr int parts = 201;
            for (int i = 0; i < parts; ++i) weights.emplace_back(parameters.azimuth_window((i + 0.5) / parts - 0.5));
            return response_of(weights).width / parameters.azimuth_bandwidth_hz;
        }
        for (const double t : pulses)
            weights.emplace_back(parameters.azimuth_window(
                std::clamp(beam_.fm_rate_hz_s * t / parameters.azimuth_bandwidth_hz, -0.5, 0.5)));
        return response_of(weights).width * prf_hz_ / (static_cast<double>(pulses.size()) * beam_.fm_rate_hz_s);
    }

    const ImagePlan& image_;
    const ShownBeam& beam_;
    double prf_hz_, sampled_hz_;
    Shares shares_{};
    Values filter_;  // of the shares
};

double pulses_that_light(const Acquisition& acquisition, const ShownBeam& beam) {
    return acquisition.prf_hz * beam.beam_hz / beam.fm_rate_hz_s;
}

double fm_rate_at_near_range_hz_s(const ImagePlan& image) {
    const RangeHistory& history = image.histories.middle;
    return history.fm_rate_hz_s(image.swath.nearest_m, history.centroid_hz(image.swath.nearest_m));
}

}  // namespace

std::vector<double> offsets_along_chirp_hz(double end_hz) {
    std::vector<double> offsets_hz{0};
    if (end_hz > 0)
        for (const double part : {-0.8, -0.4, 0.4, 0.8}) offsets_hz.push_back(part * end_hz);
    return offsets_hz;
}

bool has_few_pulses(const Acquisition& acquisition, const ShownBeam& beam) {
    constexpr double longest = 128;  // time times bandwidth
    return beam.beam_hz * beam.beam_hz < longest * beam.fm_rate_hz_s &&
           (acquisition.prf_hz < most_beams * beam.beam_hz ||
            pulses_that_light(acquisition, beam) < pulses_of_an_aperture);
}

std::optional<double> pulses_of_no_aperture(const Acquisition& acquisition, const ImagePlan& image, double beam_hz) {
    constexpr double hardly_one = 6;
    const double pulses =
        pulses_that_light(acquisition, {.beam_hz = beam_hz, .fm_rate_hz_s = fm_rate_at_near_range_hz_s(image)});
    const bool dense = acquisition.prf_hz >= most_beams * beam_hz && pulses < pulses_of_an_aperture;
    return pulses < hardly_one || dense ? std::optional(pulses) : std::nullopt;
}

RoomOfFewPulses room_of_few_pulses(const Acquisition& acquisition, const ImagePlan& image, double beam_hz) {
    constexpr double lobes = 3;  // to either side, of 1 / beam; more of them show what lies a PRF beside the beam
    const double fm_rate_hz_s = fm_rate_at_near_range_hz_s(image);
    if (!has_few_pulses(acquisition, {.beam_hz = beam_hz, .fm_rate_hz_s = fm_rate_hz_s})) return {};
    return {.lobes_hz = lobes * fm_rate_hz_s / beam_hz, .pulse_hz = fm_rate_hz_s / acquisition.prf_hz};
}

Prediction lost_by_few_pulses(const Acquisition& acquisition, const ImagePlan& image, const ShownBeam& beam,
                              const std::vector<double>& of_ranges_hz) {
    const FewPulses pulses(acquisition, image, beam);
    struct Point {
        double aside_hz, line, row;
    };
    std::vector<Point> points;
    for (const double aside_hz : of_ranges_hz)
        for (const double line : pulses.lines_within(aside_hz)) {
            points.push_back({aside_hz, line, 0});
            if (beam.weighs_pulses)
                for (const double row : {0.25, 0.5, 0.75}) points.push_back({aside_hz, line, row});
        }
    Prediction worst;
    for (const Prediction& off : side_by_side(points.size(), [&](std::size_t i) {
             return pulses.off(points[i].aside_hz, points[i].line, points[i].row);
         }))
        worst = worse_of(worst, off);
    return worst;
}

std::optional<double> rows_of_wide_points(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr double longest = 30, fewest_rows = 20;
    const double beam_hz = illuminated_band_hz(acquisition, image.parameters),
                 rows = 0.886 * acquisition.prf_hz * image.parameters.rows_per_pulse / beam_hz;
    if (rows < fewest_rows || beam_hz * beam_hz > longest * fm_rate_at_near_range_hz_s(image)) return std::nullopt;
    return rows;
}

}  // namespace cornerturn
