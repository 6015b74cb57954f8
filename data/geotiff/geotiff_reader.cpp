// SPDX-License-Identifier: Apache-2.0
#include "data/geotiff/geotiff_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "data/files/file_kind.h"
#include "data/files/image_facts.h"
#include "data/files/refusal.h"
#include "data/tiff/tiff_rows.h"

namespace cornerturn {
namespace {

/// Complex numbers of other kinds, and real ones, are refused by name.
bool are_integers(const GeoTiffFile& file) {
    std::uint16_t bits = 1, format = SAMPLEFORMAT_UINT, channels = 1;
    TIFFGetFieldDefaulted(file.get(), TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(file.get(), TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(file.get(), TIFFTAG_SAMPLESPERPIXEL, &channels);
    if (channels != 1) refuse(file.name(), fmt::format("has {} channels, expected one; gdal_translate -b 1", channels));
    if (format == SAMPLEFORMAT_COMPLEXIEEEFP && bits == 64) return false;
    if (format == SAMPLEFORMAT_COMPLEXINT && bits == 32) return true;
    if (format == SAMPLEFORMAT_COMPLEXIEEEFP || format == SAMPLEFORMAT_COMPLEXINT)
        refuse(file.name(), fmt::format("holds complex samples of {} bits, expected CFloat32 or CInt16; gdal_translate "
                                        "-ot CFloat32",
                                        bits));
    refuse(file.name(), fmt::format("holds real numbers of {} bits (sample format {}), expected complex samples of an "
                                    "image: of a detected one the phases are gone",
                                    bits, format));
}

/// Rows and columns of the first directory.
ImageGrid grid_of(const GeoTiffFile& file) {
    constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
    std::uint32_t columns = 0, rows = 0;
    TIFFGetField(file.get(), TIFFTAG_IMAGEWIDTH, &columns);
    TIFFGetField(file.get(), TIFFTAG_IMAGELENGTH, &rows);
    if (rows < 1 || columns < 1 || rows > most || columns > most)
        refuse(file.name(), fmt::format("has {} x {} pixels, expected 1 to {} each way", rows, columns, most));
    return {.rows = rows, .columns = columns};
}

class TiffSamples final : public SampleSource {
public:
    /// `scale`: of int16 parts, else they are float32.
    TiffSamples(TiffRows rows, std::optional<double> scale) : rows_(std::move(rows)), scale_(scale) {}

    std::int64_t row_unit() const override { return rows_.rows_of_tile(); }

    Pixels read(const PixelBlock& block) override {
        const auto columns = static_cast<std::size_t>(block.columns);
        Pixels pixels(block);
        std::vector<std::int16_t> parts(scale_ ? 2 * columns : 0);
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const std::span to = std::span(pixels.samples).subspan(static_cast<std::size_t>(row) * columns, columns);
            rows_.read(block.first_row + row, block.first_column,
                       scale_ ? std::as_writable_bytes(std::span(parts)) : std::as_writable_bytes(to));
            for (std::size_t i = 0; scale_ && i < columns; ++i)
                to[i] = {static_cast<float>(*scale_ * parts[2 * i]), static_cast<float>(*scale_ * parts[2 * i + 1])};
        }
        return pixels;
    }

private:
    TiffRows rows_;
    std::optional<double> scale_;
};

/// Nothing where control points tell the place, or nobody does.
std::optional<MapGrid> map_of(const GeoTiffFile& file) {
    constexpr std::size_t one_tie_point = 6;
    const bool scaled = !file.values<double>(tiff_tag::pixel_scale).empty() &&
                        file.values<double>(tiff_tag::tie_points).size() == one_tie_point;
    const auto model = file.key(geo_key::model_type);
    if (!model || (!scaled && file.values<double>(tiff_tag::transformation).empty())) return std::nullopt;
    MapGrid map = file.pixels();
    if (*model == geo_value::user_defined)
        map.projection = MapProjection::local();
    else
        map.projection = epsg_projection(file);
    if (map.x_step == 0 || map.y_step == 0) refuse(file.name(), "has pixels without size (ModelPixelScale)");
    return map;
}

}  // namespace

bool is_tiff_image(const std::string& path) {
    return !beginning_of(path, 1).empty() && file_kind(path) == FileKind::tiff;
}

StoredImage open_tiff_image(const std::string& path) {
    GeoTiffFile opened(path);
    Image image;
    image.grid = grid_of(opened);
    const bool integers = are_integers(opened);
    TiffRows rows(std::move(opened), integers ? 4 : 8);
    const GeoTiffFile& file = rows.file();
    const std::map<std::string, std::string> facts = gdal_metadata_of(file);
    take_image_facts(path, facts, image);
    if (!image.map) image.map = map_of(file);
    const double scale = gdal_scale(file, facts).factor;
    return {"GeoTIFF", std::move(image),
            std::make_unique<TiffSamples>(std::move(rows), integers ? std::optional(scale) : std::nullopt)};
}

}  // namespace cornerturn
