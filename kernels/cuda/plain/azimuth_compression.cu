// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/azimuth_tables.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/migration/gather.h"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/row_fft.h"

namespace cornerturn {
namespace {

/// Turns the circular result to the image rows and clears those that were not covered. In place where in is out.
struct StoreCovered {
    AzimuthCompressionHooks hooks;
    const Complex64* in;
    std::int64_t first_column;
    Complex64* out;

    __device__ void operator()(std::int64_t row, std::int64_t image_row) const {
        const bool covered = hooks.covered(first_column + row, image_row);
        out[row * hooks.image_rows + image_row] = covered ? in[row * hooks.fft_length + hooks.source_index(image_row)] : Complex64{0, 0};
    }
};

class AzimuthCompressionPlan final : public PassPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, SharedContext context)
        : input_cells_(pass.input_cells),
          columns_(pass.columns),
          tables_(pass),
          hooks_(tables_.hooks()),
          context_(context),
          gather_(pass, hooks_, context),
          batches_(pass.columns, pass.fft_length),
          fft_(context, pass.fft_length, batches_) {
        if (!in_output()) context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * pass.fft_length) * sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, input_cells_, hooks_.fft_length, "azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, columns_, hooks_.image_rows, "azimuth compression: the output");
        batches_.for_each([&](std::int64_t first, std::int64_t rows) {
            Complex64* to = out.data<Complex64>() + first * hooks_.image_rows;
            Complex64* lines = in_output() ? to : context_->workspace.lines();
            gather_.run(in.data<Complex64>(), first, rows, lines);
            fft_.inverse(lines, lines, rows);
            for_each(StoreCovered{hooks_, lines, first, to}, rows, hooks_.image_rows, context_->stream,
                     "azimuth compression: store the covered rows");
        });
    }

private:
    /// The output rows serve as FFT buffer where they have its length.
    bool in_output() const { return hooks_.image_rows == hooks_.fft_length; }

    std::int64_t input_cells_, columns_;
    AzimuthTables tables_;
    AzimuthCompressionHooks hooks_;
    SharedContext context_;
    TurnedGather gather_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<PassPlan> plain_plan(const AzimuthCompression& pass, SharedContext context) {
    return std::make_unique<AzimuthCompressionPlan>(pass, std::move(context));
}

}  // namespace cornerturn
