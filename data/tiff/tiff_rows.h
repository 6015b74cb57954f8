// SPDX-License-Identifier: Apache-2.0
// Pixels of a GeoTIFF row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/tiff/geotiff.h"

namespace cornerturn {

/// Tiles, or rows of strips, as the file is made of them; a row of tiles is kept for the rows that come next.
class TiffRows {
public:
    /// Throws InputError where the file has too few bytes for its pixels, or tiles that cannot be.
    TiffRows(GeoTiffFile file, std::size_t pixel_bytes);

    const GeoTiffFile& file() const { return file_; }
    /// Rows that are cheap to read one after the other.
    std::int64_t rows_of_tile() const { return tile_rows_ > 0 ? tile_rows_ : 1; }

    /// Pixels of a row from a column on, as stored, as many as `to` has room for. Throws InputError where they cannot
    /// be read.
    void read(std::int64_t row, std::int64_t first_column, std::span<std::byte> to);

private:
    void whole(std::int64_t result) const;
    void read_from_tiles(std::int64_t row, std::int64_t first_column, std::span<std::byte> to);
    void read_from_strips(std::int64_t row, std::int64_t first_column, std::span<std::byte> to);

    GeoTiffFile file_;
    std::size_t pixel_bytes_;
    std::int64_t tile_rows_ = 0, tile_columns_ = 0;  // 0: strips
    std::int64_t strip_rows_ = 1;
    std::vector<std::byte> kept_;
    std::int64_t kept_row_ = -1;  // of tiles, else of the image
    std::int64_t kept_first_ = 0, kept_last_ = -1;
};

}  // namespace cornerturn
