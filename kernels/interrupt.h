// SPDX-License-Identifier: Apache-2.0
// A request to stop a job, honoured between lines, blocks and stages.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "kernels/errors.h"

namespace cornerturn {

/// Copies tell of the same request. It stays made: another job takes another one.
class StopRequest {
public:
    StopRequest() = default;
    /// A request of its own that counts as made, too, once `outer` is.
    static StopRequest within(const StopRequest& outer) {
        StopRequest inner;
        inner.state_->outer = outer.state_;
        return inner;
    }

    /// May be called by any thread and by signal handlers.
    void request() const noexcept { state_->requested.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept {
        for (const State* state = state_.get(); state != nullptr; state = state->outer.get())
            if (state->requested.load(std::memory_order_relaxed)) return true;
        return false;
    }

private:
    struct State {
        std::atomic<bool> requested{false};
        std::shared_ptr<const State> outer = {};
    };
    static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// While it lives, what its thread does belongs to a job that stops on this request. Two jobs of a process do not meet:
/// each has a thread that holds its scope, and the library hands the job on to threads of its own (in_same_job).
class JobScope {
public:
    /// A job inside the one of this thread: it stops with that, but not the other way round.
    JobScope() : JobScope(StopRequest::within(current_)) {}
    explicit JobScope(StopRequest stop) : before_(std::exchange(current_, std::move(stop))) {}
    ~JobScope() { current_ = std::move(before_); }
    JobScope(const JobScope&) = delete;
    JobScope& operator=(const JobScope&) = delete;

    /// Of the job that this thread works for; never made by anybody where it has none.
    static const StopRequest& stop() noexcept { return current_; }

private:
    inline static thread_local StopRequest current_;
    StopRequest before_;
};

/// Of this thread's job. Threads of an OpenMP region have none until they take a scope of the job that began it.
inline bool stop_requested() noexcept { return JobScope::stop().requested(); }

/// Throws Interrupted after a request. Not for use inside OpenMP regions: no exception may leave one.
inline void throw_if_interrupted() {
    if (stop_requested()) throw Interrupted();
}

}  // namespace cornerturn
