// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/azimuth_filter.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/frequency.h"

namespace cornerturn {

namespace {

/// Ends so far from the centroid.
double window_that_fades(const FormerParameters& parameters, double reach_hz, double fade_hz, double offset_hz) {
    const double faded = fade_out((std::abs(offset_hz) - (reach_hz - fade_hz)) / fade_hz);
    if (!(faded > 0)) return 0;
    return faded * parameters.azimuth_window(std::clamp(offset_hz / parameters.azimuth_bandwidth_hz, -0.5, 0.5));
}

}  // namespace

double azimuth_window(const ImagePlan& image, double prf_hz, double offset_hz) {
    const double fade_hz = image.fades.azimuth_fade_hz;
    return window_that_fades(image.parameters, std::min(image.parameters.azimuth_bandwidth_hz + fade_hz, prf_hz) / 2,
                             fade_hz, offset_hz);
}

double pulse_window(const ImagePlan& image, double offset_hz) {
    return window_that_fades(image.parameters, image.fades.pulse_reach_hz, image.fades.pulse_fade_hz, offset_hz);
}

std::vector<double> azimuth_weight(const Acquisition& acquisition, const ImagePlan& image, std::int64_t fft_length) {
    const FormerParameters& parameters = image.parameters;
    const double centroid_hz = parameters.doppler_centroid_hz;
    // Stationary phase: the DFT of the azimuth chirp has the magnitude PRF / sqrt(Ka); the hook supplies sqrt(Ka).
    const double scale =
        1 / (static_cast<double>(fft_length) * parameters.azimuth_bandwidth_hz * parameters.azimuth_window.mean());
    std::vector<double> weight;
    weight.reserve(static_cast<std::size_t>(fft_length));
    for (std::int64_t bin = 0; bin < fft_length; ++bin) {
        const double f_hz = azimuth_frequency_hz(bin, fft_length, acquisition.prf_hz, centroid_hz);
        weight.push_back(scale * azimuth_window(image, acquisition.prf_hz, f_hz - centroid_hz));
    }
    return weight;
}

}  // namespace cornerturn
