// SPDX-License-Identifier: Apache-2.0
// What the verbs share: logging to standard error, progress on a terminal, and how failures become exit codes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/run/progress.h"

namespace cornerturn {

enum class Verbosity { quiet, normal, verbose };

/// Exit codes of the program.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int check_failed = 1;
inline constexpr int bad_input = 2;
inline constexpr int device_failure = 3;
inline constexpr int interrupted = 130;
}  // namespace exit_code

/// Sends spdlog to standard error, coloured only on a terminal.
void set_up_logging(Verbosity verbosity);

/// Lets SIGINT, SIGTERM and SIGHUP request a stop, a second of them end the program at once, and turns file-size limits into errors of
/// the writing call.
void install_signal_handlers();

/// A line on standard error that is rewritten as stages go by; does nothing in a pipe or when quiet.
Progress console_progress();

/// One warning line each.
void log_warnings(const std::vector<std::string>& warnings);

/// Runs the action; a failure becomes one line on standard error and its exit code.
int run_guarded(const std::function<int()>& action);

}  // namespace cornerturn
