// SPDX-License-Identifier: Apache-2.0
#include "data/navigation/track_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "data/files/file_kind.h"
#include "data/files/refusal.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/raw_file.h"

namespace cornerturn {
namespace {

/// Columns that come together or not at all.
struct ColumnGroup {
    std::string_view what;
    std::array<std::string_view, 4> names;  // the last may be empty
    std::size_t size() const { return names.back().empty() ? 3 : 4; }
};

struct PositionGroup {
    TrackFrame frame;
    ColumnGroup position, velocity;
};

constexpr ColumnGroup earth_fixed_velocity{"velocities", {"vx_m_s", "vy_m_s", "vz_m_s"}},
    level_velocity{"velocities", {"east_m_s", "north_m_s", "up_m_s"}};
constexpr std::array<PositionGroup, 3> positions{
    {{TrackFrame::earth_fixed, {"positions", {"x_m", "y_m", "z_m"}}, earth_fixed_velocity},
     {TrackFrame::geographic, {"positions", {"latitude_deg", "longitude_deg", "height_m"}}, level_velocity},
     {TrackFrame::local, {"positions", {"east_m", "north_m", "up_m"}}, level_velocity}}};
constexpr ColumnGroup angles{"attitude", {"roll_deg", "pitch_deg", "yaw_deg"}},
    quaternion{"attitude", {"qw", "qx", "qy", "qz"}};

std::string names_of(const ColumnGroup& group) {
    return fmt::format("{}", fmt::join(group.names.begin(), group.names.begin() + group.size(), ", "));
}

template <class Visit>
void for_each_group(const Visit& visit) {
    for (const PositionGroup& group : positions) visit(group.position);
    visit(earth_fixed_velocity);
    visit(level_velocity);
    visit(angles);
    visit(quaternion);
}

/// Whether a group is there; refuses one of which only a part is.
bool has(const std::string& path, const TrackColumns& columns, const ColumnGroup& group) {
    std::string missing;
    std::size_t there = 0;
    for (std::size_t i = 0; i < group.size(); ++i)
        if (columns.numbers.contains(group.names[i]))
            ++there;
        else
            missing += fmt::format("{}{}", missing.empty() ? "" : ", ", group.names[i]);
    if (there > 0 && !missing.empty())
        refuse(path, fmt::format("{} is missing beside the other columns of {}; give all of {}, or none", missing,
                                 group.what, names_of(group)));
    return there > 0;
}

template <std::size_t size>
std::vector<std::array<double, size>> rows_of(const TrackColumns& columns, const ColumnGroup& group) {
    std::vector<std::array<double, size>> rows(columns.numbers.find(track_time_column)->second.size());
    for (std::size_t k = 0; k < size; ++k) {
        const std::vector<double>& column = columns.numbers.find(group.names[k])->second;
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i][k] = column[i];
    }
    return rows;
}

/// The only one of its kind that is there.
const PositionGroup& position_of(const std::string& path, const TrackColumns& columns) {
    const PositionGroup* found = nullptr;
    for (const PositionGroup& group : positions) {
        if (!has(path, columns, group.position)) continue;
        if (found != nullptr)
            refuse(path, fmt::format("holds positions twice, as {} and as {}; leave one of them out",
                                     names_of(found->position), names_of(group.position)));
        found = &group;
    }
    if (found == nullptr)
        refuse(path, fmt::format("holds no positions; give the columns {}; {}; or {}", names_of(positions[0].position),
                                 names_of(positions[1].position), names_of(positions[2].position)));
    return *found;
}

NavigationTrack track_of(const std::string& path, const TrackColumns& columns) {
    if (!columns.numbers.contains(track_time_column))
        refuse(path, "holds no times; give time_s (seconds since the echo's epoch) or, in CSV, utc (ISO 8601)");
    const PositionGroup& group = position_of(path, columns);
    NavigationTrack track{.name = path, .frame = group.frame};
    track.time_s = columns.numbers.find(track_time_column)->second;
    track.position = rows_of<3>(columns, group.position);
    for (const ColumnGroup& velocity : {earth_fixed_velocity, level_velocity})
        if (has(path, columns, velocity)) {
            if (velocity.names != group.velocity.names)
                refuse(path, fmt::format("holds velocities as {} beside positions as {}; give {}, or none",
                                         names_of(velocity), names_of(group.position), names_of(group.velocity)));
            track.velocity_m_s = rows_of<3>(columns, velocity);
        }
    if (has(path, columns, angles)) track.roll_pitch_yaw_deg = rows_of<3>(columns, angles);
    if (has(path, columns, quaternion)) track.quaternions = rows_of<4>(columns, quaternion);
    if (!track.roll_pitch_yaw_deg.empty() && !track.quaternions.empty())
        refuse(path, fmt::format("holds attitude twice, as {} and as {}; leave one of them out", names_of(angles),
                                 names_of(quaternion)));
    return track;
}

/// Names of columns, as many as one wants to read.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::vector<std::string> first;
    for (const std::string& name : names)
        if (first.size() < most) first.push_back(shown(name));
    return fmt::format("{}{}", fmt::join(first, ", "),
                       names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

/// The state vectors of an echo or an image, whose attitude is an antenna's and not the body's.
TrackFile track_of_product(const std::string& path, std::vector<std::string>& remarks) {
    const ProductKind kind = product_kind(path);
    if (kind == ProductKind::map) refuse(path, "is an image on a map, expected a track, a raw echo or an image");
    std::vector<std::string> unheard;  // of what else the echo holds
    const Acquisition from =
        kind == ProductKind::raw ? read_raw_header(path, {}, unheard) : read_rslc_header(path).acquisition;
    if (!from.orbit) refuse(path, "holds no state vectors that could be taken as a track");
    remarks.push_back(fmt::format("{}: its {} state vectors are taken as the track", path, from.orbit->time_s.size()));
    return {{.name = path,
             .frame = TrackFrame::earth_fixed,
             .time_s = from.orbit->time_s,
             .position = from.orbit->position_m,
             .velocity_m_s = from.orbit->velocity_m_s},
            parse_epoch(from.epoch)};
}

}  // namespace

bool is_track_column(std::string_view name) {
    bool found = name == track_time_column;
    for_each_group([&](const ColumnGroup& group) {
        found =
            found || (!name.empty() && std::find(group.names.begin(), group.names.end(), name) != group.names.end());
    });
    return found;
}

NavigationTrack TrackFile::since(const std::string& echo_epoch) const {
    NavigationTrack moved = track;
    if (!epoch) return moved;
    const auto reference = parse_epoch(echo_epoch);
    if (!reference) throw std::logic_error(fmt::format("epoch \"{}\" is no ISO 8601 time", echo_epoch));
    const double shift_s = epoch->seconds_since(*reference);
    for (double& time_s : moved.time_s) time_s += shift_s;
    return moved;
}

TrackFile read_track(const std::string& path, std::vector<std::string>& remarks) {
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) refuse(path, "is a folder, expected a track (CSV or HDF5)");
    const bool hdf5 = file_kind(path) == FileKind::hdf5;
    if (hdf5 && h5::Reader(path).is_group("/science")) return track_of_product(path, remarks);
    const TrackColumns columns = hdf5 ? read_hdf5_track(path) : read_csv_track(path);
    TrackFile file{track_of(path, columns), columns.epoch};
    if (!columns.others.empty()) remarks.push_back(fmt::format("{}: left out: {}", path, listed(columns.others)));
    return file;
}

}  // namespace cornerturn
