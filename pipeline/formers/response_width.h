// SPDX-License-Identifier: Apache-2.0
// Width of the response of a band.
#pragma once

#include <complex>
#include <vector>

namespace cornerturn {

/// -3 dB width of the highest peak of the response of a band with these weights at evenly spaced frequencies, in
/// 1 / bandwidth; no more than is looked at (8 to either side of its middle).
double response_width(const std::vector<std::complex<double>>& weights);

}  // namespace cornerturn
