// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/libraries/row_fft.h"
#include "kernels/cuda/migration/gather.h"
#include "kernels/cuda/plain/complete_columns.cuh"
#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/runtime/device_tables.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {
namespace {

/// Transforms in the output rows where they are long enough; else in a buffer, from which the image rows are taken.
class AzimuthCompressionPlan final : public StepPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, SharedContext context)
        : input_cells_(pass.input_cells),
          columns_(pass.columns),
          shape_(pass.shape()),
          in_output_(pass.image_rows >= pass.fft_length),
          complete_(complete(pass)),
          hooks_(pass.hooks(tables_)),
          context_(context),
          gather_(pass, hooks_),
          batches_(context->limits, pass.columns, pass.fft_length, gather_.chunk()),
          fft_(context, pass.fft_length, in_output_ ? pass.image_rows : pass.fft_length, batches_) {
        if (!in_output_)
            context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * pass.fft_length) *
                                              sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, input_cells_, hooks_.fft_length, "azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, columns_, hooks_.image_rows, "azimuth compression: the output");
        const auto* spectra = in.data<Complex64>();
        batches_.for_each([&](std::int64_t first, std::int64_t columns) {
            Complex64* to = out.data<Complex64>() + first * hooks_.image_rows;
            in_output_ ? run_in_output(spectra, first, columns, to) : run_in_buffer(spectra, first, columns, to);
        });
        if (in_output_ && !complete_)
            launch_rows(CompleteColumns{hooks_, columns_, out.data<Complex64>()}, context_->stream,
                        "azimuth compression: clear what was not covered");
    }

private:
    void run_in_output(const Complex64* spectra, std::int64_t first, std::int64_t columns, Complex64* out) const {
        gather_.run(spectra, first, columns, out, hooks_.image_rows, context_->stream);
        fft_.inverse(out, out, columns);
    }

    void run_in_buffer(const Complex64* spectra, std::int64_t first, std::int64_t columns, Complex64* out) const {
        Complex64* lines = context_->workspace.lines();
        gather_.run(spectra, first, columns, lines, 0, context_->stream);
        fft_.inverse(lines, lines, columns);
        with_lanes({hooks_.fft_length, hooks_.image_rows}, [&](auto lanes) {
            sweep_rows(StoreLines<AzimuthCompressionHooks, lanes>{hooks_, shape_, lines, first, out}, columns,
                       hooks_.image_rows, context_->stream, "azimuth compression: store the covered rows");
        });
    }

    std::int64_t input_cells_, columns_;
    LineShape shape_;
    bool in_output_, complete_;
    DeviceTables tables_;
    AzimuthCompressionHooks hooks_;
    SharedContext context_;
    TurnedGather gather_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<StepPlan> plain_plan(const AzimuthCompression& pass, SharedContext context) {
    return std::make_unique<AzimuthCompressionPlan>(pass, std::move(context));
}

}  // namespace cornerturn
