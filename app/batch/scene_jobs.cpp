// SPDX-License-Identifier: Apache-2.0
#include "app/batch/scene_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "app/batch/scene_status.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/focus_bursts.h"
#include "data/ceos/palsar_reader.h"
#include "data/raw_file.h"
#include "data/terrain/terrain_file.h"
#include "data/yaml/jobs_file.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/map_projection.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// As the command line of focus takes them, on top of what the job has.
void apply(const JobOptions& options, const std::string& where, const std::string& folder, FocusJob& job) {
    std::vector<std::string> words;
    for (const auto& [name, value] : options) words.push_back(fmt::format("--{}={}", name, value));
    const auto add = [&](const Verb& verb) {
        add_job_options(verb, job);
        verb.flag("--resume", job.resume, "");
        add_json_option(verb, job.json);
    };
    read_words(words, add, where + ": options", "a scene has no such option; see cornerturn focus --help");
    const auto from_folder = [&](const std::string& path) { return (fs::path(folder) / path).lexically_normal(); };
    for (const auto& [name, value] : options) {
        if (name == "dem") job.image.dem = from_folder(value);
        if (name == "track") job.image.track.file = from_folder(value);
        if (name == "reference-track") job.image.reference_track = from_folder(value);
        if (name == "grid" && !is_map_name(value)) job.grid = from_folder(value);
    }
}

/// Terrain is opened when its scene comes.
void check_options(FocusJob job, const std::string& where) try {
    job.image.dem.reset();
    if (job.image.heights) height_datum_named(*std::exchange(job.image.heights, {}));
    std::vector<std::string> said_by_the_scene;
    focus_options(job.image, said_by_the_scene);
} catch (const InputError& error) {
    throw InputError(fmt::format("{}: options: {}", where, error.what()));
}

std::string placed(std::string path, const std::string& name, const std::string& folder) {
    constexpr std::string_view word = "{name}";
    if (path.empty()) return path;
    for (auto at = path.find(word); at != std::string::npos; at = path.find(word, at + name.size()))
        path.replace(at, word.size(), name);
    return fs::path(folder) / path;
}

SceneJob scene_job(const JobsFile::Entry& entry, const JobsFile& jobs, const std::string& folder, FocusJob job) {
    apply(entry.options, entry.where, jobs.folder, job);
    check_options(job, entry.where);
    const std::string file = entry.output.empty() ? fs::path(entry.input).stem().string() + ".h5" : entry.output;
    const std::string name = fs::path(file).stem();
    if (name.empty() || name.starts_with('.'))
        throw InputError(fmt::format("{}: input '{}' and output '{}' give the image no name; give it an output NAME.h5",
                                     entry.where, entry.input, entry.output));
    if (product_format_of(file) == ProductFormat::safe)
        throw InputError(
            fmt::format("{}: output '{}': a SAFE holds all bursts of a file, and a batch makes an image of "
                        "each; name it NAME.h5, or make it by focus",
                        entry.where, entry.output));
    job.input = entry.input;
    job.output = fs::path(folder) / file;
    if (job.json.instead_of_text())
        throw InputError(
            fmt::format("{}: options: json: -: a scene's report is a file of its own, such as {{name}}.json; "
                        "that of all is batch --json",
                        entry.where));
    for (std::string* path : {&job.png, &job.report, &job.json.to, &job.stage_folder})
        *path = placed(*path, name, folder);
    return {name, std::move(job)};
}

/// Of a file of bursts a scene each, as focus names them. What cannot be read is told when its turn comes.
std::vector<SceneJob> bursts_of(SceneJob scene) try {
    std::vector<SceneJob> bursts;
    for (FocusJob& job : jobs_of_bursts(scene.job)) {
        job.frames.kept = nullptr;  // scenes at once would meet there
        bursts.push_back({fs::path(job.output).stem(), std::move(job)});
    }
    return bursts;
} catch (const InputError&) {
    return {std::move(scene)};
}

void check_names(const std::vector<SceneJob>& scenes, const JobsFile& jobs) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < scenes.size(); ++i)
        if (const auto [there, fresh] = seen.emplace(scenes[i].name, i); !fresh)
            throw InputError(fmt::format("{}: {} is already that of {}; give one of them an output of its own",
                                         jobs.scenes[i].where, scenes[i].name, jobs.scenes[there->second].where));
}

void add_written(const std::string& path, const std::string& where, FileNames& files) {
    if (path.empty()) return;
    const auto* same = files.find(path);
    if (same != nullptr && same->written)
        throw InputError(fmt::format(
            "{}: {} is already that of {}; give one of them an output of its own, and names of other files with "
            "{{name}} in them",
            where, path, same->by));
    if (same != nullptr)
        throw InputError(
            fmt::format("{}: {} would be written over {}, which {} reads; give it another name, or the "
                        "images another folder with -o",
                        where, path, same->path, same->by));
    files.add({.path = path, .written = true, .by = where});
}

/// Throws InputError where two scenes would write one file, or one what another reads.
std::shared_ptr<const FileNames> files_of(const std::vector<SceneJob>& scenes, const JobsFile& jobs,
                                          const std::string& list, const std::string& folder) {
    auto files = std::make_shared<FileNames>();
    files->add({.path = list, .by = "the batch"});
    for (std::size_t i = 0; i < scenes.size(); ++i)
        for (const std::string& path : scenes[i].job.inputs())
            if (!path.empty()) files->add({.path = path, .by = jobs.scenes[i].where});
    for (std::size_t i = 0; i < scenes.size(); ++i) {
        std::vector<std::string> written = scenes[i].job.outputs();
        written.insert(written.end(), {scenes[i].job.stage_folder, status_path(folder, scenes[i].name)});
        for (const std::string& path : written) add_written(path, jobs.scenes[i].where, *files);
    }
    return files;
}

bool is_raw(const JobsFile::Entry& entry) try {
    list_raw(entry.input);
    return true;
} catch (const InputError& error) {
    log_warning("left out: {}", error.what());
    return false;
}

bool ends_as_hdf5(const std::string& path) {
    const fs::path ending = fs::path(path).extension();
    return ending == ".h5" || ending == ".hdf5";
}

/// By its name, or by its content where that is of raw echo alone: .h5 that cannot be read is told of, other files are
/// not. Folders are those of SAFE and of PALSAR.
bool may_be_raw(const std::string& path) {
    std::error_code none;
    return (ends_as_hdf5(path) && fs::is_regular_file(path, none)) || is_raw_only(path);
}

/// What lies in it, or the folder itself, where that is one of SAFE or of PALSAR. Where images would have one name,
/// those of other formats than HDF5 keep the ending of their input: a.h5 and a.cphd make a.h5 and a.cphd.h5.
JobsFile scenes_in(const std::string& list) {
    const std::string set = list.substr(0, list.find_last_not_of('/') + 1);
    if (is_palsar(set) || (set.ends_with(".SAFE") && is_raw_only(set)))
        return {.options = {}, .scenes = {{.input = set, .output = {}, .options = {}, .where = set}}, .folder = list};
    JobsFile jobs = list_folder(list, may_be_raw);
    std::map<std::string, int> inputs;  // of a name
    for (const JobsFile::Entry& entry : jobs.scenes) ++inputs[fs::path(entry.input).stem()];
    for (JobsFile::Entry& entry : jobs.scenes)
        if (const fs::path input(entry.input); inputs[input.stem()] > 1 && !ends_as_hdf5(entry.input))
            entry.output = input.filename().string() + ".h5";
    return jobs;
}

JobsFile raw_files_of(const std::string& list, const std::string& folder) {
    std::error_code none;
    if (fs::equivalent(list, folder, none))
        throw InputError(
            fmt::format("{}: the images would lie among the raw files; give another folder with -o", folder));
    JobsFile jobs = scenes_in(list);
    std::erase_if(jobs.scenes, [](const JobsFile::Entry& entry) { return !is_raw(entry); });
    if (jobs.scenes.empty())
        throw InputError(fmt::format("{}: there is no raw echo that can be read in this folder; name another", list));
    return jobs;
}

}  // namespace

std::vector<SceneJob> scene_jobs(const std::string& list, const std::string& folder, const FocusJob& common) {
    JobsFile jobs = fs::is_directory(list) ? raw_files_of(list, folder) : read_jobs_file(list);
    FocusJob of_all = common;
    apply(jobs.options, list, jobs.folder, of_all);
    std::vector<SceneJob> scenes;
    std::vector<JobsFile::Entry> of_scenes;
    for (const JobsFile::Entry& entry : jobs.scenes)
        for (SceneJob& scene : bursts_of(scene_job(entry, jobs, folder, of_all))) {
            scenes.push_back(std::move(scene));
            of_scenes.push_back(entry);
        }
    jobs.scenes = std::move(of_scenes);
    check_names(scenes, jobs);
    const auto files = files_of(scenes, jobs, list, folder);
    for (SceneJob& scene : scenes) scene.job.of_batch = files;
    return scenes;
}

std::vector<std::string> devices_of_batch(const std::string& text) {
    std::vector<std::string> names = device_names(text);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
            names.begin() + static_cast<std::ptrdiff_t>(i))
            throw InputError(fmt::format("--device {}: {} comes twice; name each device once, such as cuda:0,cuda:1",
                                         text, names[i]));
    return names;
}

}  // namespace cornerturn
