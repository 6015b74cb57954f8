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

#include "kernels/errors.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

Verbosity chosen = Verbosity::normal;

extern "C" void request_stop(int signal) {
    interrupt_requested.store(true);
    std::signal(signal, SIG_DFL);  // a second one ends the program at once
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
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
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
    } catch (const Interrupted&) {
        spdlog::error("interrupted; nothing was written");
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
