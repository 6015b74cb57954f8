// SPDX-License-Identifier: Apache-2.0
#include "data/tiff/geotiff.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "data/files/refusal.h"
#include "data/xml/xml_element.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

/// The corner or centre that pixel (0, 0) stands for, and the steps.
struct Corner {
    double x = 0, x_step = 0, y = 0, y_step = 0;
};
Corner corner_of(const GeoTiffFile& file) {
    const auto scale = file.values<double>(tiff_tag::pixel_scale), tie = file.values<double>(tiff_tag::tie_points),
               matrix = file.values<double>(tiff_tag::transformation);
    if (scale.size() >= 2 && tie.size() >= 6)
        return {tie[3] - tie[0] * scale[0], scale[0], tie[4] + tie[1] * scale[1], -scale[1]};
    if (matrix.size() < 16)
        refuse(file.name(), fmt::format("does not say where it lies (no ModelPixelScale and ModelTiepoint); {}",
                                        file.by_gdalwarp()));
    if (matrix[1] != 0 || matrix[4] != 0)
        refuse(file.name(), fmt::format("is turned against north; {}", file.by_gdalwarp()));
    return {matrix[3], matrix[0], matrix[7], matrix[5]};
}

/// `otherwise` where it is not told.
double number_told(const GeoTiffFile& file, const std::map<std::string, std::string>& facts, const std::string& name,
                   double otherwise) {
    const auto found = facts.find(name);
    if (found == facts.end()) return otherwise;
    const auto number = finite_number_from(found->second);
    if (!number) refuse(file.name(), fmt::format("{} is '{}', expected a number", name, shown(found->second)));
    return *number;
}

}  // namespace

/// Not mapped into memory: a file that becomes shorter meanwhile would end the program.
GeoTiffFile::GeoTiffFile(const std::string& path) : name_(path), tiff_(open_tiff(path, "rm")) {
    if (!tiff_) refuse(name_, fmt::format("cannot be read as TIFF: {}", tiff_complaint()));
    const std::vector<std::uint16_t> directory = values<std::uint16_t>(tiff_tag::geo_keys);
    for (std::size_t i = 4; i + 3 < directory.size(); i += 4)
        if (directory[i + 1] == 0 && directory[i + 2] == 1) keys_[directory[i]] = directory[i + 3];
}

bool GeoTiffFile::holds(std::uint32_t tag, TIFFDataType type) const {
    const TIFFField* const field = TIFFFindField(get(), tag, TIFF_ANY);
    return field != nullptr && TIFFFieldDataType(field) == type && TIFFFieldPassCount(field) != 0;
}

std::optional<int> GeoTiffFile::key(int number) const {
    const auto found = keys_.find(number);
    return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

bool GeoTiffFile::has_degrees() const { return key(geo_key::model_type) == geo_value::geographic; }

void GeoTiffFile::require_degrees() const {
    constexpr int wgs84 = 4326, wgs84_with_height = 4979;
    const std::optional<int> model = key(geo_key::model_type), datum = key(geo_key::geographic_type);
    if (!model)
        refuse(name_,
               fmt::format("has no GeoTIFF keys (GTModelType), expected geographic coordinates; {}", by_gdalwarp()));
    if (!has_degrees())
        refuse(name_,
               fmt::format(
                   "has projected coordinates (GTModelType {}), expected geographic ones, EPSG:4326 or EPSG:4979; {}",
                   *model, by_gdalwarp()));
    if (datum != wgs84 && datum != wgs84_with_height)
        refuse(name_, fmt::format("has coordinates of {}, expected EPSG:4326 or EPSG:4979; {}",
                                  datum ? fmt::format("EPSG:{}", *datum) : "a datum without number", by_gdalwarp()));
    if (const int units = key(geo_key::angular_units).value_or(geo_value::degrees); units != geo_value::degrees)
        refuse(name_, fmt::format("has coordinates in angular unit {}, expected degrees ({}); {}", units,
                                  geo_value::degrees, by_gdalwarp()));
}

MapGrid GeoTiffFile::pixels() const {
    std::uint32_t width = 0, height = 0;
    TIFFGetField(get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(get(), TIFFTAG_IMAGELENGTH, &height);
    const Corner corner = corner_of(*this);
    const double centre = key(geo_key::raster_type) == geo_value::pixel_is_point ? 0.0 : 0.5;
    return {.projection = {},
            .rows = height,
            .columns = width,
            .first_x = corner.x + centre * corner.x_step,
            .x_step = corner.x_step,
            .first_y = corner.y + centre * corner.y_step,
            .y_step = corner.y_step};
}

void GeoTiffFile::require_pixels(std::size_t bytes_each) const {
    constexpr double most_packed = 3e4;  // times: constant heights by Zstandard
    std::uint32_t width = 0, height = 0;
    std::uint16_t compression = COMPRESSION_NONE;
    TIFFGetField(get(), TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(get(), TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(get(), TIFFTAG_COMPRESSION, &compression);
    const double bytes = static_cast<double>(bytes_each) * width * height,
                 there = static_cast<double>(std::filesystem::file_size(name_));
    if (bytes > there * (compression == COMPRESSION_NONE ? 1 : most_packed))
        refuse(name_,
               fmt::format("has {:.0f} bytes, too few for {} x {} pixels; the file is damaged", there, height, width));
}

std::string GeoTiffFile::by_gdalwarp() const { return fmt::format("gdalwarp -t_srs EPSG:4979 {} dem.tif", name_); }

std::map<std::string, std::string> gdal_metadata_of(const GeoTiffFile& file) {
    std::map<std::string, std::string> facts;
    const std::vector<char> text = file.values<char>(tiff_tag::gdal_metadata);
    if (text.empty()) return facts;
    const std::string_view xml(text.begin(), std::find(text.begin(), text.end(), '\0'));
    for (const XmlElement& item : XmlElement::parse(file.name(), std::as_bytes(std::span(xml))).all("Item"))
        if (const auto name = item.attribute("name")) facts[*name] = item.text();
    return facts;
}

GdalScale gdal_scale(const GeoTiffFile& file, const std::map<std::string, std::string>& facts) {
    const GdalScale scale{number_told(file, facts, "SCALE", 1), number_told(file, facts, "OFFSET", 0)};
    if (scale.factor == 0) refuse(file.name(), "SCALE is '0', expected another number");
    return scale;
}

MapProjection epsg_projection(const GeoTiffFile& file) {
    if (file.has_degrees()) file.require_degrees();
    const int epsg = file.has_degrees() ? MapProjection::wgs84_degrees
                                        : file.key(geo_key::projected_type).value_or(geo_value::user_defined);
    if (epsg == geo_value::user_defined)
        refuse(file.name(),
               "carries no EPSG code of its map (ProjectedCSType), which its grid cannot be taken over without; "
               "gdalwarp -t_srs EPSG:CODE");
    return {epsg};
}

MapGrid read_geotiff_grid(const std::string& path) {
    const GeoTiffFile file(path);
    const MapProjection projection = epsg_projection(file);
    MapGrid grid = file.pixels();
    grid.projection = projection;
    return grid;
}

}  // namespace cornerturn
