// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/factorised_accumulation.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/cuda/back_projection/factor_sizes.h"
#include "kernels/cuda/back_projection/image_of_blocks.cuh"
#include "kernels/cuda/back_projection/lines_on_nodes.cuh"
#include "kernels/cuda/back_projection/merged_blocks.cuh"
#include "kernels/cuda/back_projection/raised_image.cuh"
#include "kernels/cuda/launch/cuda_block.cuh"
#include "kernels/cuda/launch/launch.cuh"
#include "kernels/cuda/runtime/device_tables.h"

namespace cornerturn {
namespace {

constexpr const char* doing = "factorised back-projection";

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, 1024 / Kernel::threads)
    factor_kernel(const __grid_constant__ Kernel kernel) {
    kernel.run(CudaBlock{});
}

/// Of laws along rows that kernels are told at once.
constexpr std::size_t most_law_bytes = std::size_t{1} << 26;

template <class Kernel>
void launch(const Kernel& kernel, const Stream& stream, std::size_t shared_bytes = 0) {
    if (kernel.blocks() == 0 || kernel.block_rows() == 0) return;
    check(cudaFuncSetAttribute(factor_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "reserve shared memory for factorised back-projection");
    const dim3 grid(grid_of(kernel.blocks(), doing), static_cast<unsigned>(kernel.block_rows()));
    factor_kernel<<<grid, Kernel::threads, shared_bytes, stream.get()>>>(kernel);
    check_launch(doing);
}

/// Device memory that grows with what it is asked for.
template <class T>
T* room_in(DeviceBuffer& buffer, std::size_t bytes, std::string_view what) {
    if (bytes > buffer.bytes()) {
        buffer = {};  // waits for what uses it
        buffer = DeviceBuffer(bytes + bytes / 8, what);
    }
    return buffer.data<T>();
}

/// A table on the device.
class StripTable {
public:
    /// Ends once the table is read. From ordinary memory: to lock so much takes longer than to copy it.
    template <class T>
    const T* put(const std::vector<T>& table, const Stream& stream) {
        if (table.empty()) return nullptr;
        const std::size_t bytes = table.size() * sizeof(T);
        T* const to = room_in<T>(device_, bytes, "a table of a strip");
        check(cudaMemcpyAsync(to, table.data(), bytes, cudaMemcpyHostToDevice, stream.get()),
              "copy a table of a strip");
        return to;
    }

private:
    DeviceBuffer device_;
};

/// What the kernels of a strip read beside lines and nodes.
struct StripTables {
    struct Level {
        StripTable blocks, rows, groups, merge_laws, image_laws;
    };
    std::array<Level, BlocksOfPixels::most_levels> levels;
    StripTable taken, first_taken;
    Event read;  ///< by all of them
};

class FactorisedPlan final : public StepPlan {
public:
    FactorisedPlan(const FactorisedAccumulation& pass, SharedContext context)
        : pass_(pass),
          context_(std::move(context)),
          tree_(pass_, 0),
          between_cells_(pass_.factors.line_taps, power_between(pass_.range_power, pass_.cells_per_column)),
          between_nodes_(pass_.factors.cell_taps, power_between(pass_.range_power, pass_.factors.nodes_per_column)) {
        context_->use();
        const Factorisation& factors = pass_.factors;
        if (factors.levels > BlocksOfPixels::most_levels || factors.row_taps > RowBlend::most_taps)
            throw Unsupported("factorised back-projection: more levels or taps than its kernels have");
        shift_ = {.terms = {factors.law_terms, factors.column_terms},
                  .rows = {.weights = tables_(row_weights<float>(factors), "weights between rows"),
                           .taps = factors.row_taps,
                           .first_step = factors.step_of(0)},
                  .taps = factors.cell_taps,
                  .capacity = FactorShift::capacity_for(factors),
                  .failed = nullptr};
        shift_.failed = room_in<int>(failed_, sizeof(int), "a flag");
        image_.shift = shift_;
        image_.window = view_of(pass_.sum.window, tables_(pass_.sum.window.weight, "the Doppler window"));
        image_.mesh = view_of(tree_.geometry.pixels);
        image_.mesh.nodes = tables_(tree_.geometry.pixels.nodes, "the places of the pixels");
        image_.covered_rows =
            pass_.sum.covered_rows.empty() ? nullptr : tables_(pass_.sum.covered_rows, "the covered rows");
        image_.straight_hz = straight_hz(pass_);
        image_.rows = pass_.sum.rows;
        image_.columns = pass_.sum.columns;
        if (tree_.has_heights()) prepare_heights();
    }

    void run(const Matrix& in, Matrix& out) override {
        const Accumulation& sum = pass_.sum;
        context_->use();
        require_matrix(in, SampleFormat::complex64, sum.lines, sum.cells, "factorised back-projection: the lines");
        require_matrix(out, SampleFormat::complex64, sum.rows, sum.columns, "factorised back-projection: the image");
        if (sum.rows == 0 || sum.columns == 0) return;
        const Stream& stream = context_->stream;
        check(cudaMemsetAsync(shift_.failed, 0, sizeof(int), stream.get()), "clear a flag");
        compressed_ = in.data<Complex64>();
        image_.image = out.data<Complex64>();
        const std::int64_t width = pass_.columns_of_strip(FactorisedAccumulation::nodes_on_gpu);
        for (std::int64_t first = 0; first < sum.columns; first += width) {
            form({first, std::min(width, sum.columns - first)}, tables_of_strips_[0]);
            std::swap(tables_of_strips_[0], tables_of_strips_[1]);
        }
        int failed = 0;
        check(cudaMemcpyAsync(&failed, shift_.failed, sizeof failed, cudaMemcpyDeviceToHost, stream.get()),
              "copy a flag");
        stream.synchronize();
        if (failed != 0) throw Unsupported(cells_do_not_follow);
    }

    bool needs_host() const override { return true; }

private:
    void prepare_heights() {
        if (pass_.factors.row_taps > RaisedRowWeights::most_taps)
            throw Unsupported("factorised back-projection: more rows of nodes for a pixel with a height than are read");
        heights_m_ = tables_(tree_.geometry.relief_m, "the relief");
        raised_rows_ = raised_row_weights(pass_.factors);
    }

    /// Of a level, on the device.
    struct LevelOnDevice {
        FactorLevelView view{};
        DeviceBuffer nodes;
        Complex64* values = nullptr;
    };

    /// Calls f.operator()<Taps, Terms>() of the kernels to be taken.
    template <class F>
    void with_size(int taps, const F& f) const {
        with_size_for(taps, pass_.factors.column_terms, f);
    }
    /// Ends before the device does: the host goes on with the next strip meanwhile, in other tables.
    void form(const ColumnStrip& strip, StripTables& tables) {
        tables.read.synchronize();
        tree_.lay_out(strip);
        for (int l = 0; l < pass_.factors.levels; ++l) {
            tree_.find_laws(l);
            put(l, tables.levels[static_cast<std::size_t>(l)], level_at(l));
            wait_for_tables();
            l == 0 ? sum_lines() : merge(l);
        }
        tree_.find_image_laws();
        const TakenBlocks taken = taken_blocks(tree_, strip);
        if (tree_.has_heights()) find_raised_laws(tree_, taken);
        for (int l = 0; l < pass_.factors.levels; ++l) {
            level_at(l).view.image_laws =
                tables.levels[static_cast<std::size_t>(l)].image_laws.put(pixel_laws(tree_, l), copies_);
            image_.levels[l] = {level_at(l).view, level_at(l).values};
        }
        image_.taken = tables.taken.put(taken.taken, copies_);
        image_.first_taken = tables.first_taken.put(taken.first, copies_);
        image_.strip = strip;
        if (!tree_.has_heights()) image_.shift.capacity = cells_of_columns(tree_, strip, factor_threads);
        wait_for_tables();
        sum_blocks(taken.first);
        context_->stream.record(tables.read);
    }
    void wait_for_tables() const {
        copies_.record(copied_);
        context_->stream.wait(copied_);
    }

    LevelOnDevice& level_at(int level) { return levels_[static_cast<std::size_t>(level)]; }
    void put(int l, StripTables::Level& tables, LevelOnDevice& to) const {
        const FactorLevel& level = tree_.levels[static_cast<std::size_t>(l)];
        const FactorLevelTables host = tables_of(tree_, l);
        to.view =
            view_of(host, level.step, tables.blocks.put(host.blocks, copies_), tables.rows.put(host.rows, copies_),
                    tables.groups.put(host.groups, copies_), tables.merge_laws.put(level.merge_laws, copies_));
        to.values =
            room_in<Complex64>(to.nodes, level.values / 2 * sizeof(Complex64), "nodes of factorised back-projection");
    }
    /// Calls form(laws) for groups of a level's rows, as many at a time as there is room for laws.
    template <int Terms, class Form>
    void for_groups(const FactorLevelView& level, std::int64_t laws_of_row, const Form& form) {
        const auto laws = static_cast<int>(laws_of_row);
        const std::size_t bytes_of_group = static_cast<std::size_t>(rows_at_once * laws * Terms) * sizeof(double);
        const auto at_once = static_cast<std::int64_t>(std::max<std::size_t>(1, most_law_bytes / bytes_of_group));
        for (std::int64_t first = 0; first < level.group_count; first += at_once) {
            const std::int64_t groups = std::min(at_once, level.group_count - first);
            const NodeLaws to{
                level,  shift_.terms,
                laws,   first,
                groups, room_in<double>(along_, static_cast<std::size_t>(groups) * bytes_of_group, "laws")};
            launch(NodeLawsAlongRows<Terms>{to}, context_->stream);
            form(to);
        }
    }
    void sum_lines() {
        const LevelOnDevice& level = level_at(0);
        with_size(between_cells_.taps(), [&]<int Taps, int Terms>() {
            for_groups<Terms>(level.view, 2 * pass_.factors.block_lines, [&](const NodeLaws& laws) {
                const LinesOnNodes<Taps, Terms> kernel{laws,
                                                       tap_polynomials<Taps>(between_cells_),
                                                       between_cells_.taps(),
                                                       compressed_,
                                                       pass_.sum.cells,
                                                       LinesOnNodes<Taps, Terms>::capacity_for(pass_),
                                                       shift_.failed,
                                                       level.values};
                launch(kernel, context_->stream, kernel.shared_bytes());
            });
        });
    }
    void merge(int l) {
        const LevelOnDevice &below = level_at(l - 1), &level = level_at(l);
        const int merged = pass_.factors.merged;
        with_size(shift_.taps, [&]<int Taps, int Terms>() {
            for_groups<Terms>(level.view, 2 * merged, [&](const NodeLaws& laws) {
                const MergedBlocks<Taps, Terms> kernel{
                    laws,   below.view,   shift_,      tap_polynomials<Taps>(between_nodes_),
                    merged, below.values, level.values};
                launch(kernel, context_->stream, kernel.shared_bytes());
            });
        });
    }
    void sum_blocks(const std::vector<std::int64_t>& first_taken) {
        with_size(shift_.taps, [&]<int Taps, int Terms>() {
            if (tree_.has_heights())
                for_times<RaisedWarpLaws::count, Terms>(first_taken, [&] { sum_raised(Terms); });
            else
                for_times<ImageOfBlocks<Taps, Terms>::laws, Terms>(first_taken, [&] {
                    const ImageOfBlocks<Taps, Terms> kernel{image_, tap_polynomials<Taps>(between_nodes_)};
                    launch(kernel, context_->stream, kernel.shared_bytes());
                });
        });
    }
    void sum_raised(int law_stride) const {
        with_exact_taps(shift_.taps, [&]<int Taps>() {
            const RaisedImage<Taps> kernel{
                image_, tap_polynomials<Taps>(between_nodes_), raised_rows_, law_stride, heights_m_, tree_.highest_m};
            launch(kernel, context_->stream, kernel.shared_bytes());
        });
    }
    /// Calls sum() for rows by rows_taken_together, as many at a time as there is room for laws.
    template <int Laws, int Terms, class Sum>
    void for_times(const std::vector<std::int64_t>& first_taken, const Sum& sum) {
        constexpr std::size_t bytes_of_taken = sizeof(double) * rows_taken_together * Laws * Terms;
        const auto at_once = static_cast<std::int64_t>(most_law_bytes / bytes_of_taken),
                   times = static_cast<std::int64_t>(first_taken.size()) - 1;
        const auto first_of = [&](std::int64_t time) { return first_taken[static_cast<std::size_t>(time)]; };
        for (std::int64_t first = 0, last = 0; first < times; first = last) {
            last = first + 1;
            while (last < times && first_of(last + 1) - first_of(first) <= at_once) ++last;
            image_.times = {first, last};
            image_.taken_then = {first_of(first), first_of(last)};
            const auto count = static_cast<std::size_t>(first_of(last) - first_of(first));
            image_.along = room_in<double>(along_, std::max<std::size_t>(1, count) * bytes_of_taken, "laws");
            launch(PixelLawsAlongRows<Laws, Terms>{image_}, context_->stream);
            sum();
        }
    }

    FactorisedAccumulation pass_;
    SharedContext context_;
    FactorTree tree_;
    DeviceTables tables_;
    OptimalInterpolation between_cells_, between_nodes_;
    FactorShift shift_{};
    BlocksOfPixels image_{};
    const float* heights_m_ = nullptr;
    RaisedRowWeights raised_rows_{};  ///< where pixels have heights
    std::array<LevelOnDevice, BlocksOfPixels::most_levels> levels_;
    Stream copies_;  ///< of tables, beside the kernels of the strip before
    Event copied_;
    std::array<StripTables, 2> tables_of_strips_;
    DeviceBuffer failed_, along_;
    const Complex64* compressed_ = nullptr;
};

}  // namespace

std::unique_ptr<StepPlan> factorised_accumulation_plan(const FactorisedAccumulation& pass, SharedContext context) {
    return std::make_unique<FactorisedPlan>(pass, std::move(context));
}

}  // namespace cornerturn
