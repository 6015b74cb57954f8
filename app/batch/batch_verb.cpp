// SPDX-License-Identifier: Apache-2.0
// cornerturn batch: many raw files in, an image and a status file of each out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/batch/batch_run.h"
#include "app/common_options.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "data/files/file_names.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

struct BatchArguments {
    std::string list, folder, device = "auto";
    FocusJob common;
    int at_once = 0;
    bool resume = false;
    JsonOutput json;
};

std::string remark_on(const SceneOutcome& scene) {
    if (scene.elsewhere) return "in another run";
    return scene.done_before ? "done before" : scene.status.error;
}

std::uint64_t bytes_of(const SceneStatus& status) {
    std::uint64_t bytes = 0;
    for (const StoredFile& file : status.products) bytes += file.bytes;
    return bytes;
}

std::size_t count(const BatchResult& result, SceneState state) {
    return static_cast<std::size_t>(std::count_if(result.scenes.begin(), result.scenes.end(),
                                                  [&](const SceneOutcome& s) { return s.status.state == state; }));
}

std::string counts_text(const BatchResult& result) {
    std::string text;
    for (const SceneState state :
         {SceneState::done, SceneState::failed, SceneState::interrupted, SceneState::running, SceneState::pending})
        if (const std::size_t found = count(result, state); found > 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found, name_of(state));
    return text;
}

void print_table(const BatchResult& result) {
    std::size_t width = 5;
    for (const SceneOutcome& scene : result.scenes) width = std::max(width, scene.status.scene.size());
    fmt::print("{:<{}}  {:<11}  {:>4}  {:>9}  {:>9}  {:<7}  {}\n", "scene", width, "state", "exit", "s", "MiB",
               "device", "remark");
    for (const SceneOutcome& scene : result.scenes) {
        const SceneStatus& status = scene.status;
        fmt::print("{:<{}}  {:<11}  {:>4}  {:>9.2f}  {:>9.1f}  {:<7}  {}\n", status.scene, width, name_of(status.state),
                   status.exit_code ? std::to_string(*status.exit_code) : "-", status.wall_s,
                   static_cast<double>(bytes_of(status)) / (1024.0 * 1024.0),
                   status.device.empty() ? "-" : status.device, remark_on(scene));
    }
    fmt::print("{} scenes in {:.2f} s: {}\n", result.scenes.size(), result.wall_s, counts_text(result));
}

nlohmann::json to_json(const BatchResult& result) {
    nlohmann::json scenes = nlohmann::json::array();
    for (const SceneOutcome& scene : result.scenes) {
        scenes.push_back(status_json(scene.status));
        scenes.back()["done_before"] = scene.done_before;
        scenes.back()["elsewhere"] = scene.elsewhere;
    }
    return {{"wall_s", result.wall_s},
            {"exit_code", result.exit_code},
            {"done", count(result, SceneState::done)},
            {"failed", count(result, SceneState::failed)},
            {"scenes", scenes}};
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder))
        throw InputError(fmt::format("{}: cannot be made a folder{}{}; name another with -o", folder, error ? ": " : "",
                                     error.message()));
}

int run_batch(const BatchArguments& o) {
    make_folder(o.folder);
    FocusJob common = o.common;
    common.threads = 0;  // all that the batch may have are shared out among its scenes
    if (o.at_once > 0) common.memory_share /= o.at_once;
    const std::vector<SceneJob> scenes = scene_jobs(o.list, o.folder, common);
    check_outputs({o.json.file()}, {o.list});
    for (const SceneJob& scene : scenes)
        if (const auto* same = o.json.file().empty() ? nullptr : scene.job.of_batch->find(o.json.file()))
            throw InputError(fmt::format("--json {}: is that of {}; give it another name", o.json.to, same->by));
    const BatchResult result = run_batch(scenes, {.folder = o.folder,
                                                  .devices = devices_of_batch(o.device),
                                                  .threads = o.common.threads,
                                                  .at_once = o.at_once,
                                                  .resume = o.resume});
    if (!o.json.instead_of_text()) print_table(result);
    o.json.write(to_json(result));
    if (is_interrupted(result.exit_code)) log_error("interrupted; the same command, with --resume, does what is left");
    return result.exit_code;
}

}  // namespace

void add_batch(const Verb& program) {
    auto o = std::make_shared<BatchArguments>();
    const Verb verb =
        program.verb("batch", "Focuses many raw files: opens the device once and reads the next files ahead");
    verb.footer(
        R"(Beside each image NAME.h5 lies NAME.status.json: state (pending, running, done, failed, interrupted), times,
parameters, sizes, SHA-256, exit code, error. A failed scene stops no other. Runs with --resume share a folder's work.

A jobs file:
  options: {azimuth-window: "kaiser:2.5"}    # those of focus, for all scenes
  scenes:                                    # paths relative to the file's folder
    - raw/a.h5
    - {input: raw/b.h5, output: b2.h5, options: {doppler-centroid: data, png: "{name}.png", resume: true}}

Exit codes: 0 all done, 1 some failed, 2 bad jobs file or usage, 3 every device failed, 130 interrupted, 143 terminated.

Example:
  cornerturn batch jobs.yaml -o images --resume --report '{name}.json')");
    verb.option("JOBS.yaml|DIR", o->list, "Jobs file, or a folder: every raw file in it that can be read").required();
    verb.option("-o,--output", o->folder, "Folder for images and status files; it is made if it does not exist")
        .type("DIR")
        .required();
    verb.option("--device", o->device,
                "auto, cpu, cuda, cuda:N, or several that share the scenes: cuda:0,1 or cuda:all")
        .shows_default();
    verb.option("--at-once", o->at_once,
                "Scenes in work at once on each device, so that planning, reading and writing go on during computing. "
                "Each scene then gets a part of the memory. 0: up to 6 on a GPU and 3 on a CPU, as cores and memory "
                "allow; for files of at most 4 MB on a CPU one scene for each core, with one thread each")
        .type("N")
        .between(0, 64)
        .shows_default()
        .rare();
    add_job_options(verb, o->common);
    verb.flag("--resume", o->resume,
              "Skip scenes that are done, where input and parameters are unchanged. In a jobs file, resume: true keeps "
              "an interrupted scene with its finished azimuth blocks, to be continued");
    add_json_option(verb, o->json);
    add_threads_option(verb, o->common.threads);
    verb.runs([=] { return run_batch(*o); });
}

}  // namespace cornerturn
