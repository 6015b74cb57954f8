// SPDX-License-Identifier: Apache-2.0
// An image in tiles of pixels that are summed together: upright, or sheared towards range.
#pragma once

#include <cstdint>

#include "kernels/passes/accumulation.h"

namespace cornerturn {

/// Pixels that are summed together. `along` counts in the direction in which range changes most, `across` in the other.
struct TileShape {
    int across = 0, along = 0;
    CT_HOST_DEVICE std::int64_t pixels() const { return std::int64_t{across} * along; }
    friend bool operator==(const TileShape&, const TileShape&) = default;
};

/// Across and along.
struct TilePixel {
    std::int64_t x = 0, y = 0;
};

/// The image in terms of its tiles. Where range changes across the image half as much as along it or more, tiles may be
/// sheared, so that it changes less across them: pixel (x, y) of a tile, from its middle, is (x, y + shear x) of the
/// image. The tiles at either end along then reach beyond it, and so do the last ones across.
struct TiledImage {
    std::int64_t across = 0, along = 0;  ///< pixels
    bool columns_along = true;  ///< along are the columns of the image, across its rows; else the other way round
    TileShape tile;
    int shear = 0;  ///< -1, 0 or 1

    /// Half the extent over which quadratics are found: but for sheared tiles they never look beyond the image.
    CT_HOST_DEVICE double half_across() const {
        return 0.5 * static_cast<double>(tile.across < across ? tile.across : across);
    }
    CT_HOST_DEVICE double half_along() const {
        return 0.5 * static_cast<double>(tile.along < along ? tile.along : along);
    }
    CT_HOST_DEVICE std::int64_t tiles_across() const { return (across + tile.across - 1) / tile.across; }
    CT_HOST_DEVICE std::int64_t tiles_along() const { return (along + slant() + tile.along - 1) / tile.along; }
    /// Tiles at either end along that reach beyond the image.
    CT_HOST_DEVICE std::int64_t cut_tiles() const { return (slant() + tile.along - 1) / tile.along; }

    /// Of a tile, in the image.
    CT_HOST_DEVICE std::int64_t middle_x(std::int64_t number) const {
        if (shear != 0 && across >= tile.across) return number * tile.across + tile.across / 2;
        return first_of(number, tile.across, across) + tile.across / 2;
    }
    CT_HOST_DEVICE std::int64_t middle_y(std::int64_t number) const {
        if (shear != 0) return number * tile.along - tile.across / 2 + tile.along / 2;
        return first_of(number, tile.along, along) + tile.along / 2;
    }
    CT_HOST_DEVICE TilePixel middle(std::int64_t tile_x, std::int64_t tile_y) const {
        return {middle_x(tile_x), middle_y(tile_y)};
    }
    /// In the image, the pixel of a tile that is `x` and `y` from its middle.
    CT_HOST_DEVICE TilePixel pixel(const TilePixel& middle, int x, int y) const {
        return {middle.x + x, middle.y + y + shear * x};
    }

    /// First pixel of an upright tile. The last tile is moved back into the image, where it covers again what others
    /// have.
    CT_HOST_DEVICE static std::int64_t first_of(std::int64_t tile, int extent, std::int64_t pixels) {
        if (pixels < extent) return -((extent - pixels + 1) / 2);
        const std::int64_t first = tile * extent;
        return first + extent <= pixels ? first : pixels - extent;
    }
    /// To a pixel, of those that there are.
    CT_HOST_DEVICE TilePixel nearest(const TilePixel& at) const {
        const auto within = [](std::int64_t i, std::int64_t count) { return i < 0 ? 0 : i < count ? i : count - 1; };
        return {within(at.x, across), within(at.y, along)};
    }
    CT_HOST_DEVICE bool holds(std::int64_t x, std::int64_t y) const {
        return x >= 0 && x < across && y >= 0 && y < along;
    }
    /// Of the smaller tiles that make up a tile, which is no wider than the image: the first along of those at `part`
    /// across.
    CT_HOST_DEVICE std::int64_t first_part(std::int64_t tile_y, const TileShape& smaller, int part) const {
        const int slant = shear > 0   ? (part + 1) * smaller.across - tile.across
                          : shear < 0 ? -part * smaller.across
                                      : 0;
        return (tile_y * tile.along + slant) / smaller.along;
    }
    /// A pixel of a tile is stored by one tile only.
    CT_HOST_DEVICE bool owns(std::int64_t tile_x, std::int64_t tile_y, std::int64_t x, std::int64_t y) const {
        return holds(x, y) && x / tile.across == tile_x && (shear != 0 || y / tile.along == tile_y);
    }
    CT_HOST_DEVICE std::int64_t row(std::int64_t x, std::int64_t y) const { return columns_along ? x : y; }
    CT_HOST_DEVICE std::int64_t column(std::int64_t x, std::int64_t y) const { return columns_along ? y : x; }
    /// Of a pixel, in the image row by row.
    CT_HOST_DEVICE std::int64_t number(const TilePixel& at) const {
        return row(at.x, at.y) * (columns_along ? along : across) + column(at.x, at.y);
    }
    CT_HOST_DEVICE PixelNode node(const PixelMeshView& mesh, double x, double y) const {
        return columns_along ? mesh.at(x, y) : mesh.at(y, x);
    }
    /// `x` and `y` from the middle of a tile.
    CT_HOST_DEVICE PixelNode node_of_tile(const PixelMeshView& mesh, double centre_x, double centre_y, double x,
                                          double y) const {
        return node(mesh, centre_x + x, centre_y + y + shear * x);
    }

private:
    /// By which a tile's last row across lies beyond its first.
    CT_HOST_DEVICE int slant() const { return shear != 0 ? tile.across : 0; }
};

}  // namespace cornerturn
