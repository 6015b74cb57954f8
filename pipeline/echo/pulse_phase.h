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
    /// `flat`: the magnitude, too.
    explicit PulsePhase(const Acquisition& acquisition, bool flat = false);

    /// Of the lines between: samples whose pulses began before the line's first one lie at the end.
    std::int64_t length() const { return length_; }
    /// A line with room for length() samples, behind its own zeros; aligned as a LineBuffer is.
    void off(Complex<float>* line) const { turn(line, false); }
    void on(Complex<float>* line) const { turn(line, true); }

private:
    void turn(Complex<float>* line, bool on) const;

    std::int64_t length_;
    LineFft<float> forward_, inverse_;
    std::vector<Complex<float>> off_, on_;  // over the length of the transforms
};

}  // namespace cornerturn
