// SPDX-License-Identifier: Apache-2.0
// Conversion of times to the epoch of a product.
#pragma once

#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// With times that count from another epoch: all of them become later by so much.
Acquisition counted_from(const std::string& epoch, double later_s, Acquisition acquisition);
/// Of an image, its rows and what is told over them, too.
void count_from(const std::string& epoch, double later_s, Image& header);

/// Unchanged where there is no such epoch.
Acquisition in_product_epoch(Acquisition acquisition);
/// Of an image without its samples.
Image in_product_epoch(const Image& header);

}  // namespace cornerturn
