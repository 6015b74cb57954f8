// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/track_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/number.h"
#include "app/verb.h"
#include "data/files/sha256.h"
#include "data/navigation/orbit_file.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/track/given_reference.h"
#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {
namespace {

std::array<double, 3> three_numbers(const std::string& option, const std::string& text, const char* what) {
    const std::vector<double> numbers = parse_numbers(option, text);
    if (numbers.size() != 3)
        throw InputError(fmt::format("{} {}: expected three numbers with commas between them: {}", option, text, what));
    return {numbers[0], numbers[1], numbers[2]};
}

Geographic origin_of(const std::string& text) {
    const auto [latitude_deg, longitude_deg, height_m] =
        three_numbers("--track-origin", text, "latitude and longitude in degrees, height in m");
    if (!(std::abs(latitude_deg) <= 90 && std::abs(longitude_deg) <= 540))
        throw InputError(fmt::format(
            "--track-origin {}: latitude {} and longitude {}, expected degrees within +-90 and +-540, latitude first",
            text, latitude_deg, longitude_deg));
    return {.longitude_deg = longitude_deg, .latitude_deg = latitude_deg, .height_m = height_m};
}

Vec3 lever_arm_of(const std::string& text) {
    constexpr double longest_m = 200;
    const Vec3 arm_m = three_numbers("--lever-arm", text, "metres forward, right, down");
    for (const double part_m : arm_m)
        if (!(std::abs(part_m) <= longest_m))
            throw InputError(fmt::format("--lever-arm {}: {} m is no part of an aircraft; give -{:.0f} to {:.0f} m",
                                         text, part_m, longest_m, longest_m));
    return arm_m;
}

/// An echo and what it is taken from.
class EchoOnTrack final : public DescribedEcho {
public:
    EchoOnTrack(std::unique_ptr<EchoSource> echo, Acquisition along)
        : DescribedEcho(*echo, std::move(along)), echo_(std::move(echo)) {}

private:
    std::unique_ptr<EchoSource> echo_;
};

}  // namespace

void add_track_options(const Verb& verb, TrackOptions& o) {
    verb.option("--track", o.file,
                "Take positions and attitude from this navigation file, not from the echo. FILE is CSV with column "
                "names in its first line, or HDF5 with datasets of the same names. Times: time_s since the echo's "
                "epoch, or utc (ISO 8601). Positions: x_m,y_m,z_m (ECEF), latitude_deg,longitude_deg,height_m (WGS84), "
                "or east_m,north_m,up_m of a local frame. Velocities (optional): vx_m_s,vy_m_s,vz_m_s, or "
                "east_m_s,north_m_s,up_m_s. Attitude of the body (forward, right, down; optional): "
                "roll_deg,pitch_deg,yaw_deg (yaw from north) or qw,qx,qy,qz (to ECEF). FILE may also be a raw echo or "
                "an image, whose state vectors are taken")
        .type("FILE");
    verb.option("--track-origin", o.origin,
                "Origin of the navigation file's local frame, in degrees and m above the WGS84 ellipsoid. Without it, "
                "the frame is the scene's own (--grid local)")
        .type("LAT,LON,HEIGHT")
        .rare();
    verb.option("--lever-arm", o.lever_arm,
                "Vector from the navigation unit, whose positions --track has, to the antenna's phase centre, in m "
                "along the body's axes: forward, right, down. Needs attitude")
        .type("X,Y,Z")
        .rare();
    verb.option("--track-time-offset", o.time_offset,
                "Seconds to add to the times of --track: -18 where they are GPS and not UTC (since 2017)")
        .type("SECONDS")
        .rare();
    verb.option("--orbit", o.orbit,
                "Take state vectors from this orbit file of ESA (EOF: AUX_POEORB, AUX_RESORB), not from the echo")
        .type("FILE.EOF")
        .rare();
}

TrackPlacement placement_of(const TrackOptions& o) {
    for (const auto& [option, value] : {std::pair{"--track-origin", o.origin}, std::pair{"--lever-arm", o.lever_arm},
                                        std::pair{"--track-time-offset", o.time_offset}})
        if (value && !o.file)
            throw InputError(
                fmt::format("{} {}: is of a navigation file; give --track FILE, or leave it out", option, *value));
    if (o.file && o.orbit)
        throw InputError(
            fmt::format("--orbit {}: --track {} tells the positions; leave one of them out", *o.orbit, *o.file));
    TrackPlacement placement;
    if (o.origin) placement.origin = origin_of(*o.origin);
    if (o.lever_arm) placement.lever_arm_m = lever_arm_of(*o.lever_arm);
    if (o.time_offset) placement.time_offset_s = parse_number("--track-time-offset", *o.time_offset);
    return placement;
}

void add_track_facts(const TrackOptions& o, const std::optional<std::string>& reference, RunFacts& facts) {
    const std::string none = "not given";
    facts.emplace_back("--track", o.file ? "SHA-256 " + sha256_of_file(*o.file) : none);
    facts.emplace_back("--orbit", o.orbit ? "SHA-256 " + sha256_of_file(*o.orbit) : none);
    facts.emplace_back("--reference-track", reference ? "SHA-256 " + sha256_of_file(*reference) : none);
    facts.emplace_back("--track-origin", o.origin.value_or(none));
    facts.emplace_back("--lever-arm", o.lever_arm.value_or(none));
    facts.emplace_back("--track-time-offset", o.time_offset.value_or(none));
}

std::shared_ptr<const GivenTrack> GivenTrack::read(const TrackOptions& options, bool of_two) {
    const std::shared_ptr<GivenTrack> given(new GivenTrack(options));
    if (options.orbit) {
        given->orbit_ = options.orbit;
        given->file_.track.name = *options.orbit;
        return given;
    }
    if (!options.file) return nullptr;
    given->file_ = read_track(*options.file, given->remarks_);
    if (of_two && given->track().frame != TrackFrame::local) given->placement_.origin.reset();
    return given;
}

Acquisition GivenTrack::along(const Acquisition& acquisition, double height_m,
                              std::vector<std::string>& warnings) const {
    warnings.insert(warnings.end(), remarks_.begin(), remarks_.end());
    if (orbit_) {
        Acquisition along = acquisition;
        along.orbit =
            read_orbit_file(*orbit_, acquisition.epoch, acquisition.pulse_time_s(0), acquisition.last_pulse_time_s());
        along.local_track.reset();
        const double middle_s = 0.5 * (acquisition.pulse_time_s(0) + acquisition.last_pulse_time_s());
        along.identification.pass_direction =
            interpolate(*along.orbit, middle_s).velocity_m_s[2] < 0 ? "descending" : "ascending";
        return along;
    }
    return along_track(acquisition, file_.since(acquisition.epoch), placement_, height_m, warnings);
}

Orbit GivenTrack::reference_for(const Acquisition& acquisition, std::vector<std::string>& warnings) const {
    warnings.insert(warnings.end(), remarks_.begin(), remarks_.end());
    const NavigationTrack track = file_.since(acquisition.epoch);
    if (track.frame == TrackFrame::local && !placement_.origin)
        throw InputError(
            fmt::format("{}: --reference-track: is in a local frame, and nothing tells where that lies; give "
                        "--track-origin LAT,LON,HEIGHT",
                        track.name));
    const auto [first, last] = std::minmax_element(track.time_s.begin(), track.time_s.end());
    const AntennaTrack antenna =
        antenna_track(track, placement_, track.time_s.empty() ? 0 : *first, track.time_s.empty() ? 0 : *last, warnings);
    return given_reference(acquisition, antenna.orbit, track.name, warnings);
}

nlohmann::json GivenTrack::json() const {
    nlohmann::json json{{"file", file_.track.name}, {"time_offset_s", placement_.time_offset_s}};
    if (placement_.lever_arm_m) json["lever_arm_m"] = *placement_.lever_arm_m;
    if (const auto& origin = placement_.origin)
        json["origin"] = {{"latitude_deg", origin->latitude_deg},
                          {"longitude_deg", origin->longitude_deg},
                          {"height_m", origin->height_m}};
    return json;
}

std::unique_ptr<EchoSource> on_track(std::unique_ptr<EchoSource> echo, const GivenTrack* track, double height_m,
                                     std::vector<std::string>& warnings) {
    if (track == nullptr) return echo;
    Acquisition along = track->along(echo->acquisition(), height_m, warnings);
    return std::make_unique<EchoOnTrack>(std::move(echo), std::move(along));
}

}  // namespace cornerturn
