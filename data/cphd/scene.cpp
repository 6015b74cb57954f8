// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/files/refusal.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::cphd {
namespace {

ScenePlane plane_of(const std::string& file, const SceneCoordinates& scene) {
    constexpr double rounding = 1e-3;
    if (!(std::abs(norm(scene.origin_m) - wgs84_equatorial_radius_m) < 1e5))
        refuse(file,
               fmt::format("/CPHD/SceneCoordinates/IARP/ECF: is {:.6g} m from the Earth's centre, expected a place "
                           "on its surface",
                           norm(scene.origin_m)));
    if (!scene.axes) {
        const LocalFrame frame = local_frame(geographic(scene.origin_m));
        return {scene.origin_m, frame.east, frame.north};
    }
    const Vec3 x = unit((*scene.axes)[0]), y = (*scene.axes)[1];
    const Vec3 across = unit(y - dot(x, y) * x);
    if (std::abs(norm((*scene.axes)[0]) - 1) > rounding || std::abs(norm(y) - 1) > rounding ||
        std::abs(dot(x, y)) > rounding)
        refuse(file,
               fmt::format("/CPHD/SceneCoordinates/ReferenceSurface: its axes (uIAX, uIAY) have lengths {:.6g} and "
                           "{:.6g} and a product of {:.3g}, expected unit vectors at right angles",
                           norm((*scene.axes)[0]), norm(y), dot(x, y)));
    return {scene.origin_m, x, across};
}

/// The rectangle about the corners, on the plane.
std::optional<Rectangle> corners_m(const SceneCoordinates& scene, const ScenePlane& plane) {
    if (scene.corners.size() < 4) return std::nullopt;
    const double height_m = geographic(scene.origin_m).height_m;
    Rectangle all{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const auto& corner : scene.corners) {
        const Vec3 from_m = point_of({corner.longitude_deg, corner.latitude_deg, height_m}) - plane.origin_m;
        const double x = dot(from_m, plane.x_axis), y = dot(from_m, plane.y_axis);
        all = {std::min(all.least_x, x), std::max(all.greatest_x, x), std::min(all.least_y, y),
               std::max(all.greatest_y, y)};
    }
    return all;
}

/// But for a tenth of its size.
bool agree(const Rectangle& a, const Rectangle& b) {
    const double slack = 0.1 * std::max(b.greatest_x - b.least_x, b.greatest_y - b.least_y);
    return std::abs(a.least_x - b.least_x) < slack && std::abs(a.greatest_x - b.greatest_x) < slack &&
           std::abs(a.least_y - b.least_y) < slack && std::abs(a.greatest_y - b.greatest_y) < slack;
}

Rectangle area_m(const std::string& file, const SceneCoordinates& scene, const ScenePlane& plane,
                 std::vector<std::string>& warnings) {
    const auto corners = corners_m(scene, plane);
    if (scene.image_area && (!corners || agree(*scene.image_area, *corners))) return *scene.image_area;
    if (!corners) refuse(file, "/CPHD/SceneCoordinates: has neither ImageArea nor ImageAreaCornerPoints");
    if (!scene.image_area) return *corners;
    const bool counts = scene.image_grid_pixels && agree(*scene.image_area, *scene.image_grid_pixels),
               grid_fits = scene.image_grid_m && agree(*scene.image_grid_m, *corners);
    warnings.push_back(
        fmt::format("{}: ImageArea ({:.6g} to {:.6g}, {:.6g} to {:.6g}) is not where its corner points are{}; {}", file,
                    scene.image_area->least_x, scene.image_area->greatest_x, scene.image_area->least_y,
                    scene.image_area->greatest_y, counts ? ": it counts lines and samples, not metres" : "",
                    grid_fits ? "that of ImageGrid is taken" : "the rectangle about these is taken"));
    return grid_fits ? *scene.image_grid_m : *corners;
}

}  // namespace

SceneArea scene_of(const std::string& file, const SceneCoordinates& scene, std::vector<std::string>& warnings) {
    constexpr double largest_m = 1e6;
    const ScenePlane plane = plane_of(file, scene);
    const Rectangle area = area_m(file, scene, plane, warnings);
    const double wide_m = area.greatest_x - area.least_x, high_m = area.greatest_y - area.least_y;
    const double farthest_m = std::max(
        {std::abs(area.least_x), std::abs(area.greatest_x), std::abs(area.least_y), std::abs(area.greatest_y)});
    if (!(wide_m > 0 && high_m > 0 && farthest_m < largest_m))
        refuse(file, fmt::format("/CPHD/SceneCoordinates/ImageArea: is {:.6g} x {:.6g} m and reaches {:.6g} m from the "
                                 "IARP, expected the first corner below the second one, within {:.0e} m",
                                 wide_m, high_m, farthest_m, largest_m));
    return {.plane = plane,
            .least_x_m = area.least_x,
            .least_y_m = area.least_y,
            .greatest_x_m = area.greatest_x,
            .greatest_y_m = area.greatest_y,
            .height_m = geographic(plane.origin_m).height_m};
}

}  // namespace cornerturn::cphd
