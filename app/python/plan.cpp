// SPDX-License-Identifier: Apache-2.0
// Plans, and images by them.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/python/bindings.h"
#include "app/python/destination.h"
#include "app/python/echo.h"
#include "app/python/errors.h"
#include "app/python/gpu_arrays.h"
#include "app/python/image.h"
#include "app/python/json_object.h"
#include "app/python/options.h"
#include "app/verbs/cpu_imager.h"
#include "app/verbs/focus_report.h"
#include "app/verbs/opened_frames.h"
#include "pipeline/run/data_estimates.h"
#include "pipeline/run/device_shares.h"
#include "pipeline/run/repeated_focus.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;

/// An echo as algorithms want it, and what was decided of it.
struct PreparedEcho {
    std::shared_ptr<SharedEcho> lines;  ///< that were prepared
    FocusOptions options;
    OpenedFrames frames;
    FocusSetup setup;
    std::shared_ptr<const FocusOptions> settled;  ///< the options, for reports that outlive this

    PreparedEcho(const PythonEcho& echo, const ImageRequest& request, std::span<Device* const> devices,
                 const Progress& progress, bool find_phases)
        : lines(echo.lines), options(request.options), frames(echo.source(), request.job, options) {
        require_as_opened(echo, request.job.image);
        options = with_estimates(*frames.sources.front(), options, cpu_imager(request.job.threads));
        frames.refine(request.job, options);
        frames.take_part(request.job, options);
        if (find_phases && options.autofocus != Autofocus::none)
            frames.autofocus(request.job, devices, progress, options);
        const Acquisition* const acquisition = &source().acquisition();
        setup = set_up_frames(devices, std::span(&acquisition, 1), options).front();
        settled = std::make_shared<const FocusOptions>(options);
    }
    EchoSource& source() const { return *frames.sources.front(); }
    std::vector<std::string> warnings() const {
        std::vector<std::string> all = frames.warnings;
        all.insert(all.end(), setup.warnings.begin(), setup.warnings.end());
        return all;
    }
};

/// There is little to wait for, and nothing of it could be told.
JobWishes wishes_of_plan(nb::kwargs& keywords) {
    JobWishes wishes = job_wishes(keywords);
    if (!wishes.progress.is_none())
        throw InputError(
            "progress: of plan() there is none to tell; hand it over where the image is made, plan(echo, "
            "progress=...)");
    return wishes;
}

/// "auto" is where the echo lies, if that is a GPU.
std::string device_for(const PythonEcho& echo, nb::kwargs& keywords) {
    const std::string asked = device_in(keywords, "auto");
    return asked == "auto" && echo.place != host_memory_place ? name_of(echo.place) : asked;
}

class PythonPlan {
public:
    PythonPlan(const PythonEcho& echo, nb::kwargs keywords)
        : device_name_(device_for(echo, keywords)),
          wishes_(wishes_of_plan(keywords)),
          request_(image_request(keywords, "plan()", wishes_.threads)) {
        thread_.run(wishes_, [&](const Progress&) {
            devices_ = open_devices(device_name_, request_.job.threads);
            for (const auto& device : devices_) pointers_.push_back(device.get());
            require_at_device(echo.place, pointers_, "samples");
            prepare(echo, {}, false);
        });
        if (devices_.front()->place() != host_memory_place) thread_.keep_awake();
        std::vector<std::string> heard = request_.remarks;
        const std::vector<std::string> found = warnings();
        heard.insert(heard.end(), found.begin(), found.end());
        warn(heard);
    }
    /// Devices are left by the thread that opened them; what an array of Python's keeps, by this one, which has the
    /// GIL: while Python ends, no other thread gets it any more.
    ~PythonPlan() {
        const std::shared_ptr<SharedEcho> lines = prepared_ ? prepared_->lines : nullptr;
        thread_.finish([this] {
            repeated_.reset();
            prepared_.reset();
            gpu_images_.release();
            devices_.clear();
        });
    }
    PythonPlan(const PythonPlan&) = delete;
    PythonPlan& operator=(const PythonPlan&) = delete;

    PythonImage run(const PythonEcho& echo, const nb::object& out, nb::kwargs keywords) {
        JobWishes wishes = job_wishes(keywords);
        if (keywords.size() > 0) throw InputError("plan(echo): takes out, progress and stop; all else was planned");
        return run(echo, out, std::move(wishes));
    }
    PythonImage run(const PythonEcho& echo, const nb::object& out, JobWishes wishes) {
        wishes.threads = wishes_.threads;
        require_at_device(echo.place, pointers_, "samples");
        if (echo.place != host_memory_place) handed_to(*devices_.front(), echo.array);
        Destination destination(out, echo, pointers_, gpu_images_, request_.options.map.has_value());
        ImageReport report;
        std::vector<std::string> news;
        thread_.run(wishes, [&](const Progress& progress) {
            const bool planned = prepared_->lines == echo.lines && request_.options.autofocus == Autofocus::none;
            if (!planned) prepare(echo, progress, true);
            report = {form(destination.sink(), progress), prepared_->settled};
            destination.commit();
            news = planned ? unknown(report.frame.warnings) : report.frame.warnings;
        });
        PythonImage image = destination.image();
        image.echo_file = echo.file;
        image.report = std::make_shared<const ImageReport>(std::move(report));
        warn(news);
        return image;
    }

    nb::object info() const {
        const auto now = prepared();
        return object_of(planned_json(now->source().acquisition(), now->setup, now->options)["plan"]);
    }
    std::string text() const {
        const auto now = prepared();
        return setup_text(now->source().acquisition(), now->setup, now->options, devices_.front()->info());
    }
    std::string repr() const {
        const FocusSetup& setup = prepared()->setup;
        const std::size_t blocks = setup.memory.blocks.size();
        return fmt::format("<cornerturn.Plan {} on {}: {} x {} pixels in {}, {:.1f} MiB>", setup.algorithm, device(),
                           setup.image.grid.rows, setup.image.grid.columns,
                           blocks > 1 ? fmt::format("{} blocks", blocks) : "one block",
                           static_cast<double>(setup.memory.needed_bytes) / (1 << 20));
    }
    nb::dict memory() const {
        const auto now = prepared();
        const MemoryPlan& plan = now->setup.memory;
        nb::dict memory;
        memory["needed_bytes"] = plan.needed_bytes;
        memory["budget_bytes"] = plan.budget_bytes;
        memory["waiting_bytes"] = plan.waiting_bytes;
        memory["blocks"] = plan.blocks.size();
        return memory;
    }
    std::string algorithm() const { return prepared()->setup.algorithm; }
    std::vector<std::string> steps() const { return prepared()->setup.memory.lowering.steps; }
    std::vector<std::string> warnings() const { return prepared()->warnings(); }
    std::string device() const {
        std::string names;
        for (const auto& device : devices_) names += (names.empty() ? "" : ",") + device->info().name;
        return names;
    }
    void release() {
        thread_.finish([this] {
            if (repeated_) repeated_->release();
            gpu_images_.release();
        });
    }

private:
    /// As it is now: another echo may be prepared at any time.
    std::shared_ptr<const PreparedEcho> prepared() const {
        const std::lock_guard lock(mutex_);
        return prepared_;
    }

    void prepare(const PythonEcho& echo, const Progress& progress, bool find_phases) {
        std::shared_ptr<const PreparedEcho> next =
            std::make_shared<PreparedEcho>(echo, request_, pointers_, progress, find_phases);
        // Plans hang on options; those of the caller are always the same.
        const bool of_data = next->options.estimates.doppler || next->options.estimates.velocity ||
                             next->options.autofocused || next->options.reference_track || next->options.part;
        if (of_data || of_data_) repeated_.reset();
        of_data_ = of_data;
        if (!repeated_ && devices_.size() == 1)
            repeated_ = std::make_unique<RepeatedFocus>(*devices_.front(), next->options);
        const std::lock_guard lock(mutex_);
        prepared_.swap(next);  // the old one goes after the lock: it may wait for the GIL, whose holder for the lock
    }

    FocusReport form(ImageSink& into, const Progress& progress) {
        if (repeated_) return repeated_->run(prepared_->source(), prepared_->setup, into, progress);
        EchoSource* const source = &prepared_->source();
        return focus_frames(pointers_, std::span(&source, 1), prepared_->options, into, progress).frames.front();
    }

    /// What planning could not know.
    std::vector<std::string> unknown(const std::vector<std::string>& warnings) const {
        const std::vector<std::string> known = prepared_->warnings();
        std::vector<std::string> news;
        for (const std::string& warning : warnings)
            if (std::find(known.begin(), known.end(), warning) == known.end()) news.push_back(warning);
        return news;
    }

    std::string device_name_;
    JobWishes wishes_;
    ImageRequest request_;
    std::vector<std::unique_ptr<Device>> devices_;
    std::vector<Device*> pointers_;
    mutable std::mutex mutex_;  // of prepared_, which only the thread below changes
    std::shared_ptr<const PreparedEcho> prepared_;
    bool of_data_ = false;
    std::unique_ptr<RepeatedFocus> repeated_;
    GpuImages gpu_images_;
    JobThread thread_;
};

PythonImage focus(const nb::object& echo, const nb::object& out, nb::kwargs options) {
    nb::kwargs of_run = nb::cast<nb::kwargs>(nb::dict());
    for (const char* key : {"progress", "stop"})
        if (options.contains(key)) of_run[key] = options[key];
    JobWishes wishes = job_wishes(of_run);
    options.attr("pop")("progress", nb::none());
    return PythonPlan(echo_of(echo), options).run(echo_of(echo), out, std::move(wishes));
}

constexpr auto plan_help =
    "What is decided before the first sample is read: Doppler, velocity, grid, algorithm, blocks, memory.\n\n"
    "Keywords are the options of `cornerturn focus`, with _ for -: algorithm=\"auto\", range_window=\"kaiser:2.5\",\n"
    "doppler_centroid=-6900, height=120, dem=\"dem.tif\", grid=\"utm\", spacing=10, max_memory=\"4G\", force=True\n"
    "...; device: auto, cpu, cuda, cuda:N, several as cuda:0,1; threads: of a cpu, 0 is all cores; stop: a\n"
    "StopRequest.\n\n"
    "Raises InputError for what cannot be, with the option's name, and DeviceError. Calling the plan, plan(echo),\n"
    "makes the image. A plan does one job at a time; each thread that works beside others wants its own.";

constexpr auto call_help =
    "The image of an echo: of the one that was planned, or of another, which is planned anew with the same\n"
    "options.\n\n"
    "Plans, tables and memory of the device stay for the next one of the same kind. The image lies where the echo\n"
    "does: in host memory, or on the GPU, and nothing goes over the bus. `out`: an array (rows, columns) of\n"
    "complex64 that it is written into, in host memory or on the plan's device. progress: True (a bar of tqdm) or a\n"
    "callable (stage, fraction). The GIL is free meanwhile, and Ctrl-C stops it: then there is no image.";

}  // namespace

void add_plan(nb::module_& module) {
    nb::class_<StopRequest>(module, "StopRequest", "Stops the jobs it was given to, from any thread.")
        .def(nb::init<>())
        .def("request", &StopRequest::request, "Jobs end at their next line, block or stage, by KeyboardInterrupt.")
        .def_prop_ro("requested", &StopRequest::requested);
    nb::class_<PythonPlan>(module, "Plan", nb::is_weak_referenceable(), plan_help)
        .def(nb::init<const PythonEcho&, nb::kwargs>(), nb::arg("echo"), nb::arg("options"),
             nb::sig(
                 "def __init__(self, echo: Echo, *, device: str = \"auto\", threads: int = 0, stop: StopRequest | None "
                 "= None, **options: object) -> None"))
        .def(
            "__call__",
            [](PythonPlan& plan, const nb::object& echo, const nb::object& out, nb::kwargs wishes) {
                return plan.run(echo_of(echo), out, std::move(wishes));
            },
            nb::arg("echo"), nb::arg("out") = nb::none(), nb::arg("wishes"),
            nb::sig("def __call__(self, echo: Echo, out: object | str | os.PathLike[str] | None = None, *, "
                    "progress: cornerturn.Progress = None, stop: StopRequest | None = None) -> Image"),
            call_help)
        .def_prop_ro("algorithm", &PythonPlan::algorithm, "That forms the image.")
        .def_prop_ro("device", &PythonPlan::device)
        .def_prop_ro("memory", &PythonPlan::memory, nb::for_getter(nb::sig("def memory(self) -> dict[str, int]")),
                     "needed_bytes of the device for the largest of `blocks`, budget_bytes that it may take, "
                     "waiting_bytes of the host for rows out of turn.")
        .def_prop_ro("steps", &PythonPlan::steps, "How the device goes through the steps, in order.")
        .def_prop_ro("warnings", &PythonPlan::warnings, "What was warned of.")
        .def_prop_ro("info", &PythonPlan::info, nb::for_getter(nb::sig("def info(self) -> dict[str, typing.Any]")),
                     "All that was decided, as `focus --dry-run --json` has it.")
        .def("release", &PythonPlan::release, "Gives back memory that is kept for the next image.")
        .def(
            "__reduce__",
            [](const PythonPlan&) -> nb::object {
                refuse_to_leave("a Plan", "hand over its options, each process makes a plan of its own");
            },
            nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
        .def("__str__", &PythonPlan::text)
        .def("__repr__", &PythonPlan::repr);
    module.def(
        "plan",
        [](const nb::object& echo, nb::kwargs options) { return std::make_unique<PythonPlan>(echo_of(echo), options); },
        nb::arg("echo"), nb::arg("options"),
        nb::sig("def plan(echo: Echo, *, device: str = \"auto\", threads: int = 0, stop: StopRequest | None = None, "
                "**options: object) -> Plan"),
        plan_help);
    module.def("focus", &focus, nb::arg("echo"), nb::arg("out") = nb::none(), nb::arg("options"),
               nb::sig("def focus(echo: Echo, out: object | str | os.PathLike[str] | None = None, *, device: str = "
                       "\"auto\", threads: int = 0, progress: cornerturn.Progress = None, stop: StopRequest | None = "
                       "None, **options: object) -> Image"),
               "plan(echo, **options)(echo, out): the image of an echo in one line.");
}

}  // namespace cornerturn::python
