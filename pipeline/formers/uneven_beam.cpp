// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/uneven_beam.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include "kernels/host/side_by_side.h"
#include "kernels/math/phasor.h"
#include "kernels/math/sinc.h"
#include "pipeline/formers/processed_band.h"

namespace cornerturn {
namespace {

/// Where one pulse lies in the spectrum of a point: the growth of its phase along range and rows.
struct InSpectrum {
    double cycles_per_m, hz;
};
using Spectrum = std::vector<InSpectrum>;

/// Along range, of pulses that each hold so many cycles/m of the chirp.
double range_width_m(const Spectrum& pulses, double chirp_cycles_per_m) {
    double middle = 0;
    for (const InSpectrum& pulse : pulses) middle += pulse.cycles_per_m / static_cast<double>(pulses.size());
    const auto power = [&](double away_m) {
        std::complex<double> sum = 0;
        for (const InSpectrum& pulse : pulses) sum += std_phasor((pulse.cycles_per_m - middle) * away_m);
        return std::norm(sum * sinc(chirp_cycles_per_m * away_m));
    };
    const double half = 0.5 * power(0);
    double inside_m = 0, outside_m = 0.5 / chirp_cycles_per_m;  // where the chirp alone is above the half
    while (power(outside_m) > half) outside_m *= 2;
    for (int round = 0; round < 30; ++round) {
        const double middle_m = 0.5 * (inside_m + outside_m);
        (power(middle_m) > half ? inside_m : outside_m) = middle_m;
    }
    return inside_m;  // to one side; both are alike
}

class UnevenBeam {
public:
    UnevenBeam(const Acquisition& acquisition, const ImagePlan& image)
        : acquisition_(acquisition),
          image_(image),
          band_hz_(illuminated_band_hz(acquisition, image.parameters)),
          chirp_cycles_per_m_(2 / c_m_s * acquisition.chirp.bandwidth_hz()),
          step_m_(0.1 / chirp_cycles_per_m_),
          step_s_(0.5 / acquisition.prf_hz) {}

    Prediction at(double zero_doppler_s, double range_m) const {
        const BeamCentre beam = image_.geometry->beam_centre(zero_doppler_s, range_m);
        if (!(beam.rate_hz_s > 0) || !std::isfinite(beam.time_s)) return {};
        const std::optional<Spectrum> seen = spectrum(zero_doppler_s, range_m, beam);
        if (!seen) return {};
        Prediction off = moved_by_gain(*seen, zero_doppler_s, range_m, beam);
        if (!acquisition_.flown_beside) return off;
        const double even_m = range_width_m(even(*seen, range_m), chirp_cycles_per_m_);
        off.width_percent = 100 * std::abs(range_width_m(*seen, chirp_cycles_per_m_) / even_m - 1);
        return off;
    }

private:
    static constexpr int pulses = 129;

    /// Nothing where pulses that light the point were not recorded.
    std::optional<Spectrum> spectrum(double zero_doppler_s, double range_m, const BeamCentre& beam) const {
        constexpr double wider = 1.3;  // rates change along the aperture
        const Track& track = image_.geometry->track();
        const Place farther = track.place(zero_doppler_s, range_m + step_m_),
                    nearer = track.place(zero_doppler_s, range_m - step_m_),
                    later = track.place(zero_doppler_s + step_s_, range_m),
                    earlier = track.place(zero_doppler_s - step_s_, range_m);
        const auto in_spectrum = [&](double time_s) {
            const PulsePath path = track.pulse_path(time_s);
            const auto grows = [&](const Place& from, const Place& to, double step) {
                return acquisition_.carrier_hz * (sent_delay_s(path, 0, to) - sent_delay_s(path, 0, from)) / (2 * step);
            };
            return InSpectrum{grows(nearer, farther, step_m_), grows(earlier, later, step_s_)};
        };
        const double centre_s = zero_doppler_s + beam.time_s, half_s = 0.5 * wider * band_hz_ / beam.rate_hz_s,
                     centre_hz = in_spectrum(centre_s).hz,
                     last_s = acquisition_.pulse_time_s(static_cast<double>(acquisition_.lines - 1));
        Spectrum lit;
        for (int pulse = 0; pulse < pulses; ++pulse) {
            const double time_s = centre_s + half_s * (2.0 * pulse / (pulses - 1) - 1);
            const InSpectrum there = in_spectrum(time_s);
            if (std::abs(there.hz - centre_hz) > 0.5 * band_hz_) continue;
            if (time_s < acquisition_.pulse_time_s(0) || time_s > last_s) return std::nullopt;
            lit.push_back(there);
        }
        constexpr std::size_t fewest = 17;
        return lit.size() < fewest ? std::nullopt : std::optional(lit);
    }

    /// As theory has it, over the same band: K = sqrt(f0^2 - (c f / 2V)^2).
    Spectrum even(const Spectrum& seen, double range_m) const {
        const auto [least, most] = std::minmax_element(
            seen.begin(), seen.end(), [](const InSpectrum& a, const InSpectrum& b) { return a.hz < b.hz; });
        const double velocity_m_s = image_.parameters.velocity(range_m), carrier_hz = acquisition_.carrier_hz;
        Spectrum even;
        const auto last = static_cast<double>(seen.size() - 1);
        for (double i = 0; i <= last; ++i) {  // as many as are seen, which stand for as wide a band
            const double hz = least->hz + (most->hz - least->hz) * i / last,
                         across_hz = 0.5 * c_m_s * hz / velocity_m_s;
            even.push_back({2 / c_m_s * std::sqrt(carrier_hz * carrier_hz - across_hz * across_hz), hz});
        }
        return even;
    }

    /// About its top a point falls as 1 - (2 pi)^2 x^T C x / 2, C the covariance of its spectrum: under a slope s of
    /// the gain's logarithm the top lies at C^-1 s / (2 pi)^2.
    Prediction moved_by_gain(const Spectrum& seen, double zero_doppler_s, double range_m,
                             const BeamCentre& beam) const {
        const auto count = static_cast<double>(seen.size());
        InSpectrum mean{0, 0};
        for (const InSpectrum& at : seen) mean.cycles_per_m += at.cycles_per_m / count, mean.hz += at.hz / count;
        double along_range = chirp_cycles_per_m_ * chirp_cycles_per_m_ / 12, along_rows = 0, both = 0;
        for (const InSpectrum& at : seen) {
            const double range = at.cycles_per_m - mean.cycles_per_m, rows = at.hz - mean.hz;
            along_range += range * range / count, along_rows += rows * rows / count, both += range * rows / count;
        }
        const double wide_m = 4 * image_.grid.range_spacing_m;
        const double slope_per_m = (image_.geometry->beam_centre(zero_doppler_s, range_m + wide_m).rate_hz_s -
                                    image_.geometry->beam_centre(zero_doppler_s, range_m - wide_m).rate_hz_s) /
                                   (2 * wide_m * beam.rate_hz_s);
        constexpr double turn = 4 * std::numbers::pi * std::numbers::pi;
        const double determinant = along_range * along_rows - both * both,
                     columns = slope_per_m * along_rows / (turn * determinant) / image_.grid.range_spacing_m,
                     rows = -slope_per_m * both / (turn * determinant) / image_.grid.time_spacing_s;
        return {.position_px = std::max(std::abs(columns), std::abs(rows))};
    }

    const Acquisition& acquisition_;
    const ImagePlan& image_;
    double band_hz_, chirp_cycles_per_m_, step_m_, step_s_;
};

}  // namespace

Prediction predicted_for_uneven_beam(const Acquisition& acquisition, const ImagePlan& image) {
    constexpr int times = 5, ranges = 5;
    const UnevenBeam beam(acquisition, image);
    const double from_m = image.swath.nearest_m, to_m = image.swath.farthest_whole_m(acquisition),
                 last_row = static_cast<double>(image.grid.rows - 1);
    Prediction worst;
    for (const Prediction& off : side_by_side(std::size_t{times} * ranges, [&](std::size_t i) {
             const double time = static_cast<double>(i / ranges) + 0.5, range = static_cast<double>(i % ranges) + 0.5;
             return beam.at(image.grid.time_s(last_row * time / times), from_m + (to_m - from_m) * range / ranges);
         }))
        worst = worse_of(worst, off);
    return worst;
}

}  // namespace cornerturn
