// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/product_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "data/nisar/uniform_axis.h"
#include "kernels/host/letter_case.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

constexpr const char *synthetic = "synthetic", *local = "local";

std::vector<Vec3> read_vectors(const h5::Reader& file, const std::string& path, std::size_t count) {
    const h5::Table table = file.table(
        path, {.rows = static_cast<std::int64_t>(count), .columns = 3, .meaning = "one vector for each time"});
    std::vector<Vec3> vectors(count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < 3; ++k) vectors[i][k] = table.values[3 * i + k];
    return vectors;
}

template <std::size_t n>
std::vector<double> flat(const std::vector<std::array<double, n>>& rows) {
    std::vector<double> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    return values;
}

/// Uniform times around a span, with a margin of one step on both sides.
std::vector<double> times_around(const TimeSpan& span) {
    constexpr std::size_t count = 11;  // isce3's Legendre interpolation wants nine
    const double step = std::max((span.last_s - span.first_s) / (count - 3.0), 1e-3);
    std::vector<double> times(count);
    for (std::size_t i = 0; i < count; ++i) times[i] = span.first_s + (static_cast<double>(i) - 1.0) * step;
    return times;
}

/// A straight track above the equator at the effective velocity, tangential to the Earth at mid-time.
Orbit straight_track(const Acquisition& acquisition, const TimeSpan& span) {
    const double velocity = acquisition.effective_velocity_m_s.value_or(7000.0);
    const double height = 0.8 * acquisition.near_range_m;
    Orbit orbit{.time_s = times_around(span), .position_m = {}, .velocity_m_s = {}};
    for (const double time : orbit.time_s) {
        orbit.position_m.push_back(
            {wgs84_equatorial_radius_m + height, velocity * (time - 0.5 * (span.first_s + span.last_s)), 0.0});
        orbit.velocity_m_s.push_back({0.0, velocity, 0.0});
    }
    return orbit;
}

/// As NISAR writes words: "Ascending".
std::string capitalised(std::string word) {
    if (!word.empty()) word[0] = upper(word[0]);
    return word;
}

/// (roll, pitch, yaw) of each, in radians: R = Rz(yaw) Ry(pitch) Rx(roll), whose columns are the turned axes.
std::vector<double> euler_angles(const Attitude& attitude) {
    std::vector<double> angles;
    for (const auto& quaternion : attitude.quaternions) {
        const Vec3 x = rotate(quaternion, {1, 0, 0}), y = rotate(quaternion, {0, 1, 0}),
                   z = rotate(quaternion, {0, 0, 1});
        for (const double angle :
             {std::atan2(y[2], z[2]), std::asin(std::clamp(-x[2], -1.0, 1.0)), std::atan2(x[1], x[0])})
            angles.push_back(angle);
    }
    return angles;
}

}  // namespace

std::vector<double> read_times(const h5::Reader& file, const std::string& path, const Epoch& reference) {
    std::vector<double> times = file.numbers(path, {});
    if (times.size() < 2) file.refuse(path, fmt::format("holds {} times, expected at least 2", times.size()));
    check_increasing(file, path, times, "s");
    const double shift = read_axis_epoch(file, path).value_or(reference).seconds_since(reference);
    for (double& time : times) time += shift;
    return times;
}

std::optional<Epoch> read_axis_epoch(const h5::Reader& file, const std::string& path) {
    const auto units = file.attribute(path, "units");
    if (!units) return std::nullopt;
    const auto epoch = parse_time_units(*units);
    if (!epoch)
        file.refuse(path, fmt::format("has the units \"{}\", expected \"seconds since YYYY-MM-DDThh:mm:ss\"", *units));
    return epoch;
}

std::string time_units(const std::string& epoch) { return "seconds since " + epoch; }

Epoch epoch_of(const Acquisition& acquisition) {
    const auto epoch = parse_epoch(acquisition.epoch);
    if (!epoch) throw std::logic_error(fmt::format("acquisition: epoch \"{}\" is no ISO 8601 time", acquisition.epoch));
    return *epoch;
}

Identification read_identification(const h5::Reader& file, const std::string& group, Warnings& warnings) {
    Identification id;
    if (!file.is_group(group)) {
        warnings.push_back(
            fmt::format("{}: {} is missing: mission unknown, right-looking assumed", file.file_name(), group));
        return id;
    }
    const auto take = [&](const char* name, std::string& to) {
        to = file.optional_text(group + "/" + name).value_or(to);
    };
    take("missionId", id.mission);
    take("orbitPassDirection", id.pass_direction);
    take("instrumentName", id.instrument);
    take("boundingPolygon", id.bounding_polygon);
    take("burstId", id.burst_id);
    take("plannedDatatakeId", id.planned_datatake_id);
    take("plannedObservationId", id.planned_observation_id);
    id.pass_direction = lower(id.pass_direction);
    const std::string side = lower(file.optional_text(group + "/lookDirection").value_or(""));
    id.look_side = side == "left" ? LookSide::left : LookSide::right;
    if (side != "left" && side != "right")
        warnings.push_back(
            fmt::format("{}: {}/lookDirection is \"{}\": right-looking assumed", file.file_name(), group, side));
    const auto take_number = [&](const char* name, std::uint32_t& to) {
        const double number = file.optional_number(group + "/" + name).value_or(0);
        if (number >= 0 && number <= 4294967295.0) to = static_cast<std::uint32_t>(number);
    };
    take_number("absoluteOrbitNumber", id.absolute_orbit_number);
    take_number("trackNumber", id.track_number);
    take_number("frameNumber", id.frame_number);
    const auto is = [&](const char* name) {
        return lower(file.optional_text(group + "/" + name).value_or("")) == "true";
    };
    id.dithered = is("isDithered");
    id.mixed_mode = is("isMixedMode");
    return id;
}

void write_title(h5::Writer& file, const char* product, const Image& image) {
    const std::string& software = image.processing.software;
    file.attribute("/", "Conventions", "CF-1.7");
    file.attribute("/", "title",
                   fmt::format("NISAR {} layout, written by {}", product, software.empty() ? "cornerturn" : software));
    file.attribute("/", "mission_name", image.acquisition.identification.mission);
}

void write_identification(h5::Writer& file, const std::string& group, const Acquisition& acquisition,
                          const ProductIdentity& product) {
    const Identification& id = acquisition.identification;
    const Epoch epoch = epoch_of(acquisition);
    file.text(group + "/missionId", id.mission);
    file.text(group + "/productType", product.type);
    file.text(group + "/productLevel", product.level);
    file.text(group + "/lookDirection", id.look_side == LookSide::left ? "Left" : "Right");
    file.text(group + "/orbitPassDirection", capitalised(id.pass_direction));
    file.text(group + "/boundingPolygon",
              product.bounding_polygon.empty() ? id.bounding_polygon : product.bounding_polygon);
    file.text(group + "/zeroDopplerStartTime", epoch.plus(product.first_time_s).text_nanoseconds());
    file.text(group + "/zeroDopplerEndTime", epoch.plus(product.last_time_s).text_nanoseconds());
    file.number(group + "/absoluteOrbitNumber", id.absolute_orbit_number);
    if (!id.burst_id.empty())
        file.text(group + "/burstId", id.burst_id, "Relative orbit, cycle of bursts and swath, as ESA numbers them");
    file.number(group + "/diagnosticModeFlag", std::uint8_t{0}, "", "0: single-channel science mode");
    file.texts(group + "/listOfFrequencies",
               product.frequencies.empty() ? std::vector{acquisition.frequency} : product.frequencies);
    file.texts(group + "/plannedDatatakeId", {id.planned_datatake_id});
    file.texts(group + "/plannedObservationId", {id.planned_observation_id});
    file.text(group + "/isUrgentObservation", "False");
    file.text(group + "/isGeocoded", product.geocoded ? "True" : "False");
    file.text(group + "/isDithered", id.dithered ? "True" : "False");
    file.text(group + "/isMixedMode", id.mixed_mode ? "True" : "False");
}

std::string polygon_text(std::span<const Geographic> ring) {
    if (ring.empty()) return "";
    std::string text = "POLYGON ((";
    for (const Geographic& place : ring)
        text += fmt::format("{}{:.9f} {:.9f} {:.3f}", text.back() == '(' ? "" : ", ", place.longitude_deg,
                            place.latitude_deg, place.height_m);
    return text + "))";
}

namespace {

Orbit read_states(const h5::Reader& file, const std::string& group, const Epoch& reference) {
    Orbit orbit;
    orbit.time_s = read_times(file, group + "/time", reference);
    orbit.position_m = read_vectors(file, group + "/position", orbit.time_s.size());
    orbit.velocity_m_s = read_vectors(file, group + "/velocity", orbit.time_s.size());
    orbit.interpolation = file.optional_text(group + "/interpMethod").value_or("Hermite");
    orbit.type = file.optional_text(group + "/orbitType").value_or("Custom");
    return orbit;
}

}  // namespace

std::optional<Orbit> read_orbit(const h5::Reader& file, const std::string& group, const Epoch& reference) {
    if (!file.is_group(group) || file.attribute(group, "source") == synthetic ||
        file.attribute(group, "frame") == local)
        return std::nullopt;
    return read_states(file, group, reference);
}

std::optional<Orbit> read_local_track(const h5::Reader& file, const std::string& group, const Epoch& reference) {
    if (!file.is_group(group) || file.attribute(group, "frame") != local) return std::nullopt;
    return read_states(file, group, reference);
}

std::optional<Attitude> read_attitude(const h5::Reader& file, const std::string& group, const Epoch& reference) {
    if (!file.is_group(group) || file.attribute(group, "source") == synthetic) return std::nullopt;
    Attitude attitude;
    attitude.time_s = read_times(file, group + "/time", reference);
    const std::size_t count = attitude.time_s.size();
    const h5::Table table =
        file.table(group + "/quaternions", {.rows = static_cast<std::int64_t>(count),
                                            .columns = 4,
                                            .meaning = "one quaternion (w, x, y, z) for each time"});
    attitude.quaternions.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < 4; ++k) attitude.quaternions[i][k] = table.values[4 * i + k];
    return attitude;
}

void write_orbit(h5::Writer& file, const std::string& group, const Acquisition& acquisition, const TimeSpan& span) {
    const bool is_local = !acquisition.orbit && acquisition.local_track;
    const Orbit orbit = is_local            ? *acquisition.local_track
                        : acquisition.orbit ? *acquisition.orbit
                                            : straight_track(acquisition, span);
    const char* frame = is_local ? "frame of the scene's own: x and y level, z up" : "ECEF, WGS84";
    file.numbers(group + "/time", orbit.time_s, time_units(acquisition.epoch));
    file.table(group + "/position", flat(orbit.position_m), 3, "meters", frame);
    file.table(group + "/velocity", flat(orbit.velocity_m_s), 3, "meters / second", frame);
    file.table(group + "/acceleration", std::vector<double>(3 * orbit.time_s.size(), 0.0), 3, "meters / second^2",
               "not known");
    file.text(group + "/interpMethod", orbit.interpolation);
    file.text(group + "/orbitType", orbit.type);
    if (is_local) file.attribute(group, "frame", local);
    if (acquisition.orbit || is_local) return;
    file.attribute(group, "source", synthetic);
    file.attribute(group, "description",
                   "No orbit is known. These state vectors are made up: a straight track at the effective velocity, "
                   "for readers that insist on an orbit.");
}

void write_attitude(h5::Writer& file, const std::string& group, const Acquisition& acquisition, const TimeSpan& span) {
    Attitude attitude;
    if (acquisition.attitude)
        attitude = *acquisition.attitude;
    else {
        attitude.time_s = times_around(span);
        attitude.quaternions.assign(attitude.time_s.size(), {1.0, 0.0, 0.0, 0.0});
    }
    file.numbers(group + "/time", attitude.time_s, time_units(acquisition.epoch));
    file.table(group + "/quaternions", flat(attitude.quaternions), 4, "1", "(w, x, y, z), antenna frame to ECEF");
    file.table(
        group + "/eulerAngles", euler_angles(attitude), 3, "radians",
        "Roll, pitch and yaw of the antenna frame in ECEF: turned about x by roll, then y by pitch, then z by yaw");
    file.text(group + "/attitudeType", "Custom");
    if (acquisition.attitude) return;
    file.attribute(group, "source", synthetic);
    file.attribute(
        group, "description",
        "No attitude is known. These quaternions are made up (no rotation), for readers that insist on an attitude.");
}

std::vector<PointTarget> read_truth(const h5::Reader& file, const std::string& group, const Epoch& reference) {
    if (!file.is_group(group)) return {};
    const std::vector<double> range = file.numbers(group + "/slantRange", {});
    const h5::Expected same{
        .rows = static_cast<std::int64_t>(range.size()), .columns = {}, .meaning = "one for each target"};
    const std::vector<double> time = file.numbers(group + "/zeroDopplerTime", same),
                              beam = file.numbers(group + "/beamCentreTime", same);
    const std::vector<double> real = file.numbers(group + "/amplitudeReal", same),
                              imaginary = file.numbers(group + "/amplitudeImaginary", same);
    const auto optional = [&](const char* name) {
        return file.exists(group + name) ? file.numbers(group + name, same) : std::vector<double>();
    };
    const std::vector<double> height = optional("/height"), low = optional("/dopplerLow"),
                              high = optional("/dopplerHigh"), first = optional("/firstPulseTime"),
                              last = optional("/lastPulseTime"), x = optional("/positionX"), y = optional("/positionY"),
                              z = optional("/positionZ");
    const double shift = read_axis_epoch(file, group + "/zeroDopplerTime").value_or(reference).seconds_since(reference);
    std::vector<PointTarget> targets(range.size());
    for (std::size_t i = 0; i < targets.size(); ++i)
        targets[i] = {.range_m = range[i],
                      .zero_doppler_time_s = time[i] + shift,
                      .beam_centre_time_s = beam[i] + shift,
                      .amplitude = {real[i], imaginary[i]},
                      .height_m = height.empty() ? 0.0 : height[i],
                      .illuminated_band_hz = {},
                      .illuminated_s = {},
                      .place_m = {}};
    for (std::size_t i = 0; i < targets.size() && !x.empty() && !y.empty() && !z.empty(); ++i)
        targets[i].place_m = Vec3{x[i], y[i], z[i]};
    // One of no width stands for one that is not known.
    for (std::size_t i = 0; i < targets.size() && !low.empty() && !high.empty(); ++i)
        if (low[i] < high[i]) targets[i].illuminated_band_hz = DopplerBand{low[i], high[i]};
    for (std::size_t i = 0; i < targets.size() && !first.empty() && !last.empty(); ++i)
        if (first[i] < last[i]) targets[i].illuminated_s = TimeSpan{first[i] + shift, last[i] + shift};
    return targets;
}

void write_truth(h5::Writer& file, const std::string& group, const Acquisition& acquisition) {
    if (acquisition.truth.empty()) return;
    const auto write = [&](const char* name, auto value, const std::string& units, const char* meaning = "") {
        std::vector<double> values;
        for (const PointTarget& target : acquisition.truth) values.push_back(value(target));
        file.numbers(group + name, values, units, meaning);
    };
    const auto band_hz = [](const PointTarget& t) { return t.illuminated_band_hz.value_or(DopplerBand()); };
    const auto lit_s = [](const PointTarget& t) { return t.illuminated_s.value_or(TimeSpan()); };
    const std::string times = time_units(acquisition.epoch);
    write(
        "/slantRange", [](const PointTarget& t) { return t.range_m; }, "meters", "closest slant range");
    write(
        "/zeroDopplerTime", [](const PointTarget& t) { return t.zero_doppler_time_s; }, times,
        "when the antenna is there");
    write(
        "/beamCentreTime", [](const PointTarget& t) { return t.beam_centre_time_s; }, times,
        "when the pulse leaves that finds it in the beam centre");
    write(
        "/height", [](const PointTarget& t) { return t.height_m; }, "meters", "above the ellipsoid");
    write(
        "/dopplerLow", [&](const PointTarget& t) { return band_hz(t).low_hz; }, "Hz",
        "Doppler frequencies at which recorded pulses find it");
    write(
        "/dopplerHigh", [&](const PointTarget& t) { return band_hz(t).high_hz; }, "Hz");
    write(
        "/firstPulseTime", [&](const PointTarget& t) { return lit_s(t).first_s; }, times,
        "when these pulses leave, with half an interval more at either end");
    write(
        "/lastPulseTime", [&](const PointTarget& t) { return lit_s(t).last_s; }, times);
    write(
        "/amplitudeReal", [](const PointTarget& t) { return t.amplitude.real(); }, "1");
    write(
        "/amplitudeImaginary", [](const PointTarget& t) { return t.amplitude.imag(); }, "1");
    file.attribute(group, "description", "Point targets of a simulated scene");
    if (!std::all_of(acquisition.truth.begin(), acquisition.truth.end(), [](const auto& t) { return t.place_m; }))
        return;
    write(
        "/positionX", [](const PointTarget& t) { return (*t.place_m)[0]; }, "meters", "ECEF");
    write(
        "/positionY", [](const PointTarget& t) { return (*t.place_m)[1]; }, "meters");
    write(
        "/positionZ", [](const PointTarget& t) { return (*t.place_m)[2]; }, "meters");
}

void write_row_times(h5::Writer& file, const std::string& group, const ImageGrid& grid, const std::string& epoch,
                     const std::string& description) {
    std::vector<double> times;
    for (std::int64_t row = 0; row < grid.rows; ++row) times.push_back(grid.time_s(static_cast<double>(row)));
    file.numbers(group + "/zeroDopplerTime", times, time_units(epoch), description);
    file.number(group + "/zeroDopplerTimeSpacing", grid.time_spacing_s, "seconds");
}

void write_column_ranges(h5::Writer& file, const std::string& group, const ImageGrid& grid,
                         const std::string& description) {
    std::vector<double> ranges;
    for (std::int64_t column = 0; column < grid.columns; ++column)
        ranges.push_back(grid.range_m(static_cast<double>(column)));
    file.numbers(group + "/slantRange", ranges, "meters", description);
    file.number(group + "/slantRangeSpacing", grid.range_spacing_m, "meters");
}

}  // namespace cornerturn
