// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/pulse_phase.h"

#include <cmath>

#include "kernels/fast_length.h"
#include "pipeline/formers/range_filter.h"

namespace cornerturn {

PulsePhase::PulsePhase(const Acquisition& acquisition)
    : length_(fast_length(acquisition.samples + static_cast<std::int64_t>(std::ceil(acquisition.chirp_samples())))),
      forward_(length_, FftDirection::forward),
      inverse_(length_, FftDirection::inverse) {
    for (const std::complex<double>& s : chirp_spectrum(acquisition.chirp, acquisition.sample_rate_hz(), length_)) {
        const double scale = 1 / (std::abs(s) * static_cast<double>(length_));
        phase_.push_back(std::isfinite(scale) ? complex_cast<float>(scale * Complex128{s.real(), -s.imag()})
                                              : Complex<float>{1 / static_cast<float>(length_), 0});
    }
}

void PulsePhase::turn(Complex<float>* line, bool on) const {
    forward_(line);
    for (std::int64_t bin = 0; bin < length_; ++bin) {
        const Complex<float> phase = phase_[static_cast<std::size_t>(bin)];
        line[bin] = (on ? conj(phase) : phase) * line[bin];
    }
    inverse_(line);
}

}  // namespace cornerturn
