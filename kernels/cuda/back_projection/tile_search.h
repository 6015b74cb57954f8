// SPDX-License-Identifier: Apache-2.0
// Which kernel sums an image in tiles: all that the machine can, the fastest first, as far as samples of the tiles
// hold; over hills, where none of them may do everywhere, the one that does in most.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/cuda/back_projection/view.h"

namespace cornerturn {

class Stream;

/// A kernel, and what it can.
struct TileKernel {
    TileShape tile;
    AlongPhase along;
    CellBends bends;
    int entries;
    int stage_lines;  ///< that blocks are counted in whole numbers of
    int most_block_lines;
    bool follows;                ///< pixels over segments of lines
    double largest_step_cycles;  ///< of phase, from pixel to pixel
    double part_between_bends;   ///< of a tile, along
    double rate;  ///< pixels and lines in a second, of the fastest kernel's, while blocks of lines are long
    std::size_t (*shared_bytes)(int block_lines);
    void (*reserve)(std::size_t bytes);
    void (*launch)(const AccumulationView& view, const Stream& stream);

    /// What blocks cost, and segments over which pixels are followed (0: none), in lines: as seen on an H200.
    double rate_with(int block_lines, std::int64_t segment_lines) const {
        const int stages = (block_lines + stage_lines - 1) / stage_lines;
        const double filled = rate * block_lines / (stages * stage_lines);
        if (segment_lines == 0) return filled / (1 + 8.0 / block_lines);
        return filled / (1 + 18.0 / block_lines + 150.0 / static_cast<double>(segment_lines));
    }
};

/// Pixel by pixel in double precision, of the fastest kernel's rate: as seen on an H200.
inline constexpr double exact_rate = 0.011;
/// Where a part of the tiles holds, and the pixels of the others are summed exactly.
constexpr double rate_in_part(double rate, double part) { return 1 / (part / rate + (1 - part) / exact_rate); }

/// Lines of a block: the longer, the cheaper.
inline constexpr int block_lengths[] = {512, 384, 320, 256, 192, 128, 96, 80, 64, 48, 32, 16, 8, 4};

/// A kernel with blocks of lines, and segments over which it follows pixels.
struct TileChoice {
    const TileKernel* kernel;
    int block_lines, segment_lines;
    double rate() const { return kernel->rate_with(block_lines, segment_lines); }
};

class TileSearch {
public:
    /// What is looked at must outlive it. `shared_limit`: bytes that a block of threads may have.
    TileSearch(const Accumulation& pass, const AccumulationGeometry& geometry, std::span<const TileKernel> kernels,
               std::size_t shared_limit);

    struct Found {
        TileChoice choice;
        const TiledImage& tiled;
        const SampledTiles& tiles;
        double rate;  ///< what the choice has, unless some samples do not hold
    };
    /// The next one whose samples hold; over hills, if those of no choice do, the best in part.
    std::optional<Found> next();

private:
    struct Sampled {
        TiledImage tiled;
        std::unique_ptr<SampledTiles> tiles;
    };
    const Sampled& sampled(const TileKernel& kernel);
    double least_db(const TileKernel& kernel) const;
    std::optional<Found> best_in_part();

    const Accumulation& pass_;
    const AccumulationGeometry& geometry_;
    std::vector<TileChoice> choices_;
    std::size_t next_ = 0;
    bool in_part_;  ///< hills, and nothing was found that holds everywhere
    std::map<const TileKernel*, Sampled> sampled_;
};

}  // namespace cornerturn
