// SPDX-License-Identifier: Apache-2.0
#include "data/unfinished.h"

#include <unistd.h>

#include <atomic>
#include <mutex>

namespace cornerturn {
namespace {

struct Unfinished {
    const std::string path;
    const Unfinished* older;
};

/// Only ever grows, and nothing in it changes: a signal handler may walk along it while another thread adds to it.
std::atomic<const Unfinished*> newest{nullptr};
static_assert(std::atomic<const Unfinished*>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

}  // namespace

void remember_unfinished(const std::string& path) {
    static std::mutex adding;
    const std::lock_guard lock(adding);
    for (const Unfinished* one = newest; one != nullptr; one = one->older)
        if (one->path == path) return;
    newest = new Unfinished{path, newest};
}

void remove_unfinished() noexcept {
    for (const Unfinished* one = newest; one != nullptr; one = one->older)
        if (unlink(one->path.c_str()) != 0) rmdir(one->path.c_str());
}

}  // namespace cornerturn
