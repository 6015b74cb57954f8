// SPDX-License-Identifier: Apache-2.0
// cornerturn analyze: how well point targets are focused, against theory.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/image_measures.h"
#include "app/verbs/map_report.h"
#include "app/verbs/point_report.h"
#include "app/verbs/scene_report.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/open_image.h"
#include "data/picture/response_plot.h"
#include "data/picture/spectrum_picture.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/scene_statistics.h"

namespace cornerturn {
namespace {

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

/// Two numbers with a comma between them.
std::pair<double, double> parse_place(const std::string& text, std::string_view expected) {
    const std::vector<double> numbers = parse_numbers("--target", text);
    if (numbers.size() != 2) throw InputError(fmt::format("--target {}: expected {}", text, expected));
    return {numbers[0], numbers[1]};
}

AnalysisTarget parse_target(const std::string& text) {
    const auto [range_m, time_s] = parse_place(text, "RANGE,TIME in metres and seconds, such as 850123.4,3.25");
    return {range_m, time_s, true, {}};
}

void write_spectrum(const std::string& path, const ImageView& image) {
    const ImageGrid& grid = image.header().grid;
    const std::int64_t size = spectrum_size(grid);
    if (size == 0)
        throw InputError(
            fmt::format("--spectrum {}: the image has {} rows and {} columns, expected at least {} of each", path,
                        grid.rows, grid.columns, least_spectrum));
    write_png(path, spectrum_picture(image.header(), mean_spectrum_db(image, size), size));
}

template <class Points>
bool is_one_measured(const Points& points) {
    return std::any_of(points.begin(), points.end(), [](const auto& point) { return point.refused.empty(); });
}
/// The first says why.
[[noreturn]] void refuse_all(const std::string& input, std::size_t count, const std::string& first,
                             const std::string& why) {
    throw InputError(
        fmt::format("{}: none of {} targets can be measured; the first, {}, is {}", input, count, first, why));
}

MapTarget parse_map_target(const std::string& text) {
    const auto [x, y] = parse_place(text, "X,Y in the map's coordinates, such as 513607.4,5805547.7");
    return {{x, y}, true};
}

/// Points by their places on the map, along its axes.
int analyze_map(const AnalyzeArguments& options, StoredImage& file) {
    for (const auto& [option, given] : {std::pair("--png", options.png), std::pair("--spectrum", options.spectrum),
                                        std::pair("--beam-bandwidth", options.beam_bandwidth)})
        if (!given.empty())
            throw InputError(
                fmt::format("{}: is of range and azimuth, which an image on a map has not; leave it out", option));
    check_outputs({options.json.file()}, {options.input});
    std::vector<MapTarget> targets;
    for (const std::string& text : options.targets) targets.push_back(parse_map_target(text));
    const ImageView image = file.view();
    const auto device = open_device(options.device);
    const MapMeasures measures =
        measure_map(image, {targets, options.peaks, options.scene}, triple_product_on(*device));
    const auto& points = measures.points;
    if (!measures.scene && !is_one_measured(points)) {
        if (points.empty())
            throw InputError(
                fmt::format("{}: no peak far enough from the edges of the image; give --target X,Y", options.input));
        refuse_all(options.input, points.size(),
                   fmt::format("x {:.11g}, y {:.11g}", points[0].target.place.x, points[0].target.place.y),
                   points[0].refused);
    }
    if (!options.json.instead_of_text()) {
        if (measures.scene) fmt::print("{}", scene_text(*measures.scene));
        fmt::print("{}", map_point_table(measures.points));
    }
    nlohmann::json json = to_json(image.header(), measures);
    json["device"] = device->info().name;
    options.json.write(json);
    return exit_code::success;
}

int analyze(const AnalyzeArguments& options) {
    StoredImage file = open_image(options.input, one_frame(options.frame));
    if (file.header().map) return analyze_map(options, file);
    require_axes(options.input, file.header(), "analyze");
    std::vector<AnalysisTarget> given;
    for (const std::string& text : options.targets) given.push_back(parse_target(text));
    check_outputs({options.png, options.spectrum, options.json.file()}, {options.input});
    const ImageView image = file.view();
    const auto device = open_device(options.device);
    log_debug("zooming on {} ({})", device->info().name, device->info().description);
    const TripleProduct multiply = triple_product_on(*device);
    if (!options.spectrum.empty()) write_spectrum(options.spectrum, image);
    PointWishes wishes{.targets = given, .peaks = options.peaks, .scene = options.scene};
    if (!options.beam_bandwidth.empty())
        wishes.beam_bandwidth_hz = parse_number("--beam-bandwidth", options.beam_bandwidth);
    std::vector<std::string> remarks;
    const PointMeasures measures = measure_points(file.header(), image, wishes, multiply, remarks);
    for (const std::string& remark : remarks) log_info("{}: {}", options.input, remark);
    const auto& [points, ambiguities, statistics] = measures;
    const bool measured = is_one_measured(points);
    if (!measured && !points.empty() && (!statistics || !options.png.empty()))
        refuse_all(options.input, points.size(),
                   fmt::format("{:.3f} m, {:.6f} s", points[0].target.range_m, points[0].target.time_s),
                   points[0].refused);
    if (!options.png.empty() && !measured)
        throw InputError(fmt::format("{}: no peak far enough from the edges of the image to be drawn; leave --png out",
                                     options.input));
    if (!options.png.empty()) write_png(options.png, response_plot(image, points, multiply));
    if (!options.json.instead_of_text()) {
        if (statistics) fmt::print("{}", scene_text(*statistics));
        if (!points.empty()) fmt::print("{}", point_table(image.header(), points));
        fmt::print("{}", ambiguity_text(ambiguities));
    }
    nlohmann::json json = to_json(image.header(), measures);
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
        R"(The targets are those of --target, else of --peaks, else those whose truth is stored in the image, else the
nine strongest peaks. IRW is the -3 dB width, PSLR the highest sidelobe over the peak, ISLR the energy of ten sidelobes
on each side over that of the main lobe. Theory is the response of the processed bands and windows in the 2-D frequency
plane, squint included.
Scenes without known targets (or with --scene) are measured as a whole: sharpness mean(p^2)/mean(p)^2 and entropy
-sum q ln q (q = p / sum p) of the power p, the equivalent number of looks in homogeneous windows, the floor in the
darkest hundredth of all windows. Azimuth ambiguities are searched for PRF/Ka before and behind each target. (Range
ambiguities lie c/(2 PRF) away, outside the image.)

On a map, places, widths and sidelobes are along x and y, and --target X,Y is in the map's coordinates.

Examples:
  cornerturn analyze slc.h5
  cornerturn analyze slc.h5 --target 850123.4,3.25 --png response.png
  cornerturn analyze slc.h5 --peaks 5 --json points.json
  cornerturn analyze scene.h5 --scene --spectrum spectrum.png)");
    verb.option("SLC.h5", options->input, "Focused image: NISAR RSLC or GSLC, SICD, GeoTIFF or ENVI").required();
    add_frame_options(verb, options->frame);
    const Option target = verb.option("--target", options->targets,
                                      "Place to measure: slant range in m and zero-Doppler time in s since the file's "
                                      "epoch, or on a map x and y; "
                                      "may be repeated")
                              .type("RANGE,TIME|X,Y")
                              .one_each();
    verb.option("--peaks", options->peaks, "Measure the N strongest peaks").type("N").between(1, 1000).excludes(target);
    verb.option("--beam-bandwidth", options->beam_bandwidth,
                "Doppler bandwidth that the beam illuminates. Default: the file's, else estimated from the spectra of "
                "bright points")
        .type("HZ");
    verb.option("--device", options->device,
                "Device that interpolates the chips, by products with Fourier matrices in double precision: auto, cpu, "
                "cuda or cuda:N")
        .shows_default();
    verb.flag("--scene", options->scene, "Measure the whole scene, too: sharpness, entropy, looks, floor");
    verb.option("--spectrum", options->spectrum, "Also draw the mean spectrum over azimuth and range frequency")
        .type("FILE.png")
        .names_png();
    add_json_option(verb, options->json);
    verb.option("--png", options->png, "Also draw the oversampled responses with both cuts")
        .type("FILE.png")
        .names_png();
    verb.runs([=] { return analyze(*options); });
}

}  // namespace cornerturn
