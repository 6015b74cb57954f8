// SPDX-License-Identifier: Apache-2.0
#include "app/verbs/each_burst.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <system_error>

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
        try {
            if (at_once == 1)
                work_at_once(bursts_.size(), 1, [&](std::size_t i) { take(i, devices, console_progress()); });
            else
                share_out(bursts_.size(), at_once, [&](bool first) { return worker(*devices.front(), first); });
        } catch (const Interrupted&) {
            if (bursts_.front().safe) throw;  // which is not there before all are
            throw interrupted_after(done_, bursts_.size(), "burst");
        }
        return told_refusals();
    }

private:
    /// With a device of its own; the first thread on the one that is there, unless that computes with all cores, which
    /// would take them from the others.
    NumberedWork worker(Device& device, bool first) {
        std::shared_ptr<Device> own;
        if (!first || device.info().shares_host_memory) {
            try {
                own = open_device(device.info().name, omp_get_max_threads());
                own->synchronize();
            } catch (const DeviceError&) {
                if (first) throw;
                return {};
            }
        }
        return [this, own, one = own ? own.get() : &device](std::size_t i) { take(i, std::span(&one, 1), {}); };
    }

    void take(std::size_t i, std::span<Device* const> devices, const Progress& progress) {
        try {
            work_(bursts_[i], devices, progress);
            ++done_;
        } catch (const InputError& error) {
            refusals_[i] = error.what();
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
    std::atomic<std::size_t> done_{0};
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

void share_out(std::size_t count, int at_once, const std::function<NumberedWork(bool first)>& worker) {
    const int threads = std::max(1, omp_get_max_threads() / at_once);
    std::atomic<std::size_t> next{0};
    const auto take = [&](bool first) {
        const ThreadLimit limit(threads);
        try {
            const NumberedWork work = worker(first);
            if (!work) return;
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
    for (int i = 1; i < at_once; ++i) beside.push_back(std::async(std::launch::async, in_same_job(take), false));
    take(true);
    for (std::future<void>& other : beside) other.get();
}

void work_at_once(std::size_t count, int at_once, const NumberedWork& work) {
    share_out(count, at_once, [&](bool) { return work; });
}

int focus_each_burst(const std::vector<FocusJob>& bursts, std::span<Device* const> devices, int at_once,
                     const BurstWork& work) {
    return EachBurst(bursts, work).run(devices, devices.size() > 1 ? 1 : at_once);
}

}  // namespace cornerturn
