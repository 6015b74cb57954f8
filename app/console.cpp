// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/log.h"
#include "data/files/unfinished.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

bool shows_progress = false;
thread_local std::string scene_of_thread;
std::optional<int> rank_of_job;
std::atomic<int> stop_signal{0};
std::atomic<bool> is_rank{false};
const StopRequest& stop_of_program = *new StopRequest;  // signals may come until the very end
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

constexpr int code_of(int signal) { return 128 + signal; }

/// A first signal asks for an orderly end, a second one for the end at once. Nothing half-written is left either way:
/// a launcher of ranks kills them a second after the first, on a busy machine before they have ended.
extern "C" void request_stop(int signal) {
    stop_signal = signal;
    const bool first = !stop_of_program.requested();
    stop_of_program.request();
    if (!first || is_rank) remove_unfinished();
    if (!first) _exit(code_of(signal));
}

/// Bytes of the UTF-8 character that `text` begins with; 0 where it begins with none.
std::size_t character_bytes(std::string_view text) {
    const auto ones = static_cast<std::size_t>(std::countl_one(static_cast<unsigned char>(text.front())));
    if (ones == 0) return 1;
    if (ones == 1 || ones > 4 || ones > text.size()) return 0;
    const std::string_view others = text.substr(1, ones - 1);
    const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    return std::all_of(others.begin(), others.end(), goes_on) ? ones : 0;
}

/// In hexadecimal what a terminal would take for a command and what is no text: words of damaged files are said.
void add_printable(std::string_view text, spdlog::memory_buf_t& to) {
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const bool control = bytes == 1 && std::iscntrl(static_cast<unsigned char>(text[0]));
        if (bytes == 0 || control)
            fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        else
            to.append(text.data(), text.data() + bytes);
        text.remove_prefix(std::max<std::size_t>(1, bytes));
    }
}

/// `%*` of a pattern: the scene that the thread is at.
class SceneFlag final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg&, const std::tm&, spdlog::memory_buf_t& to) override {
        if (!scene_of_thread.empty()) add_printable(scene_of_thread + ": ", to);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<SceneFlag>(); }
};

/// `%&` of a pattern: the message.
class PrintableFlag final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& to) override {
        add_printable({message.payload.data(), message.payload.size()}, to);
    }
    std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<PrintableFlag>(); }
};

/// One object a line; spdlog's patterns escape nothing.
class JsonLines final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& to) override {
        const auto whole = std::chrono::floor<std::chrono::milliseconds>(message.time.time_since_epoch()).count();
        const std::string_view level = spdlog::level::to_string_view(message.level).data();
        nlohmann::ordered_json line{
            {"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole / 1000)),
                                 whole % 1000)},
            {"level", level}};
        if (rank_of_job) line["rank"] = *rank_of_job;
        if (!scene_of_thread.empty()) line["scene"] = scene_of_thread;
        line["message"] = std::string_view(message.payload.data(), message.payload.size());
        const std::string text = line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
        to.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<formatter> clone() const override { return std::make_unique<JsonLines>(); }
};

std::unique_ptr<spdlog::formatter> formatter_of(LogFormat format) {
    if (format == LogFormat::json) return std::make_unique<JsonLines>();
    auto lines = std::make_unique<spdlog::pattern_formatter>();
    lines->add_flag<SceneFlag>('*').add_flag<PrintableFlag>('&').set_pattern("%^%l%$: %*%&");
    return lines;
}

spdlog::level::level_enum level_of(Verbosity verbosity) {
    switch (verbosity) {
        case Verbosity::silent: return spdlog::level::off;
        case Verbosity::quiet: return spdlog::level::err;
        case Verbosity::warnings: return spdlog::level::warn;
        case Verbosity::normal: return spdlog::level::info;
        case Verbosity::verbose: return spdlog::level::debug;
    }
    return spdlog::level::info;
}

/// What standard output says of its end: a full disk, or a reader that has gone, which is none of its faults and told
/// as the signal would tell it, by the exit code alone.
std::optional<Failure> output_failure(const std::exception_ptr& error) {
    if (std::ferror(stdout) == 0) return std::nullopt;
    try {
        std::rethrow_exception(error);
    } catch (const std::system_error& e) {
        if (e.code().value() == EPIPE) return Failure{code_of(SIGPIPE), ""};
        return Failure{exit_code::device_failure,
                       fmt::format("standard output: cannot be written: {}", std::strerror(e.code().value()))};
    } catch (...) {
        return std::nullopt;
    }
}

}  // namespace

void set_up_logging(Verbosity verbosity, LogFormat format) {
    shows_progress = verbosity >= Verbosity::normal && format == LogFormat::text && isatty(STDERR_FILENO);
    auto logger =
        std::make_shared<spdlog::logger>("cornerturn", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_formatter(formatter_of(format));
    logger->set_level(level_of(verbosity));
    spdlog::set_default_logger(logger);
}

void work_as_rank(int rank) {
    rank_of_job = rank;
    is_rank = true;
}

LogScene::LogScene(std::string name) { scene_of_thread = std::move(name); }
LogScene::~LogScene() { scene_of_thread.clear(); }

int interrupted_exit_code() { return stop_signal == 0 ? exit_code::interrupted : code_of(stop_signal); }

const StopRequest& stop_on_signals() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, request_stop);
    if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under nohup
    std::signal(SIGXFSZ, SIG_IGN);
    return stop_of_program;
}

Progress console_progress() {
    if (!shows_progress) return {};
    return [](std::string_view stage, double fraction) {
        std::fprintf(stderr, "\r\033[K%3.0f %%  %.*s%s", 100 * fraction, static_cast<int>(stage.size()), stage.data(),
                     fraction >= 1 ? "\r\033[K" : "");
        std::fflush(stderr);
    };
}

void log_warnings(const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings) log_warning("{}", warning);
}

void say_errors() { spdlog::set_level(spdlog::level::err); }

void log_text(LogLevel level, const std::string& text) {
    switch (level) {
        case LogLevel::debug: return spdlog::debug(text);
        case LogLevel::info: return spdlog::info(text);
        case LogLevel::warning: return spdlog::warn(text);
        case LogLevel::error: return spdlog::error(text);
    }
}

void reserve_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest number that is free
}

Failure failure_of(const std::exception_ptr& error) {
    if (const auto failure = output_failure(error)) return *failure;
    const KnownFailure known = known_failure(error);
    switch (known.kind) {
        case FailureKind::interrupted: return {interrupted_exit_code(), known.text};
        case FailureKind::input: return {exit_code::bad_input, known.text};
        case FailureKind::device: return {exit_code::device_failure, known.text};
        case FailureKind::none:
        case FailureKind::other: break;
    }
    return {exit_code::internal_error, fmt::format("internal error: {}; please report it", known.text)};
}

int run_guarded(const std::function<int()>& action) {
    try {
        const int code = action();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
            throw std::system_error(errno, std::generic_category());
        return code;
    } catch (...) {
        const Failure failure = failure_of(std::current_exception());
        if (!failure.text.empty()) log_error("{}", failure.text);
        return failure.code;
    }
}

}  // namespace cornerturn
