// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/scene_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <sstream>
#include <tuple>

#include "app/number.h"
#include "app/verb.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

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

}  // namespace

Scene chosen_scene(const SceneOptions& options, SceneSources& sources) {
    return with_options(load_scene(options.scene, sources), options);
}

Scene with_options(Scene scene, const SceneOptions& options) {
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

void add_scene_options(const Verb& verb, SceneOptions& options) {
    verb.option("--sample-type", options.sample_type,
                "f32, int16 or int8; integers are scaled so that targets do not clip")
        .type("TYPE");
    verb.option("--noise", options.noise_db, "Mean noise power of a sample, relative to a target of amplitude 1")
        .type("DB");
    verb.option("--seed", options.seed, "Seed of the noise").type("N");
    verb.option("--lines", options.lines, "Number of pulses; a preset's nine targets are placed accordingly").type("N");
    verb.option("--samples", options.samples, "Samples per pulse; a preset's nine targets are placed accordingly")
        .type("N");
    verb.option("--dither", options.dither,
                "Random change of each pulse time, early or late by up to this part of the interval, such as 0.06")
        .type("PART");
    verb.option("--lost-lines", options.lost_lines, "Part of the lines to leave out at random, such as 0.01")
        .type("PART");
    verb.flag("--transmit-gaps", options.transmit_gaps, "Receive nothing while other pulses are sent");
    verb.option("--phase-error", options.phase_error,
                "Multiply the lines by a phase error, the same at all ranges, for autofocus to find: quadratic:RAD "
                "(the ends of the strip against its middle), sine:RAD@CYCLES (amplitude, cycles over the "
                "strip), walk:RAD@SEED (random walk, standard deviation of the last line against the first). The truth "
                "is stored in metadata/simulation/phaseError")
        .type("KIND:RAD,...");
    verb.option("--turbulence", options.turbulence,
                "Gusts on an aircraft: light, moderate, severe, or their root mean square in m/s, with an optional "
                "seed after @: light@3. The spectra are those of Dryden (docs/files.md)")
        .type("GUSTS[@SEED]");
}

}  // namespace cornerturn
