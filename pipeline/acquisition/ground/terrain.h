// SPDX-License-Identifier: Apache-2.0
// Heights of the ground over latitude and longitude, from a digital elevation model.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn {

/// Degrees on WGS84. Longitudes may lie beyond +-180 degrees, so that west is always less than east.
struct GeographicBox {
    double south_deg = 0, north_deg = 0, west_deg = 0, east_deg = 0;
    /// Whether every longitude lies within it.
    bool goes_round() const { return east_deg - west_deg > 360 - 1e-9; }
};
/// "latitudes 45.0000 to 46.0000 and longitudes 10.0000 to 12.0000 degrees", or "all longitudes"
std::string text_of(const GeographicBox& box);

/// A longitude that differs by whole turns, as near to another as can be.
inline double longitude_near_deg(double longitude_deg, double near_deg) {
    return longitude_deg - 360 * std::round((longitude_deg - near_deg) / 360);
}

/// Mean heights above the ellipsoid of the cells of a grid, in m; NaN where none is known. Row 0 is the southernmost.
struct HeightGrid {
    std::int64_t rows = 0, columns = 0;
    double first_latitude_deg = 0, latitude_step_deg = 1;    ///< of cell centres
    double first_longitude_deg = 0, longitude_step_deg = 1;  ///< eastwards
    std::vector<float> height_m;                             ///< [row][column]

    float& at(std::int64_t row, std::int64_t column) {
        return height_m[static_cast<std::size_t>(row * columns + column)];
    }
    float at(std::int64_t row, std::int64_t column) const {
        return height_m[static_cast<std::size_t>(row * columns + column)];
    }
};

/// Where heights come from.
class TerrainSource {
public:
    virtual ~TerrainSource() = default;
    virtual const std::string& name() const = 0;
    /// The cells that there are.
    virtual GeographicBox extent() const = 0;
    /// Means over cells of about this size, or of the model's own where that is larger, for all of a box that it
    /// covers, by whatever turn its longitudes are off those of the model. Longitudes are then those of the box.
    virtual HeightGrid read(const GeographicBox& box, double latitude_step_deg, double longitude_step_deg) = 0;
};

/// A remark where the terrain knows no heights of a part of what was looked at, "scene" or "map"; throws InputError
/// where that is most of it.
void check_known_heights(const TerrainSource& terrain, double part_unknown, std::string_view of,
                         std::vector<std::string>& remarks);

}  // namespace cornerturn
