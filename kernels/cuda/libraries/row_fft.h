// SPDX-License-Identifier: Apache-2.0
// cuFFT over batches of rows, with the work area of the device's workspace.
#pragma once

#include <cufft.h>

#include <cstdint>
#include <utility>

#include "kernels/cuda/runtime/context.h"
#include "kernels/math/complex.h"

namespace cornerturn {

/// One cuFFT plan: `rows` transforms of `length` points, `pitch` points from row to row. Owns no work area.
class FftPlan {
public:
    FftPlan() = default;
    FftPlan(std::int64_t length, std::int64_t pitch, std::int64_t rows, const CudaContext& context);
    ~FftPlan();
    FftPlan(FftPlan&& other) noexcept;
    FftPlan& operator=(FftPlan&& other) noexcept;

    std::size_t work_bytes() const { return work_bytes_; }
    void execute(const Complex64* in, Complex64* out, int direction, void* work_area) const;

private:
    static constexpr cufftHandle none = -1;
    cufftHandle handle_ = none;
    std::size_t work_bytes_ = 0;
};

/// Unnormalised FFT of the rows of every batch; in may be out.
class RowFft {
public:
    RowFft(SharedContext context, std::int64_t length, const LineBatches& batches)
        : RowFft(std::move(context), length, length, batches) {}
    /// Of rows that are `pitch` points apart.
    RowFft(SharedContext context, std::int64_t length, std::int64_t pitch, const LineBatches& batches);
    /// Rows that a transform of `rows` runs over. The same number where it is the size of one of the batches; else the
    /// buffers have to have room for as many as this.
    std::int64_t transformed(std::int64_t rows) const { return rows == last_rows_ ? last_rows_ : batch_; }
    /// `rows` is at most the size of a batch.
    void forward(const Complex64* in, Complex64* out, std::int64_t rows) const {
        execute(in, out, rows, CUFFT_FORWARD);
    }
    void inverse(const Complex64* in, Complex64* out, std::int64_t rows) const {
        execute(in, out, rows, CUFFT_INVERSE);
    }

private:
    void execute(const Complex64* in, Complex64* out, std::int64_t rows, int direction) const;

    SharedContext context_;
    std::int64_t batch_, last_rows_;
    FftPlan full_, last_;  // last_: of the smaller last batch, where there is one
};

}  // namespace cornerturn
