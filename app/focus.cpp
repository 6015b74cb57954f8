// SPDX-License-Identifier: Apache-2.0
// cornerturn focus: raw echo in, single-look complex image out.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/console.h"
#include "app/focus_report.h"
#include "app/number.h"
#include "app/verbs.h"
#include "app/version.h"
#include "data/l0b_reader.h"
#include "data/output_file.h"
#include "data/quicklook.h"
#include "data/rslc_writer.h"
#include "data/stage_dump.h"
#include "kernels/errors.h"
#include "pipeline/focus.h"

namespace cornerturn {
namespace {

struct Options {
    std::string input, output, device = "auto", algorithm = "rda", corner_turn = "production", extent = "full";
    std::optional<std::string> doppler_centroid, velocity, azimuth_bandwidth;
    std::string range_window = "none", azimuth_window = "none";
    std::string frequency, polarization;
    std::string png, report, stage_folder;
    int threads = 0, taps = 16;
    bool dry_run = false;
};

std::optional<double> number_unless_auto(const std::string& option, const std::optional<std::string>& text) {
    if (!text || text == "auto") return std::nullopt;
    return parse_number(option, *text);
}

FocusOptions focus_options(const Options& o) {
    if (o.algorithm != "rda") throw InputError(fmt::format("--algorithm {}: unknown; choose rda (range-Doppler)", o.algorithm));
    FocusOptions options;
    options.doppler_centroid_hz = number_unless_auto("--doppler-centroid", o.doppler_centroid);
    options.estimate_doppler = o.doppler_centroid == "auto";
    options.velocity_m_s = number_unless_auto("--velocity", o.velocity);
    options.range_window = Window::parse(o.range_window);
    options.azimuth_window = Window::parse(o.azimuth_window);
    options.interpolation_taps = o.taps;
    options.extent = image_extent(o.extent);
    options.corner_turn = corner_turn_variant(o.corner_turn);
    options.software = "cornerturn " + std::string(version);
    if (o.azimuth_bandwidth) options.azimuth_bandwidth_hz = parse_number("--azimuth-bandwidth", *o.azimuth_bandwidth);
    if (options.velocity_m_s && !(*options.velocity_m_s > 0))
        throw InputError(fmt::format("--velocity {}: must be positive, in m/s", *o.velocity));
    if (o.taps != 8 && o.taps != 12 && o.taps != 16) throw InputError(fmt::format("--rcmc-taps {}: choose 8, 12 or 16", o.taps));
    return options;
}

L0bSelection selection(const Options& o) {
    L0bSelection chosen;
    if (!o.frequency.empty()) chosen.frequency = o.frequency;
    if (!o.polarization.empty()) chosen.polarization = o.polarization;
    return chosen;
}

/// Nothing is computed before every output is known to be writable.
void check_outputs(const Options& o) {
    if (o.output.empty() && !o.dry_run) throw InputError("focus: no output; give -o SLC.h5 (or --dry-run)");
    std::vector<std::string> outputs;
    for (const auto& path : {o.output, o.png, o.report}) {
        if (path.empty()) continue;
        check_output_path(path, o.input);
        if (std::find(outputs.begin(), outputs.end(), path) != outputs.end())
            throw InputError(fmt::format("{}: named for two outputs; give each its own file", path));
        outputs.push_back(path);
    }
}

int dry_run(const Options& o, const FocusOptions& options, Device& device) {
    std::vector<std::string> warnings;
    Acquisition acquisition = read_l0b_header(o.input, selection(o), warnings);
    log_warnings(warnings);
    const FocusSetup setup = set_up_focus(acquisition, options, [&] {
        std::vector<std::string> already_told;
        return estimate_doppler_on(device, read_l0b(o.input, selection(o), already_told));
    });
    log_warnings(setup.warnings);
    fmt::print("{}", setup_text(acquisition, setup, device.info()));
    check_memory(device, setup.plan);
    check_corner_turns(device, acquisition, setup.plan);
    return exit_code::well;
}

int run(const Options& o) {
    const FocusOptions options = focus_options(o);
    check_outputs(o);
    const auto device = open_device(o.device, o.threads);
    if (o.device == "auto") spdlog::info("computing on {} ({})", device->info().name, device->info().description);
    if (o.dry_run) return dry_run(o, options, *device);

    std::vector<std::string> warnings;
    StageTimer timer;
    const Echo echo = read_l0b(o.input, selection(o), warnings);
    const double read_s = timer.lap();
    log_warnings(warnings);
    StageObserver observer;
    if (!o.stage_folder.empty()) observer = stage_dump(o.stage_folder, *device);
    FocusResult result = focus(*device, echo, options, console_progress(), observer);
    log_warnings(result.report.warnings);

    timer.lap();
    write_rslc(o.output, result.image);
    if (!o.png.empty()) write_quicklook(o.png, result.image, {});
    const double write_s = timer.lap();
    result.report.stages.insert(result.report.stages.begin(), {"read", read_s});
    result.report.stages.push_back({"write", write_s});
    result.report.warnings.insert(result.report.warnings.begin(), warnings.begin(), warnings.end());
    if (!o.report.empty()) write_report(o.report, o.input, o.output, echo.acquisition, device->info(), result.report);
    spdlog::info("{}", summary_line(o.output, device->info(), result.report));
    return exit_code::well;
}

}  // namespace

void add_focus(CLI::App& app, Action& action) {
    auto o = std::make_shared<Options>();
    auto* verb = app.add_subcommand("focus", "Focuses a raw echo (NISAR L0B) into a single-look complex image (NISAR RSLC)");
    verb->footer("Example:\n  cornerturn focus raw.h5 -o slc.h5 --range-window kaiser:2.5 --azimuth-window kaiser:2.5 --png slc.png");
    verb->add_option("RAW.h5", o->input, "Raw echo, NISAR L0B layout")->required();
    verb->add_option("-o,--output", o->output, "Image to write, NISAR RSLC layout");
    verb->add_option("--device", o->device, "auto, cpu, cuda or cuda:N (cpu-double: the double-precision reference)")
        ->capture_default_str();
    verb->add_option("--algorithm", o->algorithm, "rda: range-Doppler")->capture_default_str();
    verb->add_option("--doppler-centroid", o->doppler_centroid, "Absolute, in Hz; or auto: estimate it. Default: the file's, else auto");
    verb->add_option("--velocity", o->velocity, "Effective velocity in m/s; or auto: from the orbit. Default: the orbit, else the file's");
    verb->add_option("--range-window", o->range_window, "none, kaiser:BETA, hamming or taylor:NBAR:SIDELOBE_DB")->capture_default_str();
    verb->add_option("--azimuth-window", o->azimuth_window, "As --range-window")->capture_default_str();
    verb->add_option("--azimuth-bandwidth", o->azimuth_bandwidth,
                     "Processed Doppler bandwidth in Hz. Default: the PRF; with a window the beam's, where the file knows it");
    verb->add_option("--frequency", o->frequency, "Frequency group of the file, A or B. Default: the first there is");
    verb->add_option("--polarization", o->polarization, "Such as HH. Default: the first there is");
    verb->add_option("--rcmc-taps", o->taps, "Interpolation taps of the migration correction: 8, 12 or 16")->capture_default_str();
    verb->add_option("--extent", o->extent,
                     "full: every point whose beam centre lies in the echo; valid: only what the echo covers fully, with transforms "
                     "that are not padded")
        ->capture_default_str();
    verb->add_option("--corner-turn", o->corner_turn,
                     fmt::format("How matrices are turned, with the same image: {}", corner_turn_variant_names()))
        ->type_name("VARIANT")
        ->capture_default_str();
    verb->add_option("--png", o->png, "Also write a picture");
    verb->add_option("--report", o->report, "Also write a JSON report of the run");
    verb->add_option("--dump-stages", o->stage_folder, "Also write the matrix after each stage into this folder (HDF5)");
    verb->add_flag("--dry-run", o->dry_run, "Only say what would be done: geometry, FFT lengths, resolution, memory");
    verb->add_option("--threads", o->threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 4096))->capture_default_str();
    verb->callback([=, &action] { action = [=] { return run(*o); }; });
}

}  // namespace cornerturn
