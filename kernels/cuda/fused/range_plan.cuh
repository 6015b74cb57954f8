// SPDX-License-Identifier: Apache-2.0
// The plan of range compression as one kernel, for some formats of the echo and one of the output.
#pragma once

#include "kernels/cuda/decoding_tables.h"
#include "kernels/cuda/fused/launch_fused.cuh"
#include "kernels/cuda/fused/line_tables.h"
#include "kernels/cuda/fused/range_line.cuh"
#include "kernels/cuda/fused/range_plan.h"
#include "kernels/cuda/fused/unsupported.h"
#include "kernels/cuda/range_filter_table.h"

namespace cornerturn {

template <class Digits, class Echo, class Sample>
class RangeCompressionPlan final : public StepPlan {
    using Kernel = RangeLine<Digits, Echo, Sample>;
    static constexpr bool halves = std::is_same_v<Sample, HalfPair>;

public:
    RangeCompressionPlan(const RangeCompression& pass, SharedContext context)
        : lines_(pass.lines),
          samples_(pass.samples),
          format_(pass.format),
          tables_(pass.decoding),
          growth_(growth_of(pass)),
          filter_(table_on_device(grouped_filter<Digits>(range_filter(pass)), "the range filter")),
          twiddles_(Digits{}),
          context_(std::move(context)) {
        if (!reserve_shared_memory<Kernel>(context_->index)) refuse_shared_memory("range", Digits::length);
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, format_, lines_, samples_, "range compression: the echo");
        run_lines(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        context_->use();
        require_rows(in, first_line, format_, lines_, samples_, "range compression: the echo");
        require_matrix(out, halves ? SampleFormat::float16 : SampleFormat::complex64, lines_, samples_,
                       "range compression: the output");
        if (halves) require_scales(out, "range compression: the output");
        launch_fused(
            Kernel{.echo = {.format = format_,
                            .reader = tables_.reader<float, std::int8_t>(in, first_line),
                            .sample_bytes = static_cast<int>(bytes_per_sample(format_))},
                   .filter = filter_.data<FilterPair>(),
                   .twiddles = twiddles_.get(),
                   .first_line = first_line,
                   .lines = in.rows,
                   .samples = samples_,
                   .out = out.data<Sample>(),
                   .scale = halves ? line_scales(out) : nullptr,
                   .growth = growth_,
                   // Half a block per multiprocessor: much further ahead, what was fetched is gone again (H200).
                   .ahead = static_cast<unsigned>(context_->multiprocessors / 2)},
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
    float growth_;
    DeviceBuffer filter_;
    LineTables twiddles_;
    SharedContext context_;
};

template <class Echo, class Sample>
std::unique_ptr<StepPlan> range_plan(const RangeCompression& pass, SharedContext context) {
    std::unique_ptr<StepPlan> plan;
    const bool found = with_filtered_digits(pass.fft_length, [&]<class Digits>(Digits) {
        plan = std::make_unique<RangeCompressionPlan<Digits, Echo, Sample>>(pass, std::move(context));
    });
    if (!found) refuse_length("range", pass.fft_length);
    return plan;
}

}  // namespace cornerturn
