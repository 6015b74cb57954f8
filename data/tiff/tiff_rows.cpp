// SPDX-License-Identifier: Apache-2.0
#include "data/tiff/tiff_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/files/refusal.h"

namespace cornerturn {

TiffRows::TiffRows(GeoTiffFile file, std::size_t pixel_bytes) : file_(std::move(file)), pixel_bytes_(pixel_bytes) {
    file_.require_pixels(pixel_bytes);
    std::uint32_t columns = 0, rows = 0, tile_columns = 0, tile_rows = 0, strip_rows = 0;
    TIFFGetField(file_.get(), TIFFTAG_IMAGEWIDTH, &columns);
    TIFFGetField(file_.get(), TIFFTAG_IMAGELENGTH, &rows);
    if (!TIFFIsTiled(file_.get())) {
        TIFFGetFieldDefaulted(file_.get(), TIFFTAG_ROWSPERSTRIP, &strip_rows);
        strip_rows_ = std::clamp<std::int64_t>(strip_rows, 1, std::max<std::int64_t>(1, rows));
        return;
    }
    TIFFGetField(file_.get(), TIFFTAG_TILEWIDTH, &tile_columns);
    TIFFGetField(file_.get(), TIFFTAG_TILELENGTH, &tile_rows);
    constexpr std::uint32_t widest = 1 << 14;
    constexpr double usual_tile = 1 << 20;  // which may be larger than a small image
    const double tile = static_cast<double>(tile_rows) * tile_columns;
    if (tile < 1 || tile_columns > widest || tile_rows > widest || tile > std::max(4.0 * rows * columns, usual_tile))
        refuse(file_.name(), fmt::format("has tiles of {} x {} pixels for an image of {} x {}; the file is damaged",
                                         tile_rows, tile_columns, rows, columns));
    tile_rows_ = tile_rows, tile_columns_ = tile_columns;
}

void TiffRows::read(std::int64_t row, std::int64_t first_column, std::span<std::byte> to) {
    tile_rows_ > 0 ? read_from_tiles(row, first_column, to) : read_from_strips(row, first_column, to);
}

void TiffRows::whole(std::int64_t result) const {
    if (result < 0) refuse(file_.name(), fmt::format("cannot be read: {}; the file is damaged", tiff_complaint()));
}

void TiffRows::read_from_tiles(std::int64_t row, std::int64_t first_column, std::span<std::byte> to) {
    const auto columns = static_cast<std::int64_t>(to.size() / pixel_bytes_);
    const std::int64_t width = tile_columns_, of_tiles = row / tile_rows_, first = first_column / width,
                       last = (first_column + columns - 1) / width;
    const auto tile_bytes = static_cast<std::size_t>(TIFFTileSize(file_.get()));
    if (of_tiles != kept_row_ || first < kept_first_ || last > kept_last_) {
        kept_.resize(tile_bytes * static_cast<std::size_t>(last - first + 1));
        kept_row_ = -1;
        for (std::int64_t tile = first; tile <= last; ++tile)
            whole(TIFFReadTile(file_.get(), kept_.data() + static_cast<std::size_t>(tile - first) * tile_bytes,
                               static_cast<std::uint32_t>(tile * width),
                               static_cast<std::uint32_t>(of_tiles * tile_rows_), 0, 0));
        kept_row_ = of_tiles, kept_first_ = first, kept_last_ = last;
    }
    const std::int64_t row_of_tile = (row - of_tiles * tile_rows_) * width;
    for (std::int64_t done = 0; done < columns;) {
        const std::int64_t tile = (first_column + done) / width, within = (first_column + done) % width,
                           count = std::min(columns - done, width - within);
        std::memcpy(to.data() + static_cast<std::size_t>(done) * pixel_bytes_,
                    kept_.data() + static_cast<std::size_t>(tile - kept_first_) * tile_bytes +
                        static_cast<std::size_t>(row_of_tile + within) * pixel_bytes_,
                    static_cast<std::size_t>(count) * pixel_bytes_);
        done += count;
    }
}

/// What is compressed has to be read from the beginning of its strip.
void TiffRows::read_from_strips(std::int64_t row, std::int64_t first_column, std::span<std::byte> to) {
    const std::int64_t begin = row / strip_rows_ * strip_rows_;
    if (row != kept_row_) {
        kept_.resize(static_cast<std::size_t>(TIFFScanlineSize(file_.get())));
        const std::int64_t next = kept_row_ + 1;
        kept_row_ = -1;
        for (std::int64_t at = next > begin && next <= row ? next : begin; at <= row; ++at)
            whole(TIFFReadScanline(file_.get(), kept_.data(), static_cast<std::uint32_t>(at), 0));
        kept_row_ = row;
    }
    std::memcpy(to.data(), kept_.data() + static_cast<std::size_t>(first_column) * pixel_bytes_, to.size());
}

}  // namespace cornerturn
