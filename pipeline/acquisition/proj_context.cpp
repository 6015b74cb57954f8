// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/proj_context.h"

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/host/own_folder.h"

namespace cornerturn {
namespace {

/// The data of PROJ as the wheel has them; empty elsewhere.
std::string bundled_folder() {
    const std::filesystem::path folder = own_folder() / "proj";
    std::error_code none;
    return std::filesystem::exists(folder / "proj.db", none) ? folder.string() : std::string();
}

}  // namespace

PJ_CONTEXT* new_proj_context() {
    PJ_CONTEXT* const context = proj_context_create();
    // No level silences it: where proj.db is missing, PROJ asks none.
    proj_log_func(context, nullptr, [](void*, int, const char*) {});
    proj_context_set_enable_network(context, 0);
    static const std::string bundled = bundled_folder();
    if (bundled.empty()) return context;  // PROJ knows where its data lie
    std::vector<std::string> folders{bundled};
    const char* named = std::getenv("PROJ_DATA");
    if (named == nullptr) named = std::getenv("PROJ_LIB");
    if (named != nullptr) {
        std::istringstream list(named);
        for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
    }
    if (const char* users = proj_context_get_user_writable_directory(context, 0)) folders.emplace_back(users);
    folders.emplace_back("/usr/share/proj");
    std::vector<const char*> names;
    for (const std::string& folder : folders) names.push_back(folder.c_str());
    proj_context_set_search_paths(context, static_cast<int>(names.size()), names.data());
    return context;
}

bool proj_has_maps() {
    PJ_CONTEXT* const context = new_proj_context();
    const bool found = proj_context_get_database_path(context) != nullptr;
    proj_context_destroy(context);
    return found;
}

}  // namespace cornerturn
