// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/decoding_tables.h"
#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/range_filter_table.h"
#include "kernels/cuda/row_fft.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Decodes and transforms in the output rows where they have the transform's length; else in a buffer, from which the samples are copied.
class RangeCompressionPlan final : public PassPlan {
public:
    RangeCompressionPlan(const RangeCompression& pass, SharedContext context)
        : lines_(pass.lines),
          samples_(pass.samples),
          fft_length_(pass.fft_length),
          format_(pass.format),
          tables_(pass.decoding),
          filter_(range_filter_table(pass)),
          context_(context),
          batches_(pass.block_lines > 0 ? std::min(pass.block_lines, pass.lines) : pass.lines, pass.fft_length),
          fft_(context, pass.fft_length, batches_) {
        context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * fft_length_) * sizeof(Complex64));
    }

    bool decode_as(const EchoDecoding& decoding) override {
        context_->use();
        tables_ = DecodingTables(decoding);
        return true;
    }

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, format_, lines_, samples_, "range compression: the echo");
        run_lines(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        context_->use();
        require_rows(in, first_line, format_, lines_, samples_, "range compression: the echo");
        require_matrix(out, SampleFormat::complex64, lines_, samples_, "range compression: the output");
        with_component(format_, [&]<class Component>(std::type_identity<Component>) {
            const RangeCompressionHooks<float, Component> hooks{tables_.reader<float, Component>(in, first_line),
                                                                filter_.data<Complex64>()};
            batches_.for_each(first_line, first_line + in.rows, [&](std::int64_t first, std::int64_t rows) {
                run_batch(hooks, first, rows, out.data<Complex64>() + first * samples_);
            });
        });
    }

private:
    template <class Component>
    void run_batch(const RangeCompressionHooks<float, Component>& hooks, std::int64_t first, std::int64_t rows, Complex64* out) const {
        using Filter = RangeCompressionHooks<float, std::int8_t>;  // the same for all formats
        // A transform may run over more rows than these: not over the neighbours in the output.
        const std::int64_t transformed = fft_.transformed(rows);
        const bool in_output = fft_length_ == samples_ && transformed == rows;
        Complex64* lines = in_output ? out : context_->workspace.lines();
        const Stream& stream = context_->stream;
        with_lanes({samples_, fft_length_}, [&](auto lanes) {
            sweep_rows(LoadEcho<Component, lanes>{hooks, first, rows, samples_, fft_length_, lines}, transformed, fft_length_, stream,
                       "range compression: decode the echo");
        });
        fft_.forward(lines, lines, rows);
        with_lanes({fft_length_}, [&](auto lanes) {
            sweep_rows(FilterRows<Filter, lanes>{{.echo = {}, .response = hooks.response}, first, fft_length_, lines}, rows, fft_length_,
                       stream, "range compression: apply the filter");
        });
        fft_.inverse(lines, lines, rows);
        if (in_output) return;
        with_lanes({samples_, fft_length_}, [&](auto lanes) {
            sweep_rows(CopyRows<lanes>{lines, fft_length_, out, samples_}, rows, samples_, stream, "range compression: store the lines");
        });
    }

    std::int64_t lines_, samples_, fft_length_;
    SampleFormat format_;
    DecodingTables tables_;
    DeviceBuffer filter_;
    SharedContext context_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<PassPlan> plain_plan(const RangeCompression& pass, SharedContext context) {
    if (pass.scaled_halves) throw Unsupported("range compression to halves: only the fused method has it");
    return std::make_unique<RangeCompressionPlan>(pass, std::move(context));
}

}  // namespace cornerturn
