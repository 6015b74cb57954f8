// SPDX-License-Identifier: Apache-2.0
// The plan of azimuth compression without a corner turn, for one format of what lies between its kernels.
#pragma once

#include <algorithm>
#include <functional>

#include "kernels/cuda/fft/unsupported.h"
#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/cuda/turn_free/turn_free_plan.h"
#include "kernels/cuda/turn_free/turn_free_tables.h"
#include "kernels/device/ways/fitting_kernels.h"

namespace cornerturn {

/// Calls go(Middle) for a kernel of that many taps and such tiles.
template <class Sample, class Go>
void with_middle(int taps, const TurnFreeTiles& tiles, Go go) {
    const auto with_taps = [&]<int Cells, int Taps>() {
        const auto with_stepping = [&]<int Stepping>() {
            constexpr WeightStepping kind = weight_steppings[Stepping];
            if constexpr (kind.chunk + Taps <= largest_window)
                go.template operator()<Middle<Taps, kind.chunk, kind.order, Cells, Sample>>();
        };
        switch (tiles.stepping) {
            case 0: return with_stepping.template operator()<0>();
            case 1: return with_stepping.template operator()<1>();
            case 2: return with_stepping.template operator()<2>();
            case 3: return with_stepping.template operator()<3>();
        }
    };
    const auto with_cells = [&]<int Cells>() {
        taps == 8 ? with_taps.template operator()<Cells, 8>() : with_taps.template operator()<Cells, 16>();
    };
    switch (tiles.cells) {
        case 250: return with_cells.template operator()<250>();
        case 256: return with_cells.template operator()<256>();
        case 384: return with_cells.template operator()<384>();
        case 512: return with_cells.template operator()<512>();
    }
}

template <class Sample>
class UnturnedPlan final : public StepPlan {
public:
    UnturnedPlan(const UnturnedColumns& columns, SharedContext context)
        : lines_(columns.lines),
          cells_(columns.cells),
          columns_(columns.columns),
          image_rows_(columns.image_rows),
          fft_length_(columns.fft_length),
          bins_(fft_length_ / unturned_rows),
          context_(std::move(context)),
          covered_rows_(table_on_device(columns.covered_rows, "the covered rows")) {
        plan_columns();
        plan_middle(columns.migration, columns.kernel);
        if (halves) {
            const auto butterflies = static_cast<std::size_t>(fft_length_ / digit_a_);
            line_factors_ =
                DeviceBuffer(butterflies * static_cast<std::size_t>(FourFactors::words(digit_a_)) * sizeof(FourFactors),
                             "the lines' factors");
            image_scale_ = DeviceBuffer(sizeof(float), "the scale of the image");
        }
    }

    // Its launches know where it is.
    UnturnedPlan(const UnturnedPlan&) = delete;
    UnturnedPlan& operator=(const UnturnedPlan&) = delete;

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, halves ? SampleFormat::float16 : SampleFormat::complex64, lines_, cells_,
                       "turn-free azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, image_rows_, columns_,
                       "turn-free azimuth compression: the output");
        if (halves) {
            require_scales(in, "turn-free azimuth compression: the input");
            launch_fused(FrameScale{.scale = line_scales(in),
                                    .lines = static_cast<int>(lines_),
                                    .a = digit_a_,
                                    .b = static_cast<int>(bins_) / digit_a_,
                                    .later_growth = middle_growth_,
                                    .factor = line_factors_.data<float>(),
                                    .image_scale = image_scale_.data<float>()},
                         context_->stream, "scale of the frame");
        }
        // Middle leaves as many columns as the image has, which may be more than the echo's cells.
        const Matrix a = in.reshaped(fft_length_, std::max(cells_, columns_)), b = out.reshaped(fft_length_, cells_);
        forward_(a.data<Sample>(), b.data<Sample>());
        middle_(b.data<Sample>(), a.data<Sample>());
        inverse_(a.data<Sample>(), out.data<Complex64>());
    }

private:
    static constexpr bool halves = std::is_same_v<Sample, HalfPair>;

    void plan_columns() {
        const bool whole = fft_length_ % unturned_rows == 0;
        const bool found =
            whole && with_column_digits(bins_, context_->limits.shared_bytes, [&]<class Digits>(Digits) {
                digit_a_ = Digits::A;
                forward_second_ = table_on_device(twiddles(Digits::A, Digits::length), "twiddle factors");
                inverse_first_ = table_on_device(inverse_first(fft_length_, Digits::B), "twiddle factors");
                inverse_second_ = table_on_device(inverse_second(fft_length_, Digits::A), "twiddle factors");
                reserve_shared_memory<ForwardColumns<Digits, Sample>>();
                reserve_shared_memory<InverseColumns<Digits, Sample>>();
                forward_ = [this](const Sample* in, Sample* out) {
                    launch_fused(ForwardColumns<Digits, Sample>{in, lines_, cells_, out,
                                                                forward_second_.template data<Twiddle>(),
                                                                line_factors_.template data<FourFactors>()},
                                 context_->stream, "azimuth transform down the columns");
                };
                inverse_ = [this](const Sample* in, Complex64* out) {
                    launch_fused(
                        InverseColumns<Digits, Sample>{
                            in, columns_, fft_length_, image_rows_, covered_rows_.template data<Interval>(), out,
                            inverse_first_.template data<Twiddle>(), inverse_second_.template data<Twiddle>(),
                            column_gain_.template data<float>(), image_scale_.template data<float>()},
                        context_->stream, "inverse azimuth transform down the columns");
                };
            });
        if (!found) refuse_length("azimuth", fft_length_);
    }

    void plan_middle(const AzimuthCompression& migration, const SincKernel& kernel) {
        TurnFreeTiles tiles = turn_free_tiles(migration, context_->limits, middle_order(fft_length_));
        with_middle<Sample>(kernel.taps, tiles, [&]<class Kernel>() {
            static_assert(shared_bytes_of<Kernel> == middle_shared_bytes(Kernel::Cells));
            reserve_shared_memory<Kernel>();
            // A block per multiprocessor: measured on an H200, at all sizes.
            const unsigned ahead = context_->limits.blocks_ahead(
                context_->limits.multiprocessors, std::int64_t{unturned_rows} * Kernel::Cells * sizeof(Sample));
            middle_ = [this, ahead, sets = tiles.fitted.sets, sinc = polynomials<float>(kernel)](const Sample* in,
                                                                                                 Sample* out) {
                launch_fused(Kernel{.in = in,
                                    .cells = cells_,
                                    .out = out,
                                    .columns = columns_,
                                    .bins = static_cast<int>(bins_),
                                    .sets = sets,
                                    .sinc = sinc,
                                    .first_cell = first_cell_.data<std::int32_t>(),
                                    .laws = laws_.data<TileLaw>(),
                                    .twiddle = middle_twiddles_.data<Twiddle>(),
                                    .ahead = ahead},
                             context_->stream, "migration correction and azimuth filter");
            };
        });
        TileLaws& laws = tiles.fitted.laws;
        if (halves) {
            const double growth = growth_of_middle(kernel, laws);
            scale_gains(laws, 1 / growth);
            middle_growth_ = static_cast<float>(growth);
        }
        first_cell_ = table_on_device(laws.first_cell, "the tiles' first cells");
        laws_ = table_on_device(laws.laws, "the migration laws");
        column_gain_ = table_on_device(laws.column_gain, "the columns' gains");
        middle_twiddles_ = table_on_device(twiddles(bins_, fft_length_), "twiddle factors");
    }

    std::int64_t lines_, cells_, columns_, image_rows_, fft_length_, bins_;
    SharedContext context_;
    DeviceBuffer covered_rows_, forward_second_, inverse_first_, inverse_second_, middle_twiddles_, first_cell_, laws_,
        column_gain_;
    DeviceBuffer line_factors_, image_scale_;  // of halves
    int digit_a_ = 1;
    float middle_growth_ = 1;
    std::function<void(const Sample*in, Sample*out)> forward_, middle_;
    std::function<void(const Sample* in, Complex64* out)> inverse_;
};

template <class Sample>
std::unique_ptr<StepPlan> unturned_plan(const UnturnedColumns& columns, SharedContext context) {
    return std::make_unique<UnturnedPlan<Sample>>(columns, std::move(context));
}

}  // namespace cornerturn
