// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/product_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/raw_file.h"
#include "kernels/host/letter_case.h"
#include "pipeline/acquisition/degree.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

const char* format_name(SampleFormat format) {
    switch (format) {
        case SampleFormat::int8: return "int8";
        case SampleFormat::int16: return "int16";
        case SampleFormat::float16: return "float16";
        case SampleFormat::lut16: return "uint16 indices into a table of levels";
        case SampleFormat::complex64: return "float32";
        case SampleFormat::complex128: return "float64";
        case SampleFormat::float32: break;  // no echo is real
    }
    return "unknown";
}

Json acquisition_json(const Acquisition& a) {
    Json json{{"mission", a.identification.mission},
              {"look_side", a.identification.look_side == LookSide::left ? "left" : "right"},
              {"pass_direction", a.identification.pass_direction},
              {"band_group", a.band},
              {"frequency", a.frequency},
              {"polarization", a.polarization},
              {"epoch", a.epoch},
              {"carrier_hz", a.carrier_hz},
              {"wavelength_m", a.wavelength_m()},
              {"prf_hz", a.prf_hz},
              {"orbit_state_vectors", a.orbit ? a.orbit->time_s.size() : 0},
              {"attitude_records", a.attitude ? a.attitude->time_s.size() : 0},
              {"known_targets", a.truth.size()}};
    if (a.identification.absolute_orbit_number != 0) json["absolute_orbit"] = a.identification.absolute_orbit_number;
    if (a.identification.track_number != 0) json["track_number"] = a.identification.track_number;
    if (!a.identification.burst_id.empty()) json["burst_id"] = a.identification.burst_id;
    if (a.effective_velocity_m_s) json["effective_velocity_m_s"] = *a.effective_velocity_m_s;
    if (a.doppler_centroid_hz) json["doppler_centroid_hz"] = *a.doppler_centroid_hz;
    if (a.azimuth_bandwidth_hz) json["azimuth_bandwidth_hz"] = *a.azimuth_bandwidth_hz;
    return json;
}

}  // namespace

Json facts_of_echo(const std::string& format, const Acquisition& a) {
    Json json{{"product", fmt::format("raw echo ({})", format)},
              {"lines", a.lines},
              {"samples", a.samples},
              {"sample_format", format_name(a.format)}};
    json.update(acquisition_json(a));
    json.update(Json{{"first_pulse_time_s", a.first_pulse_time_s},
                     {"duration_s", a.pulse_time_s(static_cast<double>(a.lines)) - a.pulse_time_s(0)},
                     {"near_range_m", a.near_range_m},
                     {"far_range_m", a.far_range_m()},
                     {"sample_rate_hz", a.sample_rate_hz()},
                     {"chirp_slope_hz_s", a.chirp.slope_hz_s},
                     {"chirp_duration_s", a.chirp.duration_s},
                     {"chirp_bandwidth_hz", a.chirp.bandwidth_hz()},
                     {"gain_control", !a.decoding.line_gain.empty()},
                     {"sub_swaths", std::max(1, a.decoding.intervals_per_line)}});
    if (const auto& burst = a.burst)
        json.update(Json{{"swath", burst->swath},
                         {"burst_number", burst->number},
                         {"steering_deg_s", degrees(burst->steering_rad_s)},
                         {"broadside_time_s", burst->broadside_time_s}});
    if (a.chirp.compressed()) json.update(Json{{"compressed_pulses", true}, {"spotlight", a.phase_history != nullptr}});
    if (a.scene)
        json.update(Json{{"scene_height_m", a.scene->height_m},
                         {"scene_x_m", a.scene->greatest_x_m - a.scene->least_x_m},
                         {"scene_y_m", a.scene->greatest_y_m - a.scene->least_y_m}});
    return json;
}

Json facts_beside(const std::string& path, const Acquisition& acquisition) {
    Json json = Json::object();
    if (!acquisition.burst && !is_nisar(path)) return json;
    const RawContents contents = list_raw(path);
    for (const auto& swath : contents.swaths) {
        json["bursts"][swath.name] = swath.bursts;
        if (!swath.burst_ids.empty()) json["burst_ids"][swath.name] = swath.burst_ids;
    }
    const auto& frequencies = contents.frequencies;
    if (frequencies.size() > 1 || frequencies.front().polarizations.size() > 1)
        for (const auto& frequency : frequencies) json["polarizations"][frequency.name] = frequency.polarizations;
    return json;
}

void leave_out_untold(Json& facts, std::string_view format) {
    if (format.starts_with("NISAR")) return;
    for (const char* name : {"band_group", "frequency", "attitude_records", "known_targets", "sub_swaths"})
        facts.erase(name);
    for (const char* name : {"carrier_hz", "wavelength_m", "prf_hz", "range_bandwidth_hz", "azimuth_bandwidth_hz"})
        if (facts.contains(name) && !(facts[name].get<double>() > 0 && facts[name].get<double>() < 1e300))
            facts.erase(name);
    for (const char* name : {"polarization", "mission", "algorithm", "software"})
        if (facts.contains(name) && (facts[name] == "" || lower(facts[name].get<std::string>()) == "unknown"))
            facts.erase(name);
}

namespace {

/// Of which neither times and ranges nor a map are known.
Json facts_without_axes(const Image& image, std::string_view format) {
    Json json{{"product", fmt::format("complex image ({})", format)},
              {"rows", image.grid.rows},
              {"columns", image.grid.columns},
              {"axes", "not told: neither zero-Doppler times and slant ranges nor a map"},
              {"mission", image.acquisition.identification.mission},
              {"polarization", image.acquisition.polarization},
              {"carrier_hz", image.acquisition.carrier_hz},
              {"algorithm", image.processing.algorithm},
              {"software", image.processing.software}};
    leave_out_untold(json, format);
    return json;
}

}  // namespace

Json facts_of_image(const Image& image, std::string_view format) {
    const ImageGrid& g = image.grid;
    const ProcessingRecord& p = image.processing;
    if (!g.has_axes()) return facts_without_axes(image, format);
    Json json{
        {"product", fmt::format("single-look complex image ({})", format)}, {"rows", g.rows}, {"columns", g.columns}};
    json.update(acquisition_json(image.acquisition));
    json.update(Json{{"first_zero_doppler_time_s", g.first_time_s},
                     {"zero_doppler_time_spacing_s", g.time_spacing_s},
                     {"near_range_m", g.near_range_m},
                     {"range_spacing_m", g.range_spacing_m},
                     {"sub_swaths", image.intervals_per_row},
                     {"scene_height_m", p.scene_height_m},
                     {"algorithm", p.algorithm},
                     {"software", p.software},
                     {"doppler_centroid_hz", p.doppler_centroid_hz},
                     {"doppler_source", p.doppler_source},
                     {"velocity_source", p.velocity_source},
                     {"range_bandwidth_hz", p.range_bandwidth_hz},
                     {"azimuth_bandwidth_hz", p.azimuth_bandwidth_hz},
                     {"range_window", p.range_window.name()},
                     {"azimuth_window", p.azimuth_window.name()}});
    leave_out_untold(json, format);
    return json;
}

}  // namespace cornerturn
