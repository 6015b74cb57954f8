// SPDX-License-Identifier: Apache-2.0
// cornerturn info: what a raw file or an image holds.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common_options.h"
#include "app/console.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/geo_report.h"
#include "app/verbs/map_report.h"
#include "app/verbs/track_options.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/nisar/gslc_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
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
    if (a.effective_velocity_m_s) json["effective_velocity_m_s"] = *a.effective_velocity_m_s;
    if (a.doppler_centroid_hz) json["doppler_centroid_hz"] = *a.doppler_centroid_hz;
    if (a.azimuth_bandwidth_hz) json["azimuth_bandwidth_hz"] = *a.azimuth_bandwidth_hz;
    return json;
}

Json raw_json(const std::string& path, const Acquisition& a) {
    Json json{{"product", fmt::format("raw echo ({})", raw_format(path))},
              {"lines", a.lines},
              {"samples", a.samples},
              {"sample_format", format_name(a.format)}};
    json.update(acquisition_json(a));
    json.update(Json{{"first_pulse_time_s", a.first_pulse_time_s},
                     {"duration_s", a.pulse_time_s(static_cast<double>(a.lines)) - a.pulse_time_s(0)},
                     {"near_range_m", a.near_range_m},
                     {"far_range_m", a.range_m(static_cast<double>(a.samples - 1))},
                     {"sample_rate_hz", a.sample_rate_hz()},
                     {"chirp_slope_hz_s", a.chirp.slope_hz_s},
                     {"chirp_duration_s", a.chirp.duration_s},
                     {"chirp_bandwidth_hz", a.chirp.bandwidth_hz()},
                     {"compressed_pulses", a.chirp.compressed()},
                     {"spotlight", a.phase_history != nullptr},
                     {"gain_control", !a.decoding.line_gain.empty()},
                     {"sub_swaths", std::max(1, a.decoding.intervals_per_line)}});
    if (const auto& burst = a.burst)
        json.update(Json{{"swath", burst->swath},
                         {"burst_number", burst->number},
                         {"steering_deg_s", degrees(burst->steering_rad_s)},
                         {"broadside_time_s", burst->broadside_time_s}});
    if (a.scene)
        json.update(Json{{"scene_height_m", a.scene->height_m},
                         {"scene_x_m", a.scene->greatest_x_m - a.scene->least_x_m},
                         {"scene_y_m", a.scene->greatest_y_m - a.scene->least_y_m}});
    return json;
}

Json image_json(const Image& image) {
    const ImageGrid& g = image.grid;
    const ProcessingRecord& p = image.processing;
    Json json{{"product", "single-look complex image (NISAR RSLC)"}, {"rows", g.rows}, {"columns", g.columns}};
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
    return json;
}

std::string value_text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{:.9g}", value.get<double>());
    return value.dump();
}

/// One line for each number or text; what lies in objects has their names before its own.
void print_lines(const Json& json, const std::string& prefix = "") {
    for (const auto& [key, value] : json.items()) {
        if (value.is_object() && value.contains("latitude_deg"))
            fmt::print("{:<28}{:.7f} {:.7f} deg (latitude, longitude), {:.3f} m\n", prefix + key,
                       value["latitude_deg"].get<double>(), value["longitude_deg"].get<double>(),
                       value["height_m"].get<double>());
        else if (value.is_object())
            print_lines(value, prefix + key + " ");
        else
            fmt::print("{:<28}{}\n", prefix + key, value_text(value));
    }
}

Json facts_of_echo(const std::string& path, const FrameSelection& selection, bool geo, const GivenTrack* track,
                   std::vector<std::string>& warnings) {
    Acquisition acquisition = read_raw_header(path, selection, warnings);
    if (track != nullptr) acquisition = track->along(acquisition, 0, warnings);
    Json json = geo ? geo_of_echo(path, acquisition) : raw_json(path, acquisition);
    if (acquisition.burst)
        for (const auto& swath : list_raw(path).swaths) json["bursts"][swath.name] = swath.bursts;
    if (track != nullptr) json["track"] = track->json();
    return json;
}

Json facts_of(const std::string& path, const FrameSelection& selection, bool geo, const GivenTrack* track,
              std::vector<std::string>& warnings) {
    const ProductKind kind = is_nisar(path) ? product_kind(path) : ProductKind::raw;
    if (kind == ProductKind::raw) return facts_of_echo(path, selection, geo, track, warnings);
    if (track != nullptr)
        throw InputError(
            fmt::format("--track {}: is of a raw echo, and {} is an image; leave it out", track->track().name, path));
    if (kind == ProductKind::map) {
        const StoredImage image = open_gslc(path, selection);
        return geo ? geo_of_map(path, image.header()) : map_json(image.header());
    }
    const Image image = read_rslc_header(path, selection);
    return geo ? geo_of_image(path, image) : image_json(image);
}

int run_info(const std::string& path, const FrameSelection& selection, bool geo, const TrackOptions& track,
             const JsonOutput& output) {
    check_outputs({output.file()}, {path, track.path()});
    std::vector<std::string> warnings;
    const Json json = facts_of(path, selection, geo, GivenTrack::read(track).get(), warnings);
    log_warnings(warnings);
    if (!output.instead_of_text()) print_lines(json);
    output.write(json);
    return exit_code::success;
}

}  // namespace

void add_info(const Verb& program) {
    struct Options {
        std::string path;
        FrameOptions frame;
        TrackOptions track;
        bool geo = false;
        JsonOutput json;
    };
    auto o = std::make_shared<Options>();
    const Verb verb = program.verb("info", "Says what a raw file or an image holds");
    verb.footer("Examples:\n  cornerturn info raw.h5\n  cornerturn info slc.h5 --geo");
    verb.option("FILE", o->path, "Raw echo, a file or a folder, or an image").required();
    add_echo_options(verb, o->frame);
    add_track_options(verb, o->track);
    verb.flag("--geo", o->geo,
              "Where it lies on the Earth instead, by its orbit or its map: corners, incidence, spacing on the "
              "ground, look side, heading");
    add_json_option(verb, o->json);
    verb.runs([=] { return run_info(o->path, one_frame(o->frame), o->geo, o->track, o->json); });
}

}  // namespace cornerturn
