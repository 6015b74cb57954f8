// SPDX-License-Identifier: Apache-2.0
// Width and place of the response of a band.
#pragma once

#include <complex>
#include <vector>

namespace cornerturn {

/// Of the highest peak.
struct BandResponse {
    double width = 0;         ///< -3 dB, in 1 / bandwidth; no more than is looked at
    double place = 0;         ///< from where all weights are in phase, likewise
    double phase_cycles = 0;  ///< there, where they are
};
/// Of a band with these weights at evenly spaced frequencies, looked at up to 8 / bandwidth to either side.
BandResponse response_of(const std::vector<std::complex<double>>& weights);

/// By what part a point widens that is moved to and fro by so many widths, mean square: as a Gaussian of the same -3 dB
/// width does, to whose variance that adds.
inline double widened_by_blur(double mean_square) {
    constexpr double widens = 1.39;  // (2 sqrt(ln 2))^2 / 2
    return widens * mean_square;
}

}  // namespace cornerturn
