// SPDX-License-Identifier: Apache-2.0
// The plan of azimuth compression without a corner turn, for one format of what lies between its kernels.
#pragma once

#include <algorithm>
#include <functional>

#include "kernels/cuda/launch/launch_fused.cuh"
#include "kernels/cuda/runtime/notice.h"
#include "kernels/cuda/turn_free/column_transforms.cuh"
#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/cuda/turn_free/turn_free_plan.h"
#include "kernels/cuda/turn_free/turn_free_tables.h"
#include "kernels/device/noticing.h"
#include "kernels/device/ways/fitting_kernels.h"

namespace cornerturn {

/// Calls go(TurnFreeGather) for a kernel of that many taps and such tiles.
template <class Sample, class Go>
void with_turn_free_gather(int taps, const TurnFreeTiles& tiles, Go go) {
    const auto with_taps = [&]<int Cells, int Taps>() {
        with_stepping<Taps>(tiles.stepping, [&]<int Chunk, int Order>() {
            go.template operator()<TurnFreeGather<Taps, Chunk, Order, Cells, Sample>>();
        });
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
class TurnFreePlan final : public StepPlan, public Noticing {
public:
    TurnFreePlan(const TurnFreeCompression& pass, SharedContext context)
        : lines_(pass.lines),
          cells_(pass.cells),
          columns_(pass.columns),
          image_rows_(pass.image_rows),
          fft_length_(pass.fft_length),
          bins_(fft_length_ / turn_free_rows),
          context_(std::move(context)),
          transforms_(fft_length_, context_),
          covered_rows_(table_on_device(pass.covered_rows, "the covered rows")) {
        plan_gather(pass.migration, pass.kernel);
        if (halves) {
            const auto butterflies = static_cast<std::size_t>(fft_length_ / transforms_.first_digit());
            const int words = FourFactors::words(transforms_.first_digit());
            line_factors_ =
                DeviceBuffer(butterflies * static_cast<std::size_t>(words) * sizeof(FourFactors), "the lines' factors");
            image_scale_ = DeviceBuffer(sizeof(float), "the scale of the image");
        }
    }

    // Its launches know where it is.
    TurnFreePlan(const TurnFreePlan&) = delete;
    TurnFreePlan& operator=(const TurnFreePlan&) = delete;

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
                                    .a = transforms_.first_digit(),
                                    .b = static_cast<int>(bins_) / transforms_.first_digit(),
                                    .later_growth = gather_growth_,
                                    .factor = line_factors_.data<float>(),
                                    .image_scale = image_scale_.data<float>()},
                         context_->stream, "scale of the frame");
        }
        // TurnFreeGather leaves as many columns as the image has, which may be more than the echo's cells.
        const Matrix a = in.reshaped(fft_length_, std::max(cells_, columns_)), b = out.reshaped(fft_length_, cells_);
        transforms_.forward(a.data<Sample>(), lines_, cells_, line_factors_.data<FourFactors>(), b.data<Sample>());
        gather_(b.data<Sample>(), a.data<Sample>());
        transforms_.inverse({.in = a.data<Sample>(),
                             .columns = columns_,
                             .rows = image_rows_,
                             .covered_rows = covered_rows_.data<Interval>(),
                             .column_gain = column_gain_.data<float>(),
                             .scale = image_scale_.data<float>(),
                             .out = out.data<Complex64>(),
                             .not_finite = image_.on_gpu()});
    }

    Noticed notices() const override { return Noticed::result; }
    bool noticed() override { return image_.take(); }

private:
    static constexpr bool halves = std::is_same_v<Sample, HalfPair>;

    void plan_gather(const AzimuthCompression& migration, const SincKernel& kernel) {
        TurnFreeTiles tiles = turn_free_tiles(migration, context_->limits, turn_free_order(fft_length_));
        with_turn_free_gather<Sample>(kernel.taps, tiles, [&]<class Kernel>() {
            static_assert(shared_bytes_of<Kernel> == turn_free_shared_bytes(Kernel::Cells));
            reserve_shared_memory<Kernel>();
            // A block per multiprocessor: measured on an H200, at all sizes.
            const unsigned ahead = context_->limits.blocks_ahead(
                context_->limits.multiprocessors, std::int64_t{turn_free_rows} * Kernel::Cells * sizeof(Sample));
            gather_ = [this, ahead, sets = tiles.fitted.sets, sinc = polynomials<float>(kernel)](const Sample* in,
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
                                    .twiddle = gather_twiddles_.data<Twiddle>(),
                                    .ahead = ahead},
                             context_->stream, "migration correction and azimuth filter");
            };
        });
        TileLaws& laws = tiles.fitted.laws;
        if (halves) {
            const double growth = growth_of_gather(kernel, laws);
            scale_gains(laws, 1 / growth);
            gather_growth_ = static_cast<float>(growth);
        }
        first_cell_ = table_on_device(laws.first_cell, "the tiles' first cells");
        laws_ = table_on_device(laws.laws, "the migration laws");
        column_gain_ = table_on_device(laws.column_gain, "the columns' gains");
        gather_twiddles_ = table_on_device(twiddles(bins_, fft_length_), "twiddle factors");
    }

    std::int64_t lines_, cells_, columns_, image_rows_, fft_length_, bins_;
    SharedContext context_;
    ColumnTransforms<Sample> transforms_;
    DeviceBuffer covered_rows_, gather_twiddles_, first_cell_, laws_, column_gain_;
    DeviceBuffer line_factors_, image_scale_;  // of halves
    float gather_growth_ = 1;
    NoticeOnGpu image_;
    std::function<void(const Sample* in, Sample* out)> gather_;
};

template <class Sample>
std::unique_ptr<StepPlan> turn_free_plan(const TurnFreeCompression& pass, SharedContext context) {
    return std::make_unique<TurnFreePlan<Sample>>(pass, std::move(context));
}

}  // namespace cornerturn
