// SPDX-License-Identifier: Apache-2.0
// Times as products have them, where these count since another epoch.
#pragma once

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Unchanged where there is no such epoch.
Acquisition in_product_epoch(Acquisition acquisition);
/// Of an image without its samples.
Image in_product_epoch(const Image& header);

}  // namespace cornerturn
