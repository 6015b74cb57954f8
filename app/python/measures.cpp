// SPDX-License-Identifier: Apache-2.0
// Scenes that are simulated, images that are measured and compared, echoes whose images are proven.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/python/bindings.h"
#include "app/python/echo.h"
#include "app/python/errors.h"
#include "app/python/given.h"
#include "app/python/image.h"
#include "app/python/json_object.h"
#include "app/python/options.h"
#include "app/verb.h"
#include "app/verbs/comparison_report.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/image_measures.h"
#include "app/verbs/part_options.h"
#include "app/verbs/proof_report.h"
#include "app/verbs/scene_options.h"
#include "app/verbs/shared_axes.h"
#include "data/cphd/writer.h"
#include "data/open_image.h"
#include "pipeline/echo/kept_echo.h"
#include "pipeline/measure/image_comparison.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/verify/reference_stage.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;
using Places = std::vector<std::pair<double, double>>;

/// A preset, a file, or a mapping of a scene file's keys: JSON is YAML.
Scene scene_of(const nb::object& given, const nb::kwargs& keywords, std::vector<std::string>& remarks) {
    SceneOptions options;
    read_words(
        words_of(keywords), [&](Verb& verb) { add_scene_options(verb, options); }, "simulate()",
        "no such option; keywords are the options of `cornerturn simulate --help`, with _ for -, and those of the "
        "scene belong into it");
    SceneSources sources;
    Scene scene;
    if (nb::isinstance<nb::dict>(given)) {
        const nb::object text = nb::module_::import_("cornerturn._scene").attr("json_of")(given);
        scene = with_options(read_scene_text(nb::cast<std::string>(text), "scene", sources), options);
    } else {
        options.scene = path_of(given);
        scene = chosen_scene(options, sources);
    }
    remarks = sources.remarks;
    const std::vector<std::string> uncovered = coverage_warnings(scene);
    remarks.insert(remarks.end(), uncovered.begin(), uncovered.end());
    return scene;
}

PythonEcho simulate(const nb::object& given, nb::kwargs keywords) {
    const JobWishes wishes = job_wishes(keywords);
    const nb::object chosen = keywords.attr("pop")("polarization", nb::none());
    const std::string polarization = chosen.is_none() ? "" : text_of(chosen);
    std::vector<std::string> remarks;
    const Scene scene = scene_of(given, keywords, remarks);
    std::size_t channel = 0;
    if (!polarization.empty()) {
        const auto found = std::find(scene.polarizations.begin(), scene.polarizations.end(), polarization);
        if (found == scene.polarizations.end())
            throw InputError(fmt::format("simulate(): no polarization {} in the scene; it has {}", polarization,
                                         fmt::join(scene.polarizations, ", ")));
        channel = static_cast<std::size_t>(found - scene.polarizations.begin());
    }
    std::shared_ptr<EchoSource> echo;
    run_job(wishes, [&](const Progress& progress) {
        if (scene.spotlight()) {
            echo = std::make_shared<KeptEcho>(*simulated_cphd(
                scene, {.polarization = scene.polarizations[channel], .threads = wishes.threads}, remarks, progress));
            return;
        }
        SimulatedEcho lines = SimulatedEcho(scene, progress, wishes.threads).other_polarization(channel);
        echo = std::make_shared<KeptEcho>(lines);
        if (lines.at_full_scale() > 0)
            remarks.push_back(fmt::format("{} of {} samples are at full scale: noise or clutter was clipped there",
                                          lines.at_full_scale(), lines.acquisition().lines * scene.samples));
    });
    warn(remarks);
    return {.name = "simulated", .format = "simulated", .lines = std::make_shared<SharedEcho>(std::move(echo))};
}

nb::object analyze(nb::object given, const Places& targets, std::optional<int> peaks,
                   std::optional<double> beam_bandwidth_hz, bool scene, const std::string& device_name,
                   const nb::object& progress, const StopRequest* stop) {
    if (peaks && *peaks < 1) throw InputError(fmt::format("peaks is {}, but must be 1 at least", *peaks));
    PythonImage& image = image_of(given);
    Image header = *image.header;
    if (!header.map) require_axes(image.name, header, "analyze");
    const ImageView view = image.view_beside(header);
    nlohmann::json json;
    run_job({.progress = progress, .stop = stop ? *stop : StopRequest()}, [&](const Progress& told) {
        const auto device = open_device(device_name);
        const TripleProduct multiply = triple_product_on(*device);
        if (header.map) {
            MapWishes wishes{.targets = {}, .peaks = peaks, .scene = scene};
            for (const auto& [x, y] : targets) wishes.targets.push_back({{x, y}, true});
            json = to_json(header, measure_map(view, wishes, multiply, told));
        } else {
            PointWishes wishes{.targets = {}, .peaks = peaks, .beam_bandwidth_hz = beam_bandwidth_hz, .scene = scene};
            for (const auto& [range_m, time_s] : targets) wishes.targets.push_back({range_m, time_s, true, {}});
            std::vector<std::string> remarks;
            json = to_json(header, measure_points(header, view, wishes, multiply, remarks, told));
            json["remarks"] = remarks;
        }
        json["device"] = device->info().name;
    });
    return object_of(json);
}

nb::object compare(nb::object first, nb::object second, std::int64_t chips, bool whole, int threads,
                   const nb::object& progress, const StopRequest* stop) {
    const PythonImage &a = image_of(first), &b = image_of(second);
    Image header_a = *a.header, header_b = *b.header;
    nlohmann::ordered_json json;
    run_job(
        {.progress = progress, .stop = stop ? *stop : StopRequest(), .threads = threads}, [&](const Progress& told) {
            const auto tracks = share_axes(a.name, header_a, b.name, header_b);
            json = comparison_json(compare_images({a.name, a.view_beside(header_a)}, {b.name, b.view_beside(header_b)},
                                                  {.most_chips = chips, .whole = whole, .threads = threads}, told),
                                   tracks);
        });
    return object_of(json);
}

nb::object verify(const nb::object& given, nb::kwargs keywords) {
    const PythonEcho& echo = echo_of(given);
    const JobWishes wishes = job_wishes(keywords);
    const std::string device_name = device_in(keywords, "auto");
    ImageRequest request = image_request(keywords, "verify()", wishes.threads);
    if (has_delays(request.options))
        throw InputError(
            "range_delay, troposphere: move the image off the places that verify knows of; leave them out");
    if (request.options.autofocus != Autofocus::none)
        throw InputError(
            "autofocus: verify proves what is made of the echo as it is, without phases that were found in the image; "
            "leave it out");
    require_as_opened(echo, request.job.image);
    nlohmann::json json;
    run_job(wishes, [&](const Progress& progress) {
        const auto device = open_device(device_name, wishes.threads),
                   in_double = open_device("cpu-double", wishes.threads);
        auto source = request.job.tracks.apply(echo.source(), request.options, request.remarks);
        source = part_of_echo(std::move(source), request.job.frames.part, request.options, wishes.threads);
        take_scene(request.job.image, source->acquisition(), request.options);
        const ReferenceOutcome outcome =
            run_reference_stage(*device, *in_double, *source, request.options, cpu_imager(wishes.threads), progress);
        json = proof_json(outcome, request.job.image.precision, device->info());
        request.remarks.insert(request.remarks.end(), outcome.report.warnings.begin(), outcome.report.warnings.end());
    });
    warn(request.remarks);
    return object_of(json);
}

constexpr auto simulate_help =
    "The echo of point targets, in memory. `scene`: a preset (presets()), the path of a scene file, or a\n"
    "dictionary with the keys of one (docs/files.md), as Scene(preset=\"spaceborne\", lines=2048).\n\n"
    "Keywords are the options of `cornerturn simulate`, with _ for -: sample_type=\"int8\", noise=-10, seed=3,\n"
    "lines=512, dither=0.06, ...; polarization: one of the scene's; threads and stop as of plan(), progress as of\n"
    "its call.";

constexpr auto analyze_help =
    "How well points are focused, against theory, and the quality of scenes that have none; as `cornerturn analyze\n"
    "--json` has it.\n\n"
    "`image`: an Image or a path. `targets`: (slant range in m, zero-Doppler time in s since the epoch), on a map (x,\n"
    "y); else the `peaks` brightest, else those whose truth is known, else nine peaks. `scene`: the whole scene, too.";

constexpr auto compare_help =
    "How two images of one scene agree: offsets (second less first, px), amplitude, coherence, phase, signal to\n"
    "error; as `cornerturn compare --json` has it. Images or paths. `whole`: all that both cover, not only what\n"
    "both declare fully compressed.";

constexpr auto verify_help =
    "Focuses an echo and proves the image right: against the same chain in double precision, against exact\n"
    "back-projection and theory where targets are known. Options as of plan(); lines, time and bbox choose a part of\n"
    "the echo. Returns passed, checks (each with value and limit) and remarks; a check that fails raises nothing.";

}  // namespace

void add_measures(nb::module_& module) {
    module.def("presets", &preset_names, "Names of the scenes that simulate() knows.");
    module.def(
        "simulate", &simulate, nb::arg("scene"), nb::arg("options"),
        nb::sig("def simulate(scene: str | os.PathLike[str] | dict[str, typing.Any], *, polarization: str | None = "
                "None, threads: int = 0, "
                "progress: cornerturn.Progress = None, stop: StopRequest | None = None, **options: object) -> Echo"),
        simulate_help);
    module.def(
        "analyze", &analyze,
        nb::sig(
            "def analyze(image: Image | str | os.PathLike[str], *, targets: collections.abc.Sequence[tuple[float, "
            "float]] = "
            "[], peaks: int | None = None, beam_bandwidth_hz: float | None = None, scene: bool = False, device: str = "
            "\"cpu\", progress: cornerturn.Progress = None, stop: StopRequest | None = None) -> dict[str, typing.Any]"),
        nb::arg("image"), nb::kw_only(), nb::arg("targets") = Places{}, nb::arg("peaks") = nb::none(),
        nb::arg("beam_bandwidth_hz") = nb::none(), nb::arg("scene") = false, nb::arg("device") = "cpu",
        nb::arg("progress") = nb::none(), nb::arg("stop") = nb::none(), analyze_help);
    module.def(
        "compare", &compare,
        nb::sig(
            "def compare(first: Image | str | os.PathLike[str], second: Image | str | os.PathLike[str], *, chips: int "
            "= 400, whole: bool = False, threads: int = 0, progress: cornerturn.Progress = None, stop: "
            "StopRequest | None = None) -> dict[str, typing.Any]"),
        nb::arg("first"), nb::arg("second"), nb::kw_only(), nb::arg("chips") = 400, nb::arg("whole") = false,
        nb::arg("threads") = 0, nb::arg("progress") = nb::none(), nb::arg("stop") = nb::none(), compare_help);
    module.def(
        "verify", &verify, nb::arg("echo"), nb::arg("options"),
        nb::sig(
            "def verify(echo: Echo, *, device: str = \"auto\", threads: int = 0, progress: "
            "cornerturn.Progress = None, stop: StopRequest | None = None, **options: object) -> dict[str, typing.Any]"),
        verify_help);
}

}  // namespace cornerturn::python
