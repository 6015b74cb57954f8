// SPDX-License-Identifier: Apache-2.0
// Work that Python waits for: the GIL is free meanwhile, signals are handled, and Ctrl-C stops it.
#pragma once

#include <nanobind/nanobind.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "kernels/interrupt.h"
#include "pipeline/echo/progress.h"

namespace cornerturn::python {

/// Throws InputError for numbers of threads that no machine has: OpenMP would end the program where it cannot have
/// them.
int checked_threads(int threads);

/// Throws InputError for what is neither None, True, False nor a callable.
void check_progress(const nanobind::object& progress);

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
    JobThread() : own_(new Own) {}
    ~JobThread();
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    /// To be called with the GIL. Throws what the work throws, or what a signal's handler or the progress raised, also
    /// while another job has its turn; InputError in a process that was forked from the thread's own, and where the
    /// progress of its job asks for another.
    void run(const JobWishes& wishes, const std::function<void(const Progress&)>& work);
    /// What throws nothing and takes no time, to its end; nothing in a forked process. Throws InputError as above.
    void finish(const std::function<void()>& work);
    /// From now on the thread, and who waits for it, do not sleep at once: for jobs of less than a millisecond that
    /// leave processors idle. On busy ones they would take the time of who works.
    void keep_awake() { own_->wakeful = true; }

private:
    /// The thread, and what it shares with those who ask.
    struct Own {
        std::mutex mutex;
        bool taken = false;  // by who asks
        std::condition_variable changed;
        std::function<void()> work;  // what is to be done or is being done
        bool ended = false;
        std::atomic<bool> busy{false};  // whether there is work, for those who look without the mutex
        std::atomic<bool> wakeful{false};
        std::thread thread{[this] { serve(); }};  // last: it uses the others

        void serve();
        void post(std::function<void()> work);
    };
    /// While somebody has the thread for himself.
    class Turn {
    public:
        /// With the GIL: until signals raise or `stop` is requested.
        Turn(Own& own, const StopRequest& stop);
        /// Without.
        explicit Turn(Own& own);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        Own& own_;
    };
    void require_outside() const;
    void wait(const StopRequest& stop, std::exception_ptr& raised);
    /// Threads stay behind where a process forks.
    bool left_behind() const { return ::getpid() != process_; }

    const pid_t process_ = ::getpid();
    std::unique_ptr<Own> own_;
};

/// One job by itself.
inline void run_job(const JobWishes& wishes, const std::function<void(const Progress&)>& work) {
    JobThread().run(wishes, work);
}

}  // namespace cornerturn::python
