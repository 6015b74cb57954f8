// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/beam_ends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "kernels/math/phasor.h"
#include "pipeline/formers/azimuth_filter.h"
#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/response_width.h"

namespace cornerturn {
namespace {

/// The spectrum of a beam that ends sharply, of a linear chirp less its phase, at x = f / sqrt(Ka): the integral of
/// exp(j pi (u - x)^2) over |u| <= B / (2 sqrt(Ka)).
class BeamSpectrum {
public:
    static constexpr double reach = 2;  // beams to either side: what is beyond amounts to less than a thousandth

    BeamSpectrum(double beam_hz, double fm_rate_hz_s)
        : root_rate_(std::sqrt(fm_rate_hz_s)), half_(0.5 * beam_hz / root_rate_), step_(0.02 / std::max(half_, 1.0)) {
        from_zero_.resize(static_cast<std::size_t>((1 + 2 * reach) * half_ / step_) + 3);
        for (std::size_t i = 1; i < from_zero_.size(); ++i) {
            const double middle = (static_cast<double>(i) - 0.5) * step_;
            from_zero_[i] = from_zero_[i - 1] + step_ * std_phasor(0.5 * middle * middle);
        }
    }
    std::complex<double> operator()(double offset_hz) const {
        const double x = offset_hz / root_rate_;
        return integral(half_ - x) - integral(-half_ - x);
    }

private:
    std::complex<double> integral(double v) const {
        const std::complex<double> size = from_zero_[static_cast<std::size_t>(std::llround(std::abs(v) / step_))];
        return v < 0 ? -size : size;
    }

    double root_rate_, half_, step_;
    std::vector<std::complex<double>> from_zero_;
};

/// Over a part of the beam, as theory has it: nothing beyond.
double window_of_part(const FormerParameters& parameters, double offset_hz) {
    const double part = offset_hz / parameters.azimuth_bandwidth_hz;
    return std::abs(part) > 0.5 ? 0 : parameters.azimuth_window(part);
}

/// Of pulses that are weighed with a fading edge, where the beam ends within it.
Prediction predicted_for_weights(const ImagePlan& image, double beam_hz) {
    constexpr int frequencies = 401;
    constexpr double looked_at = 1.2;  // of the beam
    std::vector<std::complex<double>> theory, kept;
    for (int k = 0; k < frequencies; ++k) {
        const double offset_hz = looked_at * beam_hz * ((k + 0.5) / frequencies - 0.5);
        theory.push_back(window_of_part(image.parameters, offset_hz));
        kept.push_back(std::abs(offset_hz) > 0.5 * beam_hz ? 0 : pulse_window(image, offset_hz));
    }
    return {.width_percent = 100 * std::abs(response_width(kept) / response_width(theory) - 1)};
}

Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, double beam_hz,
                                   bool weighs_pulses) {
    const double prf_hz = acquisition.prf_hz, range_m = image.reference_range_m();
    if (!(beam_hz > 0) || !image.parameters.keeps_beam) return {};
    const double processed_hz = image.parameters.azimuth_bandwidth_hz;
    const bool in_part = processed_hz < beam_hz;
    if (in_part && weighs_pulses) return predicted_for_weights(image, beam_hz);
    const double fm_rate_hz_s = image.history.fm_rate_hz_s(range_m, image.history.centroid_hz(range_m));
    constexpr double longest = 4096;  // time times bandwidth: ends of longer apertures are too short to matter
    if (!(beam_hz * beam_hz < longest * fm_rate_hz_s)) return {};

    const BeamSpectrum spectrum(beam_hz, fm_rate_hz_s);
    // What lies beyond the PRF comes back at its other end, of lines or of rows: with a phase that goes with where the
    // point lies between them, and of lines with that of its chirp.
    const auto sampled = [&](double offset_hz, double line) {
        std::complex<double> sum = spectrum(offset_hz);
        for (const double turn : {-1.0, 1.0}) {
            const double true_hz = offset_hz + turn * prf_hz;
            if (std::abs(true_hz) > BeamSpectrum::reach * beam_hz) continue;
            const double chirp = weighs_pulses ? 0 : 0.5 * (offset_hz * offset_hz - true_hz * true_hz) / fm_rate_hz_s;
            sum += spectrum(true_hz) * std_phasor(chirp - turn * line);
        }
        return sum;
    };
    const auto weight = [&](double offset_hz) {
        if (weighs_pulses) return std::abs(offset_hz) < 0.5 * prf_hz ? 1.0 : 0.0;
        return azimuth_window(image, prf_hz, offset_hz);
    };
    constexpr int frequencies = 401;
    std::vector<std::complex<double>> whole;
    std::array<std::vector<std::complex<double>>, 4> kept;
    for (int k = 0; k < frequencies; ++k) {
        const double offset_hz = 2 * beam_hz * ((k + 0.5) / frequencies - 0.5);
        const double over_band = std::clamp(offset_hz / processed_hz, -0.5, 0.5);
        whole.push_back(in_part ? window_of_part(image.parameters, offset_hz)
                                : image.parameters.azimuth_window(over_band) * spectrum(offset_hz));
        for (std::size_t i = 0; i < kept.size(); ++i)
            kept[i].push_back(sampled(offset_hz, static_cast<double>(i) / kept.size()) * weight(offset_hz));
    }
    const BandResponse ideal = response_of(whole);
    constexpr double nearly_filled = 0.8;  // where a PRF has room, what is beyond does not come back
    const bool moves = beam_hz > nearly_filled * prf_hz;
    const double rows = prf_hz / (2 * beam_hz);  // of 1 / (what is looked at)
    Prediction worst;
    for (const auto& at_line : kept) {
        const BandResponse response = response_of(at_line);
        // Narrower, as what is far beyond the beam does not take part, is as theory has it.
        worst = worse_of(worst, {.position_px = moves ? rows * std::abs(response.place - ideal.place) : 0,
                                 .width_percent = std::max(0.0, 100 * (response.width / ideal.width - 1))});
    }
    return worst;
}

}  // namespace

double widest_beam_hz(const Acquisition& acquisition, const ImagePlan& image) {
    const ImageGrid& grid = image.grid;
    constexpr int ranges = 9;
    double widening = 1;
    for (int k = 0; k < ranges; ++k) {
        const double part = k / (ranges - 1.0);
        const BeamCentre beam = image.geometry->beam_centre(grid.time_s(0.5 * static_cast<double>(grid.rows - 1)),
                                                            grid.range_m(part * static_cast<double>(grid.columns - 1)));
        if (std::isfinite(beam.widening)) widening = std::max(widening, beam.widening);
    }
    return widening * acquisition.azimuth_bandwidth_hz.value_or(0);
}

Prediction predicted_for_lost_ends(const Acquisition& acquisition, const ImagePlan& image, bool weighs_pulses) {
    return predicted_for_lost_ends(acquisition, image, widest_beam_hz(acquisition, image), weighs_pulses);
}

double band_beside_lost_ends_hz(const Acquisition& acquisition, const ImagePlan& image, bool weighs_pulses) {
    constexpr int most_parts = 99, fewest_parts = 90;        // of a hundred
    constexpr double next_to_nothing = 0.15, holding = 0.9;  // of the limits
    // Of the PRF: spectra of rows that are to be read between; those of turned beams and uneven flights are skewed.
    const bool skewed = acquisition.flown_beside || std::abs(image.parameters.doppler_centroid_hz) > acquisition.prf_hz;
    const double readable = skewed ? 0.93 : 0.97;
    const double widest_hz = widest_beam_hz(acquisition, image);
    const auto of_limits = [&](const ImagePlan& plan) {
        const Prediction lost = worse_of({}, predicted_for_lost_ends(acquisition, plan, widest_hz, weighs_pulses));
        return std::max(lost.position_px / error_limits.position_px, lost.width_percent / error_limits.width_percent);
    };
    if (of_limits(image) <= 1) return image.parameters.azimuth_bandwidth_hz;
    const double beam_hz = *acquisition.azimuth_bandwidth_hz;
    ImagePlan part = image;
    double best_hz = image.parameters.azimuth_bandwidth_hz, least = holding;
    for (int parts = most_parts; parts >= fewest_parts && least > next_to_nothing; --parts) {
        part.parameters.azimuth_bandwidth_hz = 0.01 * parts * beam_hz;
        part.reach = fades_of(acquisition, part.parameters);
        // Pulses fade out slowly: quick edges would move points.
        if (part.reach.pulse_fade_hz < azimuth_fade * part.parameters.azimuth_bandwidth_hz) continue;
        // Rows whose spectrum fills the PRF cannot be read between.
        if (weighs_pulses && 2 * part.reach.pulse_reach_hz > readable * acquisition.prf_hz) continue;
        const double lost = of_limits(part);
        if (lost >= least) continue;
        least = lost;
        best_hz = part.parameters.azimuth_bandwidth_hz;
    }
    return best_hz;
}

}  // namespace cornerturn
