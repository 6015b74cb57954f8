// SPDX-License-Identifier: Apache-2.0
// The loop over lines that every CPU pass shares.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <vector>

#include "kernels/host/line_fft.h"
#include "kernels/host/nontemporal_store.h"
#include "kernels/interrupt.h"

namespace cornerturn {

/// One cache-resident line buffer for each thread.
template <class Real>
class LineBuffers {
public:
    LineBuffers(int threads, std::int64_t length) {
        for (int i = 0; i < threads; ++i) buffers_.emplace_back(length);
    }
    int threads() const { return static_cast<int>(buffers_.size()); }
    Complex<Real>* mine() const { return buffers_[static_cast<std::size_t>(omp_get_thread_num())].data(); }

private:
    std::vector<LineBuffer<Real>> buffers_;
};

/// Runs body(line) for every line on `threads` threads, each taking `adjacent` lines at a time; throws Interrupted when
/// asked to stop. What a body throws first ends the loop and is thrown again: none may leave a thread of OpenMP.
template <class Body>
void for_each_line(std::int64_t lines, int threads, Body body, std::int64_t adjacent = 4) {
    std::atomic<bool> failed = false;
    std::exception_ptr failure;
    const auto run = [&](std::int64_t line) {
        try {
            body(line);
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
    };
    const StopRequest stop = JobScope::stop();
#pragma omp parallel num_threads(threads)
    {
        const JobScope job(stop);
#pragma omp for schedule(dynamic, adjacent)
        for (std::int64_t line = 0; line < lines; ++line)
            if (!stop_requested() && !failed.load(std::memory_order_relaxed)) run(line);
        stream_fence();  // bodies may store past the caches
    }
    if (failure) std::rethrow_exception(failure);
    throw_if_interrupted();
}

}  // namespace cornerturn
