// SPDX-License-Identifier: Apache-2.0
// Where everything lies in a cloud-optimised GeoTIFF whose tiles are not compressed: all places follow from the size of
// the image, so that its rows can be written as they come. Directories are at the front, then the tiles of the smallest
// overview, at last those of the image itself (OGC 21-026).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

/// What a pixel is.
enum class TiffSample { uint8, uint16, float32, complex_int16, complex_float32 };
std::int64_t bytes_of(TiffSample sample);

/// An entry of a TIFF directory, whose value is bytes already (little-endian).
struct TiffTag {
    std::uint16_t number = 0, type = 0;
    std::uint64_t count = 0;
    std::vector<std::byte> value;
};
TiffTag tiff_text(std::uint16_t number, const std::string& text);
TiffTag tiff_numbers(std::uint16_t number, const std::vector<double>& numbers);
TiffTag tiff_shorts(std::uint16_t number, const std::vector<std::uint16_t>& numbers);

/// The image (level 0) or one of its overviews.
struct CogLevel {
    std::int64_t rows = 0, columns = 0;
    std::int64_t tiles_down = 0, tiles_across = 0;
    std::uint64_t first_tile = 0;  ///< place of its samples in the file; the others follow row by row
};

struct CogLayout {
    std::int64_t tile = 512;        ///< rows and columns
    std::vector<std::byte> head;    ///< all that comes before the first tile
    std::vector<CogLevel> levels;   ///< each half as large as the one before, the last one within 512 x 512
    std::int64_t sample_bytes = 0;  ///< of a pixel
    std::uint64_t bytes = 0;        ///< of the file

    /// GDAL's leader and trailer of a tile: its size before it, its last four bytes again behind it.
    static constexpr std::uint64_t around = 4;

    /// From one tile to the next.
    std::uint64_t stride() const { return tile_bytes() + 2 * around; }
    std::uint64_t tile_bytes() const { return static_cast<std::uint64_t>(tile * tile * sample_bytes); }
};

/// `tags` are those of the image beyond what its shape tells: text, where it lies. BigTIFF from 4 GB on.
CogLayout cog_layout(std::int64_t rows, std::int64_t columns, TiffSample sample, const std::vector<TiffTag>& tags);

}  // namespace cornerturn
