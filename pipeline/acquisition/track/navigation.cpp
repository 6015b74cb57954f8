// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/navigation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/spline.h"

namespace cornerturn {
namespace {

using Quaternion = std::array<double, 4>;

constexpr std::size_t fewest_positions = 4;
constexpr double largest_roughness = 0.02;  // wavelengths
constexpr double margin_s = 20;             // about the times that are needed, beside as much as these span

[[noreturn]] void refuse(const NavigationTrack& track, const std::string& complaint) {
    throw InputError(fmt::format("{}: {}", track.name, complaint));
}

/// First b, then a.
Quaternion product(const Quaternion& a, const Quaternion& b) {
    return {
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quaternion about(std::size_t axis, double angle_rad) {
    Quaternion turned{std::cos(0.5 * angle_rad), 0, 0, 0};
    turned[axis + 1] = std::sin(0.5 * angle_rad);
    return turned;
}

/// From north, east, down at a place to ECEF.
Quaternion from_level(const Geographic& place) {
    return product(about(2, place.longitude_deg * degree), about(1, -(90 + place.latitude_deg) * degree));
}

/// From north, east, down to east, north, up.
Quaternion from_level() {
    const double half = std::sqrt(0.5);
    return {0, half, half, 0};
}

Quaternion in_level(const Vec3& roll_pitch_yaw_deg) {
    return product(about(2, roll_pitch_yaw_deg[2] * degree),
                   product(about(1, roll_pitch_yaw_deg[1] * degree), about(0, roll_pitch_yaw_deg[0] * degree)));
}

Vec3 in_ecef(const LocalFrame& frame, const Vec3& east_north_up) {
    return east_north_up[0] * frame.east + east_north_up[1] * frame.north + east_north_up[2] * frame.up;
}

double median_step_s(const std::vector<double>& time_s) {
    std::vector<double> steps_s;
    for (std::size_t i = 1; i < time_s.size(); ++i) steps_s.push_back(time_s[i] - time_s[i - 1]);
    return median_of(std::move(steps_s));
}

void check_times(const NavigationTrack& track) {
    constexpr double least_step = 0.02;  // of most: a curve through positions closer together follows their noise
    const std::vector<double>& time_s = track.time_s;
    if (time_s.size() < fewest_positions)
        refuse(track, fmt::format("holds {} positions, expected {} or more", time_s.size(), fewest_positions));
    for (std::size_t i = 1; i < time_s.size(); ++i)
        if (!(time_s[i] > time_s[i - 1]))
            refuse(track, fmt::format("times do not ascend: position {} is of {:.9g} s, position {} of {:.9g} s; sort "
                                      "the file and leave out what comes twice",
                                      i, time_s[i - 1], i + 1, time_s[i]));
    const double most_s = median_step_s(time_s);
    for (std::size_t i = 1; i < time_s.size(); ++i)
        if (time_s[i] - time_s[i - 1] < least_step * most_s)
            refuse(track, fmt::format("positions {} and {} lie {:.3g} s apart, most of them {:.3g} s (at least {:.0f} "
                                      "% of that are expected); leave one of them out",
                                      i, i + 1, time_s[i] - time_s[i - 1], most_s, 100 * least_step));
}

void check_covers(const NavigationTrack& track, const TrackPlacement& placement, double from_s, double to_s) {
    constexpr double rounding_s = 1e-6;
    const double first_s = track.time_s.front() + placement.time_offset_s,
                 last_s = track.time_s.back() + placement.time_offset_s;
    if (first_s <= from_s + rounding_s && last_s >= to_s - rounding_s) return;
    refuse(track,
           fmt::format("covers {:.3f} to {:.3f} s since the echo's epoch{}, but pulses leave from {:.3f} to {:.3f} s; "
                       "give a track that covers them, or --track-time-offset SECONDS where its clock is another",
                       first_s, last_s,
                       placement.time_offset_s == 0 ? "" : fmt::format(" ({:+g} s of offset)", placement.time_offset_s),
                       from_s, to_s));
}

template <class Value>
void keep(std::vector<Value>& values, std::size_t first, std::size_t end) {
    if (values.empty()) return;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(end), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
}

/// What matters to the pulses, its times moved.
NavigationTrack part_of(NavigationTrack track, const TrackPlacement& placement, double from_s, double to_s) {
    for (double& time_s : track.time_s) time_s += placement.time_offset_s;
    const double beyond_s = to_s - from_s + margin_s;
    const std::size_t count = track.time_s.size();
    const auto at = [&](double time_s) {
        return static_cast<std::size_t>(std::lower_bound(track.time_s.begin(), track.time_s.end(), time_s) -
                                        track.time_s.begin());
    };
    const std::size_t below = at(from_s - beyond_s), above = at(to_s + beyond_s);
    const std::size_t first = below > fewest_positions ? below - fewest_positions : 0,
                      end = std::min(count, above + fewest_positions);
    keep(track.time_s, first, end);
    keep(track.position, first, end);
    keep(track.velocity_m_s, first, end);
    keep(track.roll_pitch_yaw_deg, first, end);
    keep(track.quaternions, first, end);
    return track;
}

void check_place(const NavigationTrack& track, std::size_t i) {
    constexpr double lowest_m = 6.3e6, highest_m = 1e8;
    const Vec3& p = track.position[i];
    if (track.frame == TrackFrame::geographic && !(std::abs(p[0]) <= 90 && std::abs(p[1]) <= 540))
        refuse(track,
               fmt::format("position {} lies at latitude {} and longitude {}, expected degrees within +-90 and +-540",
                           i + 1, p[0], p[1]));
    if (track.frame == TrackFrame::earth_fixed && !(norm(p) >= lowest_m && norm(p) <= highest_m))
        refuse(track, fmt::format("position {} lies {:.6g} m from the Earth's centre, expected {:.2g} to {:.2g} m; "
                                  "x_m, y_m, z_m are Earth-fixed, a local frame is east_m, north_m, up_m",
                                  i + 1, norm(p), lowest_m, highest_m));
}

Quaternion unit_quaternion(const NavigationTrack& track, std::size_t i) {
    constexpr double rounding = 0.01;
    Quaternion q = track.quaternions[i];
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(length - 1) <= rounding))
        refuse(track, fmt::format("quaternion {} has the length {:.6g}, expected 1", i + 1, length));
    for (double& part : q) part /= length;
    return q;
}

/// Positions, and what turns the body and velocities there, in the frame of the result.
struct Placed {
    std::vector<Vec3> position_m, velocity_m_s;
    std::vector<Quaternion> body;
};

Placed placed(const NavigationTrack& track, const TrackPlacement& placement) {
    const bool of_scene = track.frame == TrackFrame::local && !placement.origin;
    const Vec3 origin_m = placement.origin ? point_of(*placement.origin) : Vec3{};
    const LocalFrame at_origin = local_frame(placement.origin.value_or(Geographic{}));
    Placed result;
    for (std::size_t i = 0; i < track.time_s.size(); ++i) {
        check_place(track, i);
        const Vec3& given = track.position[i];
        Vec3 position_m = given;
        if (track.frame == TrackFrame::geographic)
            position_m = point_of({.longitude_deg = given[1], .latitude_deg = given[0], .height_m = given[2]});
        else if (track.frame == TrackFrame::local && !of_scene)
            position_m = origin_m + in_ecef(at_origin, given);
        result.position_m.push_back(position_m);
        if (!track.velocity_m_s.empty()) {
            const Vec3& velocity_m_s = track.velocity_m_s[i];
            if (track.frame == TrackFrame::earth_fixed || of_scene)
                result.velocity_m_s.push_back(velocity_m_s);
            else
                result.velocity_m_s.push_back(in_ecef(
                    track.frame == TrackFrame::local ? at_origin : local_frame(geographic(position_m)), velocity_m_s));
        }
        if (!track.quaternions.empty())
            result.body.push_back(unit_quaternion(track, i));
        else if (!track.roll_pitch_yaw_deg.empty())
            result.body.push_back(product(of_scene ? from_level() : from_level(geographic(position_m)),
                                          in_level(track.roll_pitch_yaw_deg[i])));
    }
    return result;
}

/// Those of the file are taken if they are what its positions say: of another frame (of inertial axes, in knots) they
/// would bend the curve between positions.
void check_velocities(const NavigationTrack& track, const Placed& placed) {
    constexpr double largest_part = 0.01;
    const std::vector<Vec3> smooth_m_s = smooth_velocities_m_s(track.time_s, placed.position_m);
    double off = 0, speed = 0;
    for (std::size_t i = 0; i < smooth_m_s.size(); ++i) {
        const Vec3 off_m_s = placed.velocity_m_s[i] - smooth_m_s[i];
        off += dot(off_m_s, off_m_s), speed += dot(smooth_m_s[i], smooth_m_s[i]);
    }
    if (std::sqrt(off) <= largest_part * std::sqrt(speed)) return;
    const auto mean_m_s = [&](double sum) { return std::sqrt(sum / static_cast<double>(smooth_m_s.size())); };
    refuse(track, fmt::format("velocities differ by {:.3g} m/s from what positions say, whose speed is {:.4g} m/s (at "
                              "most {:.0f} % are allowed); check their frame and unit, or leave their columns out",
                              mean_m_s(off), mean_m_s(speed), 100 * largest_part));
}

void take_lever_arm(const NavigationTrack& track, const TrackPlacement& placement, Placed& placed) {
    if (!placement.lever_arm_m) return;
    if (placed.body.empty())
        refuse(track,
               "holds no attitude, without which --lever-arm does not tell where the antenna is; give roll_deg, "
               "pitch_deg, yaw_deg or qw, qx, qy, qz, or leave --lever-arm out");
    std::vector<Vec3> arm_m;
    for (const Quaternion& body : placed.body) arm_m.push_back(rotate(body, *placement.lever_arm_m));
    const std::vector<Vec3> swings_m_s = smooth_velocities_m_s(track.time_s, arm_m);
    for (std::size_t i = 0; i < arm_m.size(); ++i) {
        placed.position_m[i] = placed.position_m[i] + arm_m[i];
        if (!placed.velocity_m_s.empty()) placed.velocity_m_s[i] = placed.velocity_m_s[i] + swings_m_s[i];
    }
}

/// In equal steps, as isce3 wants state vectors: the steps that most have at least, or nearly the shortest there are.
Orbit in_equal_steps(const Orbit& orbit) {
    constexpr double even = 1e-6, most_vectors = 4;  // of a step; times as many as there were
    const std::size_t count = orbit.time_s.size();
    const double span_s = orbit.time_s.back() - orbit.time_s.front(), step_s = span_s / static_cast<double>(count - 1);
    bool uneven = false;
    std::vector<double> steps_s;
    for (std::size_t i = 1; i < count; ++i) {
        steps_s.push_back(orbit.time_s[i] - orbit.time_s[i - 1]);
        uneven = uneven || std::abs(steps_s.back() - step_s) > even * step_s + 1e-9;
    }
    if (!uneven) return orbit;
    const auto tenth = steps_s.begin() + static_cast<std::ptrdiff_t>(steps_s.size() / 10);
    std::nth_element(steps_s.begin(), tenth, steps_s.end());
    const double vectors = std::min(std::ceil(span_s / *tenth), most_vectors * static_cast<double>(count));
    Orbit equal;
    for (double i = 0; i <= vectors; ++i) {
        const double time_s = i == vectors ? orbit.time_s.back() : orbit.time_s.front() + span_s * i / vectors;
        equal.add(time_s, interpolate(orbit, time_s));
    }
    return equal;
}

/// Where the file has a hole among the times that matter.
void remark_on_gaps(const NavigationTrack& track, double from_s, double to_s, std::vector<std::string>& remarks) {
    constexpr double long_gap = 5;  // of most steps
    const double step_s = median_step_s(track.time_s);
    double longest_s = 0, at_s = 0;
    for (std::size_t i = 1; i < track.time_s.size(); ++i)
        if (track.time_s[i] > from_s && track.time_s[i - 1] < to_s && track.time_s[i] - track.time_s[i - 1] > longest_s)
            longest_s = track.time_s[i] - track.time_s[i - 1], at_s = track.time_s[i - 1];
    if (longest_s > long_gap * step_s)
        remarks.push_back(
            fmt::format("{}: has no position for {:.3g} s from {:.3f} s on, where others are {:.3g} s apart: in "
                        "between the track is a smooth curve, which may be far from the flight",
                        track.name, longest_s, at_s, step_s));
}

/// A curve through every other position misses the rest where they are noisy, or so far apart that what lies between
/// them is not known.
double roughness_m(const NavigationTrack& track, const std::vector<Vec3>& position_m) {
    constexpr double least_outlier_m = 1, of_a_step = 0.1;
    std::vector<double> even_s;
    std::vector<Vec3> even_m;
    for (std::size_t i = 0; i < position_m.size(); i += 2)
        even_s.push_back(track.time_s[i]), even_m.push_back(position_m[i]);
    if (even_s.size() < fewest_positions) return 0;
    const QuinticSpline spline(even_s, even_m);
    double sum_m2 = 0, count = 0, largest_m = 0, step_m = 0;
    std::size_t worst = 0;
    for (std::size_t i = 1; i + 1 < position_m.size(); i += 2, ++count) {
        const double off_m = norm(spline.at(track.time_s[i]).position_m - position_m[i]);
        sum_m2 += off_m * off_m;
        step_m += norm(position_m[i] - position_m[i - 1]);
        if (off_m > largest_m) largest_m = off_m, worst = i;
    }
    if (largest_m > std::max(least_outlier_m, of_a_step * step_m / count))
        refuse(track, fmt::format("positions about {:.6f} s lie up to {:.3g} m off the curve through their neighbours, "
                                  "{:.3g} m apart (at most a tenth of that is a flight); leave out what is wrong there",
                                  track.time_s[worst], largest_m, step_m / count));
    return std::sqrt(sum_m2 / count);
}

/// The axis of the body, x or y, that lies along the flight, or nearest to it.
struct LongAxis {
    std::size_t axis = 0;
    Vec3 forward{};
    double cosine = 0;
};

LongAxis long_axis(const Quaternion& body, const Vec3& velocity_m_s) {
    const Vec3 flight = unit(velocity_m_s);
    LongAxis found;
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        Vec3 direction{};
        direction[axis] = 1;
        direction = rotate(body, direction);
        const double cosine = dot(direction, flight);
        if (std::abs(cosine) > found.cosine)
            found = {axis, cosine < 0 ? -1.0 * direction : direction, std::abs(cosine)};
    }
    return found;
}

/// The antenna's frame in the body's: turned so that at mid-time z looks at the middle of the swath.
Quaternion mount(const Acquisition& acquisition, const Attitude& body, double height_m) {
    const double middle_s = acquisition.pulse_time_s(0.5 * static_cast<double>(acquisition.lines - 1));
    const auto next = std::lower_bound(body.time_s.begin(), body.time_s.end(), middle_s);
    const Quaternion& turned =
        body.quaternions[std::min(static_cast<std::size_t>(next - body.time_s.begin()), body.time_s.size() - 1)];
    const StateVector antenna = interpolate(*acquisition.orbit, middle_s);
    const LongAxis along = long_axis(turned, antenna.velocity_m_s);
    const GroundPoint seen = ground_point(antenna.position_m, along.forward,
                                          acquisition.range_m(0.5 * static_cast<double>(acquisition.samples - 1)),
                                          acquisition.identification.look_side, height_m);
    const Vec3 look = unit(seen.position_m - antenna.position_m), down = rotate(turned, {0, 0, 1});
    Vec3 axis{};
    axis[along.axis] = 1;
    return about(along.axis, std::atan2(dot(cross(down, look), rotate(turned, axis)), dot(down, look)));
}

}  // namespace

AntennaTrack antenna_track(const NavigationTrack& whole, const TrackPlacement& placement, double from_s, double to_s,
                           std::vector<std::string>& remarks) {
    if (placement.origin && whole.frame != TrackFrame::local)
        refuse(whole, "positions are not in a local frame, so --track-origin is of no use; leave it out");
    check_times(whole);
    check_covers(whole, placement, from_s, to_s);
    const NavigationTrack track = part_of(whole, placement, from_s, to_s);
    Placed there = placed(track, placement);
    if (!there.velocity_m_s.empty()) check_velocities(track, there);
    take_lever_arm(track, placement, there);
    if (there.velocity_m_s.empty()) there.velocity_m_s = smooth_velocities_m_s(track.time_s, there.position_m);
    remark_on_gaps(track, from_s, to_s, remarks);
    AntennaTrack result{.local = whole.frame == TrackFrame::local && !placement.origin,
                        .step_s = median_step_s(track.time_s),
                        .roughness_m = roughness_m(track, there.position_m)};
    if (!there.body.empty()) result.body = Attitude{track.time_s, std::move(there.body)};
    Orbit orbit;
    orbit.time_s = track.time_s;
    orbit.position_m = std::move(there.position_m);
    orbit.velocity_m_s = std::move(there.velocity_m_s);
    result.orbit = in_equal_steps(orbit);
    return result;
}

Acquisition along_track(Acquisition acquisition, const NavigationTrack& track, const TrackPlacement& placement,
                        double height_m, std::vector<std::string>& remarks) {
    AntennaTrack antenna =
        antenna_track(track, placement, acquisition.pulse_time_s(0), acquisition.last_pulse_time_s(), remarks);
    if (antenna.roughness_m > largest_roughness * acquisition.wavelength_m())
        remarks.push_back(
            fmt::format("{}: a smooth curve through every other position misses those in between by {:.2g} m rms: they "
                        "are noisy, or {:.3g} s are too far apart; phases follow the track",
                        track.name, antenna.roughness_m, antenna.step_s));
    acquisition.orbit.reset();
    acquisition.local_track.reset();
    if (antenna.local) {
        acquisition.local_track = std::move(antenna.orbit);
        acquisition.attitude.reset();
        return acquisition;
    }
    acquisition.orbit = std::move(antenna.orbit);
    if (!antenna.body) return acquisition;
    const Quaternion mounted = mount(acquisition, *antenna.body, height_m);
    for (Quaternion& turned : antenna.body->quaternions) turned = product(turned, mounted);
    acquisition.attitude = std::move(antenna.body);
    return acquisition;
}

}  // namespace cornerturn
