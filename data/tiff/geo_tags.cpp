// SPDX-License-Identifier: Apache-2.0
#include "data/tiff/geo_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "data/tiff/tiff_tags.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

/// Keys that have a single number of their own, in ascending order.
TiffTag key_directory(const std::vector<std::pair<std::uint16_t, int>>& keys) {
    std::vector<std::uint16_t> numbers{1, 1, 0, static_cast<std::uint16_t>(keys.size())};
    for (const auto& [key, value] : keys) numbers.insert(numbers.end(), {key, 0, 1, static_cast<std::uint16_t>(value)});
    return tiff_shorts(tiff_tag::geo_keys, numbers);
}

TiffTag degrees_of_wgs84() {
    return key_directory({{geo_key::model_type, geo_value::geographic},
                          {geo_key::raster_type, geo_value::pixel_is_area},
                          {geo_key::geographic_type, MapProjection::wgs84_degrees},
                          {geo_key::angular_units, geo_value::degrees}});
}

TiffTag keys_of(const MapProjection& projection) {
    if (projection.in_degrees()) return degrees_of_wgs84();
    if (projection.is_local())
        return key_directory({{geo_key::model_type, geo_value::user_defined},
                              {geo_key::raster_type, geo_value::pixel_is_area},
                              {geo_key::linear_units, geo_value::metres}});
    if (projection.epsg >= geo_value::user_defined)
        throw InputError(fmt::format("{}: GeoTIFF has no key for codes above {}; choose another map, or .h5",
                                     projection.name(), geo_value::user_defined - 1));
    return key_directory({{geo_key::model_type, geo_value::projected},
                          {geo_key::raster_type, geo_value::pixel_is_area},
                          {geo_key::projected_type, projection.epsg}});
}

/// The outer corner of the first pixel, and the steps. Readers take the scale's second number as falling with the row.
std::vector<TiffTag> tags_on_map(const MapGrid& map, const PixelCells& cells) {
    const double west = map.x(-0.5), north = map.y(-0.5), across = map.x_step * static_cast<double>(cells.columns),
                 down = map.y_step * static_cast<double>(cells.rows);
    if (across > 0 && down < 0)
        return {tiff_numbers(tiff_tag::pixel_scale, {across, -down, 0}),
                tiff_numbers(tiff_tag::tie_points, {0, 0, 0, west, north, 0}), keys_of(map.projection)};
    return {tiff_numbers(tiff_tag::transformation, {across, 0, 0, west, 0, down, 0, north, 0, 0, 0, 0, 0, 0, 0, 1}),
            keys_of(map.projection)};
}

/// Places of the pixels of an image that is on no map.
class Places {
public:
    explicit Places(const Image& image) : image_(image) {
        if (image.map) transform_.emplace(image.map->projection);
    }
    std::optional<Geographic> at(double row, double column) const {
        if (transform_) return transform_->at(image_.map->at(row, column));
        const auto view =
            ground_view(interpolate(*image_.acquisition.orbit, image_.grid.time_s(row)), image_.grid.range_m(column),
                        image_.acquisition.identification.look_side, image_.processing.scene_height_m);
        return view ? std::optional(view->place) : std::nullopt;
    }

private:
    const Image& image_;
    std::optional<MapTransform> transform_;
};

/// Closer to each other towards the edges (Chebyshev's points), where thin plate splines err most.
std::vector<TiffTag> control_points(const Image& image, const PixelCells& cells) {
    constexpr int most_along = 21;
    const Places places(image);
    const auto steps = [](std::int64_t pixels) { return static_cast<int>(std::min<std::int64_t>(pixels, most_along)); };
    const auto between = [](int k, int count, std::int64_t pixels) {
        if (count == 1) return 0.0;
        return 0.5 * (1 - std::cos(std::numbers::pi * k / (count - 1))) * static_cast<double>(pixels - 1);
    };
    const int down = steps(image.grid.rows), across = steps(image.grid.columns);
    std::vector<double> points;
    for (int i = 0; i < down; ++i)
        for (int k = 0; k < across; ++k) {
            const double row = between(i, down, image.grid.rows), column = between(k, across, image.grid.columns);
            const auto place = places.at(row, column);
            if (!place) continue;
            double longitude = place->longitude_deg;  // going on beyond 180 degrees
            if (!points.empty()) longitude = points[3] + std::remainder(longitude - points[3], 360.0);
            points.insert(points.end(), {(column + 0.5) / static_cast<double>(cells.columns),
                                         (row + 0.5) / static_cast<double>(cells.rows), 0, longitude,
                                         place->latitude_deg, place->height_m});
        }
    if (points.empty()) return {};
    return {tiff_numbers(tiff_tag::tie_points, points), degrees_of_wgs84()};
}

}  // namespace

std::vector<TiffTag> geo_tags(const Image& image, const PixelCells& cells) {
    if (image.map && !image.map->projection.is_plane()) return tags_on_map(*image.map, cells);
    if (image.map ? image.map->projection.plane.has_value()
                  : image.acquisition.orbit && image.acquisition.orbit->time_s.size() >= 2)
        return control_points(image, cells);
    return {};
}

}  // namespace cornerturn
