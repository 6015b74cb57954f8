// SPDX-License-Identifier: Apache-2.0
// cornerturn simulate: the echo of a preset or a scene file.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/number.h"
#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "data/nisar/l0b_writer.h"
#include "data/scene/scene_file.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/proof/simulator.h"

namespace cornerturn {
namespace {

struct SimulateArguments {
    std::string scene;
    std::string output;
    std::string sample_type;
    std::optional<double> noise_db;
    std::string phase_error;
    std::string turbulence;
    std::optional<std::int64_t> seed;
    std::optional<std::int64_t> lines;
    std::optional<std::int64_t> samples;
    std::optional<double> dither, lost_lines;
    bool transmit_gaps = false;
    int threads = 0;
    bool print_scene = false;
};

/// "NUMBER@NUMBER" or "NUMBER"; the second is `otherwise` where it is not given.
std::pair<double, double> number_at(const std::string& option, const std::string& text, double otherwise) {
    const std::size_t at = text.find('@');
    return {parse_number(option, text.substr(0, at)),
            at == std::string::npos ? otherwise : parse_number(option, text.substr(at + 1))};
}

std::uint64_t whole_seed(const std::string& option, const std::string& text, double seed) {
    if (!(seed >= 0 && seed < 1e9 && seed == std::floor(seed)))
        throw InputError(fmt::format("{} {}: the seed behind @ must be a whole number from 0 to 1e9", option, text));
    return static_cast<std::uint64_t>(seed);
}

/// light, moderate, severe or M/S, with @SEED or without.
void set_turbulence(const std::string& text, Scene& scene) {
    auto* flight = std::get_if<Flight>(&scene.orbit);
    if (!flight)
        throw InputError(
            fmt::format("--turbulence {}: the scene has no flight: that gusts could move; take preset aircraft or "
                        "drone, or a scene file with one",
                        text));
    const std::size_t at = text.find('@');
    const std::string gusts = text.substr(0, at);
    const auto named = named_gust_m_s(gusts);
    if (!named && !std::isdigit(static_cast<unsigned char>(gusts.c_str()[0])))
        throw InputError(
            fmt::format("--turbulence {}: '{}' is unknown; give light, moderate, severe or gusts in m/s", text, gusts));
    flight->turbulence.gust_m_s = named ? *named : parse_number("--turbulence", gusts);
    if (at != std::string::npos)
        flight->turbulence.seed = whole_seed("--turbulence", text, parse_number("--turbulence", text.substr(at + 1)));
}

/// quadratic:RAD,sine:RAD@CYCLES,walk:RAD@SEED in any order.
PhaseError parse_phase_error(const std::string& text) {
    PhaseError error;
    std::set<std::string> seen;
    std::stringstream list(text);
    for (std::string item; std::getline(list, item, ',');) {
        const std::size_t colon = std::min(item.find(':'), item.size());
        const std::string kind = item.substr(0, colon), numbers = colon < item.size() ? item.substr(colon + 1) : "";
        if (!seen.insert(kind).second)
            throw InputError(fmt::format("--phase-error {}: {} comes twice; give each kind once", text, kind));
        if (kind == "quadratic") {
            error.quadratic_rad = parse_number("--phase-error", numbers);
        } else if (kind == "sine") {
            std::tie(error.sine_rad, error.sine_cycles) = number_at("--phase-error", numbers, 1);
        } else if (kind == "walk") {
            double seed = 1;
            std::tie(error.walk_rad, seed) = number_at("--phase-error", numbers, 1);
            error.walk_seed = whole_seed("--phase-error", text, seed);
        } else {
            throw InputError(
                fmt::format("--phase-error {}: '{}' is unknown; give quadratic:RAD, sine:RAD@CYCLES, walk:RAD@SEED "
                            "with commas between them",
                            text, item));
        }
    }
    return error;
}

Scene chosen_scene(const SimulateArguments& options, SceneSources& sources) {
    Scene scene = load_scene(options.scene, sources);
    if (!options.sample_type.empty()) scene.sample_type = parse_sample_type(options.sample_type);
    if (options.noise_db) scene.noise_db = options.noise_db;
    if (options.seed) {
        if (*options.seed < 0)
            throw InputError(
                fmt::format("--seed is {}, but must be 0 or above; give any whole number from 0", *options.seed));
        scene.seed = static_cast<std::uint64_t>(*options.seed);
    }
    if (options.lines) scene.lines = *options.lines;
    if (options.samples) scene.samples = *options.samples;
    if (options.dither) scene.dither = *options.dither;
    if (options.lost_lines) scene.lost_lines = *options.lost_lines;
    if (options.transmit_gaps) scene.transmit_gaps = true;
    if (!options.turbulence.empty()) set_turbulence(options.turbulence, scene);
    if (!options.phase_error.empty()) scene.phase_error = parse_phase_error(options.phase_error);
    validate(scene);
    return scene;
}

int simulate_to_file(const SimulateArguments& options) {
    const ThreadLimit limit(options.threads);
    if (options.output.empty() && !options.print_scene)
        throw InputError("-o,--output is required; see cornerturn --help");
    SceneSources read;
    const Scene scene = chosen_scene(options, read);
    if (options.print_scene && !options.output.empty())
        throw InputError(
            fmt::format("-o {}: --print-scene prints to standard output instead of simulating; leave one of them out",
                        options.output));
    if (options.print_scene) {
        fmt::print("{}", to_yaml(scene));
        return exit_code::success;
    }
    check_outputs({options.output}, {is_preset(options.scene) ? "" : options.scene, read.positions});
    log_warnings(read.remarks);
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
    verb.footer(
        "Examples:\n"
        "  cornerturn simulate spaceborne -o raw.h5\n"
        "  cornerturn simulate airborne -o raw.h5 --sample-type int8 --noise -10 --seed 3\n"
        "  cornerturn simulate squint --print-scene > scene.yaml   (a scene file to begin with)\n"
        "  cornerturn simulate aircraft -o raw.h5 --turbulence light@3\n"
        "  cornerturn simulate scene.yaml -o raw.h5");
    auto options = std::make_shared<SimulateArguments>();
    verb.option("scene", options->scene,
                fmt::format("Scene file (YAML) or preset: {}", fmt::join(preset_names(), ", ")))
        .required()
        .type("SCENE.yaml|PRESET");
    verb.option("-o,--output", options->output, "Raw echo to write (HDF5, NISAR L0B layout)").type("RAW.h5");
    verb.option("--sample-type", options->sample_type,
                "f32, int16 or int8; integers are scaled so that targets do not clip")
        .type("TYPE");
    verb.option("--noise", options->noise_db, "Mean noise power of a sample, relative to a target of amplitude 1")
        .type("DB");
    verb.option("--seed", options->seed, "Seed of the noise").type("N");
    verb.option("--lines", options->lines, "Number of pulses; a preset's nine targets follow").type("N");
    verb.option("--samples", options->samples, "Samples per pulse; a preset's nine targets follow").type("N");
    verb.option("--dither", options->dither,
                "Let each pulse leave up to this part of an interval early or late, at random: 0.06")
        .type("PART");
    verb.option("--lost-lines", options->lost_lines, "Leave out this part of the lines, at random: 0.01").type("PART");
    verb.flag("--transmit-gaps", options->transmit_gaps, "Receive nothing while other pulses are sent");
    verb.option("--phase-error", options->phase_error,
                "Multiply the lines with a phase error, the same at all ranges, which autofocus is to find: any "
                "of quadratic:RAD (either "
                "end of the strip against its middle), sine:RAD@CYCLES (amplitude, cycles over the strip), "
                "walk:RAD@SEED (random walk, "
                "standard deviation of the last line against the first). The truth lies in the file: "
                "metadata/simulation/phaseError")
        .type("KIND:RAD,...");
    verb.option("--turbulence", options->turbulence,
                "Gusts that move the aircraft of a flight: light, moderate, severe, or their root mean square in "
                "m/s, with a seed behind @: light@3. Dryden's spectra (docs/files.md)")
        .type("GUSTS[@SEED]");
    add_threads_option(verb, options->threads);
    verb.flag("--print-scene", options->print_scene, "Print the scene with its targets as YAML instead of simulating");
    verb.runs([=] { return simulate_to_file(*options); });
}

}  // namespace cornerturn
