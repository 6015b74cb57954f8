// SPDX-License-Identifier: Apache-2.0
// Tags that libtiff has no names for: those of GeoTIFF (OGC 19-008r4) and of GDAL.
#pragma once

#include <cstdint>

namespace cornerturn {

namespace tiff_tag {

inline constexpr std::uint16_t pixel_scale = 33550, tie_points = 33922, transformation = 34264, geo_keys = 34735,
                               geo_text = 34737, gdal_metadata = 42112, gdal_nodata = 42113;

}  // namespace tiff_tag

namespace geo_key {
inline constexpr std::uint16_t model_type = 1024, raster_type = 1025, geographic_type = 2048, angular_units = 2054,
                               projected_type = 3072, linear_units = 3076, vertical_type = 4096, vertical_units = 4099;
}
/// Their values.
namespace geo_value {
inline constexpr int projected = 1, geographic = 2, user_defined = 32767, pixel_is_area = 1, pixel_is_point = 2,
                     degrees = 9102, metres = 9001;
}

}  // namespace cornerturn
