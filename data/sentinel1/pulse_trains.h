// SPDX-License-Identifier: Apache-2.0
// Pulse trains: the strips, bursts and vignettes of a data take, each recorded without a pause.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sentinel1/packet.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn::sentinel1 {

enum class Mode { strip, burst, vignette };

struct Swath {
    std::string_view name;  ///< "S3", "IW1", "WV2"
    Mode mode = Mode::strip;
    double steering_deg_s = 0;  ///< of its beam
};
/// nullptr: a number that no swath has.
const Swath* swath_of(std::uint8_t number);

/// Echoes of one swath and polarization in the order of their pulses, each once.
struct PulseTrain {
    const Swath* swath = nullptr;
    std::int64_t number = 0;  ///< of its swath, in the order of time
    std::vector<Packet> echoes;
    std::string fault = {};  ///< why no image can be made of it; empty: nothing is wrong

    double first_s() const { return echoes.front().sent_s(); }
    std::int64_t intervals() const { return std::int64_t{echoes.back().pulse_count} - echoes.front().pulse_count + 1; }
};

struct PulseTrains {
    std::vector<PulseTrain> trains;  ///< by swath, then by time
    std::int64_t repeated = 0;       ///< echoes of a pulse that is there already
    std::int64_t false_headers = 0;  ///< echoes whose headers contradict those around them
};

/// Of a strip all echoes are one. A pause makes two bursts; one of a few echoes is none. Where pulse, interval or
/// sampling change within one, that is its fault.
PulseTrains pulse_trains_of(const std::vector<Packet>& packets, const std::string& polarization);

/// How the beam of a burst is steered: it lies broadside in the middle of the full burst, which others of its swath
/// tell where echoes are lost at an end. `velocity_m_s`: of the satellite, over the ground and along its orbit.
Burst burst_of(const PulseTrains& all, const PulseTrain& train);

/// Doppler bandwidth over which it lights a target: where its two-way gain is above -12 dB, as far as neighbouring
/// bursts hold all of that. `speed_m_s`: of the satellite over the Earth.
double lit_band_hz(const PulseTrains& all, const PulseTrain& train, double range_m, double speed_m_s);

}  // namespace cornerturn::sentinel1
