// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/decoding_tables.h"
#include "kernels/cuda/fused/launch_fused.cuh"
#include "kernels/cuda/fused/line_tables.h"
#include "kernels/cuda/fused/lines.cuh"
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/refusals.h"
#include "kernels/cuda/range_filter_table.h"

namespace cornerturn {
namespace {

template <class Digits>
class RangeCompressionPlan final : public PassPlan {
public:
    RangeCompressionPlan(const RangeCompression& pass, SharedContext context)
        : lines_(pass.lines),
          samples_(pass.samples),
          format_(pass.format),
          tables_(pass.decoding),
          filter_(range_filter_table(pass)),
          twiddles_(Digits{}),
          context_(std::move(context)) {
        ahead_ = prefetch_distance(context_->index);
        if (!reserve_shared_memory<RangeLine<Digits>>(context_->index)) refuse_shared_memory("range", Digits::length);
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, format_, lines_, samples_, "range compression: the echo");
        run_lines(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        context_->use();
        require_rows(in, first_line, format_, lines_, samples_, "range compression: the echo");
        require_matrix(out, SampleFormat::complex64, lines_, samples_, "range compression: the output");
        launch_fused(RangeLine<Digits>{.echo = {.format = format_,
                                                .reader = tables_.reader<float, std::int8_t>(in, first_line),
                                                .sample_bytes = static_cast<int>(bytes_per_sample(format_))},
                                       .filter = filter_.data<Complex64>(),
                                       .twiddles = twiddles_.get(),
                                       .first_line = first_line,
                                       .lines = in.rows,
                                       .samples = samples_,
                                       .out = out.data<Complex64>() + first_line * samples_,
                                       .ahead = ahead_},
                     context_->stream, "range compression");
    }

    bool decode_as(const EchoDecoding& decoding) override {
        context_->use();
        tables_ = DecodingTables(decoding);
        return true;
    }

private:
    std::int64_t lines_, samples_;
    SampleFormat format_;
    DecodingTables tables_;
    DeviceBuffer filter_;
    LineTables twiddles_;
    unsigned ahead_ = 0;
    SharedContext context_;
};

}  // namespace

std::unique_ptr<PassPlan> fused_plan(const RangeCompression& pass, SharedContext context) {
    std::unique_ptr<PassPlan> plan;
    const bool found = with_line_digits(
        pass.fft_length, [&]<class Digits>(Digits) { plan = std::make_unique<RangeCompressionPlan<Digits>>(pass, std::move(context)); });
    if (!found) refuse_length("range", pass.fft_length);
    return plan;
}

}  // namespace cornerturn
