// SPDX-License-Identifier: Apache-2.0
// A gather across range lines does not fit the one kernel of a line: the migration is corrected for a batch of lines,
// which stays in the L2 cache, and one kernel does the rest; two batches at a time, so that neither kernel waits for
// the other's last blocks. Without a gather, that kernel is all.
#include "kernels/passes/azimuth_compression.h"

#include "kernels/cuda/launch/alternating_streams.h"
#include "kernels/cuda/lines/image_lines.h"
#include "kernels/cuda/lines/plans.h"
#include "kernels/cuda/migration/gather.h"
#include "kernels/cuda/runtime/device_tables.h"
#include "kernels/passes/azimuth_image.h"

namespace cornerturn {
namespace {

class AzimuthCompressionPlan final : public StepPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, SharedContext context)
        : input_cells_(pass.input_cells),
          hooks_(pass.hooks(tables_)),
          context_(context),
          gather_(pass, hooks_),
          batches_(context->limits, pass.columns, pass.fft_length, gather_.chunk()),
          image_(image_lines({pass.columns, pass.fft_length, pass.image_rows, pass.covered_rows}, context)) {
        context_->workspace.reserve_lines(streams_.count() * static_cast<std::size_t>(lane_samples()) *
                                          sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, input_cells_, hooks_.fft_length, "azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, batches_.lines, hooks_.image_rows,
                       "azimuth compression: the output");
        streams_.take_turns(
            context_->stream, batches_, 0, batches_.lines,
            [&](std::size_t lane, const Stream& stream, std::int64_t first, std::int64_t columns) {
                Complex64* spectra = context_->workspace.lines() + static_cast<std::int64_t>(lane) * lane_samples();
                gather_.run(in.data<Complex64>(), first, columns, spectra, 0, stream);
                image_->run(spectra, first, columns, out.data<Complex64>() + first * hooks_.image_rows, stream);
            });
    }

private:
    std::int64_t lane_samples() const { return batches_.batch * hooks_.fft_length; }

    std::int64_t input_cells_;
    DeviceTables tables_;
    AzimuthCompressionHooks hooks_;
    SharedContext context_;
    TurnedGather gather_;
    AlternatingStreams streams_{2};
    LineBatches batches_;
    std::unique_ptr<ImageLines> image_;
};

class AzimuthImagePlan final : public StepPlan {
public:
    AzimuthImagePlan(const AzimuthImage& pass, SharedContext context)
        : columns_(pass.columns),
          fft_length_(pass.fft_length),
          image_rows_(pass.image_rows),
          context_(context),
          image_(image_lines(pass, std::move(context))) {}

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, columns_, fft_length_, "azimuth image: the input");
        require_matrix(out, SampleFormat::complex64, columns_, image_rows_, "azimuth image: the output");
        image_->run(in.data<Complex64>(), 0, columns_, out.data<Complex64>(), context_->stream);
    }

private:
    std::int64_t columns_, fft_length_, image_rows_;
    SharedContext context_;
    std::unique_ptr<ImageLines> image_;
};

}  // namespace

std::unique_ptr<StepPlan> fused_plan(const AzimuthCompression& pass, SharedContext context) {
    return std::make_unique<AzimuthCompressionPlan>(pass, std::move(context));
}

template <>
std::unique_ptr<StepPlan> fused_line_plan(const AzimuthImage& pass, SharedContext context) {
    return std::make_unique<AzimuthImagePlan>(pass, std::move(context));
}

}  // namespace cornerturn
