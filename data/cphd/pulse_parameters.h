// SPDX-License-Identifier: Apache-2.0
// Per-vector parameters (PVPs) of the pulses of a channel, those that can be used.
#pragma once

#include <string>
#include <vector>

#include "data/cphd/metadata.h"

namespace cornerturn::cphd {

/// Of one pulse. Frequencies in Hz, times of arrival in s about that of the echo of its point of reference.
struct Pulse {
    std::uint64_t number = 0;           ///< of its record, and of its vector of samples
    double sent_s = 0, received_s = 0;  ///< since the start of the collection
    Vec3 sent_from_m{}, received_at_m{}, velocity_m_s{}, reference_m{};  ///< ECEF
    double lowest_hz = 0, highest_hz = 0;                                ///< FX1, FX2
    double first_arrival_s = 0, last_arrival_s = 0;                      ///< TOA1, TOA2
    double air_delay_s = 0;                                              ///< TDTropoSRP
    double first_sample = 0, sample_step = 0;                            ///< SC0, SCSS: Hz or s, as the domain is
    double gain = 1;                                                     ///< AmpSF

    /// Halfway between where it was sent and received.
    Vec3 antenna_m() const;
    /// By the ways of sending and receiving, of the echo of a place and of its point of reference.
    double delay_s(const Vec3& place_m) const;
    double delay_s() const { return delay_s(reference_m); }
};

/// In their order. Left out are those without a signal (SIGNAL 0), with numbers that cannot be, and such as are sent no
/// later than the one before, which is told of. Throws InputError where a parameter is missing or fewer than two pulses
/// are left.
std::vector<Pulse> read_pulses(const BinaryFile& file, const FileHeader& header, const Metadata& metadata,
                               const Channel& channel, std::vector<std::string>& warnings);

}  // namespace cornerturn::cphd
