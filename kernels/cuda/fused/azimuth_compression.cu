// SPDX-License-Identifier: Apache-2.0
// A gather across range lines does not fit the one kernel of a line: the migration is corrected for a batch of lines,
// which stays in the L2 cache, and one kernel does the rest.
#include "kernels/cuda/device_tables.h"
#include "kernels/cuda/fused/launch_fused.cuh"
#include "kernels/cuda/fused/line_tables.h"
#include "kernels/cuda/fused/lines.cuh"
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/unsupported.h"
#include "kernels/cuda/migration/gather.h"
#include "kernels/passes/azimuth_compression.h"

namespace cornerturn {
namespace {

template <class Digits>
class AzimuthCompressionPlan final : public StepPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, SharedContext context)
        : input_cells_(pass.input_cells),
          columns_(pass.columns),
          shape_(pass.shape()),
          hooks_(pass.hooks(tables_)),
          twiddles_(Digits{}),
          context_(context),
          gather_(pass, hooks_, context),
          batches_(pass.columns, pass.fft_length, gather_.chunk()) {
        if (!reserve_shared_memory<InverseLine<Digits, AzimuthCompressionHooks>>(context_->index))
            refuse_shared_memory("azimuth", Digits::length);
        context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * pass.fft_length) *
                                          sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, input_cells_, hooks_.fft_length, "azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, columns_, hooks_.image_rows, "azimuth compression: the output");
        batches_.for_each([&](std::int64_t first, std::int64_t rows) {
            Complex64* lines = context_->workspace.lines();
            gather_.run(in.data<Complex64>(), first, rows, lines);
            launch_fused(
                InverseLine<Digits, AzimuthCompressionHooks>{.in = lines,
                                                             .lines = rows,
                                                             .shape = shape_,
                                                             .hooks = hooks_,
                                                             .first_line = first,
                                                             .out = out.data<Complex64>() + first * hooks_.image_rows,
                                                             .twiddles = twiddles_.get()},
                context_->stream, "azimuth compression");
        });
    }

private:
    std::int64_t input_cells_, columns_;
    LineShape shape_;
    DeviceTables tables_;
    AzimuthCompressionHooks hooks_;
    LineTables twiddles_;
    SharedContext context_;
    TurnedGather gather_;
    LineBatches batches_;
};

}  // namespace

std::unique_ptr<StepPlan> fused_plan(const AzimuthCompression& pass, SharedContext context) {
    std::unique_ptr<StepPlan> plan;
    const bool found = with_line_digits(pass.fft_length, [&]<class Digits>(Digits) {
        plan = std::make_unique<AzimuthCompressionPlan<Digits>>(pass, std::move(context));
    });
    if (!found) refuse_length("azimuth", pass.fft_length);
    return plan;
}

}  // namespace cornerturn
