// SPDX-License-Identifier: Apache-2.0
// Radiometry of an image: from its file, else by geometry.
#pragma once

#include <functional>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Nodes with the values of a function of row and column.
PowerFactor power_factor(const ImageGrid& grid, const std::function<double(double row, double column)>& factor);

/// That of the image, else by geometry alone: beta0 = |sample|^2, sigma0 = beta0 sin(incidence), by the ellipsoid's
/// normal at the scene's height, seen at zero Doppler, or from the middle of the track where all pulses are summed.
/// Throws InputError where neither a calibration nor an orbit is known.
Radiometry radiometry_of(const Image& image);

}  // namespace cornerturn
