// SPDX-License-Identifier: Apache-2.0
// The brightest pixels of an image.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/measure/image_view.h"

namespace cornerturn {

struct BrightPixel {
    float power;
    std::int64_t row;
    std::int64_t column;
};

/// In descending order, one at most for each block of the size of the separation: the brightest of any surroundings is
/// among them.
std::vector<BrightPixel> bright_pixels(const ImageView& image, std::int64_t separation_px);

/// Whether it lies so far from all others, in row or column.
bool is_apart(const BrightPixel& pixel, const std::vector<BrightPixel>& others, std::int64_t separation_px);

}  // namespace cornerturn
