// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cornerturn {

/// Of the matrix that is read; that which is written has columns x rows, packed.
struct MatrixShape {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t pitch = columns;  ///< elements from the beginning of a row to that of the next
};

}  // namespace cornerturn
