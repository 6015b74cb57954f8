// SPDX-License-Identifier: Apache-2.0
// What bursts are called by their place on the Earth: ESA's numbers of them, as products of OPERA write these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/sentinel1/packet.h"
#include "data/sentinel1/pulse_trains.h"
#include "pipeline/acquisition/orbit.h"

namespace cornerturn::sentinel1 {

/// What the name of a file or folder tells of its first echo.
struct Flight {
    char satellite = 'A';  ///< of Sentinel-1
    std::uint32_t absolute_orbit = 0;
    std::uint32_t data_take = 0;  ///< of the mission's numbering

    /// Which of the 175 orbits of a cycle of 12 days, from 1 on (ESA's SentiWiki, S1 Products; of Sentinel-1C behind
    /// its move of June 2026, and of 1D, as told at FRINGE 2026). 0: not known.
    std::uint32_t relative_orbit() const;
};
/// By a measurement file's own name (s1a-iw-raw-s-vv-...-032518-03c421.dat), else that of the folder it lies in
/// (S1A_IW_RAW__0SDV_..._032518_03C421_9D2B.SAFE).
std::optional<Flight> flight_of(const std::string& file);

/// When the satellite last came over the equator from the south, before a time at which it is on this orbit: by the
/// Earth's pull and flattening (J2) back from the vector in its middle. Nothing where that is no orbit of a satellite.
std::optional<double> ascending_node_s(const Orbit& orbit, double before_s);

/// Which burst it is, from 1 on, since the ascending node of orbit 1: of the 175 by a relative orbit, of all by an
/// absolute one. `middle_s` and `swath` as of burst_id.
std::int64_t burst_number(std::uint32_t orbit, double middle_s, std::string_view swath);

/// "t124_264304_iw2": relative orbit, number of the cycle of bursts, swath. `middle_s`: of the burst's own, since the
/// ascending node before the file's first echo; `relative_orbit`: of that echo. The middle of IW2 (EW3) numbers all
/// bursts of a cycle (Sentinel-1 Level 1 Detailed Algorithm Definition, equations 9-89 to 9-91 and table 9-7).
/// `swath`: IW1 to IW3, EW1 to EW5.
std::string burst_id(std::uint32_t relative_orbit, double middle_s, std::string_view swath);

/// Those of a file's bursts.
class BurstIds {
public:
    BurstIds(const std::string& file, const std::vector<Packet>& packets, const PulseTrains& all);
    bool known() const { return node_s_.has_value(); }
    /// Empty where names do not tell the orbit, packets no state vectors, and for a train that has a fault.
    std::string of(const PulseTrains& all, const PulseTrain& train) const;

private:
    std::uint32_t relative_orbit_ = 0;
    std::optional<double> node_s_;  ///< GPS time
};

}  // namespace cornerturn::sentinel1
