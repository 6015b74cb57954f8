// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <optional>

#include "kernels/cuda/azimuth_tables.h"
#include "kernels/cuda/fused/launch_fused.cuh"
#include "kernels/cuda/fused/plans.h"
#include "kernels/cuda/fused/refusals.h"
#include "kernels/cuda/fused/unturned.cuh"

namespace cornerturn {
namespace {

/// Bin of law i = 32 k2 + k0 of a tile: Middle's order.
std::vector<std::int64_t> middle_order(std::int64_t fft_length) {
    const std::int64_t bins = fft_length / unturned_rows;
    std::vector<std::int64_t> order;
    for (std::int64_t k2 = 0; k2 < bins; ++k2)
        for (std::int64_t k0 = 0; k0 < unturned_rows; ++k0) order.push_back(k2 + bins * k0);
    return order;
}

std::vector<Twiddle> inverse_second(std::int64_t fft_length, int a) {
    std::vector<Twiddle> table;
    for (std::int64_t n0 = 0; n0 < unturned_rows; ++n0)
        for (std::int64_t k = 0; k < a; ++k) table.push_back(twiddle(n0 + unturned_rows * k, fft_length));
    return table;
}

std::vector<Twiddle> inverse_first(std::int64_t fft_length, int b) {
    std::vector<Twiddle> table;
    for (std::int64_t n0 = 0; n0 < unturned_rows; ++n0) table.push_back(twiddle(b * n0, fft_length));
    return table;
}

/// Laws for the widest tile whose cells fit, and how wide it is.
struct FittedLaws {
    TileLaws laws;
    int sets = 0;
};

/// Nullopt: a tile of even one set reads more cells.
std::optional<FittedLaws> fit_laws(const AzimuthCompression& pass, int cells, int columns_per_set, const std::vector<std::int64_t>& order) {
    for (int sets = (cells - pass.kernel.taps - 2) / columns_per_set; sets > 0; --sets) {
        FittedLaws fitted{.laws = tile_laws(pass, sets * columns_per_set, order), .sets = sets};
        if (fitted.laws.cells <= cells) return fitted;
        // Narrower tiles spread less, if at all: the sets that fit beside this spread and one more are worth a try.
        const std::int64_t spread = fitted.laws.cells - sets * columns_per_set;
        sets = static_cast<int>(std::min<std::int64_t>(sets, (cells - spread) / columns_per_set + 1));
    }
    return std::nullopt;
}

/// Calls go(Middle) for a kernel of that many taps, kind of stepping and cells.
template <int Cells, class Go>
void with_middle(int taps, int stepping, Go go) {
    const auto with_taps = [&]<int Taps>() {
        const auto with_stepping = [&]<int Stepping>() {
            constexpr WeightStepping kind = weight_steppings[Stepping];
            if constexpr (kind.chunk + Taps <= largest_window) go.template operator()<Middle<Taps, kind.chunk, kind.order, Cells>>();
        };
        switch (stepping) {
            case 0: return with_stepping.template operator()<0>();
            case 1: return with_stepping.template operator()<1>();
            case 2: return with_stepping.template operator()<2>();
            case 3: return with_stepping.template operator()<3>();
        }
    };
    taps == 8 ? with_taps.template operator()<8>() : with_taps.template operator()<16>();
}

class UnturnedPlan final : public PassPlan {
public:
    UnturnedPlan(const UnturnedAzimuthCompression& pass, SharedContext context)
        : lines_(pass.lines), pass_(pass.azimuth), context_(std::move(context)), bins_(pass_.fft_length / unturned_rows), tables_(pass_) {
        plan_columns();
        plan_middle();
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, lines_, pass_.input_cells, "turn-free azimuth compression: the input");
        require_matrix(out, SampleFormat::complex64, pass_.image_rows, pass_.columns, "turn-free azimuth compression: the output");
        Matrix a = in.reshaped(pass_.fft_length, pass_.input_cells), b = out.reshaped(pass_.fft_length, pass_.input_cells);
        forward_(a.data<Complex64>(), b.data<Complex64>());
        middle_(b.data<Complex64>(), a.data<Complex64>());
        inverse_(a.data<Complex64>(), b.data<Complex64>());
    }

private:
    using Step = std::function<void(const Complex64* in, Complex64* out)>;

    void plan_columns() {
        const bool whole = pass_.fft_length % unturned_rows == 0;
        const bool found = whole && with_column_digits(bins_, [&]<class Digits>(Digits) {
                               forward_second_ = table_on_device(twiddles(Digits::A, Digits::length), "twiddle factors");
                               inverse_first_ = table_on_device(inverse_first(pass_.fft_length, Digits::B), "twiddle factors");
                               inverse_second_ = table_on_device(inverse_second(pass_.fft_length, Digits::A), "twiddle factors");
                               if (!reserve_shared_memory<ForwardColumns<Digits>>(context_->index) ||
                                   !reserve_shared_memory<InverseColumns<Digits>>(context_->index))
                                   refuse_shared_memory("azimuth", pass_.fft_length);
                               forward_ = [this](const Complex64* in, Complex64* out) {
                                   launch_fused(ForwardColumns<Digits>{in, lines_, pass_.input_cells, out, forward_second_.data<Twiddle>()},
                                                context_->stream, "azimuth transform down the columns");
                               };
                               inverse_ = [this](const Complex64* in, Complex64* out) {
                                   launch_fused(InverseColumns<Digits>{in, pass_.columns, tables_.hooks(), out,
                                                                       inverse_first_.data<Twiddle>(), inverse_second_.data<Twiddle>()},
                                                context_->stream, "inverse azimuth transform down the columns");
                               };
                           });
        if (!found) refuse_length("azimuth", pass_.fft_length);
    }

    void plan_middle() {
        const int taps = pass_.kernel.taps;
        if (taps != 8 && taps != 16) refuse_taps(taps);
        const std::vector<std::int64_t> order = middle_order(pass_.fft_length);
        const TileLaws coarse = tile_laws(pass_, law_tile_columns, order);
        if (!laws_hold(coarse)) refuse_velocity(coarse);
        const int stepping = stepping_for(pass_.kernel, coarse);
        if (stepping < 0) refuse_slope(coarse);
        const int columns_per_set = weight_steppings[stepping].chunk * (Middle<8, 14, 1, 256>::groups);
        if (plan_middle_with<256>(stepping, columns_per_set, order)) return;
        if (plan_middle_with<512>(stepping, columns_per_set, order)) return;
        refuse_migration(coarse.cells - law_tile_columns, 512 - columns_per_set);
    }

    template <int Cells>
    bool plan_middle_with(int stepping, int columns_per_set, const std::vector<std::int64_t>& order) {
        std::optional<FittedLaws> fitted = fit_laws(pass_, Cells, columns_per_set, order);
        if (!fitted) return false;
        bool reserved = false;
        with_middle<Cells>(pass_.kernel.taps, stepping, [&]<class Kernel>() {
            reserved = reserve_shared_memory<Kernel>(context_->index);
            middle_ = [this, sets = fitted->sets, sinc = polynomials<float>(pass_.kernel)](const Complex64* in, Complex64* out) {
                launch_fused(Kernel{.in = in,
                                    .cells = pass_.input_cells,
                                    .out = out,
                                    .columns = pass_.columns,
                                    .bins = static_cast<int>(bins_),
                                    .sets = sets,
                                    .sinc = sinc,
                                    .first_cell = first_cell_.data<std::int32_t>(),
                                    .laws = laws_.data<TileLaw>(),
                                    .twiddle = middle_twiddles_.data<Twiddle>()},
                             context_->stream, "migration correction and azimuth filter");
            };
        });
        if (!reserved) return false;
        first_cell_ = table_on_device(fitted->laws.first_cell, "the tiles' first cells");
        laws_ = table_on_device(fitted->laws.laws, "the migration laws");
        middle_twiddles_ = table_on_device(twiddles(bins_, pass_.fft_length), "twiddle factors");
        return true;
    }

    std::int64_t lines_;
    AzimuthCompression pass_;
    SharedContext context_;
    std::int64_t bins_;
    AzimuthTables tables_;
    DeviceBuffer forward_second_, inverse_first_, inverse_second_, middle_twiddles_, first_cell_, laws_;
    Step forward_, middle_, inverse_;
};

}  // namespace

std::unique_ptr<PassPlan> fused_plan(const UnturnedAzimuthCompression& pass, SharedContext context) {
    return std::make_unique<UnturnedPlan>(pass, std::move(context));
}

std::unique_ptr<PassPlan> plain_plan(const UnturnedAzimuthCompression&, SharedContext) { refuse_plain_turn_free(); }

}  // namespace cornerturn
