// SPDX-License-Identifier: Apache-2.0
// Where the pixels of a GeoTIFF lie. Keys as in OGC 19-008r4 (GeoTIFF 1.1).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/tiff/tiff.h"
#include "data/tiff/tiff_tags.h"
#include "pipeline/acquisition/map_grid.h"

namespace cornerturn {

/// A GeoTIFF that is open. What it lacks or has too much throws InputError with its name and what to convert it by.
class GeoTiffFile {
public:
    explicit GeoTiffFile(const std::string& path);

    const std::string& name() const { return name_; }
    TIFF* get() const { return tiff_.get(); }

    /// Keys of the directory that have a single number of their own.
    std::optional<int> key(int number) const;
    bool has_degrees() const;
    /// Throws unless coordinates are longitudes and latitudes of WGS84 in degrees.
    void require_degrees() const;

    /// The pixels' centres, in the coordinates that it has; the projection is left open.
    MapGrid pixels() const;

    /// Throws InputError where the file has too few bytes for its pixels of so many bytes each, packed or not.
    void require_pixels(std::size_t bytes_each) const;

    /// "gdalwarp ...", which makes what is expected of this file.
    std::string by_gdalwarp() const;

    /// Values of a tag that libtiff does not know itself; none where the file has them in another type, as which
    /// libtiff hands them on.
    template <class Value>
    std::vector<Value> values(std::uint32_t tag) const {
        std::uint32_t count = 0;
        const Value* values = nullptr;
        if (!holds(tag, type_of(Value{})) || TIFFGetField(get(), tag, &count, &values) != 1 || values == nullptr)
            return {};
        return {values, values + count};
    }

private:
    static TIFFDataType type_of(double) { return TIFF_DOUBLE; }
    static TIFFDataType type_of(std::uint16_t) { return TIFF_SHORT; }
    static TIFFDataType type_of(char) { return TIFF_ASCII; }
    bool holds(std::uint32_t tag, TIFFDataType type) const;

    std::string name_;
    TiffHandle tiff_;
    std::map<int, int> keys_;
};

/// Names and values of GDAL's metadata; the band's scale, offset and unit among them by their roles, as SCALE, OFFSET
/// and UNITTYPE.
std::map<std::string, std::string> gdal_metadata_of(const GeoTiffFile& file);

/// What stored numbers stand for: factor times the number, and offset.
struct GdalScale {
    double factor = 1, offset = 0;
};
/// By SCALE and OFFSET of these facts; throws InputError where they are no numbers.
GdalScale gdal_scale(const GeoTiffFile& file, const std::map<std::string, std::string>& facts);

/// Its map's; throws InputError where that has no EPSG code.
MapProjection epsg_projection(const GeoTiffFile& file);

/// The grid of a GeoTIFF in any map that carries its EPSG code. Throws InputError.
MapGrid read_geotiff_grid(const std::string& path);

}  // namespace cornerturn
