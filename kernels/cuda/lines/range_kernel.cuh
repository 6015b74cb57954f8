// SPDX-License-Identifier: Apache-2.0
// Range compression as one kernel, for some formats of the echo and one of the output.
#pragma once

#include "kernels/cuda/fft/line_tables.h"
#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/lines/range_kernel.h"
#include "kernels/cuda/lines/range_line.cuh"

namespace cornerturn {

template <class Digits, class Echo, class Sample>
class RangeLineKernel final : public RangeKernel {
    using Kernel = RangeLine<Digits, Echo, Sample>;

public:
    RangeLineKernel(const RangeFilter& filter, SharedContext context)
        : growth_(filter.growth),
          filter_(table_on_device(grouped_filter<Digits>(filter.response), "the range filter")),
          twiddles_(Digits{}),
          context_(std::move(context)) {
        reserve_shared_memory<Kernel>();
    }

    void run(const EchoLines& lines, Matrix& out) override {
        launch_fused(
            Kernel{.echo = {.format = lines.format,
                            .reader = lines.reader,
                            .sample_bytes = static_cast<int>(bytes_per_sample(lines.format))},
                   .filter = filter_.data<FilterPair>(),
                   .twiddles = twiddles_.get(),
                   .first_line = lines.first,
                   .lines = lines.count,
                   .samples = lines.samples,
                   .out = out.data<Sample>(),
                   .scale = std::is_same_v<Sample, HalfPair> ? line_scales(out) : nullptr,
                   .growth = growth_,
                   .not_finite = lines.not_finite,
                   // Half a block per multiprocessor: much further ahead, what was fetched is gone again (H200).
                   .ahead = context_->limits.blocks_ahead(
                       context_->limits.multiprocessors / 2,
                       lines.samples * static_cast<std::int64_t>(bytes_per_sample(lines.format)))},
            context_->stream, "range compression");
    }

private:
    float growth_;
    DeviceBuffer filter_;
    LineTables twiddles_;
    SharedContext context_;
};

template <class Echo, class Sample>
std::unique_ptr<RangeKernel> range_kernel(const RangeFilter& filter, SharedContext context) {
    std::unique_ptr<RangeKernel> kernel;
    const bool found = with_filtered_digits(filter.fft_length(), [&]<class Digits>(Digits) {
        kernel = std::make_unique<RangeLineKernel<Digits, Echo, Sample>>(filter, std::move(context));
    });
    if (!found) refuse_length("range", filter.fft_length());
    return kernel;
}

}  // namespace cornerturn
