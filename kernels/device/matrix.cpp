// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/matrix.h"

#include <fmt/format.h>

#include <stdexcept>

namespace cornerturn {

Matrix Matrix::reshaped(std::int64_t new_rows, std::int64_t new_columns) const {
    Matrix other = *this;
    other.rows = new_rows;
    other.columns = new_columns;
    if (other.bytes() > capacity_bytes)
        throw std::logic_error(fmt::format("reshape to {} x {}: needs {} bytes, the storage has {}", new_rows,
                                           new_columns, other.bytes(), capacity_bytes));
    return other;
}

Matrix Matrix::rows_from(std::int64_t first_row, std::int64_t count) const {
    if (first_row < 0 || count < 0 || first_row > rows - count)
        throw std::logic_error(
            fmt::format("rows {} to {} of a matrix of {} x {}", first_row, first_row + count, rows, columns));
    Matrix part = *this;
    const std::size_t offset = static_cast<std::size_t>(first_row * columns) * bytes_per_sample(format);
    part.storage = std::shared_ptr<void>(storage, data<std::byte>() + offset);
    part.rows = count;
    part.capacity_bytes = part.bytes();
    return part;
}

void require_matrix(const Matrix& matrix, SampleFormat format, std::int64_t rows, std::int64_t columns,
                    std::string_view what) {
    if (matrix.format == format && matrix.rows == rows && matrix.columns == columns) return;
    throw std::logic_error(fmt::format(
        "{} is {} x {} of {} bytes a sample; the pass was planned for {} x {} of {} bytes", what, matrix.rows,
        matrix.columns, bytes_per_sample(matrix.format), rows, columns, bytes_per_sample(format)));
}

void require_rows(const Matrix& matrix, std::int64_t first_row, SampleFormat format, std::int64_t rows,
                  std::int64_t columns, std::string_view what) {
    require_matrix(matrix, format, matrix.rows, columns, what);
    if (first_row < 0 || matrix.rows < 0 || first_row > rows - matrix.rows)
        throw std::logic_error(fmt::format("{}: rows {} to {} of the {} that the pass was planned for", what, first_row,
                                           first_row + matrix.rows, rows));
}

std::int64_t columns_to_turn(const Matrix& in, std::int64_t columns) {
    if (columns < 0 || columns > in.columns)
        throw std::logic_error(
            fmt::format("corner turn of {} columns of a matrix of {} x {}", columns, in.rows, in.columns));
    return columns == 0 ? in.columns : columns;
}

void require_comparable(const Matrix& expected, const Matrix& got, bool turned) {
    const bool fit =
        turned ? got.columns == expected.rows && got.rows <= expected.columns : got.bytes() == expected.bytes();
    if (expected.format == got.format && fit) return;
    throw std::logic_error(fmt::format("difference of {} x {} samples of {} bytes from {} x {} of {} bytes", got.rows,
                                       got.columns, bytes_per_sample(got.format), expected.rows, expected.columns,
                                       bytes_per_sample(expected.format)));
}

}  // namespace cornerturn
