// SPDX-License-Identifier: Apache-2.0
#include "data/sentinel1/burst_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <regex>

#include "data/sentinel1/ephemeris.h"
#include "kernels/host/letter_case.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::sentinel1 {
namespace {

constexpr std::uint32_t orbits = 175;
constexpr double orbit_s = 12 * 86400.0 / orbits;

/// Of a mode: from one burst of a swath to the next, and before the first one behind the node; from the beginning of
/// each swath's burst to that of the next swath's; the swath in whose middle cycles are counted.
struct Cycle {
    double length_s, preamble_s;
    std::array<double, 5> swaths_s;
    std::size_t counted_by;

    double middle_s(std::size_t swath) const {
        double before_s = 0;
        for (std::size_t i = 0; i < swath; ++i) before_s += swaths_s[i];
        return before_s + 0.5 * swaths_s[swath];
    }
    /// Of the cycle in which this is the middle of a swath's burst.
    double begin_s(double of_middle_s, std::string_view swath) const {
        return of_middle_s - middle_s(static_cast<std::size_t>(swath[2] - '1'));
    }
};
constexpr Cycle iw{2.758273, 2.299849, {0.832, 1.078, 0.848}, 1},
    ew{3.038376, 2.299970, {0.68268, 0.55873, 0.61234, 0.56538, 0.61925}, 2};
const Cycle& cycle_of(std::string_view swath) { return swath.starts_with("IW") ? iw : ew; }

/// In a frame that turns with the Earth.
StateVector change_of(const StateVector& at) {
    constexpr double pull_m3_s2 = 3.986004418e14, j2 = 1.08262668e-3, turn_rad_s = 7.2921150e-5;
    const auto& [x, y, z] = at.position_m;
    const double r = norm(at.position_m), pull = pull_m3_s2 / (r * r * r);
    const double flat = 1.5 * j2 * std::pow(wgs84_equatorial_radius_m / r, 2), up = 5 * std::pow(z / r, 2);
    const auto& [vx, vy, vz] = at.velocity_m_s;
    return {.position_m = at.velocity_m_s,
            .velocity_m_s = {-pull * x * (1 + flat * (1 - up)) + turn_rad_s * (turn_rad_s * x + 2 * vy),
                             -pull * y * (1 + flat * (1 - up)) + turn_rad_s * (turn_rad_s * y - 2 * vx),
                             -pull * z * (1 + flat * (3 - up))}};
}

StateVector moved(const StateVector& from, const StateVector& by, double step_s) {
    StateVector to = from;
    for (std::size_t i = 0; i < 3; ++i)
        to.position_m[i] += step_s * by.position_m[i], to.velocity_m_s[i] += step_s * by.velocity_m_s[i];
    return to;
}

/// Runge and Kutta's step of the fourth order.
StateVector later(const StateVector& at, double step_s) {
    const StateVector a = change_of(at), b = change_of(moved(at, a, 0.5 * step_s)),
                      c = change_of(moved(at, b, 0.5 * step_s)), d = change_of(moved(at, c, step_s));
    return moved(moved(moved(moved(at, a, step_s / 6), b, step_s / 3), c, step_s / 3), d, step_s / 6);
}

std::optional<Flight> flight_in(const std::string& name) {
    static const std::regex file("s1([a-d])-(?:iw|ew|wv|s)[a-z0-9]*-raw-.*-([0-9]{6})-([0-9a-f]{6}).*"),
        folder("S1([A-D])_.*_([0-9]{6})_([0-9A-F]{6})_[0-9A-F]{4}.*");
    std::smatch found;
    if (!std::regex_match(name, found, file) && !std::regex_match(name, found, folder)) return std::nullopt;
    constexpr int hexadecimal = 16;
    return Flight{.satellite = upper(found[1].str()).front(),
                  .absolute_orbit = static_cast<std::uint32_t>(std::stoul(found[2].str())),
                  .data_take = static_cast<std::uint32_t>(std::stoul(found[3].str(), nullptr, hexadecimal))};
}

}  // namespace

std::uint32_t Flight::relative_orbit() const {
    const std::uint32_t first = satellite == 'A'                             ? 73
                                : satellite == 'B'                           ? 27
                                : satellite == 'C' && absolute_orbit <= 8018 ? 172
                                : satellite == 'C'                           ? 99
                                : satellite == 'D'                           ? 42
                                                                             : 0;
    return first == 0 ? 0 : (absolute_orbit + orbits - first % orbits) % orbits + 1;
}

std::optional<Flight> flight_of(const std::string& file) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(file, error);
    if (const auto flight = flight_in(whole.filename().string())) return flight;
    return flight_in(whole.parent_path().filename().string());
}

std::optional<double> ascending_node_s(const Orbit& orbit, double before_s) {
    constexpr double step_s = 10, longest_s = 1.5 * orbit_s, lowest_m = 6.4e6;
    const std::size_t middle = orbit.time_s.size() / 2;
    StateVector at = later(orbit.vector(middle), before_s - orbit.time_s[middle]);
    double time_s = before_s;
    while (before_s - time_s < longest_s && norm(at.position_m) > lowest_m) {
        const StateVector earlier = later(at, -step_s);
        if (earlier.position_m[2] < 0 && at.position_m[2] >= 0)  // where it moves on nearly straight
            return time_s - at.position_m[2] / at.velocity_m_s[2];
        at = earlier;
        time_s -= step_s;
    }
    return std::nullopt;
}

std::int64_t burst_number(std::uint32_t orbit, double middle_s, std::string_view swath) {
    const Cycle& cycle = cycle_of(swath);
    const double counted_s = cycle.begin_s(middle_s, swath) + cycle.middle_s(cycle.counted_by),
                 since_first_s = counted_s + (orbit - 1.0) * orbit_s;
    return 1 + static_cast<std::int64_t>(std::floor((since_first_s - cycle.preamble_s) / cycle.length_s));
}

std::string burst_id(std::uint32_t relative_orbit, double middle_s, std::string_view swath) {
    const bool in_next_orbit = cycle_of(swath).begin_s(middle_s, swath) >= orbit_s;
    const std::uint32_t track = in_next_orbit ? relative_orbit % orbits + 1 : relative_orbit;
    return fmt::format("t{:03}_{:06}_{}", track, burst_number(relative_orbit, middle_s, swath),
                       lower(std::string(swath)));
}

BurstIds::BurstIds(const std::string& file, const std::vector<Packet>& packets, const PulseTrains& all) {
    const auto flight = flight_of(file);
    if (!flight || flight->relative_orbit() == 0 || all.trains.empty()) return;
    const auto orbit = orbit_of(packets, 0);
    if (!orbit) return;
    relative_orbit_ = flight->relative_orbit();
    const auto first =
        std::min_element(all.trains.begin(), all.trains.end(),
                         [](const PulseTrain& a, const PulseTrain& b) { return a.first_s() < b.first_s(); });
    node_s_ = ascending_node_s(*orbit, first->first_s());
}

std::string BurstIds::of(const PulseTrains& all, const PulseTrain& train) const {
    if (!node_s_ || !train.fault.empty() || train.swath->mode != Mode::burst) return {};
    return burst_id(relative_orbit_, burst_of(all, train).broadside_time_s - *node_s_, train.swath->name);
}

}  // namespace cornerturn::sentinel1
