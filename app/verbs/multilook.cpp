// SPDX-License-Identifier: Apache-2.0
// cornerturn multilook: a detected image of several looks.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/verbs.h"
#include "data/detected/detected_image.h"
#include "data/open_image.h"
#include "data/picture/quicklook.h"
#include "kernels/errors.h"
#include "kernels/host/names.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct MultilookArguments {
    std::string input, output, looks = "1x1", domain = "detected", detection = "amplitude", type = "float32";
    std::string overlap = "0", azimuth_window = "none", range_window = "none";
    std::optional<std::string> scale;
    FrameOptions frame;
    int threads = 0;
};

Looks parse_look_counts(const std::string& text, const Image& image) {
    if (const auto looks = parse_looks(text)) return *looks;
    if (image.map)
        throw InputError("--looks auto: pixels of a map are as --spacing made them; give rows x columns, such as 3x3");
    constexpr std::int64_t any_size = std::int64_t{1} << 40;
    return automatic_looks(image, any_size);
}

MultilookOptions multilook_options(const MultilookArguments& o, const Image& image) {
    MultilookOptions options;
    options.looks = parse_look_counts(o.looks, image);
    options.threads = o.threads;
    constexpr Named<LookDomain> domains[] = {{LookDomain::detected, "detected"}, {LookDomain::frequency, "frequency"}};
    options.domain = choose_in(domains, "--domain", o.domain);
    options.overlap = parse_number("--overlap", o.overlap);
    if (!(options.overlap >= 0 && options.overlap < 1))
        throw InputError(fmt::format("--overlap {}: expected 0 to less than 1", o.overlap));
    options.azimuth_window = Window::parse(o.azimuth_window);
    options.range_window = Window::parse(o.range_window);
    if (options.domain == LookDomain::detected &&
        (options.overlap > 0 || options.azimuth_window != Window() || options.range_window != Window()))
        throw InputError(
            "--overlap, --azimuth-window, --range-window: are of parts of the band; give --domain frequency, too");
    return options;
}

IntegerScale scale_of(const MultilookArguments& o, const ImageView& image, const DetectedOptions& options) {
    if (options.type == StoredAs::float32) {
        if (o.scale)
            throw InputError(fmt::format("--scale {}: float32 needs none; give --type uint8 or uint16", *o.scale));
        return {};
    }
    if (o.scale) {
        const std::vector<double> ends = parse_numbers("--scale", *o.scale);
        if (ends.size() != 2)
            throw InputError(
                fmt::format("--scale {}: expected LEAST,GREATEST, such as -30,0 with --detect db", *o.scale));
        return IntegerScale::between(ends[0], ends[1], options.type);
    }
    Brightness brightness;
    multilook(
        image, options.looks, [&](std::int64_t, std::span<const float> power) { brightness.add(power); },
        console_progress());
    return brightness.scale(options.detection, options.type);
}

/// The axes of HDF5 and the bands of looks are those of the zero-Doppler grid.
void check_grid(const MultilookArguments& o, const Image& image, const DetectedOptions& options) {
    const bool wants_axes =
        options.looks.domain == LookDomain::frequency || detected_format_of(o.output) == DetectedFormat::hdf5;
    if (!image.map && wants_axes) require_axes(o.input, image, "multilook in frequency, or into .h5,");
    if (!image.map) return;
    if (options.looks.domain == LookDomain::frequency)
        throw InputError(
            fmt::format("--domain frequency: {} lies on a map, whose axes have no bands; leave it out", o.input));
    if (detected_format_of(o.output) == DetectedFormat::hdf5)
        throw InputError(fmt::format("{}: {} lies on a map, which is detected into .tif or .png", o.output, o.input));
}

int run_multilook(const MultilookArguments& o) {
    const ThreadLimit limit(o.threads);
    DetectedOptions options;
    options.detection = detection_named(o.detection);
    options.type = stored_as_named(o.type);
    check_detected_path(o.output, o.input, options.type);
    FrameSelection selection = one_frame(o.frame);
    selection.threads = o.threads;
    StoredImage file = open_image(o.input, selection);
    const Image& header = file.header();
    options.looks = multilook_options(o, header);
    check_grid(o, header, options);
    options.source = o.input;
    const ImageGrid cells = multilooked_grid(header.grid, options.looks.looks);
    options.scale = scale_of(o, file.view(), options);
    const auto output = DetectedFile::create(o.output, header, options);
    multilook(
        file.view(), options.looks, [&](std::int64_t row, std::span<const float> power) { output->write(row, power); },
        console_progress());
    output->commit();
    log_info("{}: {} x {} cells of {} x {} looks ({})", o.output, cells.rows, cells.columns,
             options.looks.looks.azimuth, options.looks.looks.range, header.map ? "rows x columns" : "azimuth x range");
    return exit_code::success;
}

}  // namespace

void add_multilook(const Verb& program) {
    auto o = std::make_shared<MultilookArguments>();
    const Verb verb =
        program.verb("multilook", "Detects a focused image with several looks: amplitude, power or decibels");
    verb.footer(R"(The ending of the output's name chooses the format: .h5 (with the axes of the RSLC, below
/science/LSAR/detected), .tif (cloud-optimised GeoTIFF, of a map with its CRS, else with ground control points) or
.png (uint8).
Looks are averaged in power. A cell lies at the middle of its samples; samples at the end that do not fill a cell are
dropped. Looks in the frequency domain are parts of the processed band about the Doppler centroid and the range
carrier, each scaled so that a flat spectrum keeps its power. Integers mean value = add_offset + scale_factor * stored,
and 0 means no data; both numbers are attributes in HDF5 and in TIFF's description.

Examples:
  cornerturn multilook slc.h5 -o amplitude.tif --looks 4x1
  cornerturn multilook slc.h5 -o looks.h5 --looks 4x2 --domain frequency --overlap 0.5 --azimuth-window hamming
  cornerturn multilook slc.h5 -o sea.png --looks auto --detect db --type uint8 --scale -25,5)");
    verb.option("SLC.h5", o->input, "Focused image: NISAR RSLC or, on a map, GSLC; SICD, GeoTIFF or ENVI").required();
    verb.option("-o,--output", o->output, "Detected image to write").required().type("FILE.h5|.tif|.png");
    add_frame_options(verb, o->frame);
    add_looks_option(verb, o->looks, "Looks in azimuth x range; auto: nearly square cells on the ground");
    verb.option("--domain", o->domain,
                "Where looks are formed: detected (neighbouring samples) or frequency (parts of the band)")
        .type("detected|frequency")
        .shows_default();
    verb.option("--overlap", o->overlap, "Overlap of neighbouring parts of the band, 0 to less than 1")
        .type("PART")
        .shows_default();
    verb.option("--azimuth-window", o->azimuth_window, "Window over each part of the band")
        .type("none|hamming|kaiser:BETA|taylor:NBAR:DB")
        .shows_default();
    verb.option("--range-window", o->range_window, "As --azimuth-window").shows_default();
    verb.option("--detect", o->detection, "What is written of a cell; amplitude: the root of its mean power")
        .type("amplitude|power|db")
        .shows_default();
    verb.option("--type", o->type, "How it is stored").type("float32|uint8|uint16").shows_default();
    verb.option("--scale", o->scale,
                "Values at both ends of the integer range, in the unit of --detect. Default: from the darkest 0.2 % "
                "(db) or 0 (else) to the brightest 0.1 %, for which the image is read twice")
        .type("LEAST,GREATEST");
    add_threads_option(verb, o->threads);
    verb.runs([=] { return run_multilook(*o); });
}

}  // namespace cornerturn
