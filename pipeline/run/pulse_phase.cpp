// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/pulse_phase.h"

#include <algorithm>
#include <cmath>

#include "kernels/math/fast_length.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {

std::vector<double> flattening(const std::vector<std::complex<double>>& spectrum) {
    constexpr double weakest = 0.25;
    double strongest = 0;
    for (const std::complex<double>& s : spectrum) strongest = std::max(strongest, std::abs(s));
    std::vector<double> gains;
    for (const std::complex<double>& s : spectrum)
        gains.push_back(strongest / std::max(std::abs(s), weakest * strongest));
    return gains;
}

PulsePhase::PulsePhase(const Acquisition& acquisition, bool flat)
    : length_(fast_length(acquisition.samples + static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())))),
      forward_(length_, FftDirection::forward),
      inverse_(length_, FftDirection::inverse) {
    const auto spectrum = chirp_spectrum(acquisition.chirp, acquisition.sample_rate_hz(), length_);
    std::vector<double> gains(spectrum.size(), 1);
    if (flat) gains = flattening(spectrum);
    const double per_length = 1 / static_cast<double>(length_);
    for (std::size_t bin = 0; bin < spectrum.size(); ++bin) {
        const double scale = 1 / std::abs(spectrum[bin]);
        const Complex128 phase =
            std::isfinite(scale) ? scale * Complex128{spectrum[bin].real(), spectrum[bin].imag()} : Complex128{1, 0};
        off_.push_back(complex_cast<float>(per_length * gains[bin] * conj(phase)));
        on_.push_back(complex_cast<float>(per_length / gains[bin] * phase));
    }
}

void PulsePhase::turn(Complex<float>* line, bool on) const {
    forward_(line);
    const std::vector<Complex<float>>& factors = on ? on_ : off_;
    for (std::int64_t bin = 0; bin < length_; ++bin) line[bin] = factors[static_cast<std::size_t>(bin)] * line[bin];
    inverse_(line);
}

}  // namespace cornerturn
