// SPDX-License-Identifier: Apache-2.0
// A place in an image.
#pragma once

#include <cstdint>

namespace cornerturn {

struct ImagePixel {
    std::int64_t row = 0, column = 0;
    friend bool operator==(const ImagePixel&, const ImagePixel&) = default;
};

}  // namespace cornerturn
