// SPDX-License-Identifier: Apache-2.0
// Heights in GeoTIFF: one channel in geographic coordinates, as tiles or strips.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/refusal.h"
#include "data/terrain/projected_terrain.h"
#include "data/terrain/raster_terrain.h"
#include "data/terrain/terrain_file.h"
#include "data/tiff/tiff_rows.h"

namespace cornerturn {
namespace {

bool is_projected(const GeoTiffFile& file) { return file.key(geo_key::model_type) == geo_value::projected; }

void tell_datum(const GeoTiffFile& file, StoredTerrain& terrain) {
    constexpr int egm96 = 5773, egm2008 = 3855, ellipsoid = 4979, ellipsoid_of_old = 5030;
    const std::optional<int> vertical = file.key(geo_key::vertical_type);
    if (vertical == egm96) {
        terrain.datum = HeightDatum::egm96;
    } else if (vertical == egm2008) {
        terrain.datum = HeightDatum::egm2008;
    } else if (vertical == ellipsoid || vertical == ellipsoid_of_old ||
               (!vertical && file.key(geo_key::geographic_type) == ellipsoid)) {
        terrain.datum = HeightDatum::ellipsoid;
    } else {
        terrain.says = vertical ? fmt::format("has heights of EPSG:{}, which are not known here", *vertical)
                                : "does not say what its heights are above";
    }
}

void require_on_map(const GeoTiffFile& file, const MapGrid& grid) {
    constexpr double farthest_m = 1e8, coarsest_m = 1e6;
    if (!(grid.x_step > 0 && grid.x_step < coarsest_m && grid.y_step != 0 && std::abs(grid.y_step) < coarsest_m &&
          std::abs(grid.first_x) < farthest_m && std::abs(grid.first_y) < farthest_m && grid.columns > 0 &&
          grid.rows > 0))
        refuse(file.name(), fmt::format("begins at x {} and y {} in steps of {} and {} m, expected a map of the Earth; "
                                        "{}",
                                        grid.first_x, grid.first_y, grid.x_step, grid.y_step, file.by_gdalwarp()));
}

void require_on_the_earth(const GeoTiffFile& file, const MapGrid& grid) {
    const bool plausible = grid.x_step > 0 && grid.y_step != 0 && std::abs(grid.first_y) <= 91 &&
                           std::abs(grid.first_x) <= 541 && grid.columns > 0 && grid.rows > 0;
    if (!plausible)
        refuse(file.name(), fmt::format("begins at latitude {} and longitude {} in steps of {} and {} degrees, "
                                        "expected degrees on the Earth; {}",
                                        grid.first_y, grid.first_x, grid.y_step, grid.x_step, file.by_gdalwarp()));
}

/// In degrees, or on a map in m.
RasterPlace place_of(const GeoTiffFile& file) {
    const bool projected = is_projected(file);
    if (!projected) file.require_degrees();
    const MapGrid grid = file.pixels();
    if (projected) {
        require_on_map(file, grid);
    } else {
        require_on_the_earth(file, grid);
    }
    return {.rows = grid.rows,
            .columns = grid.columns,
            .first_latitude_deg = grid.first_y,
            .latitude_step_deg = grid.y_step,
            .first_longitude_deg = grid.first_x,
            .longitude_step_deg = grid.x_step,
            .projected = projected};
}

/// Numbers of a type as heights.
using Convert = void (*)(const std::byte* from, std::span<float> to);
template <class Number>
void convert(const std::byte* from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        Number number;
        std::memcpy(&number, from + i * sizeof(Number), sizeof(Number));
        to[i] = static_cast<float>(number);
    }
}

struct Numbers {
    Convert convert = nullptr;
    std::size_t bytes = 0;
};
Numbers numbers_of(const GeoTiffFile& file) {
    const std::string& name = file.name();
    TIFF* const tiff = file.get();
    std::uint16_t bits = 1, format = SAMPLEFORMAT_UINT, channels = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
    if (channels != 1)
        refuse(name, fmt::format("has {} channels, expected one of heights; gdal_translate -b 1", channels));
    if (format == SAMPLEFORMAT_IEEEFP && bits == 32) return {convert<float>, 4};
    if (format == SAMPLEFORMAT_IEEEFP && bits == 64) return {convert<double>, 8};
    if (format == SAMPLEFORMAT_INT && bits == 16) return {convert<std::int16_t>, 2};
    if (format == SAMPLEFORMAT_INT && bits == 32) return {convert<std::int32_t>, 4};
    if (format == SAMPLEFORMAT_UINT && bits == 16) return {convert<std::uint16_t>, 2};
    refuse(name,
           fmt::format(
               "holds numbers of {} bits (sample format {}), expected int16 or float32; gdal_translate -ot Float32",
               bits, format));
}

std::optional<float> nodata_of(const GeoTiffFile& file) {
    constexpr std::uint32_t nodata_tag = 42113;  // GDAL's
    const std::vector<char> text = file.values<char>(nodata_tag);
    if (text.empty()) return std::nullopt;
    const std::string number(text.begin(), std::find(text.begin(), text.end(), '\0'));
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    return end != number.c_str() ? std::optional(static_cast<float>(value)) : std::nullopt;
}

/// Heights in feet look like heights.
void require_metres(const GeoTiffFile& file, const std::map<std::string, std::string>& facts) {
    const auto unit = facts.find("UNITTYPE");
    const std::optional<int> key = file.key(geo_key::vertical_units);
    const bool other_key = key && *key != geo_value::metres,
               other_unit =
                   unit != facts.end() &&
                   !std::set<std::string_view>{"", "m", "metre", "metres", "meter", "meters"}.contains(unit->second);
    if (other_key || other_unit)
        refuse(file.name(), fmt::format("has heights in {}, expected m; gdal_calc.py -A {} --outfile dem.tif "
                                        "--calc \"A*0.3048\" makes metres of feet",
                                        other_unit ? shown(unit->second) : fmt::format("EPSG:{}", *key), file.name()));
}

class GeoTiffTerrain final : public RasterTerrain {
public:
    explicit GeoTiffTerrain(GeoTiffFile file)
        : RasterTerrain(file.name(), place_of(file)),
          numbers_(numbers_of(file)),
          nodata_(nodata_of(file)),
          scale_(scale_of(file)),
          rows_(std::move(file), numbers_.bytes) {}

private:
    static GdalScale scale_of(const GeoTiffFile& file) {
        const std::map<std::string, std::string> facts = gdal_metadata_of(file);
        require_metres(file, facts);
        return gdal_scale(file, facts);
    }

    void read_row(std::int64_t row, std::int64_t first_column, std::span<float> height_m) override {
        stored_.resize(height_m.size() * numbers_.bytes);
        rows_.read(row, first_column, stored_);
        numbers_.convert(stored_.data(), height_m);
        if (nodata_) std::replace(height_m.begin(), height_m.end(), *nodata_, std::numeric_limits<float>::quiet_NaN());
        if (scale_.factor == 1 && scale_.offset == 0) return;
        for (float& height : height_m) height = static_cast<float>(scale_.factor * height + scale_.offset);
    }

    Numbers numbers_;
    std::optional<float> nodata_;  ///< as it is stored
    GdalScale scale_;
    TiffRows rows_;
    std::vector<std::byte> stored_;
};

}  // namespace

StoredTerrain open_geotiff(const std::string& path) {
    GeoTiffFile file(path);
    StoredTerrain terrain;
    tell_datum(file, terrain);
    const auto projection = is_projected(file) ? std::optional(epsg_projection(file)) : std::nullopt;
    const std::string way_out = file.by_gdalwarp();
    auto raster = std::make_unique<GeoTiffTerrain>(std::move(file));
    if (!projection) {
        terrain.source = std::move(raster);
        return terrain;
    }
    try {
        terrain.source = std::make_unique<ProjectedTerrain>(std::move(raster), *projection);
    } catch (const InputError& error) {
        refuse(path, fmt::format("its map cannot be read ({}); {}", error.what(), way_out));
    }
    return terrain;
}

}  // namespace cornerturn
