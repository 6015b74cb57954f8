// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentinel1_slice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

constexpr double pi = std::numbers::pi, light_m_s = 299792458, f0_hz = 5.405e9, wavelength_m = light_m_s / f0_hz,
                 reference_hz = 37.53472224e6, rate_hz = 4 * reference_hz * 3 / 26, stamp_late_s = 1.439e-6,
                 cycle_s = 2.7585, antenna_m = 12.3;
constexpr unsigned decimation_code = 10, ramp_code = 1737, start_code = 3059, pulse_code = 450;
constexpr double ramp_hz_s = ramp_code * reference_hz * reference_hz / (1 << 21),
                 start_hz = ramp_hz_s / (4 * reference_hz) - start_code * reference_hz / (1 << 14),
                 pulse_s = pulse_code / reference_hz;
constexpr double counts = 300;  // of an amplitude of 1; the codes end at 511

double inner(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 less(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double norm_of(const Vec3& a) { return std::sqrt(inner(a, a)); }
double sinc(double x) { return x == 0 ? 1 : std::sin(pi * x) / (pi * x); }

/// From the most significant bit on.
class Bits {
public:
    Bits& put(std::uint64_t value, int count) {
        while (count-- > 0) {
            if (used_ == 0) bytes_ += '\0';
            bytes_.back() = static_cast<char>(bytes_.back() | static_cast<char>((value >> count & 1) << (7 - used_)));
            used_ = (used_ + 1) % 8;
        }
        return *this;
    }
    void end_word() {
        used_ = 0;
        if (bytes_.size() % 2 != 0) bytes_ += '\0';
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    int used_ = 0;
};

/// When what is received at a time from a place was sent.
double delay_s(double received_s, const Vec3& place_m) {
    const double back_s = norm_of(less(Sentinel1Slice::antenna(received_s).position_m, place_m)) / light_m_s;
    double delay_s = 2 * back_s;
    for (int i = 0; i < 4; ++i)
        delay_s = back_s + norm_of(less(Sentinel1Slice::antenna(received_s - delay_s).position_m, place_m)) / light_m_s;
    return delay_s;
}

/// A pulse's packet: its echo comes `rank` intervals later.
struct Pulse {
    Sentinel1Slice::Which burst;
    int number = 0;
    double sent_s = 0;
    std::uint32_t count = 0;  ///< of all intervals
};

std::uint32_t window_code(const Sentinel1Slice& slice, int swath) {
    const double delay_s = 2 * slice.near_m(swath) / light_m_s,
                 window_s = delay_s - Sentinel1Slice::of(swath).rank * slice.interval_s(swath);
    return static_cast<std::uint32_t>(std::lround(window_s * reference_hz)) - 40;
}

std::string plain(const std::vector<std::complex<double>>& samples) {
    Bits bits;
    const auto part = [&](std::size_t first, bool real) {
        for (std::size_t i = first; i < samples.size(); i += 2) {
            const double value = real ? samples[i].real() : samples[i].imag();
            const auto size = std::min(511L, std::lround(std::fabs(value)));
            bits.put(value < 0 ? 1 : 0, 1).put(static_cast<std::uint64_t>(size), 9);
        }
        bits.end_word();
    };
    part(0, true), part(1, true), part(0, false), part(1, false);
    return bits.bytes();
}

void add_echo(const Sentinel1Slice& slice, const Pulse& pulse, const Sentinel1Slice::Target& target,
              std::vector<std::complex<double>>& samples) {
    const double nominal_s = delay_s(pulse.sent_s + 5.5e-3, target.place_m),
                 gain = slice.gain(pulse.burst, pulse.sent_s + 0.5 * nominal_s, target.place_m);
    if (gain == 0) return;
    // Within a pulse the delay changes evenly, by less than 1e-13 s otherwise.
    const double begin_s = pulse.sent_s + nominal_s, first_s = delay_s(begin_s, target.place_m),
                 change = (delay_s(begin_s + pulse_s, target.place_m) - first_s) / pulse_s;
    const double window_s = 2 * slice.near_m(pulse.burst.swath) / light_m_s;
    const auto first = static_cast<int>((nominal_s - window_s) * rate_hz) - 2;
    for (int k = std::max(first, 0); k < std::min(slice.samples, first + 4 + static_cast<int>(pulse_s * rate_hz));
         ++k) {
        const double received_s = pulse.sent_s + window_s + k / rate_hz,
                     tau_s = first_s + change * (received_s - begin_s), u_s = received_s - pulse.sent_s - tau_s;
        if (u_s < 0 || u_s >= pulse_s) continue;
        const double cycles = u_s * (start_hz + 0.5 * ramp_hz_s * u_s) - std::remainder(f0_hz * tau_s, 1.0);
        samples[static_cast<std::size_t>(k)] += counts * gain * target.amplitude * std::polar(1.0, 2 * pi * cycles);
    }
}

/// One of the words that are sent in turn: a state vector in 22 of 64 packets, of the time of the first of them.
std::pair<unsigned, unsigned> data_word(std::uint32_t packet, double vector_s) {
    const std::uint32_t index = packet % 64 + 1;
    const StateVector vector = Sentinel1Slice::antenna(vector_s);
    if (index > 22) return {index, 0};
    if (index <= 12) {
        const auto all = std::bit_cast<std::uint64_t>(vector.position_m[(index - 1) / 4]);
        return {index, static_cast<unsigned>(all >> (48 - 16 * ((index - 1) % 4)) & 0xffff)};
    }
    if (index <= 18) {
        const auto all = std::bit_cast<std::uint32_t>(static_cast<float>(vector.velocity_m_s[(index - 13) / 2]));
        return {index, all >> (16 - 16 * ((index - 13) % 2)) & 0xffff};
    }
    const auto stamp = static_cast<std::uint64_t>((Sentinel1Slice::first_gps_s + vector_s) * (1 << 24));
    return {index, static_cast<unsigned>(stamp >> (48 - 16 * (index - 19)) & 0xffff)};
}

std::string packet_of(const Sentinel1Slice& slice, const Pulse& pulse, std::uint32_t number, double vector_s) {
    std::vector<std::complex<double>> samples(static_cast<std::size_t>(slice.samples));
    for (const auto& target : slice.targets) add_echo(slice, pulse, target, samples);
    const std::string data = plain(samples);
    const Sentinel1Slice::Swath& swath = Sentinel1Slice::of(pulse.burst.swath);
    const bool other = std::any_of(slice.broken.begin(), slice.broken.end(), [&](const Sentinel1Slice::Which& broken) {
        return broken.swath == pulse.burst.swath && broken.cycle == pulse.burst.cycle &&
               pulse.number > slice.lines_of(pulse.burst.swath) / 2;
    });
    const double stamp_s = pulse.sent_s + swath.rank * slice.interval_s(pulse.burst.swath) - stamp_late_s;
    const auto ticks = static_cast<std::uint64_t>((Sentinel1Slice::first_gps_s + stamp_s) * 65536);
    const auto [index, word] = data_word(number, vector_s);
    Bits bits;
    bits.put(0x0c1c, 16).put(0xc000, 16).put(62 + data.size() - 1, 16).put(ticks >> 16, 32).put(ticks & 0xffff, 16);
    bits.put(0x352EF853, 32).put(1, 32).put(0, 8).put(0, 8).put(0, 32);
    bits.put(index, 8).put(word, 16).put(number, 32).put(pulse.count, 32);
    bits.put(0, 8).put(0, 16).put(decimation_code, 8).put(0, 8).put(0x8000 | ramp_code, 16).put(start_code, 16);
    bits.put(other ? pulse_code - 20 : pulse_code, 24).put(static_cast<std::uint64_t>(swath.rank), 8);
    bits.put(swath.interval_code, 24).put(window_code(slice, pulse.burst.swath), 24).put(0, 24);
    bits.put(6, 4).put(0, 28).put(0, 8).put(static_cast<std::uint64_t>(9 + pulse.burst.swath), 8);
    bits.put(static_cast<std::uint64_t>(slice.samples / 2), 16).put(0, 8);
    return bits.bytes() + data;
}

}  // namespace

const Sentinel1Slice::Swath& Sentinel1Slice::of(int swath) {
    static constexpr std::array<Swath, 3> swaths{{{21859, 1409, 9, 0.35, 1.590368784},
                                                  {25857, 1541, 8, 1.182, 0.979863325},
                                                  {22265, 1393, 10, 2.26, 1.397440818}}};
    return swaths.at(static_cast<std::size_t>(swath - 1));
}

StateVector Sentinel1Slice::antenna(double time_s) {
    constexpr double radius_m = 7.071e6, pull_m3_s2 = 3.986004418e14, turn_rad_s = 7.2921150e-5,
                     tilt = 98.18 * pi / 180, begin = 45 * pi / 180;
    const double rate = std::sqrt(pull_m3_s2 / radius_m) / radius_m, along = begin + rate * time_s,
                 turn = turn_rad_s * time_s;
    const double x = radius_m * std::cos(along), y = radius_m * std::sin(along) * std::cos(tilt),
                 z = radius_m * std::sin(along) * std::sin(tilt);
    const double vx = -radius_m * rate * std::sin(along) + turn_rad_s * y,
                 vy = radius_m * rate * std::cos(along) * std::cos(tilt) - turn_rad_s * x,
                 vz = radius_m * rate * std::cos(along) * std::sin(tilt);
    const double cosine = std::cos(turn), sine = std::sin(turn);
    return {.position_m = {cosine * x + sine * y, cosine * y - sine * x, z},
            .velocity_m_s = {cosine * vx + sine * vy, cosine * vy - sine * vx, vz}};
}

double Sentinel1Slice::interval_s(int swath) const { return of(swath).interval_code / reference_hz; }
double Sentinel1Slice::first_pulse_s(Which burst) const { return burst.cycle * cycle_s + of(burst.swath).begin_s; }
double Sentinel1Slice::broadside_s(Which burst) const {
    return first_pulse_s(burst) + 0.5 * (lines_of(burst.swath) - 1) * interval_s(burst.swath) +
           near_m(burst.swath) / light_m_s;
}
double Sentinel1Slice::sample_m() const { return light_m_s / (2 * rate_hz); }
double Sentinel1Slice::near_m(int swath) const {
    double near_m = 846e3;
    for (int i = 1; i < swath; ++i) near_m += (samples - 1) * sample_m() - 0.5 * light_m_s * pulse_s - overlap_m;
    // Windows begin at whole periods of the reference.
    const double periods = std::round(2 * near_m / light_m_s * reference_hz);
    return 0.5 * light_m_s * periods / reference_hz;
}
double Sentinel1Slice::far_whole_m(int swath) const {
    return near_m(swath) + (samples - 1) * sample_m() - 0.5 * light_m_s * pulse_s;
}

Vec3 Sentinel1Slice::place_m(double zero_doppler_s, double range_m) {
    const StateVector at = antenna(zero_doppler_s);
    return place_at(at.position_m, at.velocity_m_s, range_m, 0, 0, LookSide::right);
}

Sentinel1Slice::Pass Sentinel1Slice::pass_of(const Vec3& place_m) {
    double first_s = -20, last_s = 60;
    for (int i = 0; i < 60; ++i) {
        const double middle_s = 0.5 * (first_s + last_s);
        const StateVector at = antenna(middle_s);
        (inner(less(at.position_m, place_m), at.velocity_m_s) < 0 ? first_s : last_s) = middle_s;
    }
    return {first_s, norm_of(less(antenna(first_s).position_m, place_m))};
}

double Sentinel1Slice::gain(Which burst, double time_s, const Vec3& place_m) const {
    const StateVector at = antenna(time_s);
    const Vec3 to = less(place_m, at.position_m);
    const double sine = inner(to, at.velocity_m_s) / (norm_of(to) * norm_of(at.velocity_m_s)),
                 steered = of(burst.swath).steering_deg_s * pi / 180 * (time_s - broadside_s(burst));
    const double off = antenna_m / wavelength_m * (sine - std::sin(steered));
    if (std::fabs(off) >= 1) return 0;
    const double array = sinc(off), part = sinc(part_m / wavelength_m * sine);
    return array * array * part * part;
}

std::string Sentinel1Slice::file() const {
    std::vector<Pulse> pulses;
    std::uint32_t count = 1000;
    for (int cycle = 0; cycle < cycles; ++cycle)
        for (const int swath : swaths) {
            for (int i = 0; i < lines_of(swath); ++i)
                pulses.push_back({{swath, cycle}, i, first_pulse_s({swath, cycle}) + i * interval_s(swath), count++});
            count += 20;
        }
    std::string bytes;
    double vector_s = 0;
    for (std::size_t i = 0; i < pulses.size(); ++i) {
        if (i % 64 == 0) vector_s = std::floor(pulses[i].sent_s);  // the instrument gets one each second
        bytes += packet_of(*this, pulses[i], static_cast<std::uint32_t>(i), vector_s);
    }
    return bytes;
}

}  // namespace cornerturn
