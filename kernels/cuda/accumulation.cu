// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/accumulation.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "kernels/accumulation_plan.h"
#include "kernels/cuda/accumulation/tile_kernel.cuh"
#include "kernels/cuda/cuda_block.cuh"
#include "kernels/cuda/device_tables.h"
#include "kernels/cuda/launch.cuh"

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
    /// To full precision: here errors of many cycles would add up.
    __device__ Complex64 phasor(float cycles) const {
        Complex64 value;
        sincospif(2 * cycles, &value.im, &value.re);
        return value;
    }
    __device__ float next_in_warp(float value) const { return __shfl_down_sync(~0u, value, 1); }
    __device__ Complex64 compressed(const Complex64* from) const {
        const float2 value = __ldg(reinterpret_cast<const float2*>(from));
        return {value.x, value.y};
    }
    /// Rounding is an addition: the nearest whole number of a small float stands in the last bits of its sum with 1.5 * 2^23.
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

template <class Tiling, bool Weighted>
__global__ void __launch_bounds__(Tiling::threads, Tiling::blocks_per_processor)
    accumulation_kernel(const __grid_constant__ TileAccumulation<Tiling, Weighted> accumulation) {
    accumulation.run(AccumulationBlock{});
}

struct TileLook {
    IndexRange lines;
    double cells;
};

/// A block looks at every eighth line: which the tile needs, and how many cells of them.
struct TileLooks {
    AccumulationView view;
    TileLook* looks;

    static constexpr int threads = 128;
    __device__ void operator()() const {
        __shared__ TilePoint points[points_of_slopes];
        __shared__ int first, last, cells;
        const int tid = static_cast<int>(threadIdx.x);
        const TiledImage& tiled = view.tiled;
        const double centre_x =
            static_cast<double>(TiledImage::first_of(blockIdx.x, tiled.tile.across, tiled.across) + tiled.tile.across / 2);
        const double centre_y = static_cast<double>(TiledImage::first_of(blockIdx.y, tiled.tile.along, tiled.along) + tiled.tile.along / 2);
        if (tid < points_of_slopes) points[tid] = tile_point(tiled, view.mesh, centre_x, centre_y, tid);
        if (tid == 0) first = INT_MAX, last = -1, cells = 0;
        __syncthreads();
        for (std::int64_t number = tid * looked_at_every; number < view.lines; number += threads * looked_at_every) {
            Arrival at[points_of_slopes];
            for (int i = 0; i < points_of_slopes; ++i) at[i] = arrival(view.timing, view.paths[number], points[i].place);
            const TileLine line = tile_line<points_of_slopes>(view.scale, at, 1, points);
            if (!weighs(view.window, view.scale, line)) continue;
            atomicMin(&first, static_cast<int>(number));
            atomicMax(&last, static_cast<int>(number));
            const double needed = cells_of(tiled.tile, line);
            atomicMax(&cells, needed < 1e6 ? static_cast<int>(ceil(needed)) : 1000000);
        }
        __syncthreads();
        if (tid > 0) return;
        const bool whole = view.window.weight == nullptr;
        const IndexRange lines =
            whole ? IndexRange{0, view.lines} : recorded({first - looked_at_every, last + looked_at_every + 1}, view.lines);
        looks[blockIdx.y * gridDim.x + blockIdx.x] = {last < 0 ? IndexRange{0, 0} : lines, static_cast<double>(cells)};
    }
};
__global__ void __launch_bounds__(TileLooks::threads) look_kernel(const __grid_constant__ TileLooks looks) { looks(); }

/// Every line for every pixel, in double precision: where tiles do not hold.
struct ExactPixels {
    AccumulationView view;
    __device__ void operator()(std::int64_t row, std::int64_t column) const {
        const PixelNode pixel = view.mesh.at(static_cast<double>(row), static_cast<double>(column));
        const double relief_m = view.relief_m == nullptr ? 0.0 : view.relief_m[row * view.columns + column];
        const IndexRange lines{0, is_covered(view.covered_rows, row, column) ? view.lines : 0};
        const Complex128 sum = accumulated_pixel(view.timing, view.window, view.paths, view.compressed, view.cells, lines, pixel, relief_m);
        view.image[row * view.columns + column] = {static_cast<float>(sum.re), static_cast<float>(sum.im)};
    }
};

/// A kernel, and what it can.
struct TileKernel {
    TileShape tile;
    AlongPhase along;
    int entries;
    int most_block_lines;
    double rate;        ///< pixels and lines in a second, of the fastest kernel's, while blocks of lines are long
    double block_cost;  ///< of a block, in lines
    std::size_t (*shared_bytes)(bool weighted, int block_lines);
    void (*reserve)(bool weighted, std::size_t bytes);
    void (*launch)(const AccumulationView& view, const Stream& stream);

    double rate_with(int block_lines) const { return rate / (1 + block_cost / block_lines); }
};

constexpr const char* doing = "back-projection";

template <class Tiling, bool Weighted>
void reserve_memory(std::size_t bytes) {
    check(cudaFuncSetAttribute(accumulation_kernel<Tiling, Weighted>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
          "reserve shared memory for back-projection");
}

template <class Tiling, bool Weighted>
void launch_tiles(const AccumulationView& view, const Stream& stream) {
    const TileAccumulation<Tiling, Weighted> accumulation{view};
    const dim3 grid(grid_of(view.tiled.tiles_across(), doing), static_cast<unsigned>(view.tiled.tiles_along()));
    accumulation_kernel<Tiling, Weighted>
        <<<grid, Tiling::threads, accumulation.shared_bytes(view.block_lines), stream.get()>>>(accumulation);
    check_launch(doing);
}

template <class Tiling>
constexpr TileKernel kernel_of(int most_block_lines, double rate) {
    return {.tile = {Tiling::across, Tiling::along},
            .along = Tiling::along_phase,
            .entries = Tiling::entries,
            .most_block_lines = most_block_lines,
            .rate = rate,
            .block_cost = 8,
            .shared_bytes =
                [](bool weighted, int lines) {
                    return weighted ? TileAccumulation<Tiling, true>::shared_bytes(lines)
                                    : TileAccumulation<Tiling, false>::shared_bytes(lines);
                },
            .reserve = [](bool weighted,
                          std::size_t bytes) { weighted ? reserve_memory<Tiling, true>(bytes) : reserve_memory<Tiling, false>(bytes); },
            .launch =
                [](const AccumulationView& view, const Stream& stream) {
                    view.window.weight == nullptr ? launch_tiles<Tiling, false>(view, stream) : launch_tiles<Tiling, true>(view, stream);
                }};
}

/// Rates as seen on an H200.
const TileKernel kernels[] = {kernel_of<RangeTiling<2>>(512, 1),      kernel_of<RangeTiling<4>>(512, 0.96),
                              kernel_of<RangeTiling<7>>(128, 0.9),    kernel_of<WideTiling<5>>(256, 0.7),
                              kernel_of<SlantedTiling<7>>(256, 0.62), kernel_of<SmallTiling<2>>(64, 0.68),
                              kernel_of<SmallTiling<4>>(64, 0.66)};
/// Lines of a block: the longer, the cheaper.
constexpr int block_lines[] = {512, 384, 256, 192, 128, 96, 80, 64, 48, 32, 16};

std::size_t shared_memory_limit(int gpu) {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu), "ask for the shared memory of a block");
    return static_cast<std::size_t>(bytes);
}

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
                 .lines_of_tile = nullptr,
                 .block_lines = 0,
                 .turn_per_cell = static_cast<float>(6.283185307179586 * pass.timing.carrier_hz / pass.timing.cell_rate_hz),
                 .cells_per_cycle = static_cast<float>(pass.timing.cell_rate_hz / pass.timing.carrier_hz)};
        view_.mesh.nodes = tables_(geometry.pixels.nodes, "the places of the pixels");
        if (!pass.window.weight.empty()) view_.window = view_of(pass.window, tables_(pass.window.weight, "the Doppler window"));
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
    struct Choice {
        const TileKernel* kernel;
        int block_lines;
        TiledImage tiled;
        double rate() const { return kernel->rate_with(block_lines); }
    };

    /// By which heights of a tile can move its cells apart at most: a metre is two of the way.
    static double cells_of_relief(const Accumulation& pass, const AccumulationGeometry& geometry) {
        if (geometry.relief_m.empty()) return 0;
        const auto [lowest, highest] = std::minmax_element(geometry.relief_m.begin(), geometry.relief_m.end());
        double rise = 0;
        for (const PixelNode& node : geometry.pixels.nodes) rise = std::max(rise, distance_m(node.rise, Place{}));
        const double most_m = rise * std::max(std::fabs(static_cast<double>(*lowest)), std::fabs(static_cast<double>(*highest)));
        return 2 * most_m * 2 / c_m_s * pass.timing.cell_rate_hz;
    }

    /// The fastest kernel, with blocks of lines as long as accuracy allows.
    void choose(const Accumulation& pass, const AccumulationGeometry& geometry) {
        if (pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return;
        const std::size_t shared_limit = shared_memory_limit(context_->index);
        const bool weighted = view_.window.weight != nullptr;
        std::vector<Choice> choices;
        const double of_relief = cells_of_relief(pass, geometry);
        for (const TileKernel& kernel : kernels) {
            const TiledImage tiled = tiled_image(pass, geometry, kernel.tile);
            if (tiled.tiles_along() > most_blocks_y) continue;
            const SampledTiles tiles(pass, geometry, tiled);
            if (tiles.cells() + of_relief > kernel.entries) continue;
            for (const int lines : block_lines) {
                if (lines > kernel.most_block_lines || kernel.shared_bytes(weighted, lines) > shared_limit) continue;
                if (!(tiles.signal_to_error_db(kernel.along, lines) >= pass.signal_to_error_db)) continue;
                choices.push_back({&kernel, lines, tiled});
                break;
            }
        }
        std::stable_sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.rate() > b.rate(); });
        for (const Choice& choice : choices) {
            view_.tiled = choice.tiled;
            view_.scale = TileScale(choice.tiled);
            if (!look(choice.kernel->entries - of_relief)) continue;
            view_.block_lines = choice.block_lines;
            kernel_ = choice.kernel;
            kernel_->reserve(weighted, kernel_->shared_bytes(weighted, choice.block_lines));
            return;
        }
    }

    /// At all tiles. False: some need more cells than a table has.
    bool look(double entries) {
        const auto count = static_cast<std::size_t>(view_.tiled.tiles_across() * view_.tiled.tiles_along());
        const DeviceBuffer looks(count * sizeof(TileLook), "what tiles need of lines");
        const dim3 grid(grid_of(view_.tiled.tiles_across(), doing), static_cast<unsigned>(view_.tiled.tiles_along()));
        look_kernel<<<grid, TileLooks::threads, 0, context_->stream.get()>>>(TileLooks{view_, looks.data<TileLook>()});
        check_launch(doing);
        std::vector<TileLook> seen(count);
        check(cudaMemcpyAsync(seen.data(), looks.data<void>(), looks.bytes(), cudaMemcpyDeviceToHost, context_->stream.get()),
              "copy what tiles need of lines");
        context_->stream.synchronize();
        std::vector<IndexRange> lines(count);
        std::transform(seen.begin(), seen.end(), lines.begin(), [](const TileLook& look) { return look.lines; });
        if (std::any_of(seen.begin(), seen.end(), [=](const TileLook& look) { return look.cells > entries; })) return false;
        lines_of_tile_ = table_on_device(lines, "the lines of the tiles");
        view_.lines_of_tile = lines_of_tile_.data<IndexRange>();
        return true;
    }

    std::int64_t lines_, cells_;
    SharedContext context_;
    DeviceTables tables_;
    DeviceBuffer lines_of_tile_;
    AccumulationView view_{};
    const TileKernel* kernel_ = nullptr;
};

}  // namespace

std::unique_ptr<StepPlan> accumulation_plan(const Accumulation& pass, SharedContext context) {
    return std::make_unique<AccumulationPlan>(pass, std::move(context));
}

}  // namespace cornerturn
