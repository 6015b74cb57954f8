// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/each_burst.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "app/console.h"
#include "app/log.h"
#include "kernels/errors.h"
#include "kernels/host/same_job.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// Of a file, or of all in a folder; nothing where one cannot be looked at.
std::optional<std::uintmax_t> bytes_at(const std::string& path) {
    std::error_code error;
    std::uintmax_t bytes = 0;
    if (!fs::is_directory(path, error)) {
        bytes = fs::file_size(path, error);
    } else {
        for (fs::recursive_directory_iterator it(path, error), end; !error && it != end; it.increment(error))
            if (it->is_regular_file(error)) bytes += it->file_size(error);
    }
    return error ? std::nullopt : std::optional(bytes);
}

/// At most `most` of these bursts, in so much memory.
int bursts_with_room(const std::vector<FocusJob>& bursts, std::uintmax_t free_bytes, int most) {
    // Of packets: samples of 3 bits become lines of complex64 with four cells a sample.
    constexpr std::uintmax_t bytes_of_burst_per_byte_of_file = 80;
    if (bursts.front().image.max_memory) return 1;
    const std::optional<std::uintmax_t> of_all = bytes_at(bursts.front().input);
    if (!of_all) return 1;
    const std::uintmax_t bytes = std::max<std::uintmax_t>(1, *of_all / bursts.size());
    return std::min(jobs_with_room(free_bytes, bytes_of_burst_per_byte_of_file * bytes, most),
                    static_cast<int>(bursts.size()));
}

class EachBurst {
public:
    EachBurst(const std::vector<FocusJob>& bursts, const BurstWork& work)
        : bursts_(bursts), work_(work), refusals_(bursts.size()) {}

    int run(std::span<Device* const> devices, int at_once) {
        if (at_once == 1)
            take(devices, console_progress());
        else
            share(*devices.front(), at_once);
        try {
            if (failure_) std::rethrow_exception(failure_);
        } catch (const Interrupted&) {
            if (bursts_.front().safe) throw;  // which is not there before all are
            throw interrupted_after(done_, bursts_.size(), "burst");
        }
        return told_refusals();
    }

private:
    void share(Device& device, int at_once) {
        const int threads = std::max(1, omp_get_max_threads() / at_once);
        const std::string name = device.info().name;
        std::vector<std::thread> beside;
        for (int i = 1; i < at_once; ++i)
            beside.emplace_back(in_same_job([this, threads, &name] {
                const ThreadLimit limit(threads);
                std::unique_ptr<Device> own;
                try {
                    own = open_device(name, threads);
                    own->synchronize();
                } catch (const DeviceError&) {
                    return;  // the others take its bursts
                }
                Device* const one = own.get();
                take(std::span(&one, 1), {});
            }));
        const ThreadLimit limit(threads);
        // One that computes with all cores would take them from the others.
        const auto own = device.info().shares_host_memory ? open_device(name, threads) : nullptr;
        Device* const one = own ? own.get() : &device;
        take(std::span(&one, 1), {});
        for (std::thread& worker : beside) worker.join();
    }

    /// One burst after the other, until none is left.
    void take(std::span<Device* const> devices, const Progress& progress) {
        guard([&] {
            for (std::size_t i = next_++; i < bursts_.size(); i = next_++) {
                throw_if_interrupted();
                try {
                    work_(bursts_[i], devices, progress);
                    ++done_;
                } catch (const InputError& error) {
                    refusals_[i] = error.what();
                }
            }
        });
    }

    template <class Work>
    void guard(const Work& work) {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            next_ = bursts_.size();
        }
    }

    int told_refusals() const {
        std::vector<Refusal> refused;
        for (std::size_t i = 0; i < bursts_.size(); ++i)
            if (!refusals_[i].empty())
                refused.push_back(
                    {fmt::format("{} {}", bursts_[i].frames.swath, bursts_[i].frames.burst), refusals_[i]});
        if (refused.size() == bursts_.size())
            throw InputError(fmt::format("{}: none of {} bursts was focused; burst {}: {}", bursts_.front().input,
                                         bursts_.size(), refused.front().name, refused.front().reason));
        return tell_refusals(refused, bursts_.size(), "burst");
    }

    const std::vector<FocusJob>& bursts_;
    const BurstWork& work_;
    std::vector<std::string> refusals_;  // of each burst; each is touched by whoever has it
    std::atomic<std::size_t> next_{0}, done_{0};
    std::mutex mutex_;
    std::exception_ptr failure_;  // the first that was no refusal
};

}  // namespace

int tell_refusals(const std::vector<Refusal>& refused, std::size_t all, const char* what) {
    if (refused.empty()) return exit_code::success;
    std::string names;
    for (const auto& [name, reason] : refused) {
        log_error("{} {}: {}", what, name, reason);
        names += (names.empty() ? "" : ", ") + name;
    }
    log_error("{} of {} {}s were refused ({}); the others are done", refused.size(), all, what, names);
    return exit_code::check_failed;
}

Interrupted interrupted_after(std::size_t done, std::size_t all, const char* what) {
    return done == 0 ? Interrupted() : Interrupted(fmt::format("{} of {} {}s are done", done, all, what));
}

int jobs_with_room(std::uintmax_t free_bytes, std::uintmax_t bytes, int most) {
    const std::uintmax_t room = free_bytes / 2 / bytes;
    return static_cast<int>(std::clamp<std::uintmax_t>(room, 1, static_cast<std::uintmax_t>(most)));
}

int bursts_at_once(const std::vector<FocusJob>& bursts, const DeviceInfo& device, int threads) {
    const FocusJob& job = bursts.front();
    if (job.json.instead_of_text() || !job.stage_folder.empty()) return 1;
    return bursts_with_room(bursts, device.memory_free_bytes,
                            std::clamp(threads / 4, 1, device.shares_host_memory ? 3 : 6));
}

int plans_at_once(const std::vector<FocusJob>& bursts, std::uintmax_t free_bytes, int threads) {
    return bursts_with_room(bursts, free_bytes, std::max(1, threads));
}

void work_at_once(std::size_t count, int at_once, const std::function<void(std::size_t)>& work) {
    const int threads = std::max(1, omp_get_max_threads() / at_once);
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
        const ThreadLimit limit(threads);
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                throw_if_interrupted();
                work(i);
            }
        } catch (...) {
            next = count;
            throw;
        }
    };
    std::vector<std::future<void>> beside;
    for (int i = 1; i < at_once; ++i) beside.push_back(std::async(std::launch::async, in_same_job(take)));
    take();
    for (std::future<void>& worker : beside) worker.get();
}

int focus_each_burst(const std::vector<FocusJob>& bursts, std::span<Device* const> devices, int at_once,
                     const BurstWork& work) {
    return EachBurst(bursts, work).run(devices, devices.size() > 1 ? 1 : at_once);
}

}  // namespace cornerturn
