// SPDX-License-Identifier: Apache-2.0
// Track of an antenna from a navigation file: positions and attitude of its unit, in place of those of the echo.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn {

/// What positions are given in.
enum class TrackFrame {
    earth_fixed,  ///< ECEF, in m
    geographic,   ///< latitude and longitude in degrees, height above the WGS84 ellipsoid in m
    local         ///< east, north, up in m, of a level frame
};

/// As measured. The body's frame is forward, right, down.
struct NavigationTrack {
    std::string name;  ///< of the file, for complaints
    TrackFrame frame = TrackFrame::earth_fixed;
    std::vector<double> time_s = {};  ///< since the echo's epoch
    std::vector<Vec3> position = {};
    std::vector<Vec3> velocity_m_s = {};                  ///< one for each position or none; ECEF, else east, north, up
    std::vector<Vec3> roll_pitch_yaw_deg = {};            ///< likewise: right wing down, nose up, clockwise from north
    std::vector<std::array<double, 4>> quaternions = {};  ///< or: (w, x, y, z) from the body's frame to ECEF, of a
                                                          ///< local frame without an origin to that
};

/// How it becomes the antenna's.
struct TrackPlacement {
    std::optional<Geographic> origin = {};  ///< of a local frame; without, that is a frame of the scene's own
    std::optional<Vec3> lever_arm_m = {};   ///< from the unit to the antenna's phase centre, in the body's frame
    double time_offset_s = 0;               ///< added to the file's times
};

struct AntennaTrack {
    Orbit orbit = {};                   ///< in equal steps
    std::optional<Attitude> body = {};  ///< from the body's frame to that of the positions
    bool local = false;                 ///< in a frame of the scene's own
    double step_s = 0;                  ///< that most positions of the file were apart
    double roughness_m = 0;             ///< by which a smooth curve through every other of them misses the rest, rms
};

/// What the times need and as much again to either side of them, and no less than some seconds, where the file has it.
/// What a user should hear is added to `remarks`. Throws InputError naming the file.
AntennaTrack antenna_track(const NavigationTrack& track, const TrackPlacement& placement, double from_s, double to_s,
                           std::vector<std::string>& remarks);

/// The echo along that track, with its attitude where it has one. The antenna's boresight is turned about its long axis
/// until it looks at the middle of the swath, over ground of this height: how it is mounted, no file tells.
Acquisition along_track(Acquisition acquisition, const NavigationTrack& track, const TrackPlacement& placement,
                        double height_m, std::vector<std::string>& remarks);

}  // namespace cornerturn
