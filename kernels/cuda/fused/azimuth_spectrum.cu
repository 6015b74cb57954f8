// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/fused/launch_fused.cuh"
#include "kernels/cuda/fused/line_tables.h"
#include "kernels/cuda/fused/lines.cuh"
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/refusals.h"

namespace cornerturn {
namespace {

template <class Digits>
class AzimuthSpectrumPlan final : public PassPlan {
public:
    AzimuthSpectrumPlan(const AzimuthSpectrum& pass, SharedContext context)
        : pass_(pass), twiddles_(Digits{}), context_(std::move(context)) {
        if (!reserve_shared_memory<SpectrumLine<Digits>>(context_->index)) refuse_shared_memory("azimuth", Digits::length);
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, pass_.range_cells, pass_.lines, "azimuth spectrum: the input");
        require_matrix(out, SampleFormat::complex64, pass_.range_cells, pass_.fft_length, "azimuth spectrum: the output");
        launch_fused(SpectrumLine<Digits>{.in = in.data<Complex64>(),
                                          .rows = pass_.range_cells,
                                          .samples = pass_.lines,
                                          .out = out.data<Complex64>(),
                                          .twiddles = twiddles_.get()},
                     context_->stream, "azimuth spectrum");
    }

private:
    AzimuthSpectrum pass_;
    LineTables twiddles_;
    SharedContext context_;
};

}  // namespace

std::unique_ptr<PassPlan> fused_plan(const AzimuthSpectrum& pass, SharedContext context) {
    std::unique_ptr<PassPlan> plan;
    const bool found = with_line_digits(
        pass.fft_length, [&]<class Digits>(Digits) { plan = std::make_unique<AzimuthSpectrumPlan<Digits>>(pass, std::move(context)); });
    if (!found) refuse_length("azimuth", pass.fft_length);
    return plan;
}

}  // namespace cornerturn
