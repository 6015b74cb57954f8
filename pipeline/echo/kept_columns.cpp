// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/kept_columns.h"

#include <algorithm>

namespace cornerturn {

std::int64_t KeptColumns::step(const ImageGrid& grid, std::size_t most_bytes) {
    const auto column_bytes = static_cast<std::int64_t>(sizeof(std::complex<float>)) * grid.rows;
    const std::int64_t most = std::max<std::int64_t>(1, static_cast<std::int64_t>(most_bytes) / column_bytes);
    return (grid.columns + most - 1) / most;
}

void KeptColumns::begin(const Image& header) {
    grid_ = header.grid;
    step_ = step(grid_, most_bytes_);
    samples_.assign(static_cast<std::size_t>(columns() * grid_.rows), {});
}

void KeptColumns::write(std::int64_t first_row, std::span<const std::complex<float>> rows) {
    const std::int64_t count = std::ssize(rows) / grid_.columns;
    for (std::int64_t kept = 0; kept < columns(); ++kept)
        for (std::int64_t row = 0; row < count; ++row)
            samples_[static_cast<std::size_t>(kept * grid_.rows + first_row + row)] =
                rows[static_cast<std::size_t>(row * grid_.columns + kept * step_)];
}

std::vector<double> KeptColumns::range_m() const {
    std::vector<double> ranges;
    for (std::int64_t kept = 0; kept < columns(); ++kept)
        ranges.push_back(grid_.range_m(static_cast<double>(kept * step_)));
    return ranges;
}

}  // namespace cornerturn
