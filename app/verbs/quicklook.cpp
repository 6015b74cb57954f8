// SPDX-License-Identifier: Apache-2.0
// cornerturn quicklook: a picture of a focused image.
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
#include "data/files/output_file.h"
#include "data/open_image.h"
#include "data/picture/picture_place.h"
#include "data/picture/quicklook.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

struct QuicklookArguments {
    std::string input, output, looks = "auto", dynamic_range;
    std::optional<std::int64_t> max_size_px;
    bool place = false;
    FrameOptions frame;
};

int run_quicklook(const QuicklookArguments& options) {
    QuicklookOptions picture{
        .looks = parse_looks(options.looks), .dynamic_range_db = {}, .max_size_px = options.max_size_px.value_or(2048)};
    if (picture.looks && options.max_size_px)
        throw InputError(fmt::format("--max-size {}: is of automatic looks; leave it out, or --looks {}",
                                     *options.max_size_px, options.looks));
    if (!options.dynamic_range.empty())
        picture.dynamic_range_db = parse_number("--dynamic-range", options.dynamic_range);
    check_output_path(options.output, options.input);
    QuicklookSink sink(picture);
    StoredImage image = open_image(options.input, one_frame(options.frame));
    const auto& map = image.header().map;
    if (options.place && !map)
        throw InputError(
            fmt::format("--place: {} does not lie on a map; focus with --grid, or leave it out", options.input));
    image.pass_to(sink);
    write_png(options.output, sink.picture());
    const PictureCells& cells = sink.cells();
    if (options.place) write_picture_place(options.output, *map, cells);
    if (picture.looks)
        log_info("{}: {} x {} samples a pixel ({})", options.output, picture.looks->azimuth, picture.looks->range,
                 image.header().map ? "y x x" : "azimuth x range");
    else
        log_info("{}: {} x {} pixels{}", options.output, cells.columns(), cells.rows(),
                 cells.pixel_m > 0 ? fmt::format(" of {:.2f} m on the ground", cells.pixel_m)
                                   : ", of equal spacing each way as far as is known");
    return exit_code::success;
}

}  // namespace

void add_quicklook(const Verb& program) {
    auto options = std::make_shared<QuicklookArguments>();
    const Verb verb = program.verb("quicklook", "Draws a focused image as a gray PNG picture");
    verb.footer(
        R"(Slant range grows to the right (near range is on the left) and zero-Doppler time grows downwards (the first
line is at the top). A left-looking radar thus flies down the left margin and sees the scene as on a map;
the image of a right-looking radar is mirrored. Brightness is in decibels; places that no aperture covers
are black. On a map x grows to the right and y upwards.

Examples:
  cornerturn quicklook slc.h5 -o slc.png
  cornerturn quicklook slc.h5 -o slc.png --looks 4x2 --dynamic-range 40
  cornerturn quicklook map.h5 -o map.png --place)");
    verb.option("SLC.h5", options->input, "Focused image: NISAR RSLC or GSLC, SICD, GeoTIFF or ENVI").required();
    verb.option("-o,--output", options->output, "Picture to write").type("FILE.png").required().names_png();
    add_frame_options(verb, options->frame);
    add_looks_option(verb, options->looks,
                     "Samples averaged into a pixel, in azimuth x range; auto: square pixels on the ground, by ground "
                     "range and the velocity along the ground");
    verb.option("--dynamic-range", options->dynamic_range,
                "Range from black to white. Default: from the distribution of the brightness, 60 at most")
        .type("DB");
    verb.option("--max-size", options->max_size_px,
                "Longest side of the picture when looks are automatic. Default: 2048")
        .type("PX")
        .between(1, 32768);
    verb.flag("--place", options->place,
              "Also write NAME.kml and NAME.pgw, which place the picture of a map in globes and GIS programs");
    verb.runs([=] { return run_quicklook(*options); });
}

}  // namespace cornerturn
