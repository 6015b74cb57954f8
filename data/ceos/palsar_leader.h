// SPDX-License-Identifier: Apache-2.0
// What a PALSAR leader says of radar and orbit (JAXA, ALOS PALSAR Level 1.0 Product Format Description).
#pragma once

#include <chrono>
#include <string>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct PalsarLeader {
    std::string mission, scene;
    double wavelength_m = 0;
    double chirp_slope_hz_s = 0;  ///< negative: the leader tells the size, the pulse is a down-chirp
    double chirp_duration_s = 0;
    double sample_rate_hz = 0;
    double bias_i = 0, bias_q = 0;  ///< of stored samples
    std::chrono::sys_days orbit_day;
    Orbit orbit;  ///< since that day's midnight, UTC
};

/// Throws InputError naming file and place.
PalsarLeader read_palsar_leader(const std::string& path);

}  // namespace cornerturn
