// SPDX-License-Identifier: Apache-2.0
// Plans of azimuth transforms without the corner turns before and behind them.
#pragma once

#include "kernels/cuda/runtime/notice.h"
#include "kernels/cuda/turn_free/column_transforms.cuh"
#include "kernels/cuda/turn_free/columns.cuh"
#include "kernels/cuda/turn_free/turn_free_plan.h"
#include "kernels/device/noticing.h"
#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/azimuth_spectrum.h"

namespace cornerturn {

class TurnFreeSpectrumPlan final : public StepPlan {
public:
    TurnFreeSpectrumPlan(const AzimuthSpectrum& pass, SharedContext context)
        : lines_(pass.lines),
          cells_(pass.range_cells),
          fft_length_(pass.fft_length),
          context_(std::move(context)),
          transforms_(fft_length_, context_),
          twiddles_(table_on_device(twiddles(fft_length_ / turn_free_rows, fft_length_), "twiddle factors")) {}

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, lines_, cells_, "turn-free azimuth spectrum: the input");
        require_matrix(out, SampleFormat::complex64, fft_length_, cells_, "turn-free azimuth spectrum: the output");
        const Matrix work = in.reshaped(fft_length_, cells_);
        transforms_.forward(in.data<Complex64>(), lines_, cells_, nullptr, work.data<Complex64>());
        launch_fused(LinesToBins{{work.data<Complex64>(), out.data<Complex64>(), cells_,
                                  static_cast<int>(fft_length_ / turn_free_rows)},
                                 twiddles_.data<Twiddle>()},
                     context_->stream, "azimuth bins");
    }

private:
    std::int64_t lines_, cells_, fft_length_;
    SharedContext context_;
    ColumnTransforms<Complex64> transforms_;
    DeviceBuffer twiddles_;
};

class TurnFreeImagePlan final : public StepPlan, public Noticing {
public:
    TurnFreeImagePlan(const AzimuthImage& pass, SharedContext context)
        : columns_(pass.columns),
          fft_length_(pass.fft_length),
          rows_(pass.image_rows),
          context_(std::move(context)),
          transforms_(fft_length_, context_),
          covered_rows_(table_on_device(pass.covered_rows, "the covered rows")),
          gain_(table_on_device(std::vector<float>(static_cast<std::size_t>(columns_), 1.0f), "the columns' gains")) {}

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, fft_length_, columns_, "turn-free azimuth image: the input");
        require_matrix(out, SampleFormat::complex64, rows_, columns_, "turn-free azimuth image: the output");
        const Matrix work = out.reshaped(fft_length_, columns_);
        launch_fused(BinsToLines{{in.data<Complex64>(), work.data<Complex64>(), columns_,
                                  static_cast<int>(fft_length_ / turn_free_rows)}},
                     context_->stream, "azimuth bins");
        transforms_.inverse({.in = work.data<Complex64>(),
                             .columns = columns_,
                             .rows = rows_,
                             .covered_rows = covered_rows_.data<Interval>(),
                             .column_gain = gain_.data<float>(),
                             .scale = nullptr,
                             .out = out.data<Complex64>(),
                             .not_finite = image_.on_gpu()});
    }

    Noticed notices() const override { return Noticed::result; }
    bool noticed() override { return image_.take(); }

private:
    std::int64_t columns_, fft_length_, rows_;
    SharedContext context_;
    ColumnTransforms<Complex64> transforms_;
    DeviceBuffer covered_rows_, gain_;
    NoticeOnGpu image_;
};

}  // namespace cornerturn
