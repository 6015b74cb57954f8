// SPDX-License-Identifier: Apache-2.0
// cornerturn simulate: the echo of a preset or a scene file.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/scene_options.h"
#include "app/verbs/verbs.h"
#include "data/cphd/writer.h"
#include "data/files/file_names.h"
#include "data/nisar/l0b_writer.h"
#include "data/scene/scene_file.h"
#include "kernels/errors.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/proof/simulator.h"

namespace cornerturn {
namespace {

struct SimulateArguments {
    SceneOptions scene;
    std::string output, format;
    int threads = 0;
    bool print_scene = false;
};

constexpr const char *l0b = "l0b", *cphd = "cphd";

/// That of --format, else by the ending of the name. What does not hold the scene is refused.
bool writes_cphd(const SimulateArguments& options, const Scene& scene) {
    const std::string format = lower(options.format);
    if (!format.empty() && format != l0b && format != cphd)
        throw InputError(fmt::format("--format {}: unknown; choose {} (NISAR L0B) or {}", options.format, l0b, cphd));
    const bool is_cphd =
        format.empty() ? lower(std::filesystem::path(options.output).extension()) == ".cphd" : format == cphd;
    if (!is_cphd && scene.spotlight() && !std::holds_alternative<Flight>(scene.orbit))
        throw InputError(
            fmt::format("-o {}: NISAR L0B holds strips, and the beam of this scene is held on a spot, which CPHD is "
                        "for; give -o RAW.cphd or --format cphd",
                        options.output));
    if (is_cphd && !scene.spotlight())
        throw InputError(
            fmt::format("-o {}: CPHD is written of a beam that is held on a spot, and that of this scene goes along "
                        "with the antenna; give -o RAW.h5 or --format l0b, or a scene with beam: {{steering: "
                        "spotlight, ...}} (preset spotlight or sliding)",
                        options.output));
    return is_cphd;
}

int simulate_to_cphd(const SimulateArguments& options, const Scene& scene) {
    const SpotlightPulses echo(scene);
    write_cphd(options.output, echo, console_progress(), options.threads);
    fmt::print("{}: {} pulses x {} samples, {} targets{}\n", options.output, echo.pulses().size(), echo.samples(),
               echo.truth().size(), scene.noise_db ? fmt::format(", noise {} dB", *scene.noise_db) : "");
    return exit_code::success;
}

int simulate_to_file(const SimulateArguments& options) {
    const ThreadLimit limit(options.threads);
    if (options.output.empty() && !options.print_scene)
        throw InputError("-o,--output is required; see cornerturn --help");
    SceneSources read;
    const Scene scene = chosen_scene(options.scene, read);
    if (options.print_scene && !options.output.empty())
        throw InputError(
            fmt::format("-o {}: --print-scene prints to standard output instead of simulating; leave one of them out",
                        options.output));
    if (options.print_scene) {
        fmt::print("{}", to_yaml(scene));
        return exit_code::success;
    }
    check_outputs({options.output}, {is_preset(options.scene.scene) ? "" : options.scene.scene, read.positions});
    log_warnings(read.remarks);
    if (writes_cphd(options, scene)) return simulate_to_cphd(options, scene);
    log_warnings(coverage_warnings(scene));
    const SimulatedEcho echo(scene, console_progress(), options.threads);
    std::vector<SimulatedEcho> received;
    for (std::size_t i = 0; i < scene.polarizations.size(); ++i) received.push_back(echo.other_polarization(i));
    std::vector<EchoSource*> sources;
    for (SimulatedEcho& one : received) sources.push_back(&one);
    write_l0b(options.output, sources);
    for (const SimulatedEcho& one : received)
        if (one.at_full_scale() > 0)
            log_warning("{} of {} samples are at full scale: noise or clutter was clipped there", one.at_full_scale(),
                        one.acquisition().lines * scene.samples);
    fmt::print("{}: {} lines x {} samples, {} targets{}{}\n", options.output, echo.acquisition().lines, scene.samples,
               echo.acquisition().truth.size(), scene.noise_db ? fmt::format(", noise {} dB", *scene.noise_db) : "",
               scene.sample_type == SampleFormat::complex64
                   ? ""
                   : fmt::format(", amplitude 1 stored as {:.6g}", echo.amplitude_scale()));
    return exit_code::success;
}

}  // namespace

void add_simulate(const Verb& program) {
    const Verb verb = program.verb("simulate", "Computes the raw echo of point targets");
    verb.footer(R"(Examples:
  cornerturn simulate spaceborne -o raw.h5
  cornerturn simulate airborne -o raw.h5 --sample-type int8 --noise -10 --seed 3
  cornerturn simulate squint --print-scene > scene.yaml   (a scene file to begin with)
  cornerturn simulate aircraft -o raw.h5 --turbulence light@3
  cornerturn simulate spotlight -o raw.cphd
  cornerturn simulate scene.yaml -o raw.h5)");
    auto options = std::make_shared<SimulateArguments>();
    verb.option("scene", options->scene.scene,
                fmt::format("Scene file (YAML) or preset: {}", fmt::join(preset_names(), ", ")))
        .required()
        .type("SCENE.yaml|PRESET");
    verb.option("-o,--output", options->output,
                "Raw echo to write: HDF5 in NISAR L0B layout; for a spotlight with a name in .cphd: CPHD 1.1")
        .type("RAW.h5|RAW.cphd");
    verb.option("--format", options->format, "l0b or cphd, whatever the ending of the name").type("FORMAT");
    add_scene_options(verb, options->scene);
    add_threads_option(verb, options->threads);
    verb.flag("--print-scene", options->print_scene, "Print the scene with its targets as YAML instead of simulating");
    verb.runs([=] { return simulate_to_file(*options); });
}

}  // namespace cornerturn
