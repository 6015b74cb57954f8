// SPDX-License-Identifier: Apache-2.0
// How fine a map has to be for what pulses tell of it.
#pragma once

#include <string>
#include <vector>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/ground/map_ground.h"
#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// What an image holds along each axis of a map, in cycles per unit of the map. Wider steps than one over that fold its
/// spectrum.
struct MapBandwidth {
    double x = 0, y = 0;
};

/// Where the antenna is at some of all pulses, from the first to the last: of a phase history, or of a track in a frame
/// of the scene's own.
std::vector<Vec3> antenna_over_pulses_m(const Acquisition& acquisition);
std::vector<Vec3> antenna_over_pulses_m(const PhaseHistory& pulses);
/// Or while its beam sees a place: of an image on a map that has a zero-Doppler grid.
std::vector<Vec3> antenna_over_aperture_m(const Acquisition& acquisition, const ImagePlan& image, const Place& place);

/// A pulse at the frequency f tells the wavenumber 2 f / c along its line of sight; what all of them span along an axis
/// is the bandwidth of the image there. About a point of the map, of which `step` is a small part, for pulses from
/// these places.
MapBandwidth map_bandwidth(const Acquisition& acquisition, const MapGround& ground, const MapPoint& at, double step,
                           const std::vector<Vec3>& antenna_m);

/// In the middle of the map of an image, as its pulses see it: all of them, also for a part that some make.
MapBandwidth map_bandwidth(const Acquisition& acquisition, const ImagePlan& image);
/// -3 dB, without window, of a point there: along the axis on which it is wider.
double widest_points_px(const Acquisition& acquisition, const ImagePlan& image);

/// Says so where pixels are wider than that; "" where they are not.
std::string folded_spectrum_text(const MapGrid& grid, const MapBandwidth& bandwidth);

}  // namespace cornerturn
