// SPDX-License-Identifier: Apache-2.0
// The pulse's phase off a line and on again, so that in between each sample holds what lies at one range.
#pragma once

#include <vector>

#include "kernels/complex.h"
#include "kernels/host/fftw.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

class PulsePhase {
public:
    explicit PulsePhase(const Acquisition& acquisition);

    /// Of the lines between: samples whose pulses began before the line's first one lie at the end.
    std::int64_t length() const { return length_; }
    /// A line with room for length() samples, behind its own zeros; aligned as a LineBuffer is.
    void off(Complex<float>* line) const { turn(line, false); }
    void on(Complex<float>* line) const { turn(line, true); }

private:
    void turn(Complex<float>* line, bool on) const;

    std::int64_t length_;
    LineFft<float> forward_, inverse_;
    std::vector<Complex<float>> phase_;  // conj(S) / |S| / length
};

}  // namespace cornerturn
