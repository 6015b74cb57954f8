// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/pulse_phase.h"

#include <algorithm>
#include <cmath>

#include "kernels/host/vector_clones.h"
#include "kernels/math/fast_length.h"
#include "kernels/math/phasor.h"
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

namespace {

CT_VECTOR_CLONES void multiply(const Complex<float>* factors, double cycles, double cycles_per_bin, std::int64_t bins,
                               Complex<float>* spectrum) {
    for (std::int64_t bin = 0; bin < bins; ++bin)
        spectrum[bin] =
            unit_phasor<float>(cycles + cycles_per_bin * static_cast<double>(bin)) * (factors[bin] * spectrum[bin]);
}

}  // namespace

PulsePhase::PulsePhase(const Acquisition& acquisition, bool flat, std::int64_t zeros)
    : length_(
          fast_length(acquisition.samples + static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())) + zeros)),
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
        as_it_is_.push_back(complex_cast<float>(Complex128{per_length, 0}));
    }
}

void PulsePhase::turn(Complex<float>* line, const std::vector<Complex<float>>& factors, double delay) const {
    const double cycles_per_bin = -delay / static_cast<double>(length_);
    const std::int64_t positive = (length_ + 1) / 2, negative = length_ - positive;
    forward_(line);
    multiply(factors.data(), 0, cycles_per_bin, positive, line);
    multiply(factors.data() + positive, -static_cast<double>(negative) * cycles_per_bin, cycles_per_bin, negative,
             line + positive);
    inverse_(line);
}

}  // namespace cornerturn
