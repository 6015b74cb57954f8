// SPDX-License-Identifier: Apache-2.0
// Width and sidelobes of a cut through a point response; measured and theoretical cuts go through the same code.
#pragma once

#include <vector>

namespace cornerturn {

/// Power along a line through the peak of a response.
struct Cut {
    double step_px = 0;         ///< image pixels from one element to the next
    std::vector<double> power;  ///< the element in the middle, power[size / 2], lies on the peak
};

struct CutMetrics {
    double irw_px = 0;   ///< -3 dB width in image pixels
    double irw_m = 0;    ///< in metres
    double pslr_db = 0;  ///< highest sidelobe over the peak
    double islr_db = 0;  ///< energy of ten sidelobes on each side over that of the main lobe
};

/// Measures a cut. The main lobe ends at the first minimum on either side of the peak; ten sidelobes are 10 / band
/// pixels beyond it, where `band` is the bandwidth over the sampling frequency of the image.
CutMetrics measure(const Cut& cut, double band, double pixel_m);

}  // namespace cornerturn
