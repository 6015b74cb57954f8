// SPDX-License-Identifier: Apache-2.0
// A matrix in the memory of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "kernels/passes/echo_format.h"

namespace cornerturn {

/// Row-major matrix of complex samples in device memory; packed rows. Copies share the storage, the last one frees it.
struct Matrix {
    std::shared_ptr<void> storage;
    std::size_t capacity_bytes = 0;
    SampleFormat format = SampleFormat::complex64;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    std::size_t bytes() const { return static_cast<std::size_t>(rows * columns) * bytes_per_sample(format); }

    /// The same storage seen as another shape. Throws std::logic_error if it does not fit.
    Matrix reshaped(std::int64_t new_rows, std::int64_t new_columns) const;

    /// Some of the rows, in the same storage. Throws std::logic_error where there are none such.
    Matrix rows_from(std::int64_t first_row, std::int64_t count) const;

    template <class T>
    T* data() const {
        return static_cast<T*>(storage.get());
    }
};

/// Throws std::logic_error if a matrix has another format or shape than a pass was planned for; `what` it is, for the
/// text.
void require_matrix(const Matrix& matrix, SampleFormat format, std::int64_t rows, std::int64_t columns,
                    std::string_view what);

/// The same for a matrix that holds some of the rows, from `first_row` on.
void require_rows(const Matrix& matrix, std::int64_t first_row, SampleFormat format, std::int64_t rows,
                  std::int64_t columns, std::string_view what);

/// Number of columns of `in` that a corner turn shall take: 0 stands for all. Throws std::logic_error if there are not
/// so many.
std::int64_t columns_to_turn(const Matrix& in, std::int64_t columns);

/// Throws std::logic_error unless `got` is as large as the copy of `expected`, or has the shape of the turn of its
/// first columns.
void require_comparable(const Matrix& expected, const Matrix& got, bool turned);

}  // namespace cornerturn
