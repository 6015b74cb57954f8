// SPDX-License-Identifier: Apache-2.0
// Range compression of long lines: three kernels for each batch of lines, which stays in the L2 cache
// between them.
#include <functional>

#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/alternating_streams.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/lines/range_kernel.h"
#include "kernels/cuda/split/split.cuh"
#include "kernels/cuda/split/split_tables.h"

namespace cornerturn {
namespace {

/// All streams together have to stay in the L2 cache beside the echo and the output that pass through it
/// (GpuLimits::lane_bytes).
constexpr std::size_t streams_at_once = 2;

class SplitRangeKernel final : public RangeKernel {
public:
    SplitRangeKernel(const RangeFilter& filter, std::int64_t lines, SampleFormat format, const PassTuning& tuning,
                     SplitLength split, SharedContext context)
        : split_(split),
          halves_(tuning.scaled_halves),
          growth_(filter.growth),
          store_twiddles_(table_on_device(twiddles(split.row, split.length()), "twiddle factors")),
          streams_(streams_at_once),
          batches_(
              tuning.block_lines > 0 ? std::min(tuning.block_lines, lines) : lines, split.length(),
              context->limits.lane_bytes(split.length() * static_cast<std::int64_t>(sizeof(Complex64)), split.points),
              1),
          context_(std::move(context)) {
        plan_rows(filter);
        CommonEcho::serves(format) ? plan_columns<CommonEcho>() : plan_columns<RareEcho>();
        context_->workspace.reserve_lines(streams_.count() * static_cast<std::size_t>(lane_samples()) *
                                          sizeof(Complex64));
    }

    void run(const EchoLines& echo, Matrix& out) override {
        streams_.take_turns(
            context_->stream, batches_, echo.first, echo.first + echo.count,
            [&](std::size_t lane, const Stream& stream, std::int64_t first, std::int64_t lines) {
                Complex64* work = context_->workspace.lines() + static_cast<std::int64_t>(lane) * lane_samples();
                const Batch batch{.first_line = first,
                                  .lines = lines,
                                  .work = work,
                                  .peaks = reinterpret_cast<float*>(work + batches_.batch * split_.length()),
                                  .stream = stream};
                decode_(echo, batch);
                filter_rows_(batch);
                store_(batch, echo.samples, out);
            });
    }

private:
    struct Batch {
        std::int64_t first_line, lines;
        Complex64* work;
        float* peaks;  ///< behind the work lines
        const Stream& stream;
    };

    int row_length() const { return static_cast<int>(split_.row); }
    /// Of the work lines of a lane and, two in a sample, the peaks of their warps.
    std::int64_t lane_samples() const { return batches_.batch * (split_.length() + split_.row / 64); }

    template <class Echo>
    void plan_columns() {
        const bool found = with_split_points(split_.points, [&]<int Points>() {
            decode_ = [this](const EchoLines& echo, const Batch& batch) {
                launch_fused(
                    SplitDecode<Points, Echo>{.echo = {.format = echo.format,
                                                       .reader = echo.reader,
                                                       .sample_bytes = static_cast<int>(bytes_per_sample(echo.format))},
                                              .first_line = batch.first_line,
                                              .lines = batch.lines,
                                              .samples = echo.samples,
                                              .row_length = row_length(),
                                              .out = batch.work,
                                              .peaks = halves_ ? batch.peaks : nullptr},
                    batch.stream, "range compression: decoding");
            };
            if (halves_)
                plan_store<Points, HalfPair>();
            else
                plan_store<Points, Complex64>();
        });
        if (!found) refuse_length("range", split_.length());
    }

    template <int Points, class Sample>
    void plan_store() {
        store_ = [this](const Batch& batch, std::int64_t samples, const Matrix& out) {
            launch_fused(SplitStore<Points, Sample>{.in = batch.work,
                                                    .lines = batch.lines,
                                                    .row_length = row_length(),
                                                    .twiddle = store_twiddles_.data<Twiddle>(),
                                                    .first_line = batch.first_line,
                                                    .samples = samples,
                                                    .out = out.data<Sample>(),
                                                    .peaks = batch.peaks,
                                                    .scale = halves_ ? line_scales(out) : nullptr,
                                                    .growth = growth_},
                         batch.stream, "range compression: the output");
        };
    }

    void plan_rows(const RangeFilter& filter) {
        const bool found = with_split_row(split_.row, [&]<class Digits>(Digits) {
            using Kernel = SplitFilter<Digits>;
            reserve_shared_memory<Kernel>();
            filter_ = table_on_device(split_filter<Digits>(filter.response, split_.points), "the range filter");
            forward_a_ = table_on_device(split_forward_a<Digits>(split_.points), "twiddle factors");
            forward_b_ = table_on_device(split_forward_b<Digits>(split_.points), "twiddle factors");
            forward_c_ = table_on_device(split_forward_c<Digits>(split_.points), "twiddle factors");
            inverse_b_ = table_on_device(twiddles(Digits::C, Digits::B * Digits::C), "twiddle factors");
            inverse_a_ = table_on_device(twiddles(Digits::B * Digits::C, Digits::length), "twiddle factors");
            filter_rows_ = [this](const Batch& batch) {
                launch_fused(Kernel{.rows = batch.work,
                                    .lines = batch.lines,
                                    .points = static_cast<unsigned>(split_.points),
                                    .filter = filter_.data<FilterPair>(),
                                    .twiddles = {.forward_a = forward_a_.data<Twiddle>(),
                                                 .forward_b = forward_b_.data<Twiddle>(),
                                                 .forward_c = forward_c_.data<Twiddle>(),
                                                 .inverse_b = inverse_b_.data<Twiddle>(),
                                                 .inverse_a = inverse_a_.data<Twiddle>()}},
                             batch.stream, "range compression: the filter");
            };
        });
        if (!found) refuse_length("range", split_.length());
    }

    SplitLength split_;
    bool halves_;
    float growth_;
    DeviceBuffer filter_, forward_a_, forward_b_, forward_c_, inverse_b_, inverse_a_, store_twiddles_;
    AlternatingStreams streams_;
    LineBatches batches_;
    SharedContext context_;
    std::function<void(const EchoLines& echo, const Batch& batch)> decode_;
    std::function<void(const Batch& batch)> filter_rows_;
    std::function<void(const Batch& batch, std::int64_t samples, const Matrix& out)> store_;
};

}  // namespace

std::unique_ptr<RangeKernel> split_range_kernel(const RangeFilter& filter, std::int64_t lines, SampleFormat format,
                                                const PassTuning& tuning, SharedContext context) {
    const auto split = split_of(filter.fft_length());
    if (!split) refuse_length("range", filter.fft_length());
    return std::make_unique<SplitRangeKernel>(filter, lines, format, tuning, *split, std::move(context));
}

}  // namespace cornerturn
