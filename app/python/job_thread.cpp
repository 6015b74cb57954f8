// SPDX-License-Identifier: Apache-2.0
#include "app/python/job_thread.h"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "app/common_options.h"
#include "app/python/given.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn::python {
namespace {

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;

// A thread that sleeps takes 0.05 ms to wake up, a tenth of what an image may take on a GPU.
constexpr std::chrono::microseconds awake_after_work(200), awake_for_result(2000);

constexpr auto between_looks = std::chrono::milliseconds(50);  // at signals, and from one word on progress to the next

/// Tells Python how far a job is: each new stage, and what lies between it now and then. What Python raises stops it.
class ProgressCall {
public:
    ProgressCall(nb::object callback, StopRequest stop) : callback_(std::move(callback)), stop_(std::move(stop)) {}

    void operator()(std::string_view stage, double fraction) {
        const Clock::time_point now = Clock::now();
        if (raised || (stage == stage_ && now - told_ < between_looks)) return;
        stage_ = stage;
        told_ = now;
        const nb::gil_scoped_acquire gil;
        try {
            callback_(nb::str(stage.data(), stage.size()), fraction);
        } catch (...) {
            raised = std::current_exception();
            stop_.request();
        }
    }

    std::exception_ptr raised;

private:
    nb::object callback_;
    StopRequest stop_;
    std::string stage_;
    Clock::time_point told_;
};

nb::object callback_of(const nb::object& progress) {
    check_progress(progress);
    if (progress.ptr() != Py_True) return progress.ptr() == Py_False ? nb::none() : progress;
    return nb::module_::import_("cornerturn._progress").attr("Bar")();
}

/// Until it is `busy` or not, but no longer than that.
void stay_awake(const std::atomic<bool>& busy, bool until, std::chrono::microseconds longest) {
    const Clock::time_point end = Clock::now() + longest;
    while (busy != until && Clock::now() < end) std::this_thread::yield();
}

/// Closes a bar; a callback of the user's need not have that.
void close(const nb::object& callback) {
    if (nb::hasattr(callback, "close")) callback.attr("close")();
}

}  // namespace

void check_progress(const nb::object& progress) {
    if (progress.is_none() || nb::isinstance<nb::bool_>(progress) || PyCallable_Check(progress.ptr()) != 0) return;
    throw InputError(
        fmt::format("progress is {}, but must be True or a callable (stage, fraction)", text_of(nb::repr(progress))));
}

int checked_threads(int threads) {
    if (threads < 0 || threads > most_threads)
        throw InputError(
            fmt::format("threads is {}, but must be a whole number from 0 (all cores) to {}", threads, most_threads));
    return threads;
}

JobThread::~JobThread() {
    if (left_behind()) {  // nobody is there who would answer
        static_cast<void>(own_.release());
        return;
    }
    {
        const std::lock_guard lock(own_->mutex);
        own_->ended = true;
        own_->busy = true;  // with its end
    }
    own_->changed.notify_all();
    const nb::gil_scoped_release free;
    own_->thread.join();
}

void JobThread::Own::serve() {
    std::unique_lock lock(mutex);
    while (true) {
        changed.wait(lock, [this] { return ended || work; });
        if (!work) return;
        lock.unlock();
        work();
        lock.lock();
        work = nullptr;
        busy = false;
        changed.notify_all();
        lock.unlock();
        if (wakeful) stay_awake(busy, true, awake_after_work);
        lock.lock();
    }
}

/// Without the GIL, which whoever has the turn may want.
void JobThread::Own::post(std::function<void()> next) {
    const std::lock_guard lock(mutex);
    work = std::move(next);
    busy = true;
    changed.notify_all();
}

/// Until the work is done; a signal whose handler raises stops it.
void JobThread::wait(const StopRequest& stop, std::exception_ptr& raised) {
    if (own_->wakeful) {
        const nb::gil_scoped_release free;
        stay_awake(own_->busy, false, awake_for_result);
    }
    while (true) {
        {
            const nb::gil_scoped_release free;
            std::unique_lock lock(own_->mutex);
            if (own_->changed.wait_for(lock, between_looks, [this] { return !own_->work; })) return;
        }
        if (raised || PyErr_CheckSignals() == 0) continue;
        raised = std::make_exception_ptr(nb::python_error());
        stop.request();
    }
}

JobThread::Turn::Turn(Own& own, const StopRequest& stop) : own_(own) {
    while (true) {
        {
            const nb::gil_scoped_release free;
            std::unique_lock lock(own_.mutex);
            if (own_.changed.wait_for(lock, between_looks, [this] { return !own_.taken; })) {
                own_.taken = true;
                return;
            }
        }
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (stop.requested()) throw Interrupted();
    }
}

JobThread::Turn::Turn(Own& own) : own_(own) {
    std::unique_lock lock(own_.mutex);
    own_.changed.wait(lock, [this] { return !own_.taken; });
    own_.taken = true;
}

JobThread::Turn::~Turn() {
    const std::lock_guard lock(own_.mutex);
    own_.taken = false;
    own_.changed.notify_all();
}

/// It would wait for itself.
void JobThread::require_outside() const {
    if (std::this_thread::get_id() == own_->thread.get_id())
        throw InputError(
            "this plan is at work, and what its progress calls cannot ask it for more; wait until it is done, or make "
            "another plan");
}

void JobThread::finish(const std::function<void()>& work) {
    if (left_behind()) return;
    require_outside();
    const nb::gil_scoped_release free;
    const Turn turn(*own_);
    own_->post(work);
    std::unique_lock lock(own_->mutex);
    own_->changed.wait(lock, [this] { return !own_->work; });
}

void JobThread::run(const JobWishes& wishes, const std::function<void(const Progress&)>& work) {
    checked_threads(wishes.threads);
    if (left_behind())
        throw InputError(
            "this plan was made before the process forked, and its thread has stayed there; make a plan in each "
            "process");
    require_outside();
    const nb::object callback = callback_of(wishes.progress);
    const StopRequest stop = StopRequest::within(wishes.stop);
    const Turn turn(*own_, stop);
    ProgressCall call(callback, stop);
    const Progress progress = callback.is_none() ? Progress{} : Progress(std::ref(call));
    std::exception_ptr failed, raised;
    {
        const nb::gil_scoped_release free;
        own_->post([&] {
            const JobScope scope(stop);
            const ThreadLimit limit(wishes.threads);
            try {
                work(progress);
            } catch (...) {
                failed = std::current_exception();
            }
        });
    }
    wait(stop, raised);
    if (!callback.is_none()) close(callback);
    if (!raised) raised = call.raised ? call.raised : failed;
    if (raised) std::rethrow_exception(raised);
}

}  // namespace cornerturn::python
