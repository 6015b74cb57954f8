// SPDX-License-Identifier: Apache-2.0
// The transforms down the columns of a matrix that is not turned (TurnFreeForward, TurnFreeInverse), of any length that
// has kernels.
#pragma once

#include <functional>

#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/device_tables.h"
#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/cuda/turn_free/turn_free_tables.h"

namespace cornerturn {

/// What TurnFreeInverse makes of the columns of an image.
template <class Sample>
struct ColumnsOfImage {
    const Sample* in;  ///< fft_length x columns, swapped
    std::int64_t columns, rows;
    const Interval* covered_rows;  ///< per column
    const float* column_gain;      ///< per column
    const float* scale;            ///< of halves
    Complex64* out;                ///< rows x columns; may be where `in` is
    unsigned* not_finite;          ///< set to 1 where a pixel, or what is behind the last row, is not
};

template <class Sample>
class ColumnTransforms {
public:
    /// Throws Unsupported for a length that has no kernels.
    ColumnTransforms(std::int64_t fft_length, SharedContext context) : context_(std::move(context)) {
        const bool whole = fft_length % turn_free_rows == 0;
        const bool found = whole && with_column_digits(fft_length / turn_free_rows, context_->limits.shared_bytes,
                                                       [&]<class Digits>(Digits) { plan<Digits>(fft_length); });
        if (!found) refuse_length("azimuth", fft_length);
    }

    // Its launches know where it is.
    ColumnTransforms(const ColumnTransforms&) = delete;
    ColumnTransforms& operator=(const ColumnTransforms&) = delete;

    /// Digit A of what goes down a column.
    int first_digit() const { return first_digit_; }

    /// in: lines x cells. out: fft_length x cells, may be where `in` is. factors: of halves.
    void forward(const Sample* in, std::int64_t lines, std::int64_t cells, const FourFactors* factors,
                 Sample* out) const {
        forward_(in, lines, cells, factors, out);
    }
    void inverse(const ColumnsOfImage<Sample>& image) const { inverse_(image); }

private:
    template <class Digits>
    void plan(std::int64_t fft_length) {
        first_digit_ = Digits::A;
        forward_second_ = table_on_device(twiddles(Digits::A, Digits::length), "twiddle factors");
        inverse_first_ = table_on_device(inverse_first(fft_length, Digits::B), "twiddle factors");
        inverse_second_ = table_on_device(inverse_second(fft_length, Digits::A), "twiddle factors");
        reserve_shared_memory<TurnFreeForward<Digits, Sample>>();
        reserve_shared_memory<TurnFreeInverse<Digits, Sample>>();
        forward_ = [this](const Sample* in, std::int64_t lines, std::int64_t cells, const FourFactors* factors,
                          Sample* out) {
            launch_fused(
                TurnFreeForward<Digits, Sample>{in, lines, cells, out, forward_second_.data<Twiddle>(), factors},
                context_->stream, "azimuth transform down the columns");
        };
        inverse_ = [this, fft_length](const ColumnsOfImage<Sample>& image) {
            launch_fused(TurnFreeInverse<Digits, Sample>{image.in, image.columns, fft_length, image.rows,
                                                         image.covered_rows, image.out, inverse_first_.data<Twiddle>(),
                                                         inverse_second_.data<Twiddle>(), image.column_gain,
                                                         image.scale, image.not_finite},
                         context_->stream, "inverse azimuth transform down the columns");
        };
    }

    SharedContext context_;
    int first_digit_ = 1;
    DeviceBuffer forward_second_, inverse_first_, inverse_second_;
    std::function<void(const Sample*, std::int64_t, std::int64_t, const FourFactors*, Sample*)> forward_;
    std::function<void(const ColumnsOfImage<Sample>&)> inverse_;
};

}  // namespace cornerturn
