// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/exchange.h"

#include <fmt/format.h>

#include <stdexcept>

namespace cornerturn {

ExchangeShape exchange_shape(std::span<const Matrix> in, std::span<const Matrix> out, std::size_t devices,
                             SampleFormat format) {
    if (in.size() != devices || out.size() != devices)
        throw std::logic_error(
            fmt::format("corner turn across {} devices of {} slabs into {}", devices, in.size(), out.size()));
    ExchangeShape shape{{0, static_cast<int>(devices)}, {0, static_cast<int>(devices)}};
    for (const Matrix& slab : in) shape.rows.rows += slab.rows;
    for (const Matrix& slab : out) shape.columns.rows += slab.rows;
    for (std::size_t i = 0; i < devices; ++i) {
        const int part = static_cast<int>(i);
        require_matrix(in[i], format, shape.rows.size(part), shape.columns.rows,
                       fmt::format("corner turn across devices: slab {}", i));
        require_matrix(out[i], format, shape.columns.size(part), shape.rows.rows,
                       fmt::format("corner turn across devices: turned slab {}", i));
    }
    return shape;
}

void require_block(const SentBlock& block, std::size_t devices, SampleFormat format) {
    const Matrix &rows = block.rows, &out = block.out;
    if (block.from >= devices || block.to >= devices || rows.format != format || out.format != format ||
        block.columns.first < 0 || block.columns.last > rows.columns ||
        out.columns != block.columns.last - block.columns.first || block.first_row < 0 ||
        block.first_row + rows.rows > out.rows)
        throw std::logic_error(
            fmt::format("columns {} to {} of {} x {} from device {} to rows from {} on of {} x {} on device {} of {}",
                        block.columns.first, block.columns.last, rows.rows, rows.columns, block.from, block.first_row,
                        out.rows, out.columns, block.to, devices));
}

}  // namespace cornerturn
