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

/// A line that was interpolated, or a gap.
class InterpolatedLine {
public:
    InterpolatedLine(const Acquisition& acquisition, double line) : band_(acquisition.interpolated->band) {
        const double time_s = acquisition.pulse_time_s(line), prf_hz = acquisition.prf_hz;
        const std::vector<double>& times_s = acquisition.interpolated->pulse_times_s;
        const auto intervals_to = [&](std::ptrdiff_t i) {
            return (times_s[static_cast<std::size_t>(i)] - time_s) * prf_hz;
        };
        const auto count = static_cast<std::ptrdiff_t>(times_s.size());
        std::ptrdiff_t behind =
                           std::lower_bound(times_s.begin(), times_s.end(), time_s - 1e-6 / prf_hz) - times_s.begin(),
                       before = behind - 1;
        const double to_behind = behind < count ? intervals_to(behind) : INFINITY,
                     to_before = std::abs(to_behind) < 1e-6 ? 0
                                 : before >= 0              ? -intervals_to(before)
                                                            : INFINITY;
        while (intervals_.size() < most_interpolated_pulses && (before >= 0 || behind < count)) {
            const bool next_is_behind = before < 0 || (behind < count && intervals_to(behind) <= -intervals_to(before));
            const double next = intervals_to(next_is_behind ? behind++ : before--);
            if (std::abs(next) > interpolation_reach) break;
            intervals_.push_back(next);
        }
        is_gap_ = intervals_.empty() || (to_behind + to_before >= interpolation_gap &&
                                         interpolation_error(intervals_, band_) >= largest_interpolation_error);
        if (!is_gap_) weights_ = interpolation_weights(intervals_, band_);
    }

    bool is_gap() const { return is_gap_; }
    /// Of a signal over intervals from the line.
    template <class Signal>
    std::complex<double> of(const Signal& signal) const {
        std::complex<double> sum = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) sum += weights_[i] * signal(intervals_[i]);
        return sum;
    }

private:
    double band_;
    bool is_gap_ = true;
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
          spectrum_(length_, FftDirection::forward),
          meant_(length_),
          made_(length_) {}

    /// Of the point in the beam's centre at a line.
    Prediction at(double line) {
        const double first = std::floor(line) - beside_, prf_hz = acquisition_.prf_hz;
        std::fill_n(meant_.data(), length_, Complex<double>{});
        std::fill_n(made_.data(), length_, Complex<double>{});
        for (std::int64_t i = 0; i <= static_cast<std::int64_t>(2 * beside_ + 1); ++i) {
            const double here = first + static_cast<double>(i);
            if (here < 0 || here >= static_cast<double>(acquisition_.lines)) continue;
            const InterpolatedLine interpolated(acquisition_, here);
            if (interpolated.is_gap()) continue;
            const auto signal = [&](double intervals) { return echo((here - line + intervals) / prf_hz); };
            put(signal(0), meant_, i);
            put(interpolated.of(signal), made_, i);
        }
        spectrum_(meant_.data());
        spectrum_(made_.data());
        std::vector<std::complex<double>> meant, made;
        const double step_hz = prf_hz / static_cast<double>(length_);
        const auto half = static_cast<std::int64_t>(0.5 * band_hz() / step_hz);
        for (std::int64_t bin = -half; bin <= half; ++bin) {
            const double f_hz = static_cast<double>(bin) * step_hz;
            const std::complex<double> filter =
                azimuth_window(image_, prf_hz, f_hz) *
                std_phasor(-0.5 * f_hz * f_hz / fm_rate_hz_s_ + f_hz * (line - first) / prf_hz);
            meant.push_back(filter * taken(meant_, bin));
            made.push_back(filter * taken(made_, bin));
        }
        const BandResponse response = response_of(made), ideal = response_of(meant);
        return {.position_px =
                    std::abs(response.place - ideal.place) * prf_hz / (step_hz * static_cast<double>(made.size())),
                .phase_deg = 360 * std::abs(std::remainder(response.phase_cycles - ideal.phase_cycles, 1.0)),
                .width_percent = 100 * std::abs(response.width / ideal.width - 1)};
    }

private:
    /// Doppler falls while it passes a beam that ends sharply.
    std::complex<double> echo(double time_s) const {
        if (std::abs(time_s) > half_beam_s_) return 0;
        return std_phasor(-0.5 * fm_rate_hz_s_ * time_s * time_s);
    }
    double band_hz() const {
        return std::min(acquisition_.prf_hz, image_.parameters.azimuth_bandwidth_hz + image_.fades.azimuth_fade_hz);
    }
    static void put(std::complex<double> value, LineBuffer<double>& line, std::int64_t i) {
        line.data()[i] = {value.real(), value.imag()};
    }
    std::complex<double> taken(const LineBuffer<double>& line, std::int64_t bin) const {
        const Complex<double> value = line.data()[bin < 0 ? bin + length_ : bin];
        return {value.re, value.im};
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    double half_beam_s_, fm_rate_hz_s_, beside_;  // in lines
    std::int64_t length_;
    LineFft<double> spectrum_;
    LineBuffer<double> meant_, made_;
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
