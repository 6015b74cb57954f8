// SPDX-License-Identifier: Apache-2.0
#include "app/batch/scene_status.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/json_text.h"
#include "app/verbs/focus_report.h"
#include "data/files/input_state.h"
#include "data/files/output_file.h"
#include "kernels/host/names.h"

namespace cornerturn {
namespace {

constexpr Named<SceneState> states[] = {{SceneState::pending, "pending"},
                                        {SceneState::running, "running"},
                                        {SceneState::done, "done"},
                                        {SceneState::failed, "failed"},
                                        {SceneState::interrupted, "interrupted"}};

StoredFile file_of(const nlohmann::json& json) {
    return {.path = json.at("path"), .bytes = json.at("bytes"), .sha256 = json.value("sha256", "")};
}

}  // namespace

std::string_view name_of(SceneState state) { return name_in(states, state); }

void take_input(const std::string& path, SceneStatus& status) {
    const InputState state = input_state(path);
    status.input = {.path = std::filesystem::absolute(path).lexically_normal(), .bytes = state.bytes};
    status.input_modified = state.modified;
}

std::string status_path(const std::string& folder, const std::string& scene) {
    return std::filesystem::path(folder) / (scene + ".status.json");
}

nlohmann::json status_json(const SceneStatus& status) {
    nlohmann::json json{{"scene", status.scene},
                        {"state", name_of(status.state)},
                        {"input", files_json({status.input}).front()},
                        {"parameters", nlohmann::json::object()},
                        {"parameters_sha256", status.parameters_sha256},
                        {"device", status.device},
                        {"host", status.host},
                        {"process", status.process},
                        {"started_at", status.started_at},
                        {"finished_at", status.finished_at},
                        {"wall_s", status.wall_s},
                        {"exit_code", nullptr},
                        {"error", status.error},
                        {"products", files_json(status.products)}};
    json["input"]["modified"] = status.input_modified;
    for (const auto& [name, value] : status.parameters) json["parameters"][name] = value;
    if (status.exit_code) json["exit_code"] = *status.exit_code;
    return json;
}

std::optional<SceneStatus> read_status(const std::string& path) try {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("schema_version") != schema_version) return std::nullopt;
    SceneStatus status{.scene = json.at("scene"),
                       .state = find_in(states, json.at("state").get<std::string>()).value_or(SceneState::pending),
                       .input = file_of(json.at("input")),
                       .input_modified = json.at("input").at("modified"),
                       .parameters = {},
                       .parameters_sha256 = json.at("parameters_sha256"),
                       .device = json.at("device"),
                       .host = json.at("host"),
                       .process = json.at("process"),
                       .started_at = json.at("started_at"),
                       .finished_at = json.at("finished_at"),
                       .wall_s = json.at("wall_s"),
                       .exit_code = {},
                       .error = json.at("error"),
                       .products = {}};
    for (const auto& [name, value] : json.at("parameters").items()) status.parameters.emplace_back(name, value);
    if (!json.at("exit_code").is_null()) status.exit_code = json.at("exit_code").get<int>();
    for (const auto& product : json.at("products")) status.products.push_back(file_of(product));
    return status;
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

void write_status(const std::string& path, const SceneStatus& status) {
    replace_file(path, report_text(status_json(status)));
}

}  // namespace cornerturn
