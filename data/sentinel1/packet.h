// SPDX-License-Identifier: Apache-2.0
// Space packets of Sentinel-1: what their headers tell (S1-IF-ASD-PL-0007, section 3.2).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/files/binary_file.h"
#include "data/sentinel1/sample_codes.h"

namespace cornerturn::sentinel1 {

inline constexpr double reference_hz = 37.53472224e6, carrier_hz = 5.405e9;

enum class Signal : std::uint8_t {
    echo = 0,
    noise = 1,
    transmit_calibration = 8,
    receive_calibration = 9,
    epdn_calibration = 10,
    ta_calibration = 11,
    apdn_calibration = 12
};

/// A packet that is there whole.
struct Packet {
    static constexpr std::size_t header_bytes = 68;

    std::uint64_t samples_at = 0;  ///< in the file
    std::uint32_t sample_bytes = 0;
    double stamp_s = 0;                                 ///< GPS time, cut to 1 / 65536 s, in the middle of that
    std::uint32_t pulse_count = 0;                      ///< of all intervals between pulses
    std::uint32_t pri_code = 0, window_start_code = 0;  ///< in periods of the reference
    std::int64_t quads = 0;                             ///< of two samples
    std::uint16_t ramp_code = 0, start_code = 0;
    std::uint32_t pulse_code = 0;
    std::uint16_t data_word = 0;  ///< one of those that are sub-commutated
    std::uint8_t data_index = 0;  ///< its place from 1 on; 0: none
    std::uint8_t sample_code = 0, decimation = 0, rank = 0, signal = 0, swath = 0, polarization = 0, receiver = 0;

    bool same_pulse(const Packet& other) const {
        return pri_code == other.pri_code && decimation == other.decimation && ramp_code == other.ramp_code &&
               start_code == other.start_code && pulse_code == other.pulse_code && rank == other.rank;
    }
    bool is(Signal kind) const { return signal == static_cast<std::uint8_t>(kind); }
    double pri_s() const { return pri_code / reference_hz; }
    double pulse_s() const { return pulse_code / reference_hz; }
    double ramp_hz_s() const;       ///< signed
    double start_hz() const;        ///< frequency at the leading edge
    double sample_rate_hz() const;  ///< 0 where the decimation is not known
    /// From the leading edge of the pulse to the first sample, without the instrument's own delay.
    double window_start_s() const { return rank * pri_s() + (window_start_code + 320.0 / 8) / reference_hz; }
    /// When the pulse left, since a GPS time in whole seconds.
    double sent_s(double epoch_s = 0) const { return stamp_s - epoch_s + 1.439e-6 - rank * pri_s(); }
    /// Of transmitter and receiver, "VH"; empty where it is not known.
    std::string polarizations() const;
};

struct Packets {
    std::vector<Packet> packets;
    std::uint64_t damaged = 0;  ///< places where the next packet had to be looked for
    bool cut = false;           ///< the file ends within one
};

/// Whether a file begins with such a packet.
bool is_packet(std::span<const std::byte> first_bytes);
/// Which configuration of the instrument a packet's header names (ICID).
std::uint32_t instrument_configuration(std::span<const std::byte> header);

/// All of a file. Throws InputError where there is none, and Interrupted on request.
Packets read_packets(const BinaryFile& file);

}  // namespace cornerturn::sentinel1
