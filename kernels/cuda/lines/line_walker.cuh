// SPDX-License-Identifier: Apache-2.0
// Any line pass over native samples that begins with a forward transform: with both transforms as one kernel; where it
// gathers along its spectra as one for each, the lines of a batch in the L2 cache between the two, and two batches at a
// time, so that neither kernel waits for the other's last blocks.
#pragma once

#include <string>

#include "kernels/cuda/fft/line_tables.h"
#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/alternating_streams.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/lines/lines.cuh"
#include "kernels/cuda/lines/plans.h"
#include "kernels/cuda/runtime/device_tables.h"
#include "kernels/device/ways/ways.h"

namespace cornerturn {

template <class Digits, class Pass>
class FusedLineWalker final : public StepPlan {
    using Hooks = decltype(std::declval<const Pass&>().template hooks<float>(std::declval<const DeviceTables&>()));
    static constexpr Transforms transforms = Pass::transforms;
    static_assert(!Pass::reads_echo && has_forward(transforms));
    static_assert(transforms == Transforms::forward || has_place<Hooks>);
    using Walked = WalkedHooks<Hooks>;
    using Forward = ForwardLine<Digits, Walked>;
    using Inverse = InverseLine<Digits, Walked>;

public:
    FusedLineWalker(const Pass& pass, SharedContext context)
        : shape_(pass.shape()),
          hooks_(pass.template hooks<float>(tables_)),
          twiddles_(Digits{}),
          context_(std::move(context)),
          streams_(has_inverse(transforms) ? 2 : 1),
          batches_(context_->limits, shape_.lines, shape_.fft_length) {
        if constexpr (has_place<Walked>)
            reader_ = {polynomials<float>(pass.kernel), static_cast<int>(shape_.fft_length)};
        if constexpr (has_again<Hooks>) again_ = pass.again;
        reserve_shared_memory<Forward>();
        if constexpr (has_inverse(transforms)) reserve_shared_memory<Inverse>();
        if (transforms == Transforms::both)
            context_->workspace.reserve_lines(
                streams_.count() * static_cast<std::size_t>(batches_.batch * shape_.fft_length) * sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, shape_.lines, shape_.in, std::string(Pass::title) + ": the input");
        require_matrix(out, SampleFormat::complex64, shape_.lines, shape_.out,
                       std::string(Pass::title) + ": the output");
        const auto* from = in.data<Complex64>();
        auto* to = out.data<Complex64>();
        if constexpr (transforms == Transforms::forward) {
            forward(walked_hooks(hooks_, false), from, 0, shape_.lines, to, context_->stream);
        } else {
            const auto walk_lines = [&](std::size_t lane, const Stream& stream, std::int64_t first,
                                        std::int64_t lines) {
                const Batch batch{.first_line = first,
                                  .lines = lines,
                                  .in = from + first * shape_.in,
                                  .spectra = context_->workspace.lines() +
                                             static_cast<std::int64_t>(lane) * batches_.batch * shape_.fft_length,
                                  .out = to + first * shape_.out,
                                  .stream = stream};
                walk(batch, false);
                if constexpr (has_again<Hooks>)
                    if (any_again(again_, first, lines)) walk(batch, true);
            };
            streams_.take_turns(context_->stream, batches_, 0, batches_.lines, walk_lines);
        }
    }

private:
    struct Batch {
        std::int64_t first_line, lines;
        const Complex64* in;
        Complex64 *spectra, *out;
        const Stream& stream;
    };

    void walk(const Batch& batch, bool second) const {
        const Walked hooks = walked_hooks(hooks_, second);
        forward(hooks, batch.in, batch.first_line, batch.lines, batch.spectra, batch.stream);
        Inverse inverse{.in = batch.spectra,
                        .lines = batch.lines,
                        .shape = shape_,
                        .hooks = hooks,
                        .first_line = batch.first_line,
                        .out = batch.out,
                        .twiddles = twiddles_.get(),
                        .over = second};
        if constexpr (has_place<Walked>) inverse.reader = reader_;
        launch_fused(inverse, batch.stream, Pass::title);
    }
    void forward(const Walked& hooks, const Complex64* in, std::int64_t first, std::int64_t lines, Complex64* out,
                 const Stream& stream) const {
        launch_fused(Forward{.in = in,
                             .lines = lines,
                             .shape = shape_,
                             .hooks = hooks,
                             .first_line = first,
                             .out = out,
                             .twiddles = twiddles_.get()},
                     stream, Pass::title);
    }

    LineShape shape_;
    DeviceTables tables_;
    Hooks hooks_;
    LineTables twiddles_;
    SharedContext context_;
    AlternatingStreams streams_;
    LineBatches batches_;
    SpectrumReader reader_;            // of a gather along spectra
    std::vector<std::int32_t> again_;  // what the hooks say
};

template <class Digits, class Pass>
class FilteredLinePlan final : public StepPlan {
    using Hooks = decltype(std::declval<const Pass&>().template hooks<float>(std::declval<const DeviceTables&>()));
    using Kernel = FilteredLine<Digits, Hooks>;

public:
    FilteredLinePlan(const Pass& pass, SharedContext context)
        : shape_(pass.shape()),
          hooks_(pass.template hooks<float>(tables_)),
          twiddles_(Digits{}),
          context_(std::move(context)) {
        reserve_shared_memory<Kernel>();
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, shape_.lines, shape_.in, std::string(Pass::title) + ": the input");
        require_matrix(out, SampleFormat::complex64, shape_.lines, shape_.out,
                       std::string(Pass::title) + ": the output");
        launch_fused(Kernel{.in = in.data<Complex64>(),
                            .shape = shape_,
                            .hooks = hooks_,
                            .out = out.data<Complex64>(),
                            .twiddles = twiddles_.get()},
                     context_->stream, Pass::title);
    }

private:
    LineShape shape_;
    DeviceTables tables_;
    Hooks hooks_;
    LineTables twiddles_;
    SharedContext context_;
};

template <class Pass>
std::unique_ptr<StepPlan> fused_line_plan(const Pass& pass, SharedContext context) {
    std::unique_ptr<StepPlan> plan;
    const std::int64_t length = pass.shape().fft_length;
    bool found = false;
    if constexpr (is_filtered_line<Pass>)
        found = with_filtered_digits(length, [&]<class Digits>(Digits) {
            plan = std::make_unique<FilteredLinePlan<Digits, Pass>>(pass, context);
        });
    else
        found = with_line_digits(length, context->limits.shared_bytes, [&]<class Digits>(Digits) {
            plan = std::make_unique<FusedLineWalker<Digits, Pass>>(pass, context);
        });
    if (!found) refuse_length(Pass::title, pass.shape().fft_length);
    return plan;
}

}  // namespace cornerturn
