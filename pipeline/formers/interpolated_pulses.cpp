// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/interpolated_pulses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "kernels/host/line_fft.h"
#include "kernels/math/phasor.h"
#include "pipeline/acquisition/pulse_interpolation.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/response_width.h"

namespace cornerturn {
namespace {

/// A line that was interpolated, or a gap, as is what lies beside the lines.
class InterpolatedLine {
public:
    InterpolatedLine(const Acquisition& acquisition, double line) {
        if (line < 0 || line >= static_cast<double>(acquisition.lines)) return;
        const double time_s = acquisition.pulse_time_s(line), prf_hz = acquisition.prf_hz,
                     reach_s = interpolation_reach / prf_hz, band = acquisition.interpolated->band;
        const std::vector<double>& times_s = acquisition.interpolated->pulse_times_s;
        std::vector<double> around;
        for (auto pulse = std::lower_bound(times_s.begin(), times_s.end(), time_s - reach_s);
             pulse != times_s.end() && *pulse < time_s + reach_s; ++pulse)
            around.push_back((*pulse - time_s) * prf_hz);
        for (const std::size_t i : interpolated_pulses(around, band)) intervals_.push_back(around[i]);
        if (!intervals_.empty()) weights_ = interpolation_weights(intervals_, band);
    }

    bool is_gap() const { return weights_.empty(); }
    /// Of a signal over intervals from the line.
    template <class Signal>
    std::complex<double> of(const Signal& signal) const {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) sum += weights_[i] * signal(intervals_[i]);
        return sum;
    }

private:
    std::vector<double> intervals_, weights_;
};

/// A point's lines, sent at equal times and interpolated, and what the azimuth filter makes of either.
class InterpolatedPoint {
public:
    InterpolatedPoint(const Acquisition& acquisition, const ImagePlan& image, double beam_hz, double fm_rate_hz_s)
        : acquisition_(acquisition),
          image_(image),
          half_beam_s_(0.5 * beam_hz / fm_rate_hz_s),
          fm_rate_hz_s_(fm_rate_hz_s),
          beside_(std::ceil(half_beam_s_ * acquisition.prf_hz + interpolation_reach)),
          length_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * beside_ + 2)))),
          along_chirp_hz_(offsets_along_chirp_hz(acquisition)),
          spectrum_(length_, FftDirection::forward),
          line_(length_) {}

    /// Of the point in the beam's centre at a line.
    Prediction at(double line) {
        const double first = std::floor(line) - beside_, prf_hz = acquisition_.prf_hz;
        std::vector<InterpolatedLine> lines;
        for (std::int64_t i = 0; i <= static_cast<std::int64_t>(2 * beside_ + 1); ++i)
            lines.emplace_back(acquisition_, first + static_cast<double>(i));
        const auto echo_in = [&](std::size_t i, double intervals) {
            return echo((first + static_cast<double>(i) - line + intervals) / prf_hz);
        };
        const std::vector<std::complex<double>> meant =
            compressed(lines, line - first, [&](std::size_t i) { return echo_in(i, 0); });
        // Along azimuth a point is the mean over its range frequencies, in range over those of azimuth.
        std::vector<std::complex<double>> made(meant.size()), over_chirp;
        for (const double chirp_hz : along_chirp_hz_) {
            const auto part = compressed(lines, line - first, [&](std::size_t i) {
                return lines[i].of([&](double intervals) {
                    return std_phasor(chirp_hz / prf_hz * intervals) * echo_in(i, intervals);
                });
            });
            std::complex<double> sum = 0;
            for (std::size_t k = 0; k < made.size(); ++k) {
                made[k] += part[k];
                sum += part[k] * std::conj(meant[k]);
            }
            over_chirp.push_back(sum);
        }
        const BandResponse response = response_of(made), ideal = response_of(meant);
        const double rows =
            (response.place - ideal.place) * static_cast<double>(length_) / static_cast<double>(made.size());
        Prediction off{.position_px = std::abs(rows),
                       .phase_deg = 360 * std::abs(std::remainder(response.phase_cycles - ideal.phase_cycles, 1.0)),
                       .width_percent = 100 * std::abs(response.width / ideal.width - 1)};
        if (over_chirp.size() > 1) {
            const BandResponse range = response_of(over_chirp),
                               evenly = response_of(std::vector<std::complex<double>>(over_chirp.size(), 1.0));
            const double columns = range.place * acquisition_.sample_rate_hz() / acquisition_.chirp.bandwidth_hz();
            off.position_px = std::hypot(rows, columns);
            off.width_percent = std::max(off.width_percent, 100 * std::abs(range.width / evenly.width - 1));
        }
        return off;
    }

private:
    /// By which Doppler frequencies at parts of the chirp lie aside of the band that was interpolated.
    static std::vector<double> offsets_along_chirp_hz(const Acquisition& acquisition) {
        constexpr double next_to_nothing = 0.002;  // of the PRF
        constexpr int parts = 9;
        const double ends_hz = acquisition.interpolated->chirp_ends_hz;
        if (ends_hz < next_to_nothing * acquisition.prf_hz) return {0};
        std::vector<double> offsets_hz;
        for (int part = 0; part < parts; ++part) offsets_hz.push_back(ends_hz * ((2 * part + 1.0) / parts - 1));
        return offsets_hz;
    }
    /// What the azimuth filter makes of lines that hold these samples, over its band; nothing of gaps.
    template <class Samples>
    std::vector<std::complex<double>> compressed(const std::vector<InterpolatedLine>& lines, double target,
                                                 const Samples& sample_of) {
        std::fill_n(line_.data(), length_, Complex<double>{});
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (!lines[i].is_gap()) put(sample_of(i), static_cast<std::int64_t>(i));
        spectrum_(line_.data());
        std::vector<std::complex<double>> band;
        const double prf_hz = acquisition_.prf_hz, step_hz = prf_hz / static_cast<double>(length_);
        const auto half = static_cast<std::int64_t>(0.5 * band_hz() / step_hz);
        for (std::int64_t bin = -half; bin <= half; ++bin) {
            const double f_hz = static_cast<double>(bin) * step_hz;
            band.push_back(azimuth_window(image_, prf_hz, f_hz) *
                           std_phasor(-0.5 * f_hz * f_hz / fm_rate_hz_s_ + f_hz * target / prf_hz) * taken(bin));
        }
        return band;
    }
    /// Doppler falls while it passes a beam that ends sharply.
    std::complex<double> echo(double time_s) const {
        if (std::abs(time_s) > half_beam_s_) return 0;
        return std_phasor(-0.5 * fm_rate_hz_s_ * time_s * time_s);
    }
    double band_hz() const {
        return std::min(acquisition_.prf_hz, image_.parameters.azimuth_bandwidth_hz + image_.fades.azimuth_fade_hz);
    }
    void put(std::complex<double> value, std::int64_t i) { line_.data()[i] = {value.real(), value.imag()}; }
    std::complex<double> taken(std::int64_t bin) const {
        const Complex<double> value = line_.data()[bin < 0 ? bin + length_ : bin];
        return {value.re, value.im};
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    double half_beam_s_, fm_rate_hz_s_, beside_;  // in lines
    std::int64_t length_;
    std::vector<double> along_chirp_hz_;
    LineFft<double> spectrum_;
    LineBuffer<double> line_;
};

}  // namespace

Prediction predicted_for_interpolation(const Acquisition& acquisition, const ImagePlan& image) {
    // What compensation leaves was looked at with the very weights.
    if (!acquisition.interpolated || (acquisition.motion && !acquisition.flown_beside)) return {};
    const double range_m = image.swath.middle_m(),
                 rate_hz_s = image.histories.middle.fm_rate_hz_s(range_m, image.histories.middle.centroid_hz(range_m)),
                 beam_hz = acquisition.azimuth_bandwidth_hz.value_or(image.parameters.azimuth_bandwidth_hz);
    const double aperture = std::floor(beam_hz / rate_hz_s * acquisition.prf_hz),
                 lines = static_cast<double>(acquisition.lines);
    constexpr double fewest_lines = 9, looked_at = 20000;
    if (!(aperture >= fewest_lines)) return {};
    if (aperture > lines) return {};  // no target is seen whole
    const double targets = std::clamp(std::floor(looked_at / aperture), 3.0, 24.0);
    InterpolatedPoint point(acquisition, image, beam_hz, rate_hz_s);
    Prediction worst;
    for (double target = 0; target < targets; ++target)
        worst = worse_of(worst, point.at(0.5 * aperture + (lines - 1 - aperture) * target / (targets - 1)));
    return worst;
}

}  // namespace cornerturn
