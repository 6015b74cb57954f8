// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app/program.h"
#include "data/hdf5/hdf5.h"

// Sanitizers end a process that they complain of by the exit code 1 unless they are told another; 1 is one of ours.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): they look for these names
extern "C" const char* __asan_default_options() {
    return "exitcode=86:allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=16";
}
extern "C" const char* __ubsan_default_options() { return "exitcode=86:print_stacktrace=1"; }
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace cornerturn::fuzz {
namespace {

namespace fs = std::filesystem;

void limit(__rlimit_resource what, rlim_t to) {
    const rlimit both{to, to};
    if (to > 0) setrlimit(what, &both);
}

[[noreturn]] void be_the_program(const std::vector<std::string>& words, const Limits& limits, int said) {
    dup2(open("/dev/null", O_RDWR), STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    limit(RLIMIT_CPU, limits.cpu_s);
    limit(RLIMIT_FSIZE, limits.file_bytes);
    limit(RLIMIT_CORE, 0);
    alarm(limits.wall_s);
    setenv("CORNERTURN_THREADS", "1", 1);
    setenv("CORNERTURN_DEVICE", "cpu", 1);
    setenv("CORNERTURN_MAX_MEMORY", "400M", 1);
    std::vector<const char*> arguments{"cornerturn"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    const int code = run_program(static_cast<int>(arguments.size()), arguments.data());
    spdlog::default_logger()->flush();
    std::cout.flush();
    std::fflush(nullptr);
    _exit(code);
}

std::string read_all(int file) {
    std::string text;
    std::array<char, 4096> piece{};
    lseek(file, 0, SEEK_SET);
    for (ssize_t got = 0; (got = read(file, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(got));
    return text;
}

/// Now, not at its height: a new process begins with that.
std::int64_t own_memory_kb() {
    std::ifstream in("/proc/self/statm");
    std::int64_t reserved = 0, resident = 0;
    in >> reserved >> resident;
    return resident * sysconf(_SC_PAGESIZE) / 1024;
}

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

bool is_readable(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) != 0x7f);
    });
}

}  // namespace

Trial run_words(const std::vector<std::string>& words, const Limits& limits) {
    std::FILE* const said = std::tmpfile();
    const std::int64_t before_kb = own_memory_kb();
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process == 0) be_the_program(words, limits, fileno(said));
    int status = 0;
    rusage used{};
    wait4(process, &status, 0, &used);
    Trial trial{.code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
                .cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime),
                .taken_kb = used.ru_maxrss - before_kb,
                .said = read_all(fileno(said))};
    std::fclose(said);
    return trial;
}

std::string text_of(const std::vector<std::string>& words) {
    return fmt::format("cornerturn {}", fmt::join(words, " "));
}

std::string fault_of(const Trial& trial, const Limits& limits, std::int64_t memory_kb) {
    // A warning says only that memory was refused.
    if (trial.said.find("ERROR: AddressSanitizer") != std::string::npos ||
        trial.said.find("runtime error:") != std::string::npos)
        return "a sanitizer complains";
    if (trial.code == -SIGXCPU || trial.code == -SIGKILL)
        return fmt::format("was not done after {} s of processor time", limits.cpu_s);
    if (trial.code == -SIGALRM) return fmt::format("was not done after {} s", limits.wall_s);
    if (trial.code < 0) return fmt::format("signal {}", -trial.code);
    if (trial.code > 3) return fmt::format("exit code {}", trial.code);
    if (trial.taken_kb > memory_kb) return fmt::format("took {} MB of memory", trial.taken_kb / 1024);
    if (trial.code > 1 && trial.said.find("error: ") == std::string::npos) return "says no reason";
    if (!is_readable(trial.said)) return "says what cannot be read";
    if (trial.code > 1 && trial.said.size() - trial.said.find("error: ") > 3000) return "says too much";
    return {};
}

std::string fault_of_leftovers(const std::string& folder, int code) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name == ".batch.lock") continue;
        if (name.starts_with('.')) return fmt::format("left {}", name);
        if (entry.is_directory() || name.ends_with(".status.json")) continue;  // of a batch
        if (code > 1) return fmt::format("left {} though it failed", name);
        if (name.ends_with(".h5") && H5Fis_hdf5(entry.path().c_str()) <= 0) return fmt::format("left half of {}", name);
    }
    return {};
}

}  // namespace cornerturn::fuzz
