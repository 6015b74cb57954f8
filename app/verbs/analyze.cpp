// SPDX-License-Identifier: Apache-2.0
// cornerturn analyze: how well point targets are focused, against theory.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/map_report.h"
#include "app/verbs/point_report.h"
#include "app/verbs/scene_report.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/nisar/gslc_reader.h"
#include "data/nisar/rslc_reader.h"
#include "data/picture/response_plot.h"
#include "data/picture/spectrum_picture.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/proof/illuminated_band.h"
#include "pipeline/proof/point_analysis.h"
#include "pipeline/proof/scene_statistics.h"

namespace cornerturn {
namespace {

constexpr int usual_peaks = 9;

struct AnalyzeArguments {
    std::string input;
    FrameOptions frame;
    std::vector<std::string> targets;
    std::optional<int> peaks;
    std::string beam_bandwidth;
    std::string png;
    std::string device = "auto";
    std::string spectrum;
    JsonOutput json;
    bool scene = false;
};

AnalysisTarget parse_target(const std::string& text) {
    const auto comma = text.find(',');
    if (comma == std::string::npos)
        throw InputError(
            fmt::format("--target {}: expected RANGE,TIME in metres and seconds, such as 850123.4,3.25", text));
    return {parse_number("--target range", text.substr(0, comma)),
            parse_number("--target time", text.substr(comma + 1)),
            true,
            {}};
}

std::vector<AnalysisTarget> chosen_targets(const ImageView& image, const AnalyzeArguments& options,
                                           const std::vector<AnalysisTarget>& given) {
    if (!given.empty()) return given;
    if (!options.peaks) {
        if (auto known = known_targets(image.header()); !known.empty()) return known;
        log_info("{}: no known targets; taking the {} strongest peaks", options.input, usual_peaks);
    }
    auto peaks = strongest_peaks(image, options.peaks.value_or(usual_peaks));
    if (peaks.empty() && options.peaks)
        throw InputError(
            fmt::format("{}: no peak far enough from the edges of the image; give --target RANGE,TIME", options.input));
    return peaks;
}

/// Theory needs the part of the processed band that the beam illuminates.
void settle_beam_bandwidth(StoredImage& file, const AnalyzeArguments& options,
                           const std::vector<AnalysisTarget>& targets, const TripleProduct& multiply) {
    const ImageView image = file.view();
    auto& beam_hz = file.header().acquisition.azimuth_bandwidth_hz;
    if (!options.beam_bandwidth.empty()) {
        beam_hz = parse_number("--beam-bandwidth", options.beam_bandwidth);
        if (!(*beam_hz > 0))
            throw InputError(fmt::format("--beam-bandwidth {}: must be positive, in Hz", options.beam_bandwidth));
    } else if (!beam_hz) {
        const auto bright = strongest_peaks(image, usual_peaks);
        beam_hz = estimate_beam_bandwidth_hz(image, bright.empty() ? targets : bright, multiply);
        if (beam_hz)
            log_info(
                "{}: the beam lights some {:.4g} Hz, as the spectra of bright points show; --beam-bandwidth sets it",
                options.input, *beam_hz);
    }
}

void write_spectrum(const std::string& path, const ImageView& image) {
    constexpr std::int64_t largest = 256, least = 16;
    const ImageGrid& grid = image.header().grid;
    std::int64_t size = largest;
    while (size > std::min(grid.rows, grid.columns)) size /= 2;
    if (size < least)
        throw InputError(
            fmt::format("--spectrum {}: the image has {} rows and {} columns, expected at least {} of each", path,
                        grid.rows, grid.columns, least));
    write_png(path, spectrum_picture(image.header(), mean_spectrum_db(image, size), size));
}

MapTarget parse_map_target(const std::string& text) {
    const auto comma = text.find(',');
    if (comma == std::string::npos)
        throw InputError(
            fmt::format("--target {}: expected X,Y in the map's coordinates, such as 513607.4,5805547.7", text));
    return {{parse_number("--target x", text.substr(0, comma)), parse_number("--target y", text.substr(comma + 1))},
            true};
}

/// Points by their places on the map, along its axes.
int analyze_map(const AnalyzeArguments& options) {
    for (const auto& [option, given] : {std::pair("--png", options.png), std::pair("--spectrum", options.spectrum),
                                        std::pair("--beam-bandwidth", options.beam_bandwidth)})
        if (!given.empty())
            throw InputError(
                fmt::format("{}: is of range and azimuth, which an image on a map has not; leave it out", option));
    check_outputs({options.json.file()}, {options.input});
    std::vector<MapTarget> targets;
    for (const std::string& text : options.targets) targets.push_back(parse_map_target(text));
    StoredImage file = open_gslc(options.input, one_frame(options.frame));
    const ImageView image = file.view();
    const auto device = open_device(options.device);
    if (targets.empty() && !options.peaks) targets = known_map_targets(image.header());
    const bool scene = options.scene || (targets.empty() && !options.peaks);
    const std::optional<SceneStatistics> statistics = scene ? std::optional(scene_statistics(image)) : std::nullopt;
    if (targets.empty()) targets = strongest_map_points(image, options.peaks.value_or(usual_peaks));
    std::vector<MapPointAnalysis> points;
    for (const MapTarget& target : targets) {
        throw_if_interrupted();
        points.push_back(analyze_map_point(image, target, triple_product_on(*device)));
    }
    if (!options.json.instead_of_text()) {
        if (statistics) fmt::print("{}", scene_text(*statistics));
        fmt::print("{}", map_point_table(points));
    }
    nlohmann::json json = map_points_json(image.header(), points);
    if (statistics) json["scene"] = scene_json(*statistics);
    json["device"] = device->info().name;
    options.json.write(json);
    return exit_code::success;
}

int analyze(const AnalyzeArguments& options) {
    if (product_kind(options.input) == ProductKind::map) return analyze_map(options);
    std::vector<AnalysisTarget> given;
    for (const std::string& text : options.targets) given.push_back(parse_target(text));
    check_outputs({options.png, options.spectrum, options.json.file()}, {options.input});
    StoredImage file = open_rslc(options.input, one_frame(options.frame));
    const ImageView image = file.view();
    const auto device = open_device(options.device);
    log_debug("zooming on {} ({})", device->info().name, device->info().description);
    const TripleProduct multiply = triple_product_on(*device);
    if (!options.spectrum.empty()) write_spectrum(options.spectrum, image);
    // A scene without known targets is told of as a whole, too.
    const bool scene = options.scene || (given.empty() && !options.peaks && image.header().acquisition.truth.empty());
    const std::optional<SceneStatistics> statistics = scene ? std::optional(scene_statistics(image)) : std::nullopt;
    const std::vector<AnalysisTarget> targets = chosen_targets(image, options, given);
    if (!targets.empty()) settle_beam_bandwidth(file, options, targets, multiply);

    std::vector<PointAnalysis> points;
    std::vector<std::vector<AmbiguityEcho>> ambiguities;
    for (const AnalysisTarget& target : targets) {
        throw_if_interrupted();
        points.push_back(analyze_point(image, target, multiply));
        ambiguities.push_back(points.back().refused.empty() ? azimuth_ambiguities(image, points.back())
                                                            : std::vector<AmbiguityEcho>{});
    }
    const bool measured =
        std::any_of(points.begin(), points.end(), [](const PointAnalysis& point) { return point.refused.empty(); });
    if (!measured && !points.empty() && (!statistics || !options.png.empty())) {
        throw InputError(fmt::format("{}: none of {} targets can be measured; the first, {:.3f} m, {:.6f} s, is {}",
                                     options.input, points.size(), points[0].target.range_m, points[0].target.time_s,
                                     points[0].refused));
    }
    if (!options.png.empty() && !measured)
        throw InputError(fmt::format("{}: no peak far enough from the edges of the image to be drawn; leave --png out",
                                     options.input));
    if (!options.png.empty()) write_png(options.png, response_plot(image, points, multiply));
    if (!options.json.instead_of_text()) {
        if (statistics) fmt::print("{}", scene_text(*statistics));
        if (!points.empty()) fmt::print("{}", point_table(image.header(), points));
        fmt::print("{}", ambiguity_text(ambiguities));
    }
    nlohmann::json json = points_json(image.header(), points);
    for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i].refused.empty()) json["targets"][i]["azimuth_ambiguities"] = ambiguities_json(ambiguities[i]);
    if (statistics) json["scene"] = scene_json(*statistics);
    json["device"] = device->info().name;
    options.json.write(json);
    return exit_code::success;
}

}  // namespace

void add_analyze(const Verb& program) {
    auto options = std::make_shared<AnalyzeArguments>();
    const Verb verb = program.verb(
        "analyze", "Measures point targets of an image against theory, and the quality of scenes that have none");
    verb.footer(
        "Targets are those of --target, else of --peaks, else those whose truth the image carries, else its nine "
        "strongest peaks.\n"
        "IRW is the -3 dB width; PSLR the highest sidelobe over the peak; ISLR the energy of ten sidelobes on each "
        "side over that of the\n"
        "main lobe. Theory is the response of the processed bands and windows in the 2-D frequency plane, squint "
        "included.\n"
        "Of a scene without known targets, or with --scene: sharpness mean(p^2)/mean(p)^2 and entropy -sum q ln q (q = "
        "p / sum p) of the\n"
        "power p, equivalent number of looks of homogeneous windows, the floor in the darkest hundredth of all "
        "windows. Azimuth "
        "ambiguities\n"
        "are looked for PRF/Ka before and behind each target; those of range lie c/2 PRF away, outside of one "
        "image.\n\n"
        "Of an image on a map: places, widths and sidelobes along x and y; --target X,Y is in the map's "
        "coordinates.\n\n"
        "Examples:\n"
        "  cornerturn analyze slc.h5\n"
        "  cornerturn analyze slc.h5 --target 850123.4,3.25 --png response.png\n"
        "  cornerturn analyze slc.h5 --peaks 5 --json points.json\n"
        "  cornerturn analyze scene.h5 --scene --spectrum spectrum.png");
    verb.option("SLC.h5", options->input, "Focused image, NISAR RSLC or GSLC layout").required();
    add_frame_options(verb, options->frame);
    const Option target = verb.option("--target", options->targets,
                                      "Place to measure: slant range in m and zero-Doppler time in s since the file's "
                                      "epoch, or on a map x and y; "
                                      "may be repeated")
                              .type("RANGE,TIME|X,Y")
                              .one_each();
    verb.option("--peaks", options->peaks, "Measure the N strongest peaks").type("N").between(1, 1000).excludes(target);
    verb.option(
            "--beam-bandwidth", options->beam_bandwidth,
            "Doppler bandwidth that the beam lights. Default: the file's, else seen in the spectra of bright points")
        .type("HZ");
    verb.option(
            "--device", options->device,
            "Where chips are zoomed, by products with Fourier matrices in double precision: auto, cpu, cuda or cuda:N")
        .shows_default();
    verb.flag("--scene", options->scene, "Measure the whole scene, too: sharpness, entropy, looks, floor");
    verb.option("--spectrum", options->spectrum, "Also draw the mean spectrum over azimuth and range frequency")
        .names_png();
    add_json_option(verb, options->json);
    verb.option("--png", options->png, "Also draw the oversampled responses with both cuts").names_png();
    verb.runs([=] { return analyze(*options); });
}

}  // namespace cornerturn
