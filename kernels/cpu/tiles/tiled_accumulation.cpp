// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/tiled_accumulation.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "kernels/back_projection/window_entries.h"
#include "kernels/cpu/tiles/tile_worker.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

/// Shapes of tiles, each with the most lines that a block may have; it takes half as many until it holds. That of least
/// cost is taken.
constexpr CpuTiling tilings[] = {{{256, 32}, AlongPhase::in_cells, 256}, {{128, 32}, AlongPhase::curved, 256},
                                 {{128, 32}, AlongPhase::stepped, 256},  {{64, 32}, AlongPhase::curved, 256},
                                 {{64, 32}, AlongPhase::stepped, 256},   {{32, 16}, AlongPhase::curved, 256}};
/// More is not to be had in single precision.
constexpr double best_signal_to_error_db = 103;

/// Of a pixel and a line, to those of sums whose phase is stepped: where a block begins each pixel is turned, and a
/// line is made ready for each tile. As profiles of an aircraft's echo have it, on an EPYC with AVX-512.
double costs(const CpuTiling& tiling) {
    constexpr double turn = 5, line = 900;
    const double sum = tiling.along == AlongPhase::in_cells ? 0.75 : tiling.along == AlongPhase::curved ? 1.15 : 1;
    return sum + turn / tiling.block_lines + line / (tiling.tile.across * tiling.tile.along);
}

/// Of the weights that are any.
double mean_square(const std::vector<float>& weights) {
    double sum = 0, count = 0;
    for (const double weight : weights)
        if (weight != 0) sum += weight * weight, ++count;
    return count > 0 ? sum / count : 1;
}

/// Wider than the image, a sheared tile could not be taken apart.
TiledImage image_in_tiles(const TiledScene& scene, TileShape tile) {
    TiledImage image = tiled_image(scene.pass, scene.geometry, tile, Shear::where_it_pays);
    if (image.across < tile.across) image.shear = 0;
    return image;
}

TiledScene scene_of(const Accumulation& pass, int lanes) {
    TiledScene scene{pass, pass.geometry(), lanes, {}, pass.window.weight, 0};
    scene.image = tiled_image(pass, scene.geometry, {64, 32});
    return scene;
}

/// Of the tiles that one is taken apart into where it does not hold, at a place so far across and along the image: the
/// least cost with which they do. One that needs no line does.
double cost_at(const TiledScene& scene, double across, double along) {
    constexpr double by_definition = 75;
    double least = by_definition;
    for (const TileShape shape : {TileShape{64, 32}, TileShape{16, 8}}) {
        const TiledImage tiled = scene.in_tiles(shape);
        const Tile tile(scene.pass, scene.geometry, tiled,
                        static_cast<std::int64_t>(across * static_cast<double>(tiled.tiles_across() - 1)),
                        static_cast<std::int64_t>(along * static_cast<double>(tiled.tiles_along() - 1)));
        const IndexRange lines = tile.lines();
        for (int block_lines = 64; block_lines >= fewest_block_lines(AlongPhase::curved); block_lines /= 4) {
            const double cost = costs({shape, AlongPhase::curved, block_lines});
            if (cost >= least) break;
            if (lines.first < lines.last && !scene.holds(tile, lines, AlongPhase::curved, block_lines)) continue;
            least = cost;
            break;
        }
    }
    return least;
}

}  // namespace

double tiled_rate(const Accumulation& pass) {
    constexpr int each_way = 4;
    const TiledScene scene = scene_of(pass, vector_lanes());
    if (!scene.has_hills() || pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return 1;
    std::array<double, each_way * each_way> cost{};
    for_each_line(
        each_way * each_way, omp_get_max_threads(),
        [&](std::int64_t i) {
            cost[static_cast<std::size_t>(i)] = cost_at(scene, static_cast<double>(i % each_way) / (each_way - 1),
                                                        static_cast<double>(i / each_way) / (each_way - 1));
        },
        1);
    return each_way * each_way / std::accumulate(cost.begin(), cost.end(), 0.0);
}

TiledAccumulation::TiledAccumulation(const Accumulation& pass, int threads, int lanes)
    : scene_(std::make_unique<TiledScene>(TiledScene{pass, pass.geometry(), lanes, {}, pass.window.weight, 0})) {
    line_adder(lanes, AlongPhase::stepped, CellBends::along, false);
    if (static_cast<std::int64_t>(scene_->geometry.paths.size()) != pass.lines)
        throw std::logic_error("back-projection needs a path of the antenna for each line");
    if (!scene_->window.empty()) {
        scene_->level_weight = scene_->window[(scene_->window.size() - 1) / 2];
        scene_->mean_square_weight = mean_square(scene_->window);
        scene_->level_from_middle = straight_from_middle(scene_->window, 1, true, 0);
        scene_->largest_weight_bend = 1e-5f * *std::max_element(scene_->window.begin(), scene_->window.end());
        scene_->window.resize(scene_->window.size() + 2 * most_lanes);
    }
    for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<TileWorker>(*scene_));
    scene_->image = tiled_image(pass, scene_->geometry, {64, 32});
    if (pass.rows == 0 || pass.columns == 0 || pass.lines == 0) return;
    if (pass.signal_to_error_db > best_signal_to_error_db) return;
    for (CpuTiling tiling : tilings) {
        scene_->image = image_in_tiles(*scene_, tiling.tile);
        const auto may_be_taken = [&] {
            return tiling.block_lines >= fewest_block_lines(tiling.along) &&
                   (!tiling_ || costs(tiling) < costs(*tiling_));
        };
        while (may_be_taken() && !scene_->holds(tiling)) tiling.block_lines /= 2;
        if (may_be_taken()) tiling_ = tiling;
    }
    // Where most tiles do not hold, those that do are found one by one.
    if (!tiling_) tiling_ = CpuTiling{{32, 16}, AlongPhase::curved, most_block_lines};
    scene_->image = image_in_tiles(*scene_, tiling_->tile);
}

TiledAccumulation::~TiledAccumulation() = default;

void TiledAccumulation::run(const Matrix& in, Matrix& out) {
    const Accumulation& pass = scene_->pass;
    require_matrix(in, SampleFormat::complex64, pass.lines, pass.cells, "back-projection: the lines");
    require_matrix(out, SampleFormat::complex64, pass.rows, pass.columns, "back-projection: the image");
    run(in.data<Complex64>(), out.data<Complex64>());
}

void TiledAccumulation::run(const Complex64* compressed, Complex64* image) {
    exact_tiles_ = 0;
    const std::int64_t across = scene_->image.tiles_across(), along = scene_->image.tiles_along();
    for_each_line(
        across * along, static_cast<int>(workers_.size()),
        [&](std::int64_t tile) {
            TileWorker& worker = *workers_[static_cast<std::size_t>(omp_get_thread_num())];
            const std::int64_t x = tile % across, y = tile / across;
            if (tiling_)
                exact_tiles_ += worker.sum(*tiling_, x, y, compressed, image);
            else
                worker.sum_exactly(scene_->image, x, y, compressed, image), ++exact_tiles_;
        },
        1);
}

}  // namespace cornerturn
