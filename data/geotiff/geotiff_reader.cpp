// SPDX-License-Identifier: Apache-2.0
#include "data/geotiff/geotiff_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "data/files/file_kind.h"
#include "data/files/image_facts.h"
#include "data/files/refusal.h"
#include "data/tiff/geotiff.h"
#include "data/xml/xml_element.h"

namespace cornerturn {
namespace {

/// Shape and storage of the first directory's samples.
struct TiffMatrix {
    std::int64_t rows = 0, columns = 0;
    std::int64_t tile_rows = 0, tile_columns = 0;  ///< 0: strips
    std::int64_t strip_rows = 1;
    bool integers = false;  ///< int16 parts, else float32

    std::size_t sample_bytes() const { return integers ? 4 : 8; }
};

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

TiffMatrix matrix_of(const GeoTiffFile& file) {
    constexpr std::uint32_t most = std::numeric_limits<std::int32_t>::max();
    std::uint32_t columns = 0, rows = 0, tile_columns = 0, tile_rows = 0, strip_rows = 0;
    TIFFGetField(file.get(), TIFFTAG_IMAGEWIDTH, &columns);
    TIFFGetField(file.get(), TIFFTAG_IMAGELENGTH, &rows);
    if (rows < 1 || columns < 1 || rows > most || columns > most)
        refuse(file.name(), fmt::format("has {} x {} pixels, expected 1 to {} each way", rows, columns, most));
    TiffMatrix matrix{.rows = rows, .columns = columns, .integers = are_integers(file)};
    file.require_pixels(matrix.sample_bytes());
    if (TIFFIsTiled(file.get())) {
        TIFFGetField(file.get(), TIFFTAG_TILEWIDTH, &tile_columns);
        TIFFGetField(file.get(), TIFFTAG_TILELENGTH, &tile_rows);
        constexpr std::uint32_t widest = 1 << 14;
        constexpr double usual_tile = 1 << 20;  // which may be larger than a small image
        const double tile = static_cast<double>(tile_rows) * tile_columns;
        if (tile < 1 || tile_columns > widest || tile_rows > widest ||
            tile > std::max(4.0 * rows * columns, usual_tile))
            refuse(file.name(), fmt::format("has tiles of {} x {} pixels for an image of {} x {}; the file is damaged",
                                            tile_rows, tile_columns, rows, columns));
        matrix.tile_rows = tile_rows, matrix.tile_columns = tile_columns;
    } else {
        TIFFGetFieldDefaulted(file.get(), TIFFTAG_ROWSPERSTRIP, &strip_rows);
        matrix.strip_rows = std::clamp<std::int64_t>(strip_rows, 1, rows);
    }
    return matrix;
}

/// Tiles, or rows of strips, as the file is made of them; a row of tiles is kept for what is read next.
class TiffSamples final : public SampleSource {
public:
    TiffSamples(GeoTiffFile file, const TiffMatrix& matrix, double scale)
        : file_(std::move(file)), matrix_(matrix), scale_(scale) {}

    std::int64_t row_unit() const override { return std::max<std::int64_t>(1, matrix_.tile_rows); }

    Pixels read(const PixelBlock& block) override {
        Pixels pixels{block, std::vector<std::complex<float>>(static_cast<std::size_t>(block.rows * block.columns))};
        for (std::int64_t row = 0; row < block.rows; ++row) {
            const std::span to =
                std::span(pixels.samples)
                    .subspan(static_cast<std::size_t>(row * block.columns), static_cast<std::size_t>(block.columns));
            matrix_.tile_rows > 0 ? read_from_tiles(block.first_row + row, block.first_column, to)
                                  : read_from_strips(block.first_row + row, block.first_column, to);
        }
        return pixels;
    }

private:
    template <class Result>
    void whole(Result result) const {
        if (result < 0) refuse(file_.name(), fmt::format("cannot be read: {}; the file is damaged", tiff_complaint()));
    }

    void read_from_tiles(std::int64_t row, std::int64_t first_column, std::span<std::complex<float>> to) {
        const std::int64_t width = matrix_.tile_columns, of_tiles = row / matrix_.tile_rows,
                           first = first_column / width, last = (first_column + std::ssize(to) - 1) / width;
        const auto tile_bytes = static_cast<std::size_t>(TIFFTileSize(file_.get()));
        if (of_tiles != kept_row_ || first < kept_first_ || last > kept_last_) {
            kept_.resize(tile_bytes * static_cast<std::size_t>(last - first + 1));
            kept_row_ = -1;
            for (std::int64_t tile = first; tile <= last; ++tile)
                whole(TIFFReadTile(file_.get(), kept_.data() + static_cast<std::size_t>(tile - first) * tile_bytes,
                                   static_cast<std::uint32_t>(tile * width),
                                   static_cast<std::uint32_t>(of_tiles * matrix_.tile_rows), 0, 0));
            kept_row_ = of_tiles, kept_first_ = first, kept_last_ = last;
        }
        const std::int64_t row_of_tile = (row - of_tiles * matrix_.tile_rows) * width;
        for (std::size_t done = 0; done < to.size();) {
            const std::int64_t column = first_column + static_cast<std::int64_t>(done), tile = column / width,
                               within = column % width;
            const std::size_t count = std::min(to.size() - done, static_cast<std::size_t>(width - within));
            take(kept_.data() + static_cast<std::size_t>(tile - kept_first_) * tile_bytes +
                     static_cast<std::size_t>(row_of_tile + within) * matrix_.sample_bytes(),
                 to.subspan(done, count));
            done += count;
        }
    }

    /// What is compressed has to be read from the beginning of its strip.
    void read_from_strips(std::int64_t row, std::int64_t first_column, std::span<std::complex<float>> to) {
        const std::int64_t begin = row / matrix_.strip_rows * matrix_.strip_rows;
        if (row != kept_row_) {
            kept_.resize(static_cast<std::size_t>(TIFFScanlineSize(file_.get())));
            const std::int64_t next = kept_row_ + 1;
            kept_row_ = -1;
            for (std::int64_t at = next > begin && next <= row ? next : begin; at <= row; ++at)
                whole(TIFFReadScanline(file_.get(), kept_.data(), static_cast<std::uint32_t>(at), 0));
            kept_row_ = row;
        }
        take(kept_.data() + static_cast<std::size_t>(first_column) * matrix_.sample_bytes(), to);
    }

    void take(const std::byte* from, std::span<std::complex<float>> to) const {
        if (!matrix_.integers) {
            std::memcpy(to.data(), from, to.size_bytes());
            return;
        }
        for (std::size_t i = 0; i < to.size(); ++i) {
            std::int16_t parts[2];
            std::memcpy(parts, from + i * sizeof(parts), sizeof(parts));
            to[i] = {static_cast<float>(scale_ * parts[0]), static_cast<float>(scale_ * parts[1])};
        }
    }

    GeoTiffFile file_;
    TiffMatrix matrix_;
    double scale_;
    std::vector<std::byte> kept_;
    std::int64_t kept_row_ = -1;  ///< of tiles, else of the image
    std::int64_t kept_first_ = 0, kept_last_ = -1;
};

/// Names and values of GDAL's metadata; the band's scale and offset among them by their roles, as SCALE and OFFSET.
std::map<std::string, std::string> metadata_of(const GeoTiffFile& file) {
    std::map<std::string, std::string> facts;
    const std::vector<char> text = file.values<char>(tiff_tag::gdal_metadata);
    if (text.empty()) return facts;
    const std::string_view xml(text.begin(), std::find(text.begin(), text.end(), '\0'));
    for (const XmlElement& item : XmlElement::parse(file.name(), std::as_bytes(std::span(xml))).all("Item"))
        if (const auto name = item.attribute("name")) facts[*name] = item.text();
    return facts;
}

double scale_of(const GeoTiffFile& file, const std::map<std::string, std::string>& facts) {
    const auto found = facts.find("SCALE");
    if (found == facts.end()) return 1;
    char* end = nullptr;
    const double scale = std::strtod(found->second.c_str(), &end);
    if (end == found->second.c_str() || !std::isfinite(scale) || scale == 0)
        refuse(file.name(), fmt::format("SCALE is '{}', expected a number", shown(found->second)));
    return scale;
}

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
    GeoTiffFile file(path);
    const TiffMatrix matrix = matrix_of(file);
    Image image;
    image.grid.rows = matrix.rows, image.grid.columns = matrix.columns;
    const std::map<std::string, std::string> facts = metadata_of(file);
    take_image_facts(path, facts, image);
    if (!image.map) image.map = map_of(file);
    const double scale = scale_of(file, facts);
    return {"GeoTIFF", std::move(image), std::make_unique<TiffSamples>(std::move(file), matrix, scale)};
}

}  // namespace cornerturn
