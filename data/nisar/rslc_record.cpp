// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/rslc_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/nisar/product_parts.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

Window read_window(const h5::Reader& file, const std::string& path) {
    const std::string text = file.optional_text(path).value_or("none");
    try {
        return Window::parse(text);
    } catch (const InputError& error) {
        file.refuse(path, fmt::format("is \"{}\": {}", text, error.what()));
    }
}

/// Linear between the ranges that the file has; without ranges of their own, which older files lack, the values are
/// those of the columns.
std::vector<double> read_velocity(const h5::Reader& file, const std::string& group, const ImageGrid& grid) {
    const std::string path = group + "/effectiveVelocity", axis = group + "/slantRange";
    if (!file.exists(path)) return {};
    const std::vector<double> values = file.numbers(path, {});
    const auto columns = static_cast<std::size_t>(grid.columns);
    if (values.empty()) return {};
    if (!file.exists(axis)) {
        if (values.size() != columns)
            file.refuse(path, fmt::format("holds {} values, expected {}, one for each column", values.size(), columns));
        return values;
    }
    const std::vector<double> range_m = file.numbers(
        axis,
        {.rows = static_cast<std::int64_t>(values.size()), .columns = {}, .meaning = "one for each value of " + path});
    if (std::adjacent_find(range_m.begin(), range_m.end(), std::greater_equal<>()) != range_m.end())
        file.refuse(axis, "does not increase, expected slant ranges in ascending order");
    std::vector<double> velocity(columns);
    std::size_t above = 0;
    for (std::size_t k = 0; k < columns; ++k) {
        const double wanted_m = grid.range_m(static_cast<double>(k));
        while (above < range_m.size() && range_m[above] <= wanted_m) ++above;
        if (above == 0 || above == range_m.size()) {
            velocity[k] = above == 0 ? values.front() : values.back();
            continue;
        }
        const double fraction = (wanted_m - range_m[above - 1]) / (range_m[above] - range_m[above - 1]);
        velocity[k] = (1 - fraction) * values[above - 1] + fraction * values[above];
    }
    return velocity;
}

/// The phase that was found over slow time.
void write_autofocus(h5::Writer& file, const std::string& group, const AutofocusRecord& found,
                     const std::string& epoch) {
    std::vector<double> times(found.phase_rad.size());
    for (std::size_t i = 0; i < times.size(); ++i)
        times[i] = found.times_s.empty() ? found.first_time_s + static_cast<double>(i) * found.time_spacing_s
                                         : found.times_s[i];
    file.text(group + "/autofocus", std::string(name_of(found.method)),
              "How the phase error of the echo's lines was found");
    file.numbers(group + "/autofocusTime", times, time_units(epoch), "Transmit time of each line of the echo");
    file.numbers(group + "/autofocusPhase", found.phase_rad, "radians",
                 "Over autofocusTime: phase error of the echo, taken away (each line was multiplied with exp(-j "
                 "phase)); without constant and linear part, so that nothing is shifted");
}

std::optional<AutofocusRecord> read_autofocus(const h5::Reader& file, const std::string& group) {
    const auto method = file.optional_text(group + "/autofocus");
    if (!method) return std::nullopt;
    AutofocusRecord found{.phase_rad = file.numbers(group + "/autofocusPhase", {})};
    try {
        found.method = autofocus_named(*method);
    } catch (const InputError& error) {
        file.refuse(group + "/autofocus", fmt::format("is \"{}\": {}", *method, error.what()));
    }
    const std::vector<double> times =
        file.numbers(group + "/autofocusTime", {.rows = std::ssize(found.phase_rad),
                                                .columns = {},
                                                .meaning = "one for each value of " + group + "/autofocusPhase"});
    if (!times.empty()) found.first_time_s = times.front();
    if (times.size() > 1) found.time_spacing_s = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
    constexpr double even = 1e-3;  // of a step, to which times are in equal ones
    for (std::size_t i = 0; i < times.size(); ++i)
        if (std::abs(times[i] - found.first_time_s - static_cast<double>(i) * found.time_spacing_s) >
            even * std::abs(found.time_spacing_s)) {
            found.times_s = times;
            break;
        }
    return found;
}

/// With ranges of its own: who crops the columns of the image leaves both as they are.
void write_velocity(h5::Writer& file, const std::string& group, const Image& image) {
    const std::vector<double>& velocity_m_s = image.processing.effective_velocity_m_s;
    std::vector<double> ranges(velocity_m_s.size());
    for (std::size_t k = 0; k < ranges.size(); ++k) ranges[k] = image.grid.range_m(static_cast<double>(k));
    file.numbers(group + "/slantRange", ranges, "meters");
    file.numbers(group + "/effectiveVelocity", velocity_m_s, "meters / second", "Over slantRange");
}

/// Everything analyze wants to know and the standard layout has no place for.
void write_record(h5::Writer& file, const std::string& group, const Image& image) {
    const ProcessingRecord& record = image.processing;
    file.text(group + "/algorithm", record.algorithm);
    if (!record.forced_over.empty())
        file.text(group + "/forcedOver", record.forced_over, "The algorithm does not hold, and was forced");
    file.text(group + "/software", record.software);
    file.number(group + "/dopplerCentroid", record.doppler_centroid_hz, "Hz", "Absolute");
    file.text(group + "/dopplerSource", record.doppler_source);
    if (!record.effective_velocity_m_s.empty()) write_velocity(file, group, image);
    file.text(group + "/velocitySource", record.velocity_source);
    file.number(group + "/rangeBandwidth", record.range_bandwidth_hz, "Hz", "Processed");
    file.number(group + "/azimuthBandwidth", record.azimuth_bandwidth_hz, "Hz", "Processed");
    file.text(group + "/rangeWindow", record.range_window.name());
    file.text(group + "/azimuthWindow", record.azimuth_window.name());
    const bool on_plane = image.map && image.map->projection.plane;
    file.number(
        group + "/sceneHeight", record.scene_height_m, "meters",
        fmt::format("Above the {}, in the middle of the image", on_plane ? "plane of the grid" : "WGS84 ellipsoid"));
    file.text(group + "/terrain", record.terrain, "What all other heights came from; empty: they are the same");
    if (record.autofocus) write_autofocus(file, group, *record.autofocus, image.acquisition.epoch);
}

/// The echo that the image was made of.
void write_echo(h5::Writer& file, const std::string& group, const Acquisition& acquisition) {
    file.number(group + "/lines", acquisition.lines);
    file.number(group + "/samples", acquisition.samples);
    file.number(group + "/firstPulseTime", acquisition.first_pulse_time_s, time_units(acquisition.epoch));
    file.number(group + "/pulseRepetitionFrequency", acquisition.prf_hz, "Hz");
    file.number(group + "/slantRange", acquisition.near_range_m, "meters", "Of the first sample, leading edge");
    file.number(group + "/slantRangeSpacing", acquisition.range_spacing_m, "meters");
    file.number(group + "/chirpSlope", acquisition.chirp.slope_hz_s, "Hz / second");
    file.number(group + "/chirpDuration", acquisition.chirp.duration_s, "seconds");
    const auto write = [&](const char* name, const std::optional<double>& value, const char* units) {
        if (value)
            file.number(fmt::format("{}/{}", group, name), *value, units,
                        "From the raw file, a Doppler centroid at this carrier");
    };
    write("effectiveVelocity", acquisition.effective_velocity_m_s, "meters / second");
    write("dopplerCentroid", acquisition.doppler_centroid_hz, "Hz");
    write("azimuthBandwidth", acquisition.azimuth_bandwidth_hz, "Hz");
}

std::string of_frequency(const std::string& group, const std::string& frequency) {
    return group + "Frequency" + frequency;
}

}  // namespace

void write_own_groups(h5::Writer& file, const std::string& processing, const Image& image, bool first) {
    const auto group = [&](const std::string& of_first) {
        return first ? of_first : of_frequency(of_first, image.acquisition.frequency);
    };
    write_record(file, group(processing + rslc_record), image);
    write_echo(file, group(processing + rslc_echo), image.acquisition);
}

std::string own_group(const h5::Reader& file, const std::string& group, const std::string& frequency) {
    const std::string named = of_frequency(group, frequency);
    return file.is_group(named) ? named : group;
}

ProcessingRecord read_record(const h5::Reader& file, const std::string& group, const ImageGrid& grid) {
    ProcessingRecord record;
    const auto text = [&](const char* name) {
        return file.optional_text(fmt::format("{}/{}", group, name)).value_or("");
    };
    record.algorithm = text("algorithm");
    record.forced_over = text("forcedOver");
    record.software = text("software");
    record.doppler_source = text("dopplerSource");
    record.velocity_source = text("velocitySource");
    record.doppler_centroid_hz = file.number(group + "/dopplerCentroid");
    record.effective_velocity_m_s = read_velocity(file, group, grid);
    record.range_bandwidth_hz = file.number(group + "/rangeBandwidth");
    record.azimuth_bandwidth_hz = file.number(group + "/azimuthBandwidth");
    record.range_window = read_window(file, group + "/rangeWindow");
    record.azimuth_window = read_window(file, group + "/azimuthWindow");
    record.scene_height_m = file.optional_number(group + "/sceneHeight").value_or(0);
    record.terrain = text("terrain");
    record.autofocus = read_autofocus(file, group);
    return record;
}

void read_echo(const h5::Reader& file, const std::string& group, Acquisition& acquisition) {
    const auto optional = [&](const char* name) { return file.optional_number(fmt::format("{}/{}", group, name)); };
    const auto take = [&](const char* name, auto& to) {
        if (const auto value = optional(name)) to = static_cast<std::remove_reference_t<decltype(to)>>(*value);
    };
    take("pulseRepetitionFrequency", acquisition.prf_hz);
    take("lines", acquisition.lines);
    take("samples", acquisition.samples);
    take("firstPulseTime", acquisition.first_pulse_time_s);
    take("slantRange", acquisition.near_range_m);
    take("slantRangeSpacing", acquisition.range_spacing_m);
    take("chirpSlope", acquisition.chirp.slope_hz_s);
    take("chirpDuration", acquisition.chirp.duration_s);
    acquisition.effective_velocity_m_s = optional("effectiveVelocity");
    acquisition.doppler_centroid_hz = optional("dopplerCentroid");
    acquisition.azimuth_bandwidth_hz = optional("azimuthBandwidth");
}

}  // namespace cornerturn
