// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/folded_chirp.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"
#include "pipeline/formers/range_filter.h"
#include "pipeline/formers/response_width.h"
#include "pipeline/formers/zoomed_spectrum.h"

namespace cornerturn {

Prediction lost_by_folding(const Chirp& chirp, double sample_rate_hz, const Window& window) {
    constexpr double longest = 128;  // time times bandwidth; of this one 0.003 px at 1.03 times its band
    constexpr std::int64_t places = 8, shortest_transform = 1024;
    const double band_hz = chirp.bandwidth_hz();
    if (!chirp.replica.empty() || !(band_hz * chirp.duration_s < longest) || !(band_hz > 0)) return {};
    const auto pulse = static_cast<std::int64_t>(std::ceil(chirp.duration_s * sample_rate_hz)) + 1;
    const std::int64_t length = fast_length(std::max(shortest_transform, 8 * pulse));
    const std::vector<std::complex<double>> unfolded = chirp_spectrum(chirp, sample_rate_hz, length);
    // From one end of the band to the other.
    const auto half =
        static_cast<std::int64_t>(std::min(0.5 * band_hz / sample_rate_hz, 0.499) * static_cast<double>(length));
    std::vector<std::complex<double>> in_theory;
    for (std::int64_t i = -half; i <= half; ++i)
        in_theory.emplace_back(window(static_cast<double>(i) / static_cast<double>(length) * sample_rate_hz / band_hz));
    const BandResponse ideal = response_of(in_theory);
    const double shown_hz = static_cast<double>(in_theory.size()) / static_cast<double>(length) * sample_rate_hz;
    Prediction worst;
    for (std::int64_t place = 0; place < places; ++place) {
        const double before = static_cast<double>(place) / places;  // the first sample, of the leading edge
        std::vector<std::complex<double>> samples;
        for (std::int64_t n = 0; n < pulse; ++n) {
            const double t = (static_cast<double>(n) + before) / sample_rate_hz, centred_s = t - 0.5 * chirp.duration_s;
            if (t >= chirp.duration_s) break;
            samples.push_back(std_phasor(0.5 * chirp.slope_hz_s * centred_s * centred_s));
        }
        const double per_sample = 1 / static_cast<double>(length);
        std::vector<std::complex<double>> sampled =
            zoomed_spectrum(samples, {before * per_sample, per_sample}, {static_cast<double>(half), -1},
                            static_cast<int>(in_theory.size()));
        for (std::int64_t i = -half; i <= half; ++i) {
            const auto bin = static_cast<std::size_t>(i + half);
            sampled[bin] *= in_theory[bin] / unfolded[static_cast<std::size_t>((i + length) % length)];
        }
        const BandResponse shown = response_of(sampled);
        worst = worse_of(worst, {.position_px = std::abs(shown.place - ideal.place) * sample_rate_hz / shown_hz,
                                 .phase_deg = 360 * std::abs(shown.phase_cycles),
                                 .width_percent = 100 * std::abs(shown.width / ideal.width - 1)});
    }
    return worst;
}

}  // namespace cornerturn
