// SPDX-License-Identifier: Apache-2.0
#include "app/batch/batch_run.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <ctime>
#include <exception>
#include <filesystem>
#include <future>
#include <mutex>
#include <span>
#include <thread>

#include "app/batch/batch_hands.h"
#include "app/batch/ready_queue.h"
#include "app/batch/scene_locks.h"
#include "app/console.h"
#include "app/log.h"
#include "app/verbs/focus_task.h"
#include "app/verbs/known_sums.h"
#include "data/files/output_file.h"
#include "data/nisar/product_origin.h"
#include "kernels/errors.h"
#include "kernels/host/same_job.h"
#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/stage_clock.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

std::string now_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr))); }

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_there(const StoredFile& file, const std::string& folder) {
    std::error_code none;
    return fs::file_size(fs::path(folder) / file.path, none) == file.bytes && !none;
}

bool same_work(const SceneStatus& then, const SceneStatus& now) {
    return then.parameters_sha256 == now.parameters_sha256 && !now.input.sha256.empty() &&
           then.input.sha256 == now.input.sha256;
}

/// By what was noted.
bool is_done(const std::optional<SceneStatus>& then, const SceneStatus& now, const std::string& folder) {
    return then && then->state == SceneState::done && same_work(*then, now) && !then->products.empty() &&
           std::all_of(then->products.begin(), then->products.end(),
                       [&](const StoredFile& file) { return is_there(file, folder); });
}

/// By what the image file says, where a run ended before it noted that all was done. What else was asked for must be
/// there, too.
bool is_made(const FocusJob& job, const SceneStatus& now) {
    const auto there = [](const std::string& path) { return path.empty() || fs::exists(path); };
    return there(job.png) && there(job.report) &&
           read_origin(job.output) ==
               ProductOrigin{.parameters_sha256 = now.parameters_sha256, .input_sha256 = now.input.sha256};
}

std::string difference(const SceneStatus& then, const SceneStatus& now) {
    for (const auto& [name, value] : now.parameters) {
        const auto before = std::find_if(then.parameters.begin(), then.parameters.end(),
                                         [&, &name = name](const auto& fact) { return fact.first == name; });
        if (before == then.parameters.end() || before->second != value)
            return fmt::format("{} was {} and is {}", name,
                               before == then.parameters.end() ? "not there" : before->second, value);
    }
    return then.input.sha256 != now.input.sha256 ? "the input has changed" : "a file is missing";
}

/// Sorts out a device that was lost from files that could not be written.
bool still_works(Device& device) try {
    const Matrix little = device.allocate(SampleFormat::complex64, 1, 8);
    device.synchronize();
    return true;
} catch (const DeviceError&) {
    return false;
}

class Batch {
public:
    Batch(const std::vector<SceneJob>& scenes, const BatchOptions& options)
        : scenes_(scenes),
          options_(options),
          locks_(options.folder),
          ready_(options.devices.size()),
          outcomes_(scenes.size()) {}

    BatchResult run() {
        StageClock clock;
        for (std::size_t i = 0; i < scenes_.size(); ++i) announce(i);
        const ThreadLimit limit(options_.threads);
        all_threads_ = omp_get_max_threads();
        // Sums of inputs take a core each: one could not feed a GPU.
        std::vector<std::thread> readers(static_cast<std::size_t>(std::clamp(omp_get_max_threads() / 4, 1, 4)));
        reading_ = readers.size();
        for (std::thread& reader : readers) reader = std::thread(in_same_job([&] { make_ready(); }));
        std::vector<std::thread> workers;
        for (const std::string& device : options_.devices) workers.emplace_back(in_same_job([&] { work(device); }));
        for (std::thread& worker : workers) worker.join();
        for (std::thread& reader : readers) reader.join();
        if (nothing_opened_ && first_failure_) std::rethrow_exception(first_failure_);
        BatchResult result{.scenes = std::move(outcomes_), .wall_s = clock.lap()};
        result.exit_code = exit_code_of(result.scenes);
        return result;
    }

private:
    /// A scene that the reader has made ready and that no other run works on.
    struct Ready {
        std::size_t scene = 0;
        FocusTask task;
        SceneLocks::Held held;
    };

    SceneStatus& status(std::size_t scene) { return outcomes_[scene].status; }
    std::string path_of_status(std::size_t scene) const { return status_path(options_.folder, scenes_[scene].name); }

    /// What is to come; what is done already stays noted until it is to be done again.
    void announce(std::size_t scene) {
        SceneStatus& now = status(scene);
        now.scene = scenes_[scene].name;
        const auto held = locks_.take(now.scene);
        if (!held) return;
        const std::string path = path_of_status(scene);
        abandoned_.remove_of(path);
        const auto then = options_.resume ? read_status(path) : std::nullopt;
        if (then) now = *then;
        if (now.state == SceneState::done) return;
        now.state = SceneState::pending;
        now.exit_code.reset();
        now.error.clear();
        write_status(path, now);
    }

    void make_ready() {
        while (ready_.wait_for_room() && !stop_requested()) {
            const std::size_t i = next_++;
            if (i >= scenes_.size()) break;
            const LogScene logged(scenes_[i].name);
            try {
                if (auto scene = prepare(i)) ready_.put(std::move(*scene));
            } catch (const Interrupted&) {  // it was not begun
            } catch (...) {
                note_failure(i, std::current_exception());
            }
        }
        if (--reading_ == 0) ready_.close();
    }

    /// None where nothing is to do.
    std::optional<Ready> prepare(std::size_t scene) {
        const FocusJob& job = scenes_[scene].job;
        const std::string path = path_of_status(scene);
        auto held = locks_.take(scenes_[scene].name);
        const auto then = options_.resume || !held ? read_status(path) : std::nullopt;
        if (!held) {
            if (then) status(scene) = *then;
            status(scene).scene = scenes_[scene].name;
            outcomes_[scene].elsewhere = true;
            log_info("another run works on it");
            return std::nullopt;
        }
        SceneStatus& now = status(scene);
        now = {};
        now.scene = scenes_[scene].name;
        now.host = host_name();
        now.process = getpid();
        for (const std::string& file : {job.output, job.png, job.report, state_name(unfinished_name(job.output))})
            if (!file.empty()) abandoned_.remove_of(file);
        FocusTask task(job);
        now.parameters = task.parameters();
        now.parameters_sha256 = task.parameters_sha256();
        take_input(job.input, now);
        const bool same_file = then && then->input.path == now.input.path && then->input.bytes == now.input.bytes &&
                               then->input_modified == now.input_modified;
        if (same_file) now.input.sha256 = then->input.sha256;
        if (is_done(then, now, options_.folder)) return pass_over(scene, *then);
        now.input.sha256 =
            known_sha256(job.input);  // all of it is in the system's cache now: this is the reading ahead
        if (is_done(then, now, options_.folder)) return pass_over(scene, *then);
        if (options_.resume && is_made(job, now)) return note_made(scene);
        if (then && then->state == SceneState::done) log_info("is made again: {}", difference(*then, now));
        if (!then || !same_work(*then, now)) forget_unfinished(job);
        return Ready{scene, std::move(task), std::move(*held)};
    }

    /// What was touched since, but is the same, need not be read again the next time.
    std::nullopt_t pass_over(std::size_t scene, const SceneStatus& then) {
        SceneStatus& now = status(scene);
        const StoredFile input = now.input;
        const std::string modified = now.input_modified;
        now = then;
        now.input = input;
        now.input_modified = modified;
        if (modified != then.input_modified) write_status(path_of_status(scene), now);
        outcomes_[scene].done_before = true;
        log_info("is done already");
        return std::nullopt;
    }

    std::nullopt_t note_made(std::size_t scene) {
        const FocusJob& job = scenes_[scene].job;
        std::vector<StoredFile> products;
        for (const std::string& file : {job.output, job.png, job.report})
            if (!file.empty()) products.push_back(stored_file(file));
        outcomes_[scene].done_before = true;
        note_done(scene, std::move(products));
        log_info("is done already, as its image says");
        return std::nullopt;
    }

    static void forget_unfinished(const FocusJob& job) {
        const std::string unfinished = unfinished_name(job.output);
        remove_file(state_name(unfinished));
        remove_file(unfinished);
    }

    /// Several scenes at once: while one is computed, others are planned, read and written.
    void work(const std::string& name) {
        std::vector<std::thread> beside;
        guard(name, [&] {
            StageClock clock;
            const auto device = open_device(name, options_.threads);
            device->synchronize();  // no scene is given to one that does not work
            const double open_s = clock.lap();
            nothing_opened_ = false;
            const DeviceInfo info = device->info();
            log_info("computing on {} ({})", info.name, info.description);
            const BatchHands hands = batch_hands(scenes_, info, options_.at_once, all_threads_);
            for (int i = 1; i < hands.scenes; ++i) {
                ready_.join();
                beside.emplace_back(in_same_job([this, name = info.name, threads = hands.threads] {
                    const ThreadLimit limit(threads);
                    guard(name, [&] { work_with(*open_device(name, threads), 0, false); });
                }));
            }
            const ThreadLimit limit(hands.threads);
            const bool alone = hands.scenes == 1 && options_.devices.size() == 1;
            if (hands.threads == all_threads_)
                work_with(*device, open_s, alone);
            else
                work_with(*open_device(info.name, hands.threads), open_s, alone);
        });
        for (std::thread& worker : beside) worker.join();
    }

    /// Work of one taker of scenes, whose failure is told.
    template <class Work>
    void guard(const std::string& name, Work work) {
        try {
            work();
        } catch (...) {
            const std::exception_ptr failure = std::current_exception();
            const bool told_at_the_end = nothing_opened_ && options_.devices.size() == 1;
            if (!told_at_the_end) log_error("{}: {}", name, failure_of(failure).text);
            const std::lock_guard lock(failure_mutex_);
            if (!first_failure_) first_failure_ = failure;
        }
        ready_.leave();
    }

    /// `alone`: no other scene is computed at the same time.
    void work_with(Device& device, double open_s, bool alone) {
        std::future<void> summing_up;
        while (!stop_requested()) {
            auto next = ready_.take();
            if (!next) break;
            const std::size_t scene = next->scene;
            const LogScene logged(scenes_[scene].name);
            try {
                FocusRun run = form(*next, device, open_s, alone);
                if (summing_up.valid()) summing_up.get();
                summing_up = std::async(std::launch::async,
                                        in_same_job([this, ready = std::move(*next), made = std::move(run)]() mutable {
                                            sum_up(ready, std::move(made));
                                        }));
            } catch (...) {
                note_failure(scene, std::current_exception());
                if (!stop_requested() && !still_works(device))
                    throw DeviceError("the device does not answer any more; no further scene is given to it");
            }
        }
    }

    FocusRun form(const Ready& next, Device& device, double open_s, bool alone) {
        SceneStatus& now = status(next.scene);
        now.state = SceneState::running;
        now.device = device.info().name;
        now.started_at = now_utc();
        write_status(path_of_status(next.scene), now);
        const Progress progress = alone ? console_progress() : Progress{};
        Device* const one = &device;
        return next.task.run(std::span(&one, 1), progress, open_s, now.input.sha256);
    }

    /// Beside the next scene.
    void sum_up(const Ready& done, FocusRun run) {
        const LogScene logged(scenes_[done.scene].name);
        try {
            if (!done.task.job().report.empty()) run.products.push_back(stored_file(done.task.job().report));
            status(done.scene).wall_s = run.wall_s;
            note_done(done.scene, std::move(run.products));
            log_info("{}", summary_line(run));
        } catch (...) {
            note_failure(done.scene, std::current_exception());
        }
    }

    void note_done(std::size_t scene, std::vector<StoredFile> products) {
        add_sums(products);
        for (StoredFile& file : products) file.path = fs::path(file.path).lexically_proximate(options_.folder);
        SceneStatus& now = status(scene);
        now.products = std::move(products);
        now.state = SceneState::done;
        now.exit_code = exit_code::success;
        now.finished_at = now_utc();
        write_status(path_of_status(scene), now);
    }

    void note_failure(std::size_t scene, const std::exception_ptr& error) {
        const Failure failure = failure_of(error);
        log_error("{}", failure.text);
        SceneStatus& now = status(scene);
        now.state = is_interrupted(failure.code) ? SceneState::interrupted : SceneState::failed;
        now.exit_code = failure.code;
        now.error = failure.text;
        now.finished_at = now_utc();
        try {
            write_status(path_of_status(scene), now);
        } catch (const std::exception& e) {
            log_error("{}", e.what());
        }
    }

    static int exit_code_of(const std::vector<SceneOutcome>& scenes) {
        if (stop_requested()) return interrupted_exit_code();
        const auto any = [&](SceneState state) {
            return std::any_of(scenes.begin(), scenes.end(),
                               [&](const SceneOutcome& s) { return !s.elsewhere && s.status.state == state; });
        };
        return any(SceneState::failed)    ? exit_code::check_failed
               : any(SceneState::pending) ? exit_code::device_failure
                                          : exit_code::success;
    }

    const std::vector<SceneJob>& scenes_;
    const BatchOptions& options_;
    SceneLocks locks_;
    AbandonedFiles abandoned_;
    int all_threads_ = 1;  // of the processor, that this batch may have
    ReadyQueue<Ready> ready_;
    std::vector<SceneOutcome> outcomes_;             // each is touched by whoever has its scene
    std::atomic<std::size_t> next_{0}, reading_{0};  // scene that is to be made ready; readers at work
    std::atomic<bool> nothing_opened_{true};
    std::mutex failure_mutex_;
    std::exception_ptr first_failure_;
};

}  // namespace

BatchResult run_batch(const std::vector<SceneJob>& scenes, const BatchOptions& options) {
    return Batch(scenes, options).run();
}

}  // namespace cornerturn
