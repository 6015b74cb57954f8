// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/plain/launch_rows.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/row_fft.h"

namespace cornerturn {
namespace {

class SecondaryRangeCompressionPlan final : public PassPlan {
public:
    SecondaryRangeCompressionPlan(const SecondaryRangeCompression& pass, SharedContext context)
        : pass_(pass),
          padded_(pass.fft_length != pass.range_cells),
          context_(context),
          batches_(pass.azimuth_bins, pass.fft_length),
          fft_(context, pass.fft_length, batches_) {
        if (padded_) context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * pass.fft_length) * sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, pass_.azimuth_bins, pass_.range_cells, "secondary range compression: the input");
        require_matrix(out, SampleFormat::complex64, pass_.azimuth_bins, pass_.range_cells, "secondary range compression: the output");
        batches_.for_each([&](std::int64_t first, std::int64_t rows) {
            const Complex64* from = in.data<Complex64>() + first * pass_.range_cells;
            Complex64* to = out.data<Complex64>() + first * pass_.range_cells;
            padded_ ? run_padded(from, to, first, rows) : run_in_output(from, to, first, rows);
        });
    }

private:
    void run_in_output(const Complex64* from, Complex64* to, std::int64_t first, std::int64_t rows) const {
        fft_.forward(from, to, rows);
        filter(to, first, rows);
        fft_.inverse(to, to, rows);
    }

    void run_padded(const Complex64* from, Complex64* to, std::int64_t first, std::int64_t rows) const {
        Complex64* lines = context_->workspace.lines();
        const std::int64_t cells = pass_.range_cells, length = pass_.fft_length;
        copy(from, cells, lines, length, rows, "secondary range compression: pad the lines");
        fft_.forward(lines, lines, rows);
        filter(lines, first, rows);
        fft_.inverse(lines, lines, rows);
        copy(lines, length, to, cells, rows, "secondary range compression: store the lines");
    }

    void copy(const Complex64* from, std::int64_t from_columns, Complex64* to, std::int64_t to_columns, std::int64_t rows,
              std::string_view doing) const {
        with_lanes({from_columns, to_columns}, [&](auto lanes) {
            sweep_rows(CopyRows<lanes>{from, from_columns, to, to_columns}, rows, to_columns, context_->stream, doing);
        });
    }

    void filter(Complex64* spectra, std::int64_t first, std::int64_t rows) const {
        using Hooks = SecondaryRangeCompressionHooks<float>;
        with_lanes({pass_.fft_length}, [&](auto lanes) {
            sweep_rows(FilterRows<Hooks, lanes>{Hooks{pass_}, first, pass_.fft_length, spectra}, rows, pass_.fft_length, context_->stream,
                       "secondary range compression: apply the filter");
        });
    }

    SecondaryRangeCompression pass_;
    bool padded_;
    SharedContext context_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<PassPlan> plain_plan(const SecondaryRangeCompression& pass, SharedContext context) {
    return std::make_unique<SecondaryRangeCompressionPlan>(pass, std::move(context));
}

}  // namespace cornerturn
