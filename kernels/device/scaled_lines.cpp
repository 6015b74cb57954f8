// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/scaled_lines.h"

#include <fmt/format.h>

#include <stdexcept>

namespace cornerturn {

void require_scales(const Matrix& halves, std::string_view what) {
    const auto needed = static_cast<std::size_t>(scaled_lines_samples(halves.rows, halves.columns)) * sizeof(HalfPair);
    if (needed > halves.capacity_bytes)
        throw std::logic_error(fmt::format("{}, {} x {} halves with scales, needs {} bytes, the storage has {}", what,
                                           halves.rows, halves.columns, needed, halves.capacity_bytes));
}

}  // namespace cornerturn
