// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/row_fft.h"

namespace cornerturn {
namespace {

/// Transforms in the output matrix itself.
class AzimuthSpectrumPlan final : public PassPlan {
public:
    AzimuthSpectrumPlan(const AzimuthSpectrum& pass, SharedContext context)
        : pass_(pass), context_(context), batches_(pass.range_cells, pass.fft_length), fft_(context, pass.fft_length, batches_) {}

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, pass_.range_cells, pass_.lines, "azimuth spectrum: the input");
        require_matrix(out, SampleFormat::complex64, pass_.range_cells, pass_.fft_length, "azimuth spectrum: the output");
        batches_.for_each([&](std::int64_t first, std::int64_t rows) {
            const Complex64* from = in.data<Complex64>() + first * pass_.lines;
            Complex64* to = out.data<Complex64>() + first * pass_.fft_length;
            if (pass_.lines == pass_.fft_length) return fft_.forward(from, to, rows);
            with_lanes({pass_.lines, pass_.fft_length}, [&](auto lanes) {
                sweep_rows(CopyRows<lanes>{from, pass_.lines, to, pass_.fft_length}, rows, pass_.fft_length, context_->stream,
                           "azimuth spectrum: pad the lines");
            });
            fft_.forward(to, to, rows);
        });
    }

private:
    AzimuthSpectrum pass_;
    SharedContext context_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<PassPlan> plain_plan(const AzimuthSpectrum& pass, SharedContext context) {
    return std::make_unique<AzimuthSpectrumPlan>(pass, std::move(context));
}

}  // namespace cornerturn
