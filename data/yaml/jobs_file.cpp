// SPDX-License-Identifier: Apache-2.0
#include "data/yaml/jobs_file.h"

#include <filesystem>

#include "data/other_content.h"
#include "data/yaml/mapping.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using yaml::items_of, yaml::Mapping, yaml::text_of;

JobOptions read_options(const Mapping& map) {
    JobOptions options;
    if (!map.has("options")) return options;
    const YAML::Node node = map.at("options");
    if (!node.IsMap())
        refuse(map.where(),
               fmt::format("options is {} in line {}, but must be a mapping such as {{azimuth-window: hamming}}",
                           text_of(node), node.Mark().line + 1));
    for (const auto& entry : node) {
        if (!entry.first.IsScalar() || !entry.second.IsScalar())
            refuse(map.where(),
                   fmt::format("options: {} is {} in line {}, but must be one value, as on the command line of focus",
                               text_of(entry.first), text_of(entry.second), entry.second.Mark().line + 1));
        options.emplace_back(entry.first.Scalar(), entry.second.Scalar());
    }
    return options;
}

std::string from_folder(const std::string& folder, const std::string& path) {
    return (fs::path(folder) / path).lexically_normal();
}

JobsFile::Entry read_entry(const YAML::Node& node, const std::string& where, const std::string& folder) {
    if (node.IsScalar())
        return {.input = from_folder(folder, node.Scalar()), .output = {}, .options = {}, .where = where};
    const Mapping map(node, where, {"input", "output", "options"});
    if (!map.has("input"))
        refuse(where, fmt::format("input is missing in line {}; name the raw file", node.Mark().line + 1));
    JobsFile::Entry entry{.input = from_folder(folder, map.get<std::string>("input", "a file")),
                          .output = {},
                          .options = {},
                          .where = where};
    map.read("output", entry.output, "a file name");
    if (map.has("output") && (entry.output.empty() || fs::path(entry.output).filename() != entry.output))
        refuse(where, fmt::format("output is '{}', but must be a file name without folders; -o names the folder",
                                  entry.output));
    entry.options = read_options(map);
    return entry;
}

JobsFile read_jobs(const Mapping& map, const std::string& folder) {
    JobsFile jobs{.options = read_options(map), .scenes = {}, .folder = folder};
    if (!map.has("scenes")) refuse(map.where(), "scenes is missing; give a list of raw files");
    for (std::size_t i = 0; i < items_of(map, "scenes"); ++i)
        jobs.scenes.push_back(read_entry(map.at("scenes")[i], fmt::format("{}: scenes[{}]", map.where(), i), folder));
    if (jobs.scenes.empty()) refuse(map.where(), "scenes is an empty list; name at least one raw file");
    return jobs;
}

}  // namespace

JobsFile read_jobs_file(const std::string& path) {
    require_text(path, "a jobs file (YAML) or a folder of raw files");
    try {
        return read_jobs(Mapping(YAML::LoadFile(path), path, {"options", "scenes"}), fs::path(path).parent_path());
    } catch (const YAML::BadFile&) {
        refuse(path, "cannot be read; name a jobs file (YAML) or a folder of raw files");
    } catch (const YAML::Exception& error) {
        refuse(path, fmt::format("no valid YAML in line {}: {}; see `cornerturn batch --help` for an example",
                                 error.mark.line + 1, error.msg));
    }
}

JobsFile list_folder(const std::string& path, const std::function<bool(const std::string& path)>& wanted) try {
    JobsFile jobs{.options = {}, .scenes = {}, .folder = path};
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) {
        const bool hidden = entry.path().filename().string().starts_with('.');
        if (!hidden && wanted(entry.path())) names.push_back(entry.path());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names)
        jobs.scenes.push_back({.input = name, .output = {}, .options = {}, .where = name});
    return jobs;
} catch (const fs::filesystem_error& error) {
    refuse(path, fmt::format("the folder cannot be read: {}", error.code().message()));
}

}  // namespace cornerturn
