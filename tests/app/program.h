// SPDX-License-Identifier: Apache-2.0
// Runs the built program as its users do: a process with arguments and signals, of which only the exit code, two
// streams and files are seen.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace cornerturn {

/// The program of this build lies beside its tests: no path of this checkout is compiled into them, so that ccache has
/// them for another one.
inline std::string built_program() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cornerturn").string();
}

/// A process of the program that is still running.
class Program {
public:
    using Words = std::vector<std::string>;

    /// `folder`: an existing one for what it says on its streams. `prepare` runs in the new process.
    Program(const std::string& folder, const Words& arguments, const std::function<void()>& prepare = {},
            const std::string& program = built_program())
        : out_(folder + "/program.out"), err_(folder + "/program.err") {
        std::vector<char*> words{const_cast<char*>(program.c_str())};
        for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
        std::fflush(nullptr);
        process_ = fork();
        if (process_ != 0) return;
        redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
        redirect(STDOUT_FILENO, out_, O_WRONLY | O_CREAT | O_TRUNC);
        redirect(STDERR_FILENO, err_, O_WRONLY | O_CREAT | O_TRUNC);
        if (prepare) prepare();
        execv(words[0], words.data());
        _exit(127);
    }
    ~Program() {
        if (process_ > 0) ::kill(process_, SIGKILL), wait();
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t process() const { return process_; }
    void send(int signal) const { ::kill(process_, signal); }
    /// Waits for its end. The exit code, or minus the signal that ended it.
    int wait() {
        int status = 0;
        waitpid(std::exchange(process_, 0), &status, 0);
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    std::string out() const { return text_of(out_); }
    std::string err() const { return text_of(err_); }

private:
    static void redirect(int stream, const std::string& path, int flags) {
        const int file = open(path.c_str(), flags, 0600);
        if (file < 0 || dup2(file, stream) < 0) _exit(126);
    }
    static std::string text_of(const std::string& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::string out_, err_;
    pid_t process_ = 0;
};

/// Waits until something is so; false after a minute.
inline bool comes_true(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
}

}  // namespace cornerturn
