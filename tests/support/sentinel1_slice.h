// SPDX-License-Identifier: Apache-2.0
// Slices of Sentinel-1 (IW) with point targets, made for tests as space packets: bursts, orbit and steering as in
// reality, chirps and windows shorter. Shares no geometry with what reads and focuses them.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

struct Sentinel1Slice {
    /// Of a sub-swath, IW1 to IW3.
    struct Swath {
        std::uint32_t interval_code;  ///< between pulses, in periods of the reference
        int lines, rank;
        double begin_s;  ///< within a cycle
        double steering_deg_s;
    };
    struct Target {
        Vec3 place_m{};
        std::complex<double> amplitude = 1;
    };
    /// Of a burst.
    struct Which {
        int swath = 1, cycle = 0;
    };

    int cycles = 2;
    std::vector<int> swaths = {1, 2};
    int samples = 360;
    int lines = 0;           ///< of each burst; 0: as in reality
    double overlap_m = 330;  ///< slant range that neighbouring sub-swaths both see
    /// Length of the antenna's parts, each of which is a phase centre and has a pattern of its own; 0: isotropic.
    double part_m = 0;
    std::vector<Target> targets = {};
    std::vector<Which> broken = {};  ///< bursts whose pulses have one length, then another

    static const Swath& of(int swath);
    /// Since first_gps_s; circular, over the turning Earth.
    static StateVector antenna(double time_s);
    static constexpr double first_gps_s = 1434000000;

    int lines_of(int swath) const { return lines > 0 ? lines : of(swath).lines; }
    double interval_s(int swath) const;
    double first_pulse_s(Which burst) const;
    /// When the beam lies broadside: half way between the emission and the reception of the middle pulse.
    double broadside_s(Which burst) const;
    double near_m(int swath) const;
    double sample_m() const;
    /// Slant range of whole echoes, from near to this.
    double far_whole_m(int swath) const;
    /// On the ellipsoid, where the antenna passes by at this time.
    static Vec3 place_m(double zero_doppler_s, double range_m);
    struct Pass {
        double time_s = 0, range_m = 0;
    };
    static Pass pass_of(const Vec3& place_m);
    /// Of two ways, where a target lies at a time.
    double gain(Which burst, double time_s, const Vec3& place_m) const;

    /// The bytes of the measurement file.
    std::string file() const;
};

}  // namespace cornerturn
