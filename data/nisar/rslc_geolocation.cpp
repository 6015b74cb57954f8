// SPDX-License-Identifier: Apache-2.0
// geolocationGrid of an RSLC file: where the image lies on the Earth, as cubes that are coarse enough to cost next to
// nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/nisar/product_parts.h"
#include "data/nisar/rslc_parts.h"
#include "data/nisar/surface_table.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {
namespace {

/// Fine enough for interpolation by parabolas or cubes, no finer: between its points the Earth bends by metres at most.
std::size_t points_along(double metres) {
    constexpr double step_m = 5000;
    return static_cast<std::size_t>(std::clamp(std::ceil(metres / step_m) + 1, 4.0, 17.0));
}

/// Every height on Earth, as far as the antenna is above it.
std::vector<double> heights_below(double antenna_height_m) {
    constexpr double lowest_m = -500, highest_m = 9000;
    constexpr std::size_t count = 20;
    return evenly(lowest_m, std::clamp(0.5 * antenna_height_m, lowest_m + 500, highest_m), count);
}

struct Axes {
    std::vector<double> height_m, time_s, range_m;
};

Axes axes_over(const Image& image) {
    const ImageGrid& grid = image.grid;
    const double last_row = static_cast<double>(std::max<std::int64_t>(grid.rows - 1, 1)),
                 last_column = static_cast<double>(std::max<std::int64_t>(grid.columns - 1, 1));
    const StateVector middle = interpolate(*image.acquisition.orbit, grid.time_s(0.5 * last_row));
    return {.height_m = heights_below(geographic(middle.position_m).height_m),
            .time_s = evenly(grid.first_time_s, grid.time_s(last_row),
                             points_along(norm(middle.velocity_m_s) * last_row * grid.time_spacing_s)),
            .range_m =
                evenly(grid.near_range_m, grid.range_m(last_column), points_along(last_column * grid.range_spacing_m))};
}

class Cubes {
public:
    Cubes(h5::Writer& file, std::string group, const Axes& axes, const std::vector<std::optional<GroundView>>& views)
        : file_(file),
          group_(std::move(group)),
          extents_{axes.height_m.size(), axes.time_s.size(), axes.range_m.size()},
          views_(views) {}

    template <class Number, class Value>
    void write(const char* name, const char* units, const char* description, Value value) {
        std::vector<Number> values(views_.size(), std::numeric_limits<Number>::quiet_NaN());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (views_[i]) values[i] = static_cast<Number>(value(*views_[i]));
        const std::string path = group_ + "/" + name;
        file_.cube(path, values, extents_, units, description);
        file_.attribute(path, "_FillValue", std::numeric_limits<Number>::quiet_NaN());
    }

private:
    h5::Writer& file_;
    std::string group_;
    std::vector<hsize_t> extents_;
    const std::vector<std::optional<GroundView>>& views_;
};

}  // namespace

void write_geolocation_grid(h5::Writer& file, const std::string& group, const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    if (!acquisition.orbit) return;
    const Axes axes = axes_over(image);
    std::vector<std::optional<GroundView>> views;
    views.reserve(axes.height_m.size() * axes.time_s.size() * axes.range_m.size());
    for (const double height_m : axes.height_m)
        for (const double time_s : axes.time_s) {
            const StateVector platform = interpolate(*acquisition.orbit, time_s);
            for (const double range_m : axes.range_m)
                views.push_back(ground_view(platform, range_m, acquisition.identification.look_side, height_m));
        }
    file.numbers(group + "/heightAboveEllipsoid", axes.height_m, "meters");
    write_table_axes(file, group, axes.time_s, axes.range_m, acquisition.epoch);
    file.number(group + "/epsg", std::int32_t{4326}, "", "coordinateX is the longitude, coordinateY the latitude");
    Cubes cubes(file, group, axes, views);
    // A longitude runs on beyond 180 degrees rather than jump inside the grid.
    const double west_deg = views.front() ? views.front()->place.longitude_deg : 0;
    cubes.write<double>("coordinateX", "degrees_east", "", [&](const GroundView& v) {
        return v.place.longitude_deg + 360 * std::round((west_deg - v.place.longitude_deg) / 360);
    });
    cubes.write<double>("coordinateY", "degrees_north", "", [](const GroundView& v) { return v.place.latitude_deg; });
    cubes.write<float>("incidenceAngle", "degrees",
                       "Between the ellipsoid's normal and the direction to the antenna, at zero Doppler",
                       [](const GroundView& v) { return v.incidence_deg; });
    cubes.write<float>("losUnitVectorX", "1",
                       "East component of the unit vector from the ground to the antenna at zero Doppler",
                       [](const GroundView& v) { return v.to_antenna_east; });
    cubes.write<float>("losUnitVectorY", "1", "North component of it",
                       [](const GroundView& v) { return v.to_antenna_north; });
    cubes.write<float>("alongTrackUnitVectorX", "1", "East component of the direction of flight, seen from the ground",
                       [](const GroundView& v) { return v.along_track_east; });
    cubes.write<float>("alongTrackUnitVectorY", "1", "North component of it",
                       [](const GroundView& v) { return v.along_track_north; });
    cubes.write<float>("elevationAngle", "degrees",
                       "Between the direction to the antenna and the ellipsoid's normal at the antenna",
                       [](const GroundView& v) { return v.elevation_deg; });
    cubes.write<double>("groundTrackVelocity", "meters / second", "Platform speed projected to the ground",
                        [](const GroundView& v) { return v.ground_track_velocity_m_s; });
}

}  // namespace cornerturn
