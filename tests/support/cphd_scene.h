// SPDX-License-Identifier: Apache-2.0
// CPHD files of point targets, made for tests: small, with what they are to show.
#pragma once

#include <complex>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/acquisition/orbit.h"

namespace cornerturn {

/// An antenna flies north past a place on the equator, to the west of it and above, looking right. The scene's plane is
/// level there, x to the east and y to the north.
struct CphdScene {
    bool over_arrival_time = false;  ///< TOA instead of FX
    std::string sample_type = "CF8";
    int sign = -1;       ///< of the samples' phases
    int told_sign = -1;  ///< what the file says it is
    int pulses = 128, samples = 96;
    double carrier_hz = 9.6e9, bandwidth_hz = 60e6;
    double interval_s = 7e-3, speed_m_s = 7500, height_m = 500e3, ground_range_m = 400e3;
    bool receiver_stands = false;    ///< RcvPos is TxPos
    double reference_speed_m_s = 0;  ///< at which the point of reference goes north
    double band_step_hz = 0;         ///< by which SC0 moves from pulse to pulse
    double beam_hz = 0;              ///< of Doppler frequencies about zero that see a target; 0: all
    double air_delay_s = 0;          ///< TDTropoSRP
    bool air_in_samples = false;     ///< that is in them, too
    std::set<int> missing = {};      ///< pulses that were not recorded
    std::string image_area = "<X1Y1><X>-40</X><Y>-40</Y></X1Y1><X2Y2><X>40</X><Y>40</Y></X2Y2>";
    struct Channel {
        std::string name = "first", sent = "V", received = "V";
        double amplitude = 1;
    };
    std::vector<Channel> channels = {{}};
    struct Target {
        double x_m = 0, y_m = 0, z_m = 0;
        std::complex<double> amplitude = 1;
    };
    std::vector<Target> targets = {};
    /// What a test makes of the XML before it is written.
    std::function<void(std::string& xml)> edit = {};

    static Vec3 place_m(const Target& target) { return {6378137.0 + target.z_m, target.x_m, target.y_m}; }
    double time_s(int pulse) const { return interval_s * pulse; }
    double middle_s() const { return 0.5 * interval_s * (pulses - 1); }
    Vec3 antenna_m(double time_s) const;
    Vec3 reference_m(int pulse) const;
    /// When what a pulse sends to its point of reference comes back, and where the antenna is then.
    double received_s(int pulse) const;
    Vec3 receiver_m(int pulse) const;
    /// By how much later the echo of a place comes than that of the point of reference, as samples have it.
    double arrival_s(int pulse, const Vec3& place_m) const;
    double step_hz() const { return bandwidth_hz / samples; }
    double first_hz(int pulse) const { return carrier_hz - 0.5 * (samples - 1) * step_hz() + band_step_hz * pulse; }
    double window_s() const { return 1 / (1.2 * step_hz()); }
    bool sees(int pulse, const Vec3& place_m) const;

    /// The bytes of the file; blocks lie behind each other, 64 bytes apart or less.
    std::string file() const;
};

/// Where a file says that a block begins: "XML", "PVP" or "SIGNAL".
std::size_t block_of(const std::string& file, const std::string& name);
/// Bytes of a pulse's record, and where in it a parameter begins.
inline constexpr std::size_t cphd_record_bytes = 8 * 30, cphd_sc0 = 8 * 1, cphd_tx_time = 8 * 29, cphd_srp = 8 * 17,
                             cphd_signal = 8 * 28, cphd_gain = 8 * 27;

}  // namespace cornerturn
