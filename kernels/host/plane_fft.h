// SPDX-License-Identifier: Apache-2.0
// Transforms of small planes on the processor, by one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "kernels/host/line_fft.h"

namespace cornerturn {

/// Unnormalised 2-D transform of rows x columns, packed, in place: first along each row, then down each column.
template <class Real>
class PlaneFft {
public:
    PlaneFft(std::int64_t rows, std::int64_t columns, FftDirection along_rows, FftDirection down_columns)
        : rows_(rows), columns_(columns), along_rows_(columns, along_rows), down_columns_(rows, down_columns) {}
    PlaneFft(std::int64_t rows, std::int64_t columns, FftDirection direction)
        : PlaneFft(rows, columns, direction, direction) {}

    /// Values are Complex<Real> or std::complex<Real>, at any address.
    template <class Value>
    void operator()(Value* plane) const {
        const LineBuffer<Real> buffer(std::max(rows_, columns_));
        const auto transform = [&](const LineFft<Real>& fft, Value* line, std::int64_t count, std::int64_t step) {
            for (std::int64_t i = 0; i < count; ++i) buffer.data()[i] = std::bit_cast<Complex<Real>>(line[i * step]);
            fft(buffer.data());
            for (std::int64_t i = 0; i < count; ++i) line[i * step] = std::bit_cast<Value>(buffer.data()[i]);
        };
        for (std::int64_t row = 0; row < rows_; ++row) transform(along_rows_, plane + row * columns_, columns_, 1);
        for (std::int64_t column = 0; column < columns_; ++column)
            transform(down_columns_, plane + column, rows_, columns_);
    }

private:
    std::int64_t rows_, columns_;
    LineFft<Real> along_rows_, down_columns_;
};

}  // namespace cornerturn
