// SPDX-License-Identifier: Apache-2.0
// cornerturn info: what a raw file or an image holds.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common_options.h"
#include "app/console.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/geo_report.h"
#include "app/verbs/map_report.h"
#include "app/verbs/product_facts.h"
#include "app/verbs/track_options.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/open_image.h"
#include "data/raw_file.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float()) return fmt::format("{:.9g}", value.get<double>());
    return value.dump();
}

/// As it is printed to so many decimals, but no "-0.000".
double rounded(double value, int decimals) {
    const double scale = std::pow(10, decimals), round = std::round(value * scale) / scale;
    return round == 0 ? 0 : round;
}

/// One line for each number or text; what lies in objects has their names before its own.
void print_lines(const Json& json, const std::string& prefix = "") {
    for (const auto& [key, value] : json.items()) {
        if (value.is_object() && value.contains("latitude_deg"))
            fmt::print("{:<28}{:.7f} {:.7f} deg (latitude, longitude), {:.3f} m\n", prefix + key,
                       rounded(value["latitude_deg"].get<double>(), 7),
                       rounded(value["longitude_deg"].get<double>(), 7), rounded(value["height_m"].get<double>(), 3));
        else if (value.is_object())
            print_lines(value, prefix + key + " ");
        else
            fmt::print("{:<28}{}\n", prefix + key, value_text(value));
    }
}

Json facts_of_raw(const std::string& path, const FrameSelection& selection, const PartOptions& part, bool geo,
                  const GivenTrack* track, std::vector<std::string>& warnings) {
    Acquisition acquisition = read_raw_header(path, selection, warnings);
    if (track != nullptr) acquisition = track->along(acquisition, 0, warnings);
    acquisition = part_of_header(acquisition, part, {});
    Json json = geo ? geo_of_echo(path, acquisition) : facts_of_echo(std::string(raw_format(path)), acquisition);
    json.update(facts_beside(path, acquisition));
    if (acquisition.burst && acquisition.identification.burst_id.empty())
        warnings.push_back(fmt::format(
            "{}: what ESA calls its bursts is not known: no name of a file or folder as they were downloaded tells "
            "the orbit (S1A_IW_RAW__0SDV_..._032518_03C421_9D2B.SAFE), or no packet the track",
            path));
    if (track != nullptr) json["track"] = track->json();
    return json;
}

Json facts_of(const std::string& path, const FrameSelection& selection, const PartOptions& part, bool geo,
              const GivenTrack* track, std::vector<std::string>& warnings) {
    if (!holds_image(path)) return facts_of_raw(path, selection, part, geo, track, warnings);
    if (part.given())
        throw InputError(
            fmt::format("--lines, --time, --bbox: are of a raw echo, and {} is an image; leave them out", path));
    if (track != nullptr)
        throw InputError(
            fmt::format("--track {}: is of a raw echo, and {} is an image; leave it out", track->track().name, path));
    const StoredImage file = open_image(path, selection);
    const Image& image = file.header();
    if (image.map) return geo ? geo_of_map(path, image) : map_json(image, file.format());
    if (geo) require_axes(path, image, "info --geo");
    return geo ? geo_of_image(path, image) : facts_of_image(image, file.format());
}

int run_info(const std::string& path, const FrameOptions& frame, bool geo, const TrackOptions& track,
             const JsonOutput& output) {
    check_outputs({output.file()}, {path, track.path()});
    check_part(frame.part);
    std::vector<std::string> warnings;
    const Json json = facts_of(path, one_frame(frame), frame.part, geo, GivenTrack::read(track).get(), warnings);
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
    verb.footer(R"(Examples:
  cornerturn info raw.h5
  cornerturn info slc.h5 --geo)");
    verb.option("FILE", o->path, "Raw echo, a file or a folder, or an image").required();
    add_echo_options(verb, o->frame);
    add_echo_part_options(verb, o->frame.part);
    add_track_options(verb, o->track);
    verb.flag("--geo", o->geo,
              "Print where it lies on the Earth instead, by its orbit or its map: corners, incidence, spacing on the "
              "ground, look side, heading");
    add_json_option(verb, o->json);
    verb.runs([=] { return run_info(o->path, o->frame, o->geo, o->track, o->json); });
}

}  // namespace cornerturn
