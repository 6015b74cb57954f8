// SPDX-License-Identifier: Apache-2.0
#include "app/bench/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "pipeline/echo/stage_clock.h"

namespace cornerturn {
namespace {

/// Standard streams of a process that is to be started.
class Streams {
public:
    explicit Streams(const std::string& errors) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        if (stop_requested()) kill(process, SIGTERM);
    return status;
}

std::string last_line(const std::string& path) {
    std::ifstream file(path);
    std::string last;
    for (std::string line; std::getline(file, line);)
        if (!line.empty()) last = line;
    return last;
}

}  // namespace

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

double process_ms(const std::string& program, const std::vector<std::string>& words, const std::string& folder) {
    throw_if_interrupted();
    const std::string errors = folder + "/errors";
    const Streams streams(errors);
    std::vector<char*> arguments{const_cast<char*>(program.c_str())};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = 0;
    const StageClock clock;
    if (const int error = posix_spawn(&process, program.c_str(), streams.get(), nullptr, arguments.data(), environ))
        throw DeviceError(fmt::format("{}: cannot be started: {}", program, std::strerror(error)));
    const int status = wait_for(process);
    const double ms = 1e3 * clock.total();
    throw_if_interrupted();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return ms;
    throw DeviceError(fmt::format("{} {}: {}: {}", program, fmt::join(words, " "),
                                  WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                                    : fmt::format("ended by signal {}", WTERMSIG(status)),
                                  last_line(errors)));
}

}  // namespace cornerturn
