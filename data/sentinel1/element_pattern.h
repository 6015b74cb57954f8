// SPDX-License-Identifier: Apache-2.0
// The pattern of the parts of Sentinel-1's antenna along the track.
#pragma once

#include <string>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/acquisition/element_pattern.h"

namespace cornerturn {

/// Of its 14 tiles, each evenly lit: what geometry alone tells.
ElementPattern sentinel1_tile_pattern(double wavelength_m);

/// As ESA's auxiliary file (AUX_CAL, s1a-aux-cal.xml) has it measured for the swath and polarization of a burst. Throws
/// InputError naming the file.
ElementPattern read_element_pattern(const std::string& path, const Acquisition& burst);

}  // namespace cornerturn
