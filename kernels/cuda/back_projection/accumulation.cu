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
        <<<grid_of(view.tiled.tiles_across() * view.tiled.tiles_along(), doing), Tiling::threads,
           accumulation.shared_bytes(view.block_lines), stream.get()>>>(accumulation);
    check_launch(doing);
}

template <class Tiling, bool Weighted, bool Follows>
constexpr TileKernel kernel_of(int most_block_lines, double rate) {
    return {.tile = {Tiling::across, Tiling::along},
            .along = Tiling::along_phase,
            .entries = Tiling::entries,
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
                              kernel_of<SlantedTiling<7, 1>, false, true>(320, 0.6)};
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
                                       kernel_of<SmallTiling<9>, true, true>(64, 0.42)};
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
                 .block_lines = 0,
                 .segment_lines = 0,
                 .window_entries = nullptr,
                 .straight_from_middle = 0,
                 .level_from_middle = 0,
                 .largest_relief_m = geometry.largest_relief_m(),
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
        if (kernel_ != nullptr)
            kernel_->launch(view, context_->stream);
        else
            for_each(ExactPixels{view}, view.rows, view.columns, context_->stream, doing);
    }

private:
    /// The fastest kernel, with blocks of lines as long as accuracy allows.
    void choose(const Accumulation& pass, const AccumulationGeometry& geometry) {
        if (is_empty(pass)) return;
        constexpr double spare = 1.5;  // other tiles than those sampled
        const auto shared_limit = static_cast<std::size_t>(context_->limits.shared_bytes);
        TileSearch search(pass, geometry, kernels_for(view_.window.weight != nullptr), shared_limit);
        while (const auto found = search.next()) {
            const auto& [choice, tiled, tiles] = *found;
            const TileKernel& kernel = *choice.kernel;
            view_.tiled = tiled;
            view_.scale = TileScale(tiled);
            view_.block_lines = choice.block_lines;
            view_.segment_lines = choice.segment_lines;
            if (view_.window.weight != nullptr) {
                const double entries = spare * view_.window.per_hz * tiles.offsets_along_hz(),
                             tolerance = std::pow(10, -pass.signal_to_error_db / 20);
                view_.straight_from_middle =
                    even_from_middle(pass.window.weight, entries, kernel.along, kernel.part_between_bends, tolerance);
                view_.level_from_middle = straight_from_middle(pass.window.weight, entries, true, tolerance);
            }
            if (!look(kernel.along, kernel.entries - search.cells_of_relief(), pass.signal_to_error_db)) continue;
            kernel_ = &kernel;
            kernel_->reserve(most_shared_bytes(*kernel_, shared_limit));
            return;
        }
    }

    /// At all tiles. False: some need more cells than a table has, or are farther off than the samples.
    bool look(AlongPhase along, double entries, double least_db) {
        const auto count = static_cast<std::size_t>(view_.tiled.tiles_across() * view_.tiled.tiles_along());
        const DeviceBuffer looks(count * sizeof(TileLook), "what tiles need of lines");
        const dim3 grid(grid_of(view_.tiled.tiles_across(), doing), static_cast<unsigned>(view_.tiled.tiles_along()));
        look_kernel<<<grid, TileLooks::threads, 0, context_->stream.get()>>>(
            TileLooks{view_, along, looks.data<TileLook>()});
        check_launch(doing);
        std::vector<TileLook> seen(count);
        check(cudaMemcpyAsync(seen.data(), looks.data<void>(), looks.bytes(), cudaMemcpyDeviceToHost,
                              context_->stream.get()),
              "copy what tiles need of lines");
        context_->stream.synchronize();
        constexpr double largest_of_rms = 4, two_pi = 6.283185307179586;
        const double most_cycles = largest_of_rms * std::pow(10, -least_db / 20) / two_pi;
        if (std::any_of(seen.begin(), seen.end(), [=](const TileLook& tile) {
                return tile.cells > entries || !(tile.error_cycles <= most_cycles);
            }))
            return false;
        // Those of most lines first: what is left at the end is short.
        std::vector<TileLines> tiles;
        for (std::size_t i = 0; i < count; ++i) {
            const auto number = static_cast<std::int64_t>(i), across = view_.tiled.tiles_across();
            tiles.push_back({static_cast<int>(number % across), static_cast<int>(number / across), seen[i].lines});
        }
        std::stable_sort(tiles.begin(), tiles.end(), [](const TileLines& a, const TileLines& b) {
            return a.lines.last - a.lines.first > b.lines.last - b.lines.first;
        });
        tiles_ = table_on_device(tiles, "the lines of the tiles");
        view_.tiles = tiles_.data<TileLines>();
        return true;
    }

    std::int64_t lines_, cells_;
    SharedContext context_;
    DeviceTables tables_;
    DeviceBuffer tiles_;
    AccumulationView view_{};
    const TileKernel* kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<StepPlan> accumulation_plan(const Accumulation& pass, SharedContext context) {
    return std::make_unique<AccumulationPlan>(pass, std::move(context));
}

double accumulation_rate(const Accumulation& pass, std::size_t shared_bytes) {
    constexpr double pixel_by_pixel = 0.011;
    if (is_empty(pass)) return 1;
    const AccumulationGeometry geometry = pass.geometry();
    const auto found = TileSearch(pass, geometry, kernels_for(!pass.window.weight.empty()), shared_bytes).next();
    return found ? found->choice.rate() : pixel_by_pixel;
}

}  // namespace cornerturn
