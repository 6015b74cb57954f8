// SPDX-License-Identifier: Apache-2.0
// The grid of an image that lies on a map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/acquisition/scene_plane.h"

namespace cornerturn {

struct Geographic;

/// A map by its number in the EPSG registry, the level plane of a track whose positions are in a frame of the
/// scene's own, or the plane of a scene on the Earth.
struct MapProjection {
    int epsg = 0;                          ///< 0: the track's own frame, x and y in m
    std::optional<ScenePlane> plane = {};  ///< of a scene: which one; none where that is for the file to tell

    static constexpr int wgs84_degrees = 4326, scene_plane = -1;
    static MapProjection plane_of_scene() { return {scene_plane}; }
    static MapProjection on(const ScenePlane& plane) { return {scene_plane, plane}; }
    static MapProjection local() { return {0}; }
    static MapProjection geographic() { return {wgs84_degrees}; }
    /// The zone of six degrees that holds a place, of all 60 on the northern and 60 on the southern half.
    static MapProjection utm_at(const Geographic& place);

    bool is_local() const { return epsg == 0; }
    bool is_plane() const { return epsg == scene_plane; }
    bool in_degrees() const { return epsg == wgs84_degrees; }
    /// "EPSG:32633", "local" or "plane".
    std::string name() const;
    friend bool operator==(const MapProjection&, const MapProjection&) = default;
};

/// x to the east and y to the north, in m; longitude and latitude in degrees.
struct MapPoint {
    double x = 0, y = 0;
};

/// Pixel (row, column) is centred at (x(column), y(row)). North is up: y falls with the row.
struct MapGrid {
    MapProjection projection;
    std::int64_t rows = 0, columns = 0;
    double first_x = 0, x_step = 0;
    double first_y = 0, y_step = 0;  ///< negative where north is up

    double x(double column) const { return first_x + column * x_step; }
    double y(double row) const { return first_y + row * y_step; }
    double column_at(double of_x) const { return (of_x - first_x) / x_step; }
    double row_at(double of_y) const { return (of_y - first_y) / y_step; }
    MapPoint at(double row, double column) const { return {x(column), y(row)}; }
    MapPoint middle() const { return at(0.5 * static_cast<double>(rows - 1), 0.5 * static_cast<double>(columns - 1)); }
    friend bool operator==(const MapGrid&, const MapGrid&) = default;
};

}  // namespace cornerturn
