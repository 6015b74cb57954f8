// SPDX-License-Identifier: Apache-2.0
// A scene's antenna, beam and targets: which lines see a place, and the truth that is stored in a file.
#pragma once

#include <optional>

#include "kernels/math/smooth_surface.h"
#include "pipeline/proof/radar_geometry.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

/// Lines, as real numbers, between which the beam sees a place.
struct IlluminatedLines {
    double first = 0, last = 0;
};

/// A target with what an echo needs of it.
struct LocatedTarget {
    PointTarget truth;
    Vec3 place_m{};
    IlluminatedLines illuminated;
};

/// The part of an unlimited echo that a target fills: lines, and leading edges in samples.
struct Footprint {
    IlluminatedLines lines;
    double first_edge = 0, last_edge = 0;
};

class SceneGeometry {
public:
    explicit SceneGeometry(const Scene& scene);

    const RadarGeometry& radar() const { return radar_; }
    const Vec3& spot_m() const { return spot_m_; }  ///< of a spotlight

    /// Doppler frequency of the beam centre towards a place, half the delay after a line is sent: the place's direction
    /// turned about the antenna's long axis into the plane perpendicular to it; or the scene's doppler_centroid_hz.
    double beam_centre_hz(double line, const Vec3& place_m) const;
    /// The line that the beam centre has a place in, and the lines that see it.
    double centre_line(const Vec3& place_m) const;
    IlluminatedLines illuminated(const Vec3& place_m) const;
    /// Whether a spotlight has a place in its beam more than once; no other beam has.
    bool seen_again(const Vec3& place_m) const;
    double edge(double line, const Vec3& place_m) const;  ///< leading edge, in samples
    Footprint footprint(const Vec3& place_m) const;
    Vec3 place_in_beam(const BeamCentrePosition& position, double height_m) const;
    LocatedTarget locate(const SceneTarget& target) const;

    Orbit orbit() const;
    Attitude attitude() const;
    double altitude_m() const;  ///< at mid scene
    /// Of the beam centre in mid swath at mid scene.
    double doppler_centroid_hz() const;
    /// Of the beam centre on targets over zero-Doppler time and closest range, within the scale of all that it passes
    /// over. Nothing where the track sways or turns so much that these do not tell targets apart.
    std::optional<DopplerSurface> doppler_of_pixels_hz() const;

private:
    struct Frame {
        Vec3 x, y, z;
    };
    double offset_hz(double line, const Vec3& place_m) const {
        return radar_.doppler_hz(line, place_m) - beam_centre_hz(line, place_m);
    }
    double aperture_lines(const Vec3& place_m) const;  ///< roughly
    Vec3 long_axis(double time_s) const;               ///< forward
    Frame antenna_frame(double time_s) const;
    double mid_line() const { return 0.5 * static_cast<double>(scene_.lines - 1); }
    IlluminatedLines needed_times() const;
    bool spotlight() const { return scene_.spotlight(); }
    bool in_spotlight(std::int64_t line, const Vec3& place_m) const;
    Footprint spotlight_footprint(const Vec3& place_m) const;
    ClosestApproach approach_of(const Vec3& place_m) const;

    Scene scene_;
    RadarGeometry radar_;
    Vec3 spot_m_{};              ///< of a spotlight
    Trajectory attitude_track_;  ///< its velocity is what attitude is held to, but on satellites
};

}  // namespace cornerturn
