// SPDX-License-Identifier: Apache-2.0
#include "data/files/unfinished.h"

#include <unistd.h>

#include <atomic>
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

}  // namespace

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
