// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/focus_job.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/focus_report_html.h"
#include "data/map_grid_file.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

std::optional<MapRequest> map_request(const FocusJob& o) {
    if (o.grid.empty()) {
        if (o.spacing)
            throw InputError(fmt::format(
                "--spacing {}: is of the pixels of a map; give --grid utm, geographic, local or plane (CPHD)",
                *o.spacing));
        return std::nullopt;
    }
    if (is_map_name(o.grid)) {
        MapRequest request{.projection = map_projection_named(o.grid), .spacing_m = 0, .grid = {}};
        if (!o.spacing) return request;  // by the resolution, or refused, when the echo is known
        request.spacing_m = parse_number("--spacing", *o.spacing);
        if (!(request.spacing_m > 0)) throw InputError(fmt::format("--spacing {}: must be above 0, in m", *o.spacing));
        return request;
    }
    if (std::filesystem::exists(o.grid)) {
        if (o.spacing) throw InputError(fmt::format("--spacing {}: {} has its own; leave it out", *o.spacing, o.grid));
        return MapRequest{.projection = {}, .spacing_m = 0, .grid = read_map_grid(o.grid)};
    }
    if (o.grid.ends_with(".yaml") || o.grid.ends_with(".h5") || o.grid.ends_with(".tif"))
        throw InputError(fmt::format("--grid {}: there is no such file", o.grid));
    map_projection_named(o.grid);  // says which names there are
    throw std::logic_error("a map that is_map_name does not know");
}

}  // namespace

std::vector<std::string> FocusJob::inputs() const {
    return {input,
            image.dem.value_or(""),
            image.track.path(),
            image.reference_track.value_or(""),
            is_map_name(grid) ? "" : grid,
            has_pattern_file() ? descalloping : ""};
}

ProductOptions FocusJob::product(std::size_t images) const {
    return {.on_map = !grid.empty(),
            .images = images,
            .storage = {.compression = compress, .threads = threads},
            .tiff = tiff_content_named(tiff),
            .samples = sample_storage_named(sample_type),
            .input = input,
            .safe = safe};
}

FocusOptions options_of(const FocusJob& o, std::vector<std::string>& remarks) {
    check_part(o.frames.part);
    FocusOptions options = focus_options(o.image, remarks);
    options.memory.share = o.memory_share;
    options.map = map_request(o);
    if (o.measure_rates && o.report.empty() && !o.json.asked())
        throw InputError("--measure-rates: stands in the report; give --json or --report FILE, or leave it out");
    if (!o.report.empty() && !is_html_report(o.report) && !is_json_report(o.report))
        throw InputError(
            fmt::format("--report {}: a page's name ends in .html; what is for programs is --json", o.report));
    if (options.map && o.image.reference_track)
        throw InputError(
            fmt::format("--reference-track {}: is of rows of zero Doppler, which a map has not; leave it or --grid out",
                        *o.image.reference_track));
    if (!o.output.empty()) product_file(o.output, o.product(1));
    if (o.resume && product_format_of(o.output) != ProductFormat::nisar)
        throw InputError(
            fmt::format("--resume: {} cannot be continued; leave it out, or name the image .h5", o.output));
    if (options.map && o.resume) throw InputError("--resume: does not go with --grid; leave one of them out");
    if (options.lowering.precision != Precision::full && !o.stage_folder.empty())
        throw InputError(
            fmt::format("--dump-stages: with --precision {} there are no stages that could be written; choose full",
                        o.image.precision));
    if (options.autofocus == Autofocus::none) return options;
    if (o.resume)
        throw InputError(
            "--resume: does not go with --autofocus, whose phases would have to be found anew; leave one of them out");
    if (options.lowering.precision != Precision::full)
        throw InputError(fmt::format(
            "--precision {}: does not go with --autofocus, as it has no pass for phases of lines; choose full",
            o.image.precision));
    return options;
}

void check_is_free(const FileNames& taken, const std::string& path) {
    if (const auto* same = taken.find(path))
        throw InputError(fmt::format("{}: would be written over {}{}; give it another name", path, same->path,
                                     same->by.empty() ? "" : fmt::format(" of {}", same->by)));
}

FileNames check_files(const FocusJob& o, const std::vector<std::string>& pictures) {
    std::vector<std::string> outputs{o.output, o.report, o.json.file()};
    outputs.insert(outputs.end(), pictures.begin(), pictures.end());
    if (o.of_batch)
        for (const std::string& picture : pictures)
            if (picture != o.png) check_is_free(*o.of_batch, picture);
    return check_outputs(outputs, o.inputs());
}

void add_map_options(const Verb& verb, FocusJob& job) {
    verb.option("--grid", job.grid,
                "Put the image on a map, by back-projection. The zone of utm is that of the scene's centre, if none "
                "is named (utm:33n); geographic is in degrees (WGS84); epsg:CODE is a projection in metres; local is "
                "the plane z = --height of a track whose positions are in a local frame (all pulses are summed); "
                "plane is the plane of the scene that a CPHD file gives (the default for spotlights). The map lies at "
                "the heights of --dem or --height and holds all that the echo covers. FILE is a GSLC or GeoTIFF, "
                "whose grid is copied, or YAML with projection, bounds: [west, south, east, north] and spacing in the "
                "map's units. Phases are flattened: the phase of a pixel is that on the zero-Doppler grid times "
                "exp(+j 4 pi R0 / lambda)")
        .type("utm|geographic|local|plane|epsg:CODE|FILE");
    verb.option("--spacing", job.spacing,
                "Spacing of the map's pixels, in m, also where the map is in degrees. A map in degrees has pixels of "
                "that length at the centre of the scene. Default for spotlights: what the pulses resolve, in each axis")
        .type("METRES");
}

void add_job_options(const Verb& verb, FocusJob& job) {
    add_image_options(verb, job.image);
    add_several_frames_options(verb, job.frames);
    add_image_part_options(verb, job.frames.part);
    add_map_options(verb, job);
    verb.option("--descalloping", job.descalloping,
                "For bursts: remove the element pattern of the steered antenna, which darkens the ends of bursts by "
                "about 1 dB. aperture: the pattern of 14 evenly lit tiles of 12.3 m; FILE: the measured one in ESA's "
                "AUX_CAL (s1a-aux-cal.xml); none: nothing is removed")
        .type("none|aperture|FILE")
        .shows_default()
        .rare();
    verb.option("--tiff", job.tiff,
                "Contents of an image whose name ends in .tif: complex, amplitude, db, beta0 or sigma0 (in dB, not "
                "calibrated, since raw files have no calibration). The file is a cloud-optimised GeoTIFF: on a map "
                "with its CRS, else with ground control points at the height of the scene")
        .type("complex|amplitude|db|beta0|sigma0")
        .shows_default()
        .rare();
    verb.option("--sample-type", job.sample_type,
                "How samples are stored: f32, f16 (.h5), int16:A (.nitf, .tif) or amp8-phs8:A (.nitf); A is the "
                "largest amplitude")
        .type("f32|f16|int16:A|amp8-phs8:A")
        .shows_default()
        .rare();
    verb.option("--compress", job.compress,
                "Compression of the image: 0 none, 1 fast to 9 small (shuffle and deflate, which every HDF5 library "
                "can read)")
        .between(0, 9)
        .shows_default()
        .rare();
    verb.option("--png", job.png, "Also write a picture; of several images one each: SLC-A-HH.png for SLC.png")
        .type("FILE.png")
        .names_png();
    verb.option("--report", job.report,
                "Also write a page about the run, with pictures (as .json: what --json writes). The page needs no "
                "network. With --precision half-middle it shows the signal-to-error ratio, for which the echo is "
                "focused a second time")
        .type("FILE.html");
    verb.flag(
            "--measure-rates", job.measure_rates,
            "Afterwards measure, for the report, the rates of the device's bus and of the disk, with 64 MiB read from "
            "RAW.h5 and a temporary file of 64 MiB beside the image. A rate that cannot be measured is left out")
        .rare();
    verb.option("--dump-stages", job.stage_folder, "Also write the matrix after each stage into this folder (HDF5)")
        .type("FOLDER")
        .rare();
}

}  // namespace cornerturn
