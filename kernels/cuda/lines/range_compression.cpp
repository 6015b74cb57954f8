// SPDX-License-Identifier: Apache-2.0
// The plan of range compression by fused kernels.
#include "kernels/passes/range_compression.h"

#include <cmath>

#include "kernels/cuda/lines/plans.h"
#include "kernels/cuda/lines/range_kernel.h"
#include "kernels/cuda/lines/range_line.cuh"
#include "kernels/cuda/runtime/decoding_tables.h"
#include "kernels/cuda/runtime/notice.h"
#include "kernels/device/noticing.h"
#include "kernels/device/ways/fitting_kernels.h"

namespace cornerturn {
namespace {

/// Largest modulus behind the filter that an echo of components up to 1 can have: by Parseval and Schwarz the norm of
/// the filter times that of the spectrum, N sqrt(2).
float growth_of(const std::vector<std::complex<double>>& filter) {
    double square = 0;
    for (const auto& value : filter) square += std::norm(value);
    return static_cast<float>(std::sqrt(2 * square) * static_cast<double>(filter.size()));
}

std::unique_ptr<RangeKernel> kernel_of(const RangeCompression& pass, const PassTuning& tuning, SharedContext context) {
    const std::vector<std::complex<double>> exact = pass.filter();
    const RangeFilter filter{as_complex<float>(exact), growth_of(exact)};
    if (range_lines(pass.fft_length, context->limits) != RangeLines::one_kernel)
        return split_range_kernel(filter, pass.lines, pass.format, tuning, std::move(context));
    const bool common = CommonEcho::serves(pass.format);
    if (tuning.scaled_halves)
        return common ? range_kernel<CommonEcho, HalfPair>(filter, std::move(context))
                      : range_kernel<RareEcho, HalfPair>(filter, std::move(context));
    return common ? range_kernel<CommonEcho, Complex64>(filter, std::move(context))
                  : range_kernel<RareEcho, Complex64>(filter, std::move(context));
}

class RangeCompressionPlan final : public StepPlan, public Noticing {
public:
    RangeCompressionPlan(const RangeCompression& pass, const PassTuning& tuning, SharedContext context)
        : lines_(pass.lines),
          samples_(pass.samples),
          format_(pass.format),
          halves_(tuning.scaled_halves),
          one_kernel_(range_lines(pass.fft_length, context->limits) == RangeLines::one_kernel),
          has_gaps_(!pass.decoding.valid_samples.empty()),
          tables_(pass.decoding),
          context_(context),
          kernel_(kernel_of(pass, tuning, std::move(context))) {}

    void run(const Matrix& in, Matrix& out) override {
        require_matrix(in, format_, lines_, samples_, "range compression: the echo");
        run_lines(in, 0, out);
    }

    void run_lines(const Matrix& in, std::int64_t first_line, Matrix& out) override {
        context_->use();
        require_rows(in, first_line, format_, lines_, samples_, "range compression: the echo");
        require_matrix(out, halves_ ? SampleFormat::float16 : SampleFormat::complex64, lines_, samples_,
                       "range compression: the output");
        if (halves_) require_scales(out, "range compression: the output");
        kernel_->run({.format = format_,
                      .reader = tables_.reader<float, std::int8_t>(in, first_line),
                      .first = first_line,
                      .count = in.rows,
                      .samples = samples_,
                      .not_finite = echo_.on_gpu()},
                     out);
    }

    bool decode_as(const EchoDecoding& decoding) override {
        context_->use();
        tables_ = DecodingTables(decoding);
        has_gaps_ = !decoding.valid_samples.empty();
        return true;
    }

    /// What lies in gaps is zero before anybody looks.
    Noticed notices() const override { return one_kernel_ && !has_gaps_ ? Noticed::echo : Noticed::nothing; }
    bool noticed() override { return echo_.take(); }

private:
    std::int64_t lines_, samples_;
    SampleFormat format_;
    bool halves_, one_kernel_, has_gaps_;
    DecodingTables tables_;
    SharedContext context_;
    NoticeOnGpu echo_;
    std::unique_ptr<RangeKernel> kernel_;
};

}  // namespace

std::unique_ptr<StepPlan> fused_plan(const RangeCompression& pass, const PassTuning& tuning, SharedContext context) {
    return std::make_unique<RangeCompressionPlan>(pass, tuning, std::move(context));
}

}  // namespace cornerturn
