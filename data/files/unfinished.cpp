// SPDX-License-Identifier: Apache-2.0
#include "data/files/unfinished.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <unordered_set>

namespace cornerturn {
namespace {

struct UnfinishedPath {
    const std::string path;
    const UnfinishedPath* older;
};

/// Only ever grows, and nothing in it changes: a signal handler may walk along it while another thread adds to it.
std::atomic<const UnfinishedPath*> newest{nullptr};
static_assert(std::atomic<const UnfinishedPath*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

std::mutex naming;
std::unordered_set<std::string>& names_in_use() {
    static std::unordered_set<std::string> names;
    return names;
}

}  // namespace

std::string hidden_name(const std::string& path, const std::string& ending) {
    const std::filesystem::path final_path(path);
    const std::string name = final_path.filename().string().substr(0, 200);  // names end at 255 bytes
    return (final_path.parent_path() / fmt::format(".{}.{}", name, ending)).string();
}

UnfinishedName::UnfinishedName(const std::string& path) {
    const std::string own = hidden_name(path, unfinished_ending) + std::to_string(getpid());
    const std::lock_guard lock(naming);
    path_ = own;
    for (int other = 2; !names_in_use().insert(path_).second; ++other) path_ = fmt::format("{}-{}", own, other);
    remember_unfinished(path_);
}

UnfinishedName::~UnfinishedName() {
    const std::lock_guard lock(naming);
    names_in_use().erase(path_);
}

void remember_unfinished(const std::string& path) {
    static std::mutex adding;
    static std::unordered_set<std::string> known;  // a batch of thousands of scenes would walk along the list for each
    const std::lock_guard lock(adding);
    if (known.insert(path).second) newest = new UnfinishedPath{path, newest};
}

void remove_unfinished() noexcept {
    for (const UnfinishedPath* one = newest; one != nullptr; one = one->older)
        if (unlink(one->path.c_str()) != 0) rmdir(one->path.c_str());
}

}  // namespace cornerturn
