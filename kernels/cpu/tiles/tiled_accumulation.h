// SPDX-License-Identifier: Apache-2.0
// Back-projection on the CPU in tiles and vectors: single precision about frames in double precision, one for each
// block of lines (in the extreme for each line). Where no frame is a polynomial over a tile, its pixels are summed
// one by one in double precision.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/cpu/tiles/tiled_scene.h"
#include "kernels/device/lowering.h"
#include "kernels/host/vector_clones.h"

namespace cornerturn {

class TileWorker;

class TiledAccumulation final : public StepPlan {
public:
    /// Vectors of 16, 8 or 4 lanes; those of 4 run on any processor.
    TiledAccumulation(const Accumulation& pass, int threads, int lanes = vector_lanes());
    ~TiledAccumulation() override;

    /// in: lines x cells. out: rows x columns. Both complex64.
    void run(const Matrix& in, Matrix& out) override;
    void run(const Complex64* compressed, Complex64* image);

    /// Of most tiles, which each takes fewer lines, or is taken apart, where it must be. nullopt: more accuracy is
    /// asked for than tiles have.
    const std::optional<CpuTiling>& tiling() const { return tiling_; }
    const TiledImage& tiles() const { return scene_->image; }
    /// Tiles of the last run, or parts of them, that did not hold and were summed by their definition.
    std::int64_t exact_tiles() const { return exact_tiles_; }

private:
    std::unique_ptr<TiledScene> scene_;
    std::optional<CpuTiling> tiling_;
    std::vector<std::unique_ptr<TileWorker>> workers_;  ///< one for each thread
    std::atomic<std::int64_t> exact_tiles_ = 0;
};

/// Pixels that go through a tiled sum in the time in which one would whose tiles all hold: 1 over level ground, far
/// less where hills need frames for few lines. Some tiles all over the image are asked.
double tiled_rate(const Accumulation& pass);

}  // namespace cornerturn
