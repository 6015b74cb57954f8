// SPDX-License-Identifier: Apache-2.0
// Places, apertures and range histories of the pixels of an image, for back-projection and theory, from state
// vectors and the exact two-way delay. Rests on nothing that the algorithms assume.
#pragma once

#include <vector>

#include "kernels/back_projection/chip.h"
#include "pipeline/proof/radar_geometry.h"

namespace cornerturn {

/// Along the file's orbit; where there is none that covers the pulses, straight at `velocity_m_s`.
RadarGeometry recorded_geometry(const Acquisition& acquisition, double velocity_m_s);

/// The lines that find a place, which is at zero Doppler at that time, at frequencies of a band (aperture_hz).
IndexRange aperture_lines(const RadarGeometry& geometry, const Vec3& place_m, double zero_doppler_time_s,
                          DopplerBand band);

/// Pixels at closest approaches and a height, summed over the lines that find each within a Doppler band.
BackprojectionChip backprojection_chip(const Acquisition& acquisition, const RadarGeometry& geometry,
                                       const std::vector<ClosestApproach>& pixels, double height_m, DopplerBand band);

/// Does the echo hold every pulse of a chip's pixel?
bool fully_recorded(const BackprojectionChip& chip, const BackprojectionPixel& pixel);

/// V of the straight flight whose range history about a Doppler frequency is that of a place: V^2 = R'^2 + R R''.
double apparent_velocity_m_s(const RadarGeometry& geometry, const ClosestApproach& approach, double height_m,
                             double doppler_hz);
/// By how much the range of the pulse that sees a place with a Doppler frequency grows with the place's closest range,
/// at the same zero-Doppler time: what range frequencies in the image are of those of the pulse.
double range_over_closest(const RadarGeometry& geometry, const ClosestApproach& approach, double height_m,
                          double doppler_hz);

}  // namespace cornerturn
