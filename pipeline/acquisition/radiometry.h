// SPDX-License-Identifier: Apache-2.0
// Conversion of a sample's power to radar brightness beta0 and, by the incidence angle, to sigma0.
#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// Factors of |sample|^2 at nodes evenly over an image, from its first to its last pixel; between them they are
/// bilinear. Not a number where nothing is known.
struct PowerFactor {
    std::int64_t rows = 0, columns = 0;            ///< of the image
    std::int64_t node_rows = 0, node_columns = 0;  ///< two or more each way
    std::vector<double> at_nodes = {};             ///< [row][column]

    double at(double row, double column) const;
    friend bool operator==(const PowerFactor&, const PowerFactor&) = default;
};

struct Radiometry {
    PowerFactor beta0, sigma0;
    /// By a calibration that a file tells. Else the geometry alone: the antenna's pattern, the loss with range and a
    /// constant are unknown.
    bool calibrated = false;
    friend bool operator==(const Radiometry&, const Radiometry&) = default;
};

}  // namespace cornerturn
