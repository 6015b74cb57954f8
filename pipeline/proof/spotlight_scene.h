// SPDX-License-Identifier: Apache-2.0
// Geometry of a spotlight's scene: the points that its pulses are compensated to, the plane that it is shown on, and
// the part of that plane that the beam sees completely.
#pragma once

#include "pipeline/acquisition/scene_plane.h"
#include "pipeline/proof/scene_geometry.h"

namespace cornerturn {

class SpotlightScene {
public:
    /// Throws InputError where the beam's centre meets no ground, or the lines are too short for the pulse.
    SpotlightScene(const Scene& scene, const SceneGeometry& geometry);

    /// Where the line from the antenna through the spot meets the ground (the ellipsoid raised by the scene's height).
    Vec3 reference_m(double time_s) const;
    /// Of delays about that of the point of reference, in the middle: those of which a line that follows it holds whole
    /// chirps.
    double window_s() const { return window_s_; }
    /// The level plane at the point of reference of mid scene, x away from the antenna. Along x what nine tenths of the
    /// window hold, along y what the beam sees from begin to end: all of the time, or as it slides past.
    const SceneArea& area() const { return area_; }
    /// When the beam's centre is at y on that plane, and how long it sees a place there.
    double centre_time_s(double y_m) const { return slides() ? middle_s_ + y_m / slide_m_s_ : middle_s_; }
    double dwell_s() const;
    bool slides() const;

private:
    const SceneGeometry& geometry_;
    double height_m_;
    bool spot_on_ground_;
    double window_s_, middle_s_, duration_s_;
    double slide_m_s_ = 0;    ///< of the point of reference along y
    double footprint_m_ = 0;  ///< of the beam along y
    SceneArea area_;
};

}  // namespace cornerturn
