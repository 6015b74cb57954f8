// SPDX-License-Identifier: Apache-2.0
// cornerturn verify: simulates or reads an echo, focuses it and proves the image right.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/common_options.h"
#include "app/console.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/agreement.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/frames.h"
#include "app/verbs/image_options.h"
#include "app/verbs/proof_report.h"
#include "app/verbs/verbs.h"
#include "app/version.h"
#include "data/cphd/writer.h"
#include "data/files/file_names.h"
#include "data/raw_file.h"
#include "data/scene/scene_file.h"
#include "kernels/errors.h"
#include "kernels/host/available_memory.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/echo/kept_echo.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/reference_stage.h"

namespace cornerturn {
namespace {

constexpr auto every_algorithm = "all";

struct VerifyArguments {
    std::string input = "spaceborne", device = "auto";
    JsonOutput json;
    ImageOptions image;
    FrameOptions frame;
    int threads = 0;
};

bool is_scene(const std::string& input) {
    const std::filesystem::path path(input);
    return is_preset(input) || path.extension() == ".yaml" || path.extension() == ".yml" ||
           (!path.has_extension() && !std::filesystem::exists(path));
}

/// Of the scene's polarizations, which one.
std::size_t polarization_of(const Scene& scene, const VerifyArguments& o) {
    if (o.frame.polarization.empty()) return 0;
    const auto& names = scene.polarizations;
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
        return std::equal(name.begin(), name.end(), o.frame.polarization.begin(), o.frame.polarization.end(),
                          [](char a, char b) { return a == upper(b); });
    });
    if (found == names.end())
        throw InputError(fmt::format("{}: no polarization {} in the scene; it has {}", o.input, o.frame.polarization,
                                     fmt::join(names, ", ")));
    return static_cast<std::size_t>(found - names.begin());
}

std::optional<Scene> scene_of(const std::string& input, SceneSources& sources) {
    if (!is_scene(input)) return std::nullopt;
    Scene scene = load_scene(input, sources);
    validate(scene);
    return scene;
}

/// Not larger than a tenth of the memory: to be simulated once. Of others, lines are simulated whenever they are
/// wanted.
bool is_kept(const Scene& scene, const FocusOptions& options) {
    const auto bytes = static_cast<double>(scene.lines) * static_cast<double>(scene.samples) *
                       static_cast<double>(bytes_per_sample(scene.sample_type));
    const double most = options.memory.most_bytes ? static_cast<double>(*options.memory.most_bytes)
                                                  : static_cast<double>(available_memory_bytes());
    constexpr double kept_share = 0.1;
    return bytes <= kept_share * most;
}

std::unique_ptr<EchoSource> open_scene(const VerifyArguments& o, const Scene& scene, const Progress& progress) {
    if (!o.frame.frequency.empty())
        throw InputError(fmt::format("{}: a scene has one frequency; leave --frequency to raw files", o.input));
    const std::size_t polarization = polarization_of(scene, o);
    if (scene.spotlight()) {
        std::vector<std::string> warnings;
        auto echo = simulated_cphd(scene, {.polarization = scene.polarizations[polarization], .threads = o.threads},
                                   warnings, progress);
        log_warnings(warnings);
        return echo;
    }
    return std::make_unique<SimulatedEcho>(SimulatedEcho(scene, progress, o.threads).other_polarization(polarization));
}

std::unique_ptr<EchoSource> open_file(const VerifyArguments& o, bool other_track) {
    std::vector<std::string> warnings;
    FrameSelection selection = one_frame(o.frame);
    selection.threads = o.threads;
    selection.told_delay = told_delay(o.image);
    selection.other_track = other_track;
    auto echo = open_raw(o.input, selection, warnings);
    log_warnings(warnings);
    return echo;
}

std::string check_line(const ReferenceCheck& check) {
    const std::string unit = check.unit.empty() ? "" : " " + check.unit;
    return fmt::format("{}  {}: {:.4g}{} ({} {:.4g}{}{})\n", check.passed() ? "PASS" : "FAIL", check.name, check.value,
                       unit, check.at_least ? "at least" : "at most", check.limit,
                       check.unit.starts_with("of ") ? "" : unit, check.remark.empty() ? "" : "; " + check.remark);
}

void print(const ReferenceOutcome& outcome) {
    for (const ReferenceCheck& check : outcome.checks) fmt::print("{}", check_line(check));
    for (const std::string& remark : outcome.remarks) fmt::print("note  {}\n", remark);
}

/// What one algorithm or all have shown.
struct Proofs {
    nlohmann::json algorithms = nlohmann::json::array(), refused = nlohmann::json::array();
    std::vector<Agreement> agreements = {};
    bool passed = true;

    void add(const ReferenceOutcome& outcome, const VerifyArguments& o, const DeviceInfo& device) {
        log_warnings(outcome.report.warnings);
        algorithms.push_back(proof_json(outcome, o.image.precision, device));
        passed = passed && outcome.passed();
    }
};

int verdict(const VerifyArguments& o, const GivenTracks& tracks, const Proofs& proofs) {
    nlohmann::json json{{"software", "cornerturn " + std::string(version)},
                        {"input", o.input},
                        {"passed", proofs.passed},
                        {"algorithms", proofs.algorithms},
                        {"refused", proofs.refused},
                        {"agreement", agreements_json(proofs.agreements)}};
    tracks.tell(json);
    o.json.write(json);
    return proofs.passed ? exit_code::success : exit_code::check_failed;
}

/// The device under test and the one that it is held against.
struct Devices {
    std::unique_ptr<Device> tested, in_double;
    Devices(const std::string& name, int threads)
        : tested(open_device(name, threads)), in_double(open_device("cpu-double", threads)) {}
};

int verify_one(const VerifyArguments& o, const FocusOptions& options, const GivenTracks& tracks, const Devices& devices,
               EchoSource& echo) {
    const ReferenceOutcome outcome = run_reference_stage(*devices.tested, *devices.in_double, echo, options,
                                                         cpu_imager(o.threads), console_progress());
    Proofs proofs;
    proofs.add(outcome, o, devices.tested->info());
    if (!o.json.instead_of_text()) print(outcome);
    return verdict(o, tracks, proofs);
}

/// Every algorithm by itself, then each with each other, but on maps, which are not compared. One that refuses the
/// scene is told of, unless all do.
int verify_all(const VerifyArguments& o, FocusOptions options, const GivenTracks& tracks, const Devices& devices,
               EchoSource& echo) {
    std::vector<std::pair<std::string, std::unique_ptr<NamelessImage>>> images;
    Proofs proofs;
    const bool speaks = !o.json.instead_of_text();
    for (const Former& former : all_formers()) try {
            options.algorithm = former.name;
            auto image = options.map ? nullptr : std::make_unique<NamelessImage>();
            const ReferenceOutcome outcome =
                run_reference_stage(*devices.tested, *devices.in_double, echo, options, cpu_imager(o.threads),
                                    console_progress(), image ? &image->sink() : nullptr);
            if (speaks) fmt::print("{} ({})\n", former.name, former.title);
            if (speaks) print(outcome);
            proofs.add(outcome, o, devices.tested->info());
            if (image) images.emplace_back(options.algorithm, std::move(image));
        } catch (const NothingToJudge&) {  // by any algorithm
            throw;
        } catch (const InputError& refusal) {
            if (proofs.algorithms.empty() && &former == &all_formers().back()) throw;
            if (speaks) fmt::print("{} ({})\nnote  refuses: {}\n", former.name, former.title, refusal.what());
            proofs.refused.push_back({{"algorithm", former.name}, {"reason", refusal.what()}});
        }
    for (std::size_t i = 0; i < images.size(); ++i)
        for (std::size_t k = i + 1; k < images.size(); ++k) {
            const auto& [first, first_image] = images[i];
            const auto& [second, second_image] = images[k];
            proofs.agreements.push_back(
                agreement_of(first, *first_image, second, *second_image, o.threads, console_progress()));
            proofs.passed = proofs.passed && proofs.agreements.back().passed();
        }
    if (speaks) fmt::print("{}", agreement_table(proofs.agreements));
    return verdict(o, tracks, proofs);
}

int verify(const VerifyArguments& o) {
    const ThreadLimit limit(o.threads);
    const bool all = o.image.algorithm == every_algorithm;
    check_part(o.frame.part);
    ImageOptions image = o.image;
    if (all) image.algorithm = automatic_algorithm;  // options of each of them
    std::vector<std::string> remarks;
    FocusOptions options = focus_options(image, remarks);
    log_warnings(remarks);
    if (has_delays(options))
        throw InputError(
            "--range-delay, --troposphere: move the image off the places that verify knows of; leave them out");
    if (options.autofocus != Autofocus::none)
        throw InputError(
            "--autofocus: verify proves what is made of the echo as it is, without phases that were found in the "
            "image; leave it out");
    SceneSources sources;
    const std::optional<Scene> scene = scene_of(o.input, sources);
    check_outputs({o.json.file()}, {is_preset(o.input) ? "" : o.input, sources.positions, o.image.dem.value_or(""),
                                    o.image.track.path(), o.image.reference_track.value_or("")});
    log_warnings(sources.remarks);
    if (scene && o.image.track.file)
        throw InputError(
            fmt::format("--track {}: is of a raw file, and a scene has its own; leave it out", *o.image.track.file));
    const GivenTracks tracks(o.image);
    const bool kept = scene && is_kept(*scene, options);
    // What cannot be read is refused before a device is opened, and a device before anything is simulated.
    auto echo =
        scene ? open_scene(o, *scene, kept ? console_progress() : Progress{}) : open_file(o, tracks.track != nullptr);
    std::vector<std::string> warnings;
    echo = tracks.apply(std::move(echo), options, warnings);
    log_warnings(warnings);
    echo = part_of_echo(std::move(echo), o.frame.part, options, o.threads);
    take_scene(o.image, echo->acquisition(), options);
    const Devices devices(o.device, o.threads);
    if (o.device == "auto")
        log_info("verifying {} ({})", devices.tested->info().name, devices.tested->info().description);
    if (kept) echo = std::make_unique<KeptEcho>(*echo);
    return all ? verify_all(o, options, tracks, devices, *echo) : verify_one(o, options, tracks, devices, *echo);
}

}  // namespace

void add_verify(const Verb& program) {
    auto o = std::make_shared<VerifyArguments>();
    const Verb verb =
        program.verb("verify", "Focuses an echo and proves the image right: one PASS or FAIL line for each check");
    verb.footer(R"(Checks:
(a) the whole image against the same chain in double precision on the CPU (of back-projection: areas around the
    targets, or around the brightest places where no target is known, and 8192 pixels spread over the image);
(b) a patch around each target against time-domain back-projection straight from the echo;
(c) position, width, sidelobes and phase of each target against theory.
Maps get (a), and place, phase and amplitude of known targets. Raw files without known targets get (a) only.
--algorithm all checks every algorithm and compares all pairs of images: median offset 0.02 px at most, median
coherence 0.99 at least. An algorithm that does not hold for the scene is named.
Exit code 0 if all checks pass, 1 if one fails, 2 if the echo holds no signal to judge by.

Examples:
  cornerturn verify
  cornerturn verify squint --device cuda
  cornerturn verify raw.h5 --algorithm all
  cornerturn verify raw.h5 --json report.json)");
    verb.option("input", o->input,
                fmt::format("Raw echo, scene file (YAML) or preset: {}", fmt::join(preset_names(), ", ")))
        .type("PRESET|SCENE.yaml|RAW.h5")
        .shows_default();
    add_echo_options(verb, o->frame);
    add_echo_part_options(verb, o->frame.part);
    verb.option("--device", o->device, "The device to verify: auto, cpu, cuda or cuda:N").shows_default();
    o->image.algorithm = automatic_algorithm;
    add_image_options(verb, o->image);
    verb.at("--algorithm")
        .describe(fmt::format("{}, the cheapest that holds ({}), or {}", former_names(), automatic_algorithm,
                              every_algorithm));
    add_json_option(verb, o->json);
    add_threads_option(verb, o->threads);
    verb.runs([=] { return verify(*o); });
}

}  // namespace cornerturn
