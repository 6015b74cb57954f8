// SPDX-License-Identifier: Apache-2.0
#include "data/scene/scene_positions.h"

#include <algorithm>

#include "data/navigation/track_file.h"
#include "data/nisar/epoch.h"

namespace cornerturn {
namespace {

constexpr const char* positions_key = "positions";

double duration_s(const Scene& scene) {
    return scene.lines > 1 && scene.prf_hz > 0 ? static_cast<double>(scene.lines - 1) / scene.prf_hz : 0;
}

/// Of the day that a time lies in.
std::string midnight_before(const Epoch& epoch, double elapsed_s) {
    constexpr std::int64_t day_s = 86400;
    const std::int64_t seconds = epoch.plus(elapsed_s).seconds, into_day = ((seconds % day_s) + day_s) % day_s;
    return Epoch{seconds - into_day, 0}.text();
}

void check_frame(const ScenePositions& positions, const NavigationTrack& track) {
    const bool local = track.frame == TrackFrame::local;
    if (local && !positions.origin)
        refuse(positions.where, fmt::format("{} is in a local frame (east_m, north_m, up_m), and nothing tells where "
                                            "that lies; give origin: [latitude, longitude, height]",
                                            track.name));
    if (!local && positions.origin)
        refuse(positions.where, fmt::format("origin is of a local frame, and {} is in none; leave it out", track.name));
}

}  // namespace

bool has_positions(const YAML::Node& track) { return track.IsMap() && track[positions_key]; }

ScenePositions read_positions(const yaml::Mapping& scene, const std::string& key) {
    const yaml::Mapping keys(scene.at(key), scene.where() + ": " + key, {positions_key, "origin", "time_offset_s"});
    const auto name = keys.get<std::string>(positions_key, "the name of a file");
    if (name.empty()) refuse(keys.where(), "positions is empty, but must be the name of a file");
    ScenePositions positions{.where = keys.where(), .file = std::filesystem::path(scene.where()).parent_path() / name};
    keys.read("time_offset_s", positions.time_offset_s, "a number");
    if (!keys.has("origin")) return positions;
    const YAML::Node origin = keys.at("origin");
    std::vector<double> numbers;
    if (!YAML::convert<std::vector<double>>::decode(origin, numbers) || numbers.size() != 3 ||
        !(std::abs(numbers[0]) <= 90 && std::abs(numbers[1]) <= 540 && std::abs(numbers[2]) <= 1e5))
        refuse(keys.where(), fmt::format("origin in line {} must be [latitude, longitude, height]: degrees within +-90 "
                                         "and +-540, metres above the ellipsoid within +-100000",
                                         origin.Mark().line + 1));
    positions.origin = {numbers[0], numbers[1], numbers[2]};
    return positions;
}

void fly_along(const ScenePositions& positions, const GivenTimes& given, Scene& scene,
               std::vector<std::string>& remarks) {
    const TrackFile file = read_track(positions.file.string(), remarks);
    check_frame(positions, file.track);
    if (!file.track.roll_pitch_yaw_deg.empty() || !file.track.quaternions.empty())
        remarks.push_back(fmt::format("{}: its attitude is left out: a scene's beam: tells where the antenna looks",
                                      file.track.name));
    TrackPlacement placement{.time_offset_s = positions.time_offset_s};
    if (positions.origin)
        placement.origin = Geographic{.longitude_deg = (*positions.origin)[1],
                                      .latitude_deg = (*positions.origin)[0],
                                      .height_m = (*positions.origin)[2]};
    if (file.epoch && !given.epoch && !file.track.time_s.empty())
        scene.epoch = midnight_before(*file.epoch, file.track.time_s.front() + positions.time_offset_s);
    const NavigationTrack track = file.since(scene.epoch);
    const auto [first, last] = std::minmax_element(track.time_s.begin(), track.time_s.end());
    const double from_s = track.time_s.empty() ? 0 : *first + positions.time_offset_s,
                 to_s = track.time_s.empty() ? 0 : *last + positions.time_offset_s, record_s = duration_s(scene);
    if (!given.first_pulse) scene.first_pulse_time_s = 0.5 * (from_s + to_s - record_s);
    const double start_s = scene.first_pulse_time_s;
    if (!(from_s <= start_s && start_s + record_s <= to_s))
        refuse(positions.where,
               fmt::format(
                   "{} covers {:.3f} to {:.3f} s since {}, but pulses leave from {:.3f} to {:.3f} s; give positions "
                   "that cover them, another first_pulse_time_s, or time_offset_s where the file's clock is another",
                   track.name, from_s, to_s, scene.epoch, start_s, start_s + record_s));
    scene.orbit = antenna_track(track, placement, start_s, start_s + record_s, remarks).orbit;
}

}  // namespace cornerturn
