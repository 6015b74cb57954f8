// SPDX-License-Identifier: Apache-2.0
// Work that a job gives to another thread.
#pragma once

#include <omp.h>

#include <utility>

#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"

namespace cornerturn {

/// `work`, to be run by another thread for the job of this one: it stops on the same request, and its parallel regions
/// take as many threads.
template <class Work>
auto in_same_job(Work work) {
    return [work = std::move(work), stop = JobScope::stop(),
            threads = omp_get_max_threads()](auto&&... arguments) mutable {
        const JobScope job(stop);
        const ThreadLimit limit(threads);
        return work(std::forward<decltype(arguments)>(arguments)...);
    };
}

}  // namespace cornerturn
