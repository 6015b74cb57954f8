// SPDX-License-Identifier: Apache-2.0
#include "data/ceos/palsar_leader.h"

#include <fmt/format.h>

#include <cmath>

#include "data/ceos/record.h"
#include "data/files/orbit_check.h"
#include "data/files/refusal.h"

namespace cornerturn {
namespace {

using ceos::Kind;
using ceos::Record;

double positive(const Record& record, std::size_t place, const char* meaning) {
    const double value = record.number(place, 16, meaning);
    if (!(value > 0)) refuse(record.where(place, 16), fmt::format("{}, expected more than 0: {}", value, meaning));
    return value;
}

void take_summary(const Record& summary, PalsarLeader& leader) {
    leader.scene = summary.text(21, 32);
    leader.mission = summary.text(397, 16);
    leader.wavelength_m = positive(summary, 501, "wavelength in m");
    leader.chirp_slope_hz_s = -std::fabs(positive(summary, 551, "chirp rate in Hz/s"));
    leader.sample_rate_hz = 1e6 * positive(summary, 711, "sampling rate in MHz");
    leader.chirp_duration_s = 1e-6 * positive(summary, 743, "pulse length in us");
    constexpr double longest_s = 1e-3, fastest_hz = 1e9;
    if (leader.chirp_duration_s > longest_s || leader.sample_rate_hz > fastest_hz)
        refuse(summary.where(711, 48),
               fmt::format("a pulse of {:.6g} s, sampled at {:.6g} Hz: expected at most {} s and {} Hz",
                           leader.chirp_duration_s, leader.sample_rate_hz, longest_s, fastest_hz));
    leader.bias_i = summary.optional_number(819, 16, "bias of I").value_or(0);
    leader.bias_q = summary.optional_number(835, 16, "bias of Q").value_or(0);
}

void take_positions(const Record& positions, PalsarLeader& leader) {
    constexpr std::int64_t most = 1000;
    const std::int64_t count = positions.integer(141, 4, "number of state vectors");
    if (count < 2 || count > most)
        refuse(positions.where(141, 4), fmt::format("{} state vectors, expected 2 to {}", count, most));
    const std::chrono::year_month_day day{
        std::chrono::year(static_cast<int>(positions.integer(145, 4, "year of the first state vector"))),
        std::chrono::month(static_cast<unsigned>(positions.integer(149, 4, "its month"))),
        std::chrono::day(static_cast<unsigned>(positions.integer(153, 4, "its day")))};
    if (!day.ok()) refuse(positions.where(145, 12), "is no date");
    leader.orbit_day = day;
    const double first_s = positions.number(161, 22, "seconds of the day"),
                 every_s = positions.number(183, 22, "interval of state vectors in s");
    if (!(every_s > 0)) refuse(positions.where(183, 22), fmt::format("{}, expected more than 0", every_s));
    for (std::int64_t i = 0; i < count; ++i) {
        const std::size_t place = 387 + 132 * static_cast<std::size_t>(i);
        StateVector state;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            state.position_m[axis] = positions.number(place + 22 * axis, 22, "position in m");
            state.velocity_m_s[axis] = positions.number(place + 66 + 22 * axis, 22, "velocity in m/s");
        }
        leader.orbit.add(first_s + static_cast<double>(i) * every_s, state);
        if (i > 0 && !on_one_path(leader.orbit, static_cast<std::size_t>(i - 1), static_cast<std::size_t>(i)))
            refuse(positions.where(place, 132),
                   fmt::format("state vector {} lies where the velocities of {} and {} do not lead", i, i - 1, i));
    }
}

}  // namespace

PalsarLeader read_palsar_leader(const std::string& path) {
    const BinaryFile file(path);
    PalsarLeader leader;
    bool summed_up = false, positioned = false;
    for (std::uint64_t at = 0; at < file.bytes();) {
        const Record record(file, at);
        if (at == 0 && !record.is(Kind::leader_descriptor)) refuse(path, "is no leader of CEOS files");
        if (record.is(Kind::data_set_summary)) take_summary(record, leader), summed_up = true;
        if (record.is(Kind::platform_position)) take_positions(record, leader), positioned = true;
        at = record.end();
    }
    if (!summed_up || !positioned)
        refuse(path, fmt::format("lacks its record of {}", summed_up ? "platform positions" : "the data set summary"));
    return leader;
}

}  // namespace cornerturn
