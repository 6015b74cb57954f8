// SPDX-License-Identifier: Apache-2.0
#include "tests/campaign/isolated.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

namespace cornerturn::campaign {
namespace {

using Clock = std::chrono::steady_clock;

struct Process {
    pid_t id = -1;
    int from = -1;  // read end of its pipe
    std::string said;
    Clock::time_point deadline;
};

Process start(double limit_s, const std::function<void(const Say&)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error(fmt::format("pipe: {}", std::strerror(errno)));
    std::fflush(nullptr);
    const pid_t id = fork();
    if (id < 0) throw std::runtime_error(fmt::format("fork: {}", std::strerror(errno)));
    if (id == 0) {
        close(ends[0]);
        const auto seconds = static_cast<rlim_t>(std::ceil(limit_s));
        const rlimit processor{seconds, seconds + 5}, no_core{0, 0};
        setrlimit(RLIMIT_CPU, &processor);
        setrlimit(RLIMIT_CORE, &no_core);
        int code = 0;
        try {
            work([&](const std::string& line) {
                const std::string text = line + '\n';
                for (std::size_t at = 0; at < text.size();) {
                    const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
                    if (written <= 0) _exit(1);
                    at += static_cast<std::size_t>(written);
                }
            });
        } catch (const std::exception& error) {
            fmt::print(stderr, "campaign: {}\n", error.what());
            code = 1;
        }
        std::fflush(nullptr);
        _exit(code);
    }
    close(ends[1]);
    return {id, ends[0], "", Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(10000 * limit_s))};
}

/// Reads what there is; false at the end.
bool read_from(Process& process) {
    char buffer[4096];
    const ssize_t got = read(process.from, buffer, sizeof(buffer));
    if (got > 0) process.said.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
}

Outcome end_of(Process& process, bool too_late, double limit_s) {
    if (too_late) kill(process.id, SIGKILL);
    int status = 0;
    while (waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
    }
    close(process.from);
    Outcome outcome;
    for (std::size_t at = 0; at < process.said.size();) {
        const std::size_t end = std::min(process.said.find('\n', at), process.said.size());
        outcome.lines.push_back(process.said.substr(at, end - at));
        at = end + 1;
    }
    if (too_late || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU)))
        outcome.end = fmt::format("took longer than {} s", limit_s);
    else if (WIFSIGNALED(status))
        outcome.end = fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        outcome.end = fmt::format("exit code {}", WEXITSTATUS(status));
    return outcome;
}

}  // namespace

void work_in_processes(std::size_t pieces, int jobs, double limit_s,
                       const std::function<void(std::size_t, const Say&)>& work,
                       const std::function<void(std::size_t, const Outcome&)>& done) {
    std::map<std::size_t, Process> running;
    std::map<std::size_t, Outcome> ended;
    std::size_t next = 0, told = 0;
    while (told < pieces) {
        while (next < pieces && running.size() < static_cast<std::size_t>(jobs)) {
            running.emplace(next, start(limit_s, [&, next](const Say& say) { work(next, say); }));
            ++next;
        }
        std::vector<pollfd> waited;
        for (const auto& [piece, process] : running) waited.push_back({process.from, POLLIN, 0});
        poll(waited.data(), waited.size(), 1000);
        std::size_t i = 0;
        for (auto at = running.begin(); at != running.end(); ++i) {
            Process& process = at->second;
            const bool too_late = Clock::now() > process.deadline;
            const bool over = (waited[i].revents != 0 && !read_from(process)) || too_late;
            if (over) ended.emplace(at->first, end_of(process, too_late, limit_s));
            at = over ? running.erase(at) : std::next(at);
        }
        for (auto first = ended.find(told); first != ended.end(); first = ended.find(++told)) {
            done(told, first->second);
            ended.erase(first);
        }
    }
}

Outcome work_in_process(double limit_s, const std::function<void(const Say&)>& work) {
    Outcome outcome;
    work_in_processes(
        1, 1, limit_s, [&](std::size_t, const Say& say) { work(say); },
        [&](std::size_t, const Outcome& ended) { outcome = ended; });
    return outcome;
}

}  // namespace cornerturn::campaign
