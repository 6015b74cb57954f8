// SPDX-License-Identifier: Apache-2.0
// One pixel by the definition of its sum, for places where no tile holds.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/tiles/tiled_scene.h"

namespace cornerturn {

/// In double precision over all lines that the window weighs. `scratch` holds some arrivals, as many as are found at a
/// time.
Complex64 exact_pixel(const TiledScene& scene, std::int64_t row, std::int64_t column, const Complex64* compressed,
                      std::vector<Arrival>& scratch);

}  // namespace cornerturn
