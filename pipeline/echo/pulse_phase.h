// SPDX-License-Identifier: Apache-2.0
// Removal and restoration of the pulse's phase, so that in between each sample holds one range; and of the ripple of
// its spectrum where that must not move.
#pragma once

#include <complex>
#include <vector>

#include "kernels/host/line_fft.h"
#include "kernels/math/complex.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// What makes the magnitudes of a pulse's spectrum flat, where they are not weaker than a quarter of the strongest, as
/// they are beyond the band's edges; positive.
std::vector<double> flattening(const std::vector<std::complex<double>>& spectrum);

class PulsePhase {
public:
    /// `flat`: the magnitude, too. At least so many zeros lie behind what a line holds.
    explicit PulsePhase(const Acquisition& acquisition, bool flat = false, std::int64_t zeros = 0);

    /// Of the lines between: samples whose pulses began before the line's first one lie at the end.
    std::int64_t length() const { return length_; }
    /// A line with room for length() samples, behind its own zeros; aligned as a LineBuffer is. It is delayed by so
    /// many samples, as a ring.
    void off(Complex<float>* line, double delay = 0) const { turn(line, off_, delay); }
    void on(Complex<float>* line, double delay = 0) const { turn(line, on_, delay); }
    void only_delay(Complex<float>* line, double delay) const { turn(line, as_it_is_, delay); }

private:
    void turn(Complex<float>* line, const std::vector<Complex<float>>& factors, double delay) const;

    std::int64_t length_;
    LineFft<float> forward_, inverse_;
    std::vector<Complex<float>> off_, on_, as_it_is_;  // over the length of the transforms
};

}  // namespace cornerturn
