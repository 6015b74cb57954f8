// SPDX-License-Identifier: Apache-2.0
// Numbers of threads of OpenMP regions, also of those that do not name one: planning, tables, estimates.
#pragma once

#include <omp.h>

namespace cornerturn {

/// As many as are wanted; 0: all.
inline int thread_count(int wanted) { return wanted > 0 ? wanted : omp_get_max_threads(); }

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
