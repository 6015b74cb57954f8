// SPDX-License-Identifier: Apache-2.0
// Number of threads of OpenMP regions that do not name one: planning, tables, estimates.
#pragma once

#include <omp.h>

namespace cornerturn {

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
