// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/compensation_prediction.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kernels/host/line_loop.h"
#include "kernels/math/hyperbola.h"
#include "kernels/math/phasor.h"
#include "pipeline/formers/range_filter.h"
#include "pipeline/formers/response_width.h"

namespace cornerturn {
namespace {

/// A spectrum in range that compensation has moved, flat as it is then: the range filter cuts off what lies beside the
/// pulse's band.
class CutSpectrum {
public:
    explicit CutSpectrum(const Acquisition& acquisition)
        : step_hz_(acquisition.sample_rate_hz() / length), band_hz_(acquisition.chirp.bandwidth_hz()) {
        const auto spectrum = chirp_spectrum(acquisition.chirp, acquisition.sample_rate_hz(), length);
        const std::vector<double> gains = flattening(spectrum);
        for (std::size_t bin = 0; bin < spectrum.size(); ++bin)
            magnitude_.push_back(gains[bin] * std::abs(spectrum[bin]));
    }
    /// Of a point whose lines were moved so, in parts of its width.
    double wider(const std::vector<double>& moved_hz) const {
        constexpr int points = 256;
        std::vector<std::complex<double>> band;
        for (int i = 0; i < points; ++i) {
            const double f_hz = band_hz_ * ((i + 0.5) / points - 0.5);
            double weight = 0;
            for (const double hz : moved_hz) weight += at(f_hz - hz) / at(f_hz);
            band.emplace_back(weight);
        }
        return std::abs(
            response_of(band).width / response_of(std::vector<std::complex<double>>(band.size(), 1.0)).width - 1);
    }

private:
    static constexpr std::int64_t length = 4096;
    double at(double f_hz) const {
        const std::int64_t bin = std::clamp<std::int64_t>(std::llround(f_hz / step_hz_), -length / 2, length / 2 - 1);
        return magnitude_[static_cast<std::size_t>(bin < 0 ? bin + length : bin)];
    }

    double step_hz_, band_hz_;
    std::vector<double> magnitude_;
};

/// A target on rows of the reference, by the lines that see it.
class CompensatedPoint {
public:
    CompensatedPoint(const UniformEcho& even, const CutSpectrum& cut, const Track& flown, const Track& reference,
                     double middle_line, double slant_m)
        : even_(even), acquisition_(even.acquisition()), compensation_(*even.compensation()), cut_(cut) {
        const double middle_s = acquisition_.pulse_time_s(middle_line),
                     speed_m_s = reference.speed_m_s(middle_s, slant_m);
        const double centre_hz = compensation_.offset().centroid_hz()(middle_s, slant_m),
                     sine = squint_sine(centre_hz, acquisition_.wavelength_m(), speed_m_s),
                     cosine = std::sqrt(1 - sine * sine);
        zero_doppler_s_ = middle_s + slant_m * sine / speed_m_s;
        flown_s_ = flown.delay_history(zero_doppler_s_, cosine * slant_m);
        reference_s_ = reference.delay_history(zero_doppler_s_, cosine * slant_m);
        const CompensatedMotion& motion = *even.acquisition().motion;
        const double beam_hz = motion.beam_hz + 2 * motion.wander_hz,
                     rate_hz_s = azimuth_fm_rate_hz_s(cosine * slant_m, cosine, speed_m_s, acquisition_.wavelength_m());
        half_lines_ = 0.5 * beam_hz / rate_hz_s * acquisition_.prf_hz;
        beam_hz_ = beam_hz;
        middle_line_ = middle_line;
    }

    Prediction off() const {
        constexpr double most_points = 40;
        const double last = static_cast<double>(acquisition_.lines - 1);
        const double from = std::max(0.0, std::ceil(middle_line_ - half_lines_)),
                     to = std::min(last, std::floor(middle_line_ + half_lines_));
        const double step = std::max(1.0, std::floor((to - from) / most_points));
        std::vector<std::complex<double>> band;
        std::vector<double> shifts_m, moved_hz;
        for (double line = from; line <= to; line += step) {
            const Line seen = line_of(std::llround(line));
            if (seen.is_gap) continue;
            band.push_back(seen.at_carrier);
            shifts_m.push_back(std::arg(seen.at_low_edge * std::conj(seen.at_high_edge)) /
                               (4 * std::numbers::pi * edge_hz()) * 0.5 * speed_of_light_m_s);
            moved_hz.push_back(seen.spectrum_moved_hz);
        }
        if (band.empty()) return {};  // all of it is a gap, and told to be one
        constexpr std::size_t fewest = 5;
        if (band.size() < fewest) return of_few(band, shifts_m);
        const auto count = static_cast<double>(shifts_m.size());
        const double mean_m = std::accumulate(shifts_m.begin(), shifts_m.end(), 0.0) / count;
        double square_m2 = 0;
        for (const double shift_m : shifts_m) square_m2 += (shift_m - mean_m) * (shift_m - mean_m) / count;
        const BandResponse made = response_of(band),
                           ideal = response_of(std::vector<std::complex<double>>(band.size(), 1.0));
        const double resolution_m = 0.5 * speed_of_light_m_s / acquisition_.chirp.bandwidth_hz(),
                     rows = made.place / beam_hz_ * acquisition_.prf_hz;
        const double wider = widened_by_blur(square_m2 / (resolution_m * resolution_m)) + cut_.wider(moved_hz);
        return {.position_px = std::hypot(rows, mean_m / acquisition_.range_spacing_m),
                .phase_deg = 360 * std::abs(std::remainder(made.phase_cycles, 1.0)),
                .width_percent = 100 * std::max(std::abs(made.width / ideal.width - 1), wider)};
    }

private:
    /// Lines too few to have a response: what is wrong with any of them.
    Prediction of_few(const std::vector<std::complex<double>>& band, const std::vector<double>& shifts_m) const {
        Prediction worst;
        for (std::size_t i = 0; i < band.size(); ++i)
            worst = worse_of(worst, {.position_px = std::abs(shifts_m[i]) / acquisition_.range_spacing_m,
                                     .phase_deg = 360 / (2 * std::numbers::pi) * std::abs(std::arg(band[i])),
                                     .width_percent = 100 * std::abs(std::abs(band[i]) - 1)});
        return worst;
    }
    /// What a line holds over what one from the reference would: at the carrier, and at the edges of the pulse's band.
    struct Line {
        bool is_gap = true;
        std::complex<double> at_carrier = 0, at_low_edge = 0, at_high_edge = 0;
        double spectrum_moved_hz = 0;  ///< in range, as the phase that is taken away changes over range
    };
    double edge_hz() const { return 0.5 * acquisition_.chirp.bandwidth_hz(); }
    Line line_of(std::int64_t line) const {
        const double sent_s = acquisition_.pulse_time_s(static_cast<double>(line)),
                     half_pulse_s = 0.5 * acquisition_.chirp.duration_s,
                     meant_s = reference_s_(sent_s + half_pulse_s - zero_doppler_s_),
                     slant_m = 0.5 * speed_of_light_m_s * meant_s;
        Line seen;
        double heaviest = 0;
        for (const auto& [pulse, weight] : even_.made_of(line, slant_m)) {
            const auto moved_m = compensation_.moved_m(pulse);
            const double flown_s = compensation_.offset().flown_time_s(pulse) + half_pulse_s - zero_doppler_s_,
                         seen_s = flown_s_(flown_s), seen_m = 0.5 * speed_of_light_m_s * seen_s;
            const double moved_s = 2 / speed_of_light_m_s * moved_m(seen_m - moved_m(slant_m)),
                         left_s = seen_s - moved_s - meant_s;
            const std::complex<double> at_carrier = weight * std_phasor(-acquisition_.carrier_hz * left_s),
                                       to_edge = std_phasor(-edge_hz() * (left_s + even_.delayed_s(pulse, line)));
            seen.is_gap = false;
            seen.at_carrier += at_carrier;
            seen.at_high_edge += at_carrier * to_edge;
            seen.at_low_edge += at_carrier * std::conj(to_edge);
            if (std::abs(weight) <= heaviest) continue;
            heaviest = std::abs(weight);
            const double step_m = acquisition_.range_spacing_m;
            seen.spectrum_moved_hz =
                acquisition_.carrier_hz * (moved_m(slant_m + step_m) - moved_m(slant_m - step_m)) / (2 * step_m);
        }
        return seen;
    }

    const UniformEcho& even_;
    const Acquisition& acquisition_;
    const MotionCompensation& compensation_;
    const CutSpectrum& cut_;
    double zero_doppler_s_ = 0, half_lines_ = 0, beam_hz_ = 0, middle_line_ = 0;
    DelayHistory flown_s_, reference_s_;
};

}  // namespace

Prediction errors_of_compensation(const UniformEcho& even, const Acquisition& flown, const SceneHeight& height_m) {
    const Orbit& reference = even.compensation()->offset().reference();
    const LookSide side = flown.identification.look_side;
    const OrbitTrack rows(reference, side, height_m);
    const CompensatedTrack seen(*flown.orbit, reference, side, height_m);
    const Acquisition& lines = even.acquisition();
    const CutSpectrum cut(lines);
    constexpr double edge = 0.02, from_straight_down = 1.03;  // of the swath; of the height, where angles tell nothing
    const double first_m = std::max(lines.range_m(edge * static_cast<double>(lines.samples - 1)),
                                    from_straight_down * even.compensation()->offset().lowest_range_m()),
                 last_m = std::max(first_m, lines.range_m((1 - edge) * static_cast<double>(lines.samples - 1)));
    const int along = 9, across = height_m.constant() ? 5 : 17;
    std::vector<Prediction> off(static_cast<std::size_t>(along * across));
    for_each_line(
        along * across, omp_get_max_threads(),
        [&](std::int64_t i) {
            const double line = static_cast<double>(lines.lines - 1) * (static_cast<double>(i / across) + 0.5) / along,
                         slant_m = first_m + (last_m - first_m) * static_cast<double>(i % across) / (across - 1);
            off[static_cast<std::size_t>(i)] = CompensatedPoint(even, cut, seen, rows, line, slant_m).off();
        },
        1);
    return std::accumulate(off.begin(), off.end(), Prediction{}, worse_of);
}

}  // namespace cornerturn
