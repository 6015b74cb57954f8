// SPDX-License-Identifier: Apache-2.0
// The plane on which a scene is shown: two axes from a reference point.
#pragma once

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct ScenePlane {
    Vec3 origin_m{};          ///< ECEF
    Vec3 x_axis{}, y_axis{};  ///< unit vectors in ECEF, at right angles
    friend bool operator==(const ScenePlane&, const ScenePlane&) = default;

    /// x_axis times y_axis: upwards.
    Vec3 normal() const {
        return {x_axis[1] * y_axis[2] - x_axis[2] * y_axis[1], x_axis[2] * y_axis[0] - x_axis[0] * y_axis[2],
                x_axis[0] * y_axis[1] - x_axis[1] * y_axis[0]};
    }
    /// The place in ECEF, z m above the plane.
    Vec3 at(double x_m, double y_m, double z_m = 0) const {
        const Vec3 up = normal();
        Vec3 place_m{};
        for (std::size_t i = 0; i < 3; ++i) place_m[i] = origin_m[i] + x_m * x_axis[i] + y_m * y_axis[i] + z_m * up[i];
        return place_m;
    }
};

/// What of the Earth a file is about.
struct SceneArea {
    ScenePlane plane;
    double least_x_m = 0, least_y_m = 0, greatest_x_m = 0, greatest_y_m = 0;  ///< on the plane
    double height_m = 0;  ///< of its origin above the WGS84 ellipsoid
    friend bool operator==(const SceneArea&, const SceneArea&) = default;
};

}  // namespace cornerturn
