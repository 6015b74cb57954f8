// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::cphd {
namespace {

/// When the antenna was halfway: by its velocity from where it sent. Of a receiver that stands still meanwhile, at
/// once.
double halfway_s(const Pulse& pulse) {
    return pulse.sent_s +
           dot(pulse.antenna_m() - pulse.sent_from_m, pulse.velocity_m_s) / dot(pulse.velocity_m_s, pulse.velocity_m_s);
}

double usual_interval_s(const std::vector<Pulse>& pulses) {
    std::vector<double> intervals;
    for (std::size_t i = 1; i < pulses.size(); ++i) intervals.push_back(pulses[i].sent_s - pulses[i - 1].sent_s);
    return median_of(std::move(intervals));
}

Vec3 sight_of(const Pulse& pulse) { return unit(pulse.reference_m - pulse.antenna_m()); }

/// The state vector so long after one, by its velocity and how that changes to the next one.
void add_beyond(const Orbit& orbit, std::size_t at, std::size_t next, double after_s, Orbit& to) {
    const Vec3 change_m_s2 =
        1 / (orbit.time_s[next] - orbit.time_s[at]) * (orbit.velocity_m_s[next] - orbit.velocity_m_s[at]);
    to.add(orbit.time_s[at] + after_s,
           {orbit.position_m[at] + after_s * orbit.velocity_m_s[at] + 0.5 * after_s * after_s * change_m_s2,
            orbit.velocity_m_s[at] + after_s * change_m_s2});
}

}  // namespace

Orbit orbit_of(const std::vector<Pulse>& pulses, double clock_s) {
    Orbit recorded, orbit;
    for (const Pulse& pulse : pulses) {
        const double time_s = clock_s + halfway_s(pulse);
        if (!recorded.time_s.empty() && time_s <= recorded.time_s.back()) continue;
        recorded.add(time_s, {pulse.antenna_m(), pulse.velocity_m_s});
    }
    if (recorded.time_s.size() < 2) return recorded;
    const double beyond_s = std::max(usual_interval_s(pulses), pulses.front().delay_s());
    const std::size_t last = recorded.time_s.size() - 1;
    add_beyond(recorded, 0, 1, -beyond_s, orbit);
    for (std::size_t i = 0; i <= last; ++i) orbit.add(recorded.time_s[i], recorded.vector(i));
    add_beyond(recorded, last, last - 1, beyond_s, orbit);
    return orbit;
}

void set_times(const std::string& file, const std::vector<Pulse>& pulses, double clock_s, Acquisition& acquisition,
               std::vector<std::string>& warnings) {
    constexpr double even = 1e-4;  // of an interval
    std::vector<double> sent_s;
    for (const Pulse& pulse : pulses) sent_s.push_back(clock_s + halfway_s(pulse) - 0.5 * pulse.delay_s());
    const double interval_s = usual_interval_s(pulses);
    const double steps = std::max(1.0, std::round((sent_s.back() - sent_s.front()) / interval_s));
    acquisition.lines = std::ssize(pulses);
    acquisition.first_pulse_time_s = sent_s.front();
    acquisition.prf_hz = steps / (sent_s.back() - sent_s.front());
    bool uneven = false;
    for (std::size_t i = 0; i < sent_s.size(); ++i)
        uneven = uneven || std::abs((sent_s[i] - sent_s.front()) * acquisition.prf_hz - static_cast<double>(i)) > even;
    if (uneven) acquisition.pulse_times_s = sent_s;
    if (const auto missing = static_cast<std::int64_t>(steps) + 1 - acquisition.lines; missing > 0)
        warnings.push_back(fmt::format("{}: {} of {} pulses are missing", file, missing, acquisition.lines + missing));
    const Pulse& middle = pulses[pulses.size() / 2];
    const Vec3 right = cross(middle.velocity_m_s, ellipsoid_normal(middle.antenna_m()));
    acquisition.identification.look_side = dot(sight_of(middle), right) > 0 ? LookSide::right : LookSide::left;
    acquisition.identification.pass_direction = middle.velocity_m_s[2] < 0 ? "descending" : "ascending";
}

DopplerBand doppler_of_references(const std::vector<Pulse>& pulses, double carrier_hz) {
    DopplerBand band{INFINITY, -INFINITY};
    for (const Pulse& pulse : pulses) {
        const double doppler_hz = 2 * carrier_hz / speed_of_light_m_s * dot(pulse.velocity_m_s, sight_of(pulse));
        band = {std::min(band.low_hz, doppler_hz), std::max(band.high_hz, doppler_hz)};
    }
    return band;
}

}  // namespace cornerturn::cphd
