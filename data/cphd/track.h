// SPDX-License-Identifier: Apache-2.0
// When and where the pulses of a channel were sent, as the rest of the program has it.
#pragma once

#include "data/cphd/pulse_parameters.h"
#include "pipeline/acquisition/acquisition.h"

namespace cornerturn::cphd {

/// State vectors of the antenna halfway between sending and receiving, and beyond both ends by the way of an echo.
/// `clock_s` is added to all times.
Orbit orbit_of(const std::vector<Pulse>& pulses, double clock_s);

/// Times, PRF, look side and pass direction: a pulse leaves half the delay of its point of reference before the antenna
/// is halfway. Pulses that were not recorded leave uneven times, which is told of.
void set_times(const std::string& file, const std::vector<Pulse>& pulses, double clock_s, Acquisition& acquisition,
               std::vector<std::string>& warnings);

/// Of the points of reference of all pulses, at the carrier.
DopplerBand doppler_of_references(const std::vector<Pulse>& pulses, double carrier_hz);

}  // namespace cornerturn::cphd
