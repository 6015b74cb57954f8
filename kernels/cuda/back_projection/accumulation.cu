// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/accumulation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/back_projection/window_entries.h"
#include "kernels/cuda/back_projection/tile_kernel.cuh"
#include "kernels/cuda/back_projection/tile_looks.cuh"
#include "kernels/cuda/back_projection/tile_search.h"
#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/device_tables.h"

namespace cornerturn {
namespace {

/// What the kernel asks of the machine beside what every kernel does.
struct AccumulationBlock : CudaBlock {
    __device__ float cosine(float angle) const { return __cosf(angle); }
    __device__ float sine(float angle) const { return __sinf(angle); }
    /// Keeps the compiler from knowing a number, and from keeping a struct in registers.
    __device__ int not_known(int value) const {
        asm volatile("" : "+r"(value));
        return value;
    }
    template <class T>
    __device__ void in_memory(T& value) const {
        asm volatile("" ::"l"(&value) : "memory");
    }
    __device__ float quotient(float a, float b) const { return __fdividef(a, b); }
    __device__ float saturated(float value) const { return __saturatef(value); }
    /// `whole`: its number, rounded as below.
    __device__ WindowEntry window_entry(const WindowEntry* first, float whole) const {
        const auto offset = (std::uint64_t{__float_as_uint(whole)} - bits_of_zero) * sizeof(WindowEntry);
        const float2 entry = __ldg(reinterpret_cast<const float2*>(reinterpret_cast<std::uintptr_t>(first) + offset));
        return {entry.x, entry.y};
    }
    __device__ bool any_in_warp(bool value) const { return __any_sync(~0u, value); }
    __device__ float next_in_warp(float value) const { return __shfl_down_sync(~0u, value, 1); }
    __device__ Complex64 compressed(const Complex64* from) const {
        const float2 value = __ldg(reinterpret_cast<const float2*>(from));
        return {value.x, value.y};
    }
    /// Rounding is an addition: the nearest whole number of a small float stands in the last bits of its sum with 1.5 *
    /// 2^23.
    static constexpr float to_whole = 12582912.0f;
    static constexpr unsigned bits_of_zero = 0x4B400000u;
    __device__ unsigned table_origin(const Float4* entry) const {
        return static_cast<unsigned>(__cvta_generic_to_shared(entry)) - (bits_of_zero << 4);
    }
    __device__ Float4 entry(unsigned origin, float cell) const {
        Float4 value;
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];"
                     : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
                     : "r"((__float_as_uint(cell + to_whole) << 4) + origin));
        return value;
    }
};

template <class Tiling, bool Weighted, bool Follows>
__global__ void __launch_bounds__(Tiling::threads, Tiling::blocks_per_processor)
    accumulation_kernel(const __grid_constant__ TileAccumulation<Tiling, Weighted, Follows> accumulation) {
    accumulation.run(AccumulationBlock{});
}

__global__ void __launch_bounds__(TileLooks::threads) look_kernel(const __grid_constant__ TileLooks looks) { looks(); }

/// Pixel by pixel, in double precision: where tiles do not hold.
struct ExactPixels {
    AccumulationView view;
    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        const PixelNode pixel = view.mesh.at(static_cast<double>(row), static_cast<double>(column));
        const double relief_m = view.relief_m == nullptr ? 0.0 : view.relief_m[row * view.columns + column];
        const IndexRange lines = is_covered(view.covered_rows, row, column)
                                     ? lines_seen(view.timing, view.window, view.paths, view.lines,
                                                  raised(pixel, relief_m), pixel.centroid_hz)
                                     : IndexRange{0, 0};
        const Complex128 sum = accumulated_pixel(view.timing, view.window, view.paths, view.compressed, view.cells,
                                                 lines, pixel, relief_m);
        view.image[row * view.columns + column] = {static_cast<float>(sum.re), static_cast<float>(sum.im)};
    }
};

/// Likewise, those of some tiles.
struct ExactTiles {
    ExactPixels pixels;
    const PlannedTile* tiles;
    __device__ void operator()(std::int64_t number, std::int64_t of_tile) const {
        const TiledImage& tiled = pixels.view.tiled;
        const auto& [across, along] = tiled.tile;
        const PlannedTile& tile = tiles[number];
        const auto [x, y] = tiled.pixel(tiled.middle(tile.x, tile.y), static_cast<int>(of_tile / along) - across / 2,
                                        static_cast<int>(of_tile % along) - along / 2);
        if (tiled.owns(tile.x, tile.y, x, y)) pixels(tiled.row(x, y), tiled.column(x, y));
    }
};

constexpr const char* doing = "back-projection";

template <class Tiling, bool Weighted, bool Follows>
void reserve_memory(std::size_t bytes) {
    check(cudaFuncSetAttribute(accumulation_kernel<Tiling, Weighted, Follows>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "reserve shared memory for back-projection");
}

template <class Tiling, bool Weighted, bool Follows>
void launch_tiles(const AccumulationView& view, const Stream& stream) {
    const TileAccumulation<Tiling, Weighted, Follows> accumulation{view};
    accumulation_kernel<Tiling, Weighted, Follows>
        <<<grid_of(view.tile_count, doing), Tiling::threads, accumulation.shared_bytes(view.block_lines),
           stream.get()>>>(accumulation);
    check_launch(doing);
}

template <class Tiling, bool Weighted, bool Follows>
constexpr TileKernel kernel_of(int most_block_lines, double rate) {
    return {.tile = {Tiling::across, Tiling::along},
            .along = Tiling::along_phase,
            .bends = Tiling::cell_bends,
            .entries = Tiling::entries,
            .stage_lines = Tiling::warps,
            .most_block_lines = most_block_lines,
            .follows = Follows,
            .largest_step_cycles = largest_step_cycles(Tiling::apart),
            .part_between_bends = Tiling::part_between_bends(),
            .rate = rate,
            .shared_bytes = TileAccumulation<Tiling, Weighted, Follows>::shared_bytes,
            .reserve = reserve_memory<Tiling, Weighted, Follows>,
            .launch = launch_tiles<Tiling, Weighted, Follows>};
}

/// Rates as seen on an H200.
using enum AlongPhase;
const TileKernel kernels[] = {kernel_of<RangeTiling<2>, false, false>(512, 1),
                              kernel_of<RangeTiling<4>, false, false>(512, 0.96),
                              kernel_of<NarrowTiling<8, in_cells>, false, false>(128, 0.85),
                              kernel_of<LongTiling<5>, false, false>(512, 0.7),
                              kernel_of<WideTiling<5>, false, false>(256, 0.7),
                              kernel_of<SlantedTiling<7>, false, false>(320, 0.64),
                              kernel_of<CurvedTiling<7>, false, true>(256, 0.55),
                              kernel_of<SmallTiling<4, curved>, false, true>(64, 0.5),
                              kernel_of<SmallTiling<2>, false, true>(64, 0.68),
                              kernel_of<SmallTiling<4>, false, true>(64, 0.66),
                              kernel_of<RangeTiling<4>, false, true>(512, 0.94),
                              kernel_of<NarrowTiling<8, in_cells>, false, true>(128, 0.83),
                              kernel_of<WideTiling<5>, false, true>(256, 0.68),
                              kernel_of<SlantedTiling<7, 1>, false, true>(320, 0.6),
                              kernel_of<HillTiling<13>, false, true>(128, 0.43)};
const TileKernel weighted_kernels[] = {kernel_of<NarrowTiling<5, straight>, true, true>(512, 0.75),
                                       kernel_of<NearTiling<5>, true, true>(192, 0.6),
                                       kernel_of<NarrowTiling<4, curved>, true, true>(192, 0.58),
                                       kernel_of<NarrowTiling<8, curved>, true, true>(128, 0.5),
                                       kernel_of<NarrowTiling<8, straight>, true, true>(128, 0.7),
                                       kernel_of<NarrowTiling<5, stepped>, true, true>(512, 0.6),
                                       kernel_of<NarrowTiling<8, stepped>, true, true>(128, 0.55),
                                       kernel_of<SlantedTiling<7, 1>, true, true>(256, 0.5),
                                       kernel_of<CurvedTiling<7>, true, true>(256, 0.45),
                                       kernel_of<SmallTiling<4, curved>, true, true>(64, 0.43),
                                       kernel_of<SmallTiling<4>, true, true>(64, 0.48),
                                       kernel_of<SmallTiling<9>, true, true>(64, 0.42),
                                       kernel_of<MapTiling<13>, true, true>(128, 0.46),
                                       kernel_of<HillTiling<13>, true, true>(128, 0.44),
                                       kernel_of<HillTiling<24>, true, true>(64, 0.24)};
std::span<const TileKernel> kernels_for(bool weighted) {
    if (weighted) return weighted_kernels;
    return kernels;
}
/// Of the longest blocks of lines that a kernel may have: what it is allowed holds for every plan that launches it, and
/// must not depend on which of them was made last.
std::size_t most_shared_bytes(const TileKernel& kernel, std::size_t limit) {
    std::size_t most = 0;
    for (const int lines : block_lengths)
        if (lines <= kernel.most_block_lines && kernel.shared_bytes(lines) <= limit)
            most = std::max(most, kernel.shared_bytes(lines));
    return most;
}

bool is_empty(const Accumulation& pass) { return pass.rows == 0 || pass.columns == 0 || pass.lines == 0; }

class AccumulationPlan final : public StepPlan {
public:
    AccumulationPlan(const Accumulation& pass, SharedContext context)
        : lines_(pass.lines), cells_(pass.cells), context_(std::move(context)) {
        context_->use();
        const AccumulationGeometry geometry = pass.geometry();
        view_ = {.compressed = nullptr,
                 .image = nullptr,
                 .lines = pass.lines,
                 .cells = pass.cells,
                 .rows = pass.rows,
                 .columns = pass.columns,
                 .timing = pass.timing,
                 .paths = tables_(geometry.paths, "the antenna's paths"),
                 .mesh = view_of(geometry.pixels),
                 .window = view_of(pass.window, nullptr),
                 .relief_m = geometry.relief_m.empty() ? nullptr : tables_(geometry.relief_m, "the relief"),
                 .covered_rows = pass.covered_rows.empty() ? nullptr : tables_(pass.covered_rows, "the covered rows"),
                 .tiled = {},
                 .tiles = nullptr,
                 .tile_count = 0,
                 .block_lines = 0,
                 .segment_lines = 0,
                 .window_entries = nullptr,
                 .straight_from_middle = 0,
                 .level_from_middle = 0,
                 .cells_per_cycle = pass.timing.cell_rate_hz / pass.timing.carrier_hz};
        view_.mesh.nodes = tables_(geometry.pixels.nodes, "the places of the pixels");
        if (!pass.window.weight.empty()) {
            view_.window_entries = tables_(window_entries(pass.window), "the Doppler window's entries");
            view_.window = view_of(pass.window, tables_(pass.window.weight, "the Doppler window"));
        }
        choose(pass, geometry);
    }

    void run(const Matrix& in, Matrix& out) override {
        context_->use();
        require_matrix(in, SampleFormat::complex64, lines_, cells_, "back-projection: the compressed lines");
        require_matrix(out, SampleFormat::complex64, view_.rows, view_.columns, "back-projection: the image");
        if (view_.rows == 0 || view_.columns == 0) return;
        AccumulationView view = view_;
        view.compressed = in.data<Complex64>();
        view.image = out.data<Complex64>();
        if (kernel_ == nullptr) {
            for_each(ExactPixels{view}, view.rows, view.columns, context_->stream, doing);
            return;
        }
        kernel_->launch(view, context_->stream);
        for_each(ExactTiles{{view}, exact_tiles_.data<PlannedTile>()}, exact_count_, view.tiled.tile.pixels(),
                 context_->stream, doing);
    }

private:
    /// The fastest kernel, with blocks of lines as long as accuracy allows. Tiles that need more cells than its tables
    /// have, or are farther off than the samples, are summed exactly.
    void choose(const Accumulation& pass, const AccumulationGeometry& geometry) {
        if (is_empty(pass)) return;
        const auto shared_limit = static_cast<std::size_t>(context_->limits.shared_bytes);
        TileSearch search(pass, geometry, kernels_for(view_.window.weight != nullptr), shared_limit);
        double best_rate = exact_rate;
        PlannedTiles best;
        while (const auto found = search.next()) {
            if (found->rate <= best_rate) break;
            const AccumulationView view = view_for(*found, pass);
            PlannedTiles tiles = look(view, *found->choice.kernel, pass.signal_to_error_db);
            const double rate = rate_in_part(found->choice.rate(), tiles.part_that_holds());
            if (rate <= best_rate) continue;
            best_rate = rate;
            best = std::move(tiles);
            kernel_ = found->choice.kernel;
            view_ = view;
        }
        if (kernel_ == nullptr) return;
        kernel_->reserve(most_shared_bytes(*kernel_, shared_limit));
        tiles_ = table_on_device(best.that_hold, "the lines of the tiles");
        exact_tiles_ = table_on_device(best.others, "the tiles that are summed exactly");
        exact_count_ = static_cast<std::int64_t>(best.others.size());
        view_.tiles = tiles_.data<PlannedTile>();
        view_.tile_count = static_cast<std::int64_t>(best.that_hold.size());
    }

    AccumulationView view_for(const TileSearch::Found& found, const Accumulation& pass) const {
        constexpr double spare = 1.5;  // other tiles than those sampled
        const TileKernel& kernel = *found.choice.kernel;
        AccumulationView view = view_;
        view.tiled = found.tiled;
        view.scale = TileScale(found.tiled);
        view.block_lines = found.choice.block_lines;
        view.segment_lines = found.choice.segment_lines;
        if (view.window.weight == nullptr) return view;
        const double entries = spare * view.window.per_hz * found.tiles.offsets_along_hz(),
                     tolerance = std::pow(10, -pass.signal_to_error_db / 20);
        view.straight_from_middle =
            even_from_middle(pass.window.weight, entries, kernel.along, kernel.part_between_bends, tolerance);
        view.level_from_middle = straight_from_middle(pass.window.weight, entries, true, tolerance);
        return view;
    }

    struct PlannedTiles {
        std::vector<PlannedTile> that_hold, others;
        double part_that_holds() const {
            return static_cast<double>(that_hold.size()) / static_cast<double>(that_hold.size() + others.size());
        }
    };
    /// At all tiles.
    PlannedTiles look(const AccumulationView& view, const TileKernel& kernel, double least_db) const {
        const std::int64_t across = view.tiled.tiles_across(), along = view.tiled.tiles_along();
        const auto count = static_cast<std::size_t>(across * along);
        const DeviceBuffer looks(count * sizeof(TileLook), "what tiles need of lines");
        look_kernel<<<dim3(grid_of(across, doing), static_cast<unsigned>(along)), TileLooks::threads, 0,
                      context_->stream.get()>>>(TileLooks{view, kernel.along, kernel.bends, looks.data<TileLook>()});
        check_launch(doing);
        std::vector<TileLook> seen(count);
        check(cudaMemcpyAsync(seen.data(), looks.data<void>(), looks.bytes(), cudaMemcpyDeviceToHost,
                              context_->stream.get()),
              "copy what tiles need of lines");
        context_->stream.synchronize();
        constexpr double largest_of_rms = 4, two_pi = 6.283185307179586;
        const double most_cycles = largest_of_rms * std::pow(10, -least_db / 20) / two_pi;
        PlannedTiles tiles;
        for (const TileLook& look : seen) {
            const bool holds = look.cells <= kernel.entries && look.error_cycles <= most_cycles;
            (holds ? tiles.that_hold : tiles.others).push_back(look.tile);
        }
        // Those of most lines first: what is left at the end is short.
        std::stable_sort(tiles.that_hold.begin(), tiles.that_hold.end(), [](const auto& a, const auto& b) {
            return a.lines.last - a.lines.first > b.lines.last - b.lines.first;
        });
        return tiles;
    }

    std::int64_t lines_, cells_;
    SharedContext context_;
    DeviceTables tables_;
    DeviceBuffer tiles_, exact_tiles_;
    std::int64_t exact_count_ = 0;
    AccumulationView view_{};
    const TileKernel* kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<StepPlan> accumulation_plan(const Accumulation& pass, SharedContext context) {
    return std::make_unique<AccumulationPlan>(pass, std::move(context));
}

double accumulation_rate(const Accumulation& pass, std::size_t shared_bytes) {
    if (is_empty(pass)) return 1;
    const AccumulationGeometry geometry = pass.geometry();
    const auto found = TileSearch(pass, geometry, kernels_for(!pass.window.weight.empty()), shared_bytes).next();
    return found ? found->rate : exact_rate;
}

}  // namespace cornerturn
