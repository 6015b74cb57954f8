// SPDX-License-Identifier: Apache-2.0
// Operations of a device for benches and tests only: single operations in all their variants, comparisons, times.
#pragma once

#include <functional>
#include <vector>

#include "kernels/device/device.h"

namespace cornerturn {

/// Two ways to copy on a device; which is faster depends on the size.
enum class CopyMethod { library, kernel };

class DeviceBench {
public:
    virtual ~DeviceBench() = default;

    /// out[c][r] = in[r][c], any shape, bit for bit; `out` takes the shape columns x rows and must have the format of
    /// `in`: the native one or any of 4 bytes a sample (float32 among them). Not in place, but for the variant inplace:
    /// that turns square matrices, and copies first where `out` is another storage. `columns`: only so many, the first;
    /// what is behind them pads the rows of `in`, which can make a turn faster. 0: all. Throws InputError for what
    /// require_corner_turn refuses.
    virtual void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant = CornerTurnVariant::production,
                             std::int64_t columns = 0) = 0;
    virtual std::vector<CornerTurnVariant> corner_turn_variants() const = 0;
    virtual std::vector<MatrixProductVariant> matrix_product_variants() const = 0;
    /// Copies a matrix of the same size.
    virtual void copy(const Matrix& from, Matrix& to, CopyMethod method = CopyMethod::library) = 0;
    /// Samples that differ, bit for bit, between `expected` and its turn, which may be one of its first columns, or,
    /// not turned, its copy.
    virtual std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) = 0;
    /// Chains that this device has.
    virtual std::vector<Chain> chains() const = 0;
    /// Rate of copies of that size: the best of a few.
    virtual BusRate bus_rate(std::size_t bytes) = 0;
    /// Milliseconds that `count` runs of `work` take one behind the other: by events on a GPU (after one that is not
    /// counted), by the clock on a CPU.
    virtual double time_ms(const std::function<void()>& work, int count) = 0;
};

}  // namespace cornerturn
