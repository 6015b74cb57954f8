// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/migration/gather.cuh"

#include <numeric>
#include <type_traits>

#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/migration/gather.h"

namespace cornerturn {
namespace {

template <class Gather>
__global__ void __launch_bounds__(Gather::threads, Gather::blocks_per_processor)
    gather_kernel(const __grid_constant__ Gather gather) {
    gather.run(CudaBlock{});
}

}  // namespace

TurnedGather::TurnedGather(const AzimuthCompression& pass, const AzimuthCompressionHooks& hooks)
    : hooks_(hooks), input_cells_(pass.input_cells), sinc_(polynomials<float>(pass.kernel)) {
    with_taps(sinc_.taps, [](auto) {});
    if (pass.columns == 0 || pass.fft_length == 0) return;
    std::vector<std::int64_t> order(static_cast<std::size_t>(pass.fft_length));
    std::iota(order.begin(), order.end(), 0);
    const TileLaws laws = tile_laws(pass, law_tile_columns, order);
    stepping_ = laws_hold(laws) ? stepping_for(pass.kernel, laws) : -1;
    if (!stepped()) return;
    first_cell_ = table_on_device(laws.first_cell, "the tiles' first cells");
    laws_ = table_on_device(laws.laws, "the migration laws");
    column_gain_ = table_on_device(laws.column_gain, "the columns' gains");
}

void TurnedGather::run(const Complex64* in, std::int64_t first_column, std::int64_t columns, Complex64* out,
                       std::int64_t pitch, const Stream& stream) const {
    if (columns == 0) return;
    if (pitch == 0) pitch = hooks_.fft_length;
    constexpr const char* doing = "azimuth compression: gather along the migration";
    with_taps(sinc_.taps, [&]<int Taps>(std::integral_constant<int, Taps>) {
        if (!stepped())
            return for_each(SampleGather<Taps>{hooks_, sinc_, in, input_cells_, first_column, out, pitch}, columns,
                            hooks_.fft_length, stream, doing);
        with_stepping<Taps>(stepping_, [&]<int Chunk, int Order>() {
            using Gather = WindowGather<Taps, Chunk, Order>;
            const Gather gather{.sinc = sinc_,
                                .first_cell = first_cell_.data<std::int32_t>(),
                                .laws = laws_.data<TileLaw>(),
                                .column_gain = column_gain_.data<float>(),
                                .in = in,
                                .input_cells = input_cells_,
                                .bins = hooks_.fft_length,
                                .first_column = first_column,
                                .columns = columns,
                                .out = out,
                                .pitch = pitch};
            gather_kernel<<<grid_of(gather.blocks(), doing), Gather::threads, 0, stream.get()>>>(gather);
        });
        check_launch(doing);
    });
}

}  // namespace cornerturn
