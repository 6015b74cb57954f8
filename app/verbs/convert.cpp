// SPDX-License-Identifier: Apache-2.0
// cornerturn convert
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/common_options.h"
#include "app/console.h"
#include "app/verb.h"
#include "app/verbs/frames.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/nisar/l0b_writer.h"
#include "data/open_image.h"
#include "data/product/product_file.h"
#include "data/raw_file.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/acquisition/product_epoch.h"
#include "pipeline/echo/forwarded_echo.h"

namespace cornerturn {
namespace {

struct ConvertArguments {
    std::string input, output;
    FrameOptions frame;
    std::string tiff = "complex", sample_type = "f32";
    int threads = 0;
};

/// With times as products have them.
class EchoForProduct final : public DescribedEcho {
public:
    explicit EchoForProduct(EchoSource& echo) : DescribedEcho(echo, in_product_epoch(echo.acquisition())) {}
};

bool is_nisar_image(const StoredImage& image) { return image.format().starts_with("NISAR"); }

/// A focused image into a file of another format, row by row.
int convert_image(const ConvertArguments& o) {
    if (o.frame.part.given())
        throw InputError(
            fmt::format("{}: is an image, of which all is converted; leave --lines, --time and --bbox out", o.input));
    FrameSelection selection = one_frame(o.frame);
    selection.threads = o.threads;
    StoredImage image = open_image(o.input, selection);
    if (!image.header().map) require_axes(o.input, image.header(), "convert");
    if (product_format_of(o.output) == ProductFormat::nisar && !(image.header().acquisition.carrier_hz > 0))
        throw InputError(
            fmt::format("{}: {} does not tell its carrier, which NISAR's layout wants; name the output .tif or .slc",
                        o.output, o.input));
    const bool on_map = image.header().map.has_value();
    ProductOptions product{.on_map = on_map,
                           .images = 1,
                           .storage = {.threads = o.threads},
                           .tiff = tiff_content_named(o.tiff),
                           .samples = sample_storage_named(o.sample_type)};
    check_product(o.output, product);
    if (product_format_of(o.output) == ProductFormat::nisar && product.samples.type == SampleType::float32 &&
        is_nisar_image(image))
        throw InputError(fmt::format(
            "{}: {} is an image in HDF5 already; name the output .tif, .nitf or .slc, or choose --sample-type f16",
            o.output, o.input));
    if (has_full_scale(product.samples.type) && !product.samples.full_scale) {
        LargestAmplitude largest;
        image.pass_to(largest);
        product.samples.full_scale = largest.value();
    }
    const auto file = product_file(o.output, product);
    image.pass_to(*file);
    file->commit();
    log_warnings(file->remarks());
    const ImageGrid& grid = image.header().grid;
    const std::string& polarization = image.header().acquisition.polarization;
    fmt::print("{}: {} rows x {} columns{}\n", o.output, grid.rows, grid.columns,
               polarization.empty() ? "" : " of " + polarization);
    return exit_code::success;
}

int convert(const ConvertArguments& o) {
    const ThreadLimit limit(o.threads);
    check_outputs({o.output}, {o.input});
    check_part(o.frame.part);
    if (holds_image(o.input)) return convert_image(o);
    if (product_format_of(o.output) != ProductFormat::nisar)
        throw InputError(fmt::format("{}: {} is raw echo, which is written as HDF5 only; focus makes an image of it",
                                     o.output, o.input));
    std::vector<std::string> warnings;
    std::vector<std::unique_ptr<EchoSource>> opened;
    std::vector<EchoSource*> echoes;
    for (FrameSelection selection : choose_frames(o.input, o.frame)) {
        selection.threads = o.threads;
        opened.push_back(open_raw(o.input, selection, warnings));
        if (const auto& burst = opened.back()->acquisition().burst)
            throw InputError(
                fmt::format("{}: holds bursts ({} {} ...), and NISAR L0B has no place for a beam that is steered; "
                            "focus takes the file as it is",
                            o.input, burst->swath, burst->number));
        opened.back() = part_of_echo(std::move(opened.back()), o.frame.part, {}, o.threads);
        opened.push_back(std::make_unique<EchoForProduct>(*opened.back()));
        echoes.push_back(opened.back().get());
    }
    log_warnings(warnings);
    write_l0b(o.output, echoes);
    const Acquisition& first = echoes.front()->acquisition();
    fmt::print("{}: {} lines x {} samples of {} from {}\n", o.output, first.lines, first.samples,
               echoes.size() > 1 ? fmt::format("{} polarizations", echoes.size()) : first.polarization,
               raw_format(o.input));
    return exit_code::success;
}

}  // namespace

void add_convert(const Verb& program) {
    auto o = std::make_shared<ConvertArguments>();
    const Verb verb = program.verb(
        "convert", "Writes raw echo of any readable format as NISAR L0B, and focused images in other formats");
    verb.footer(R"(Examples:
  cornerturn convert IMG-HH-ALPSRP000010700-H1.0__A -o raw.h5
  cornerturn convert S1A_S6_RAW__0SDV_....SAFE -o raw.h5 --polarization VV
  cornerturn convert slc.h5 -o scene.tif --tiff db
  cornerturn convert slc.h5 -o scene.nitf --sample-type amp8-phs8)");
    verb.option("INPUT", o->input,
                "Raw echo: a file, or a folder of files that belong together; or a focused image (RSLC, GSLC, SICD, "
                "GeoTIFF, ENVI)")
        .required();
    verb.option(
            "-o,--output", o->output,
            "File to write: for raw echo HDF5 in NISAR L0B layout; for an image RSLC or GSLC, GeoTIFF, SICD or ENVI")
        .type("FILE.h5|.tif|.nitf|.slc")
        .required();
    verb.option("--tiff", o->tiff,
                "Contents of a GeoTIFF: complex, amplitude, db, beta0 or sigma0 (in dB; calibrated where the input has "
                "a calibration)")
        .type("complex|amplitude|db|beta0|sigma0")
        .shows_default();
    verb.option("--sample-type", o->sample_type,
                "How samples of an image are stored: f32, f16 (.h5), int16 (.nitf, .tif) or amp8-phs8 (.nitf). "
                "Integers are scaled to the largest amplitude, which is searched for or given, as int16:2.5")
        .type("f32|f16|int16:A|amp8-phs8:A")
        .shows_default();
    add_several_frames_options(verb, o->frame);
    add_echo_part_options(verb, o->frame.part);
    add_threads_option(verb, o->threads);
    verb.runs([=] { return convert(*o); });
}

}  // namespace cornerturn
