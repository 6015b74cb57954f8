// SPDX-License-Identifier: Apache-2.0
// Work that Python waits for: the GIL is free meanwhile, signals are handled, and Ctrl-C stops it.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "kernels/interrupt.h"
#include "pipeline/echo/progress.h"

namespace cornerturn::python {

/// Throws InputError for numbers of threads that no machine has: OpenMP would end the program where it cannot have
/// them.
int checked_threads(int threads);

/// What Python says of a job beside its work.
struct JobWishes {
    /// None; a callable (stage, fraction); True: a bar, where tqdm is installed. May raise, which stops the job.
    nanobind::object progress = nanobind::none();
    StopRequest stop = {};  ///< of the caller's
    int threads = 0;        ///< of OpenMP regions that are not told; 0: all cores
};

/// A thread that does one job after the other. It is a thread of its own, as only the one that asked, if it is Python's
/// main thread, may handle signals.
class JobThread {
public:
    JobThread() : thread_([this] { serve(); }) {}
    ~JobThread();
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    /// To be called with the GIL. Throws what the work throws, or what a signal's handler or the progress raised.
    void run(const JobWishes& wishes, const std::function<void(const Progress&)>& work);
    /// What throws nothing and takes no time, to its end.
    void finish(const std::function<void()>& work);

private:
    void serve();
    void post(std::function<void()> work);
    void wait(const StopRequest& stop, std::exception_ptr& raised);

    std::mutex turn_;  // of who asks
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;  // what is to be done or is being done
    bool ended_ = false;
    std::thread thread_;  // last: it uses the others
};

/// One job by itself.
inline void run_job(const JobWishes& wishes, const std::function<void(const Progress&)>& work) {
    JobThread().run(wishes, work);
}

}  // namespace cornerturn::python
