// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/azimuth_filter.h"

#include <algorithm>
#include <cmath>

#include "kernels/hyperbola.h"

namespace cornerturn {

std::vector<double> azimuth_weight(const Acquisition& acquisition, const ImagePlan& image, std::int64_t fft_length) {
    const FormerParameters& parameters = image.parameters;
    const double centroid = parameters.doppler_centroid_hz, bandwidth = parameters.azimuth_bandwidth_hz;
    const double fade = image.reach.azimuth_fade_hz, fade_begin = std::min(bandwidth + fade, acquisition.prf_hz) / 2 - fade;
    // Stationary phase: the DFT of the azimuth chirp has the magnitude PRF / sqrt(Ka); the hook supplies sqrt(Ka).
    const double scale = 1 / (static_cast<double>(fft_length) * bandwidth * parameters.azimuth_window.mean());
    std::vector<double> weight;
    weight.reserve(static_cast<std::size_t>(fft_length));
    for (std::int64_t bin = 0; bin < fft_length; ++bin) {
        const double f = azimuth_frequency_hz(bin, fft_length, acquisition.prf_hz, centroid) - centroid;
        const double faded = fade_out((std::abs(f) - fade_begin) / fade);
        weight.push_back(faded > 0 ? scale * parameters.azimuth_window(std::clamp(f / bandwidth, -0.5, 0.5)) * faded : 0.0);
    }
    return weight;
}

}  // namespace cornerturn
