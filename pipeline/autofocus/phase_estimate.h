// SPDX-License-Identifier: Apache-2.0
// The phase error of lines as an estimator found it, and what of it defocuses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/complex.h"

namespace cornerturn {

/// What an estimator found.
struct PhaseEstimate {
    std::vector<double> phase_rad;  ///< of each line; without constant and linear part
    std::vector<double> weight;  ///< of each line: inverse variance, or how bright what it lights is; 0: nothing there
    std::int64_t targets = 0;    ///< that told it; pixels of contrast are not counted
    std::int64_t rounds = 0;
};

/// Takes constant and linear part, fitted with these weights, off all values.
void remove_weighted_line(std::span<double> values, std::span<const double> weight);
/// Likewise, fitted evenly over the lines that have weight.
void remove_line(std::span<double> phase_rad, std::span<const double> weight);
/// What of a phase bends within apertures, and so defocuses: rms of what lines through pieces as long as an aperture
/// leave, over the lines that have weight.
double bend_rad(std::span<const double> phase_rad, std::span<const double> weight, double aperture_lines);
double rms_rad(std::span<const double> phase_rad, std::span<const double> weight);

/// exp(-j phase) of each line.
std::vector<Complex64> phasors_against(std::span<const double> phase_rad);

inline double power(Complex64 z) {
    return static_cast<double>(z.re) * static_cast<double>(z.re) +
           static_cast<double>(z.im) * static_cast<double>(z.im);
}
/// Entropy of powers by their sum and the sum of p log(p): the less, the sharper.
double entropy_of(double power, double power_log_power);

}  // namespace cornerturn
