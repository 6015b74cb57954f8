// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/plain/plans.h"
#include "kernels/cuda/row_fft.h"

namespace cornerturn {
namespace {

/// The interpolating load: reads along the migration curve and applies the matched filter. Neighbouring threads take neighbouring
/// bins, whose cells differ slowly, so that every tap reads a piece of one row.
template <int Taps>
struct GatherAlongMigration {
    AzimuthCompressionHooks hooks;
    SincPolynomials<float> sinc;
    const Complex64* in;
    std::int64_t input_cells;
    std::int64_t first_column;
    Complex64* out;

    __device__ void operator()(std::int64_t row, std::int64_t bin) const {
        const Migration m = hooks.at(first_column + row, bin);
        const double base = floor(m.position_cells);
        Complex64 value{0, 0};
        // Written so that a position that is not a number reads nothing.
        if (base >= -Taps && base <= static_cast<double>(input_cells + Taps)) {
            const std::int64_t first_cell = static_cast<std::int64_t>(base) - Taps / 2 + 1;
            const float u = static_cast<float>(m.position_cells - base - 0.5);
#pragma unroll
            for (int tap = 0; tap < Taps; ++tap) {
                const std::int64_t cell = first_cell + tap;
                if (cell >= 0 && cell < input_cells) value = value + sinc.weight(tap, u) * in[cell * hooks.fft_length + bin];
            }
            value = static_cast<float>(m.gain) * unit_phasor<float>(m.phase_cycles) * value;
        }
        out[row * hooks.fft_length + bin] = value;
    }
};

/// Turns the circular result to the image rows and clears those that were not covered. In place where in is out.
struct StoreCovered {
    AzimuthCompressionHooks hooks;
    const Complex64* in;
    std::int64_t first_column;
    Complex64* out;

    __device__ void operator()(std::int64_t row, std::int64_t image_row) const {
        const bool covered = hooks.covered(first_column + row, image_row);
        out[row * hooks.image_rows + image_row] = covered ? in[row * hooks.fft_length + hooks.source_index(image_row)] : Complex64{0, 0};
    }
};

class AzimuthCompressionPlan final : public PassPlan {
public:
    AzimuthCompressionPlan(const AzimuthCompression& pass, SharedContext context)
        : input_cells_(pass.input_cells),
          columns_(pass.columns),
          velocity_(table_on_device(pass.velocity_m_s, "the velocities")),
          weight_(table_on_device(pass.weight, "the azimuth weights")),
          covered_rows_(table_on_device(pass.covered_rows, "the covered rows")),
          hooks_(azimuth_compression_hooks(pass, velocity_.data<double>(), weight_.data<double>(), covered_rows_.data<Interval>())),
          sinc_(polynomials<float>(pass.kernel)),
          context_(context),
          batches_(pass.columns, pass.fft_length),
          fft_(context, pass.fft_length, batches_) {
        with_taps(sinc_.taps, [](auto) {});
        if (!in_output()) context_->workspace.reserve_lines(static_cast<std::size_t>(batches_.batch * pass.fft_length) * sizeof(Complex64));
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, input_cells_, hooks_.fft_length, "azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, columns_, hooks_.image_rows, "azimuth compression: the output");
        batches_.for_each([&](std::int64_t first, std::int64_t rows) {
            Complex64* to = out.data<Complex64>() + first * hooks_.image_rows;
            Complex64* lines = in_output() ? to : context_->workspace.lines();
            with_taps(sinc_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
                for_each(GatherAlongMigration<Taps>{hooks_, sinc_, in.data<Complex64>(), input_cells_, first, lines}, rows,
                         hooks_.fft_length, context_->stream, "azimuth compression: gather along the migration");
            });
            fft_.inverse(lines, lines, rows);
            for_each(StoreCovered{hooks_, lines, first, to}, rows, hooks_.image_rows, context_->stream,
                     "azimuth compression: store the covered rows");
        });
    }

private:
    /// The output rows serve as FFT buffer where they have its length.
    bool in_output() const { return hooks_.image_rows == hooks_.fft_length; }

    std::int64_t input_cells_, columns_;
    DeviceBuffer velocity_, weight_, covered_rows_;
    AzimuthCompressionHooks hooks_;
    SincPolynomials<float> sinc_;
    SharedContext context_;
    LineBatches batches_;
    RowFft fft_;
};

}  // namespace

std::unique_ptr<PassPlan> plain_plan(const AzimuthCompression& pass, SharedContext context) {
    return std::make_unique<AzimuthCompressionPlan>(pass, std::move(context));
}

}  // namespace cornerturn
