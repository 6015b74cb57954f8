// SPDX-License-Identifier: Apache-2.0
#include "app/console.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "data/unfinished.h"
#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

Verbosity chosen = Verbosity::normal;

/// A first signal asks for an orderly end, a second one for the end at once. Nothing half-written is left either way.
extern "C" void request_stop(int) {
    if (!interrupt_requested.exchange(true)) return;
    remove_unfinished();
    _exit(exit_code::interrupted);
}

}  // namespace

void set_up_logging(Verbosity verbosity) {
    chosen = verbosity;
    auto logger = std::make_shared<spdlog::logger>("cornerturn", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern("%^%l%$: %v");
    logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::err
                      : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                        : spdlog::level::info);
    spdlog::set_default_logger(logger);
}

void install_signal_handlers() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, request_stop);
    if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // under nohup
    std::signal(SIGXFSZ, SIG_IGN);
}

Progress console_progress() {
    if (chosen == Verbosity::quiet || !isatty(STDERR_FILENO)) return {};
    return [](std::string_view stage, double fraction) {
        std::fprintf(stderr, "\r\033[K%3.0f %%  %.*s%s", 100 * fraction, static_cast<int>(stage.size()), stage.data(),
                     fraction >= 1 ? "\r\033[K" : "");
        std::fflush(stderr);
    };
}

void log_warnings(const std::vector<std::string>& warnings) {
    for (const auto& warning : warnings) spdlog::warn("{}", warning);
}

int run_guarded(const std::function<int()>& action) {
    try {
        return action();
    } catch (const Interrupted& e) {
        spdlog::error("{}", e.what());
        return exit_code::interrupted;
    } catch (const InputError& e) {
        spdlog::error("{}", e.what());
        return exit_code::bad_input;
    } catch (const DeviceError& e) {
        spdlog::error("{}", e.what());
    } catch (const std::bad_alloc&) {
        spdlog::error("out of memory; process a smaller scene or free memory");
    } catch (const std::exception& e) {
        spdlog::error("internal error: {}; please report it", e.what());
    }
    return exit_code::device_failure;
}

}  // namespace cornerturn
