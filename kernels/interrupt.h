// SPDX-License-Identifier: Apache-2.0
// A request to stop, honoured between lines, blocks and stages.
#pragma once

#include <atomic>
#include <mutex>

#include "kernels/errors.h"

namespace cornerturn {

/// Set by the host program, in a signal handler for instance; the library never touches it. Whoever set it takes it
/// back before the next job.
inline std::atomic<bool> interrupt_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

/// With which the library itself ends a job that cannot go on (another rank has failed). What was requested is
/// forgotten with the last of these: the next job of the process does not trip over it.
class JobStop {
public:
    JobStop() {
        const std::lock_guard lock(counting_);
        ++count_;
    }
    ~JobStop() {
        const std::lock_guard lock(counting_);
        if (--count_ == 0) requested_ = false;
    }
    JobStop(const JobStop&) = delete;
    JobStop& operator=(const JobStop&) = delete;

    void request() noexcept { requested_ = true; }
    static bool requested() noexcept { return requested_.load(std::memory_order_relaxed); }

private:
    inline static std::mutex counting_;
    inline static int count_ = 0;
    inline static std::atomic<bool> requested_{false};
};

/// By whomever.
inline bool stop_requested() noexcept {
    return interrupt_requested.load(std::memory_order_relaxed) || JobStop::requested();
}

/// Throws Interrupted after a request. Not for use inside OpenMP regions: no exception may leave one.
inline void throw_if_interrupted() {
    if (stop_requested()) throw Interrupted();
}

}  // namespace cornerturn
