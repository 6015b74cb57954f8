// SPDX-License-Identifier: Apache-2.0
// Number of threads of OpenMP regions that do not name one: planning, tables, estimates.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace cornerturn {

/// Threads for a region that evaluates a formula of some 10 ns so many times: more of them would mostly wait for each
/// other.
inline int threads_for(std::int64_t evaluations) {
    constexpr std::int64_t worth_a_thread = 20'000;
    return static_cast<int>(std::clamp<std::int64_t>(evaluations / worth_a_thread, 1, omp_get_max_threads()));
}

/// While it lives, parallel regions that this thread begins take at most so many threads; 0: as many as before. So
/// `--threads` reaches what has no such parameter. OpenMP keeps this for each thread by itself: threads of their own
/// are given it by `in_same_job`.
class ThreadLimit {
public:
    explicit ThreadLimit(int threads) : before_(omp_get_max_threads()) {
        if (threads > 0) omp_set_num_threads(threads);
    }
    ~ThreadLimit() { omp_set_num_threads(before_); }
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

private:
    int before_;
};

}  // namespace cornerturn
