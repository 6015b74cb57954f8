// SPDX-License-Identifier: Apache-2.0
// Plan of back-projection in tiles: the lines that a tile needs, and whether the approximations within tiles and
// blocks of lines are accurate enough.
#pragma once

#include <array>
#include <vector>

#include "kernels/back_projection/accumulation_tile.h"

namespace cornerturn {

/// Lines between those that are looked at when it is asked which of them a tile needs; the last one is, too.
inline constexpr std::int64_t looked_at_every = 8;

/// Whether the Doppler window weighs a line anywhere in a tile.
CT_HOST_DEVICE bool weighs(const DopplerWindowView& window, const TileScale& scale, const TileLine& line) {
    if (window.weight == nullptr) return true;
    const double spread_hz = std::fabs(line.offset_hz.x) * scale.half_x + std::fabs(line.offset_hz.y) * scale.half_y;
    return (std::fabs(line.offset_hz.value) - spread_hz) * window.per_hz < window.middle;
}

/// Arrivals of a place in lines first, first + every, ..., in vector code.
void find_arrivals(const CompressedTiming& timing, const std::vector<PulsePath>& paths, std::int64_t first,
                   std::int64_t every, std::int64_t count, const Place& place, Arrival* to);

/// How a device sums a tile.
struct TileMethod {
    AlongPhase along;
    CellBends bends;
    Framing framing;
    std::int64_t segment_lines = 0;         ///< over which pixels are followed
    double largest_step_cycles = INFINITY;  ///< from pixel to pixel, where phase is stepped
};

/// A tile and what it sees of lines.
class Tile {
public:
    Tile(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image, std::int64_t tile_x,
         std::int64_t tile_y);

    const TileScale& scale() const { return scale_; }
    const TileHeights& heights() const { return heights_; }
    double centre_x() const { return centre_x_; }
    double centre_y() const { return centre_y_; }
    const std::array<TilePoint, tile_points>& points() const { return points_; }
    double cells_per_cycle() const { return pass_.timing.cell_rate_hz / pass_.timing.carrier_hz; }
    TileLine line(std::int64_t number, AlongPhase along) const;
    /// Lines that any of its pixels needs.
    IndexRange lines() const;
    /// Energy of the sums of its pixels to that of what is neglected, arithmetic apart: at `looks` places of the tile
    /// each way and at its lowest and highest pixels, in as many blocks and lines of a block.
    double signal_to_error_db(IndexRange lines, const TileMethod& method, int block_lines, int looks) const;
    /// Likewise of one block, at its first and last line, which are farthest from its frame, as if it were long; at the
    /// corners of the tile and places between that change from block to block. `weight` is the mean square of lines'
    /// weights, which the energy of the sums counts by: a block at the end of an aperture has little of its own.
    double block_signal_to_error_db(IndexRange block, const TileMethod& method, double weight) const;

private:
    /// A pixel as it is.
    struct Pixel {
        double x, y, height_m;  ///< above the tile's surface
        Place place;
        double centroid_hz;
    };
    struct Neglected;
    struct Approximation;
    Pixel pixel(double x, double y) const;
    void find_heights(const TilePixel& middle);
    void add_extremes(std::vector<Pixel>& pixels) const;
    /// At a part of the way from the tile's middle to its edges.
    Pixel pixel_at(double part_x, double part_y) const;
    Arrival exact(std::int64_t number, const Pixel& pixel) const {
        return arrival(pass_.timing, path(number), pixel.place);
    }
    double beyond(std::int64_t number, const TileLine& line, const Pixel& at) const;
    bool neglect(Neglected& neglected, const TileMethod& method, const TileLine& middle, std::int64_t number,
                 const std::vector<Pixel>& pixels, const std::vector<double>& bends) const;
    std::vector<double> bends(const TileMethod& method, IndexRange lines, std::int64_t middle_number,
                              const TileLine& middle, const std::vector<Pixel>& pixels) const;
    std::vector<double> quartic_bends(std::int64_t middle_number, const TileLine& middle,
                                      const std::vector<Pixel>& pixels) const;
    Approximation approximation(const TileMethod& method, const TileLine& middle, const TileLine& line, const Pixel& at,
                                double bent) const;
    const PulsePath& path(std::int64_t number) const { return geometry_.paths[static_cast<std::size_t>(number)]; }

    const Accumulation& pass_;
    const AccumulationGeometry& geometry_;
    const TiledImage& image_;
    TileScale scale_;
    PixelMeshView mesh_;
    DopplerWindowView window_;
    double mean_square_slope_;  ///< of the window
    TileHeights heights_;
    std::vector<TilePixel> extremes_;  ///< the lowest and the highest; none where there is no relief
    double centre_x_, centre_y_;
    std::array<TilePoint, tile_points> points_;
};

/// An image whose tiles lie along range: in the direction in which the cell changes most in its middle, and sheared if
/// that may be.
enum class Shear : std::uint8_t { never, where_it_pays };
TiledImage tiled_image(const Accumulation& pass, const AccumulationGeometry& geometry, TileShape tile,
                       Shear shear = Shear::never);

/// Some tiles all over an image, and the lines that they need: found once for all that is asked of them.
class SampledTiles {
public:
    /// What it is made of must outlive it.
    SampledTiles(const Accumulation& pass, const AccumulationGeometry& geometry, const TiledImage& image);
    SampledTiles(const SampledTiles&) = delete;
    SampledTiles& operator=(const SampledTiles&) = delete;

    /// That a tile needs of a line at most.
    double cells() const { return cells_; }
    /// By which the Doppler frequencies of a line change along a tile at most, less those of the pixels' centroids.
    double offsets_along_hz() const { return offsets_along_hz_; }
    /// Of the worst tile to the sums in double precision, arithmetic apart: what quadratic frames neglect.
    double signal_to_error_db(const TileMethod& method, int block_lines) const;
    /// Whether that is as much everywhere, of no more cells than a table has.
    bool hold(const TileMethod& method, int block_lines, double entries, double least_db) const;
    /// The part of the tiles of which both are true.
    double part_that_holds(const TileMethod& method, int block_lines, double entries, double least_db) const;

private:
    static constexpr int looks = 5;
    struct Sample {
        Tile tile;
        IndexRange lines;
        double cells;

        bool holds(const TileMethod& method, int block_lines, double entries, double least_db) const {
            return cells <= entries && tile.signal_to_error_db(lines, method, block_lines, looks) >= least_db;
        }
    };
    std::vector<Sample> samples_;
    double cells_ = 0, offsets_along_hz_ = 0;
};

}  // namespace cornerturn
