// SPDX-License-Identifier: Apache-2.0
// What the verbs share: logging to standard error, progress on a terminal, and how failures become exit codes.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "kernels/interrupt.h"
#include "pipeline/echo/progress.h"

namespace cornerturn {

enum class Verbosity { silent, quiet, warnings, normal, verbose };
enum class LogFormat { text, json };

/// Exit codes of the program. After device_failure another try may do; after bad_input and internal_error the same will
/// fail again.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int check_failed = 1;
inline constexpr int bad_input = 2;
inline constexpr int device_failure = 3;
inline constexpr int internal_error = 4;
inline constexpr int interrupted =
    130;  ///< by SIGINT; by another signal: 128 and its number, so that SIGTERM gives 143
}  // namespace exit_code

/// Of several ranks of a job: what is logged from now on is this one's, and JSON says so. The first signal removes at
/// once what is unfinished.
void work_as_rank(int rank);

/// Sends spdlog to standard error: lines for people, coloured only on a terminal, or one JSON object a line with
/// `time`, `level`, `message` and, where there is one, `rank` and `scene`.
void set_up_logging(Verbosity verbosity, LogFormat format = LogFormat::text);

/// While it lives, what this thread logs is about this scene.
class LogScene {
public:
    explicit LogScene(std::string name);
    ~LogScene();
    LogScene(const LogScene&) = delete;
    LogScene& operator=(const LogScene&) = delete;
};

/// Lets SIGINT, SIGTERM and SIGHUP request a stop, a second of them end the program at once, and turns file-size limits
/// into errors of the writing call.
/// Returns that request.
const StopRequest& stop_on_signals();

/// Where a standard stream was closed, keeps the next file that is opened from taking its place: what is printed then
/// fails instead of going into that file.
void reserve_standard_streams();

/// 128 and the number of the signal that asked for the end; SIGINT where none has.
int interrupted_exit_code();

/// A line on standard error that is rewritten as stages go by; does nothing in a pipe, in JSON or when quiet.
Progress console_progress();

/// One warning line each.
void log_warnings(const std::vector<std::string>& warnings);

/// From now on errors are said, whatever was asked for.
void say_errors();

/// What an exception says to the user, and the exit code that it is worth.
struct Failure {
    int code = exit_code::internal_error;
    std::string text;
};
Failure failure_of(const std::exception_ptr& error);

/// Runs the action; a failure becomes one line on standard error and its exit code. So does a standard output that
/// does not take what was printed (device_failure); where its reader has gone, the code alone, that of SIGPIPE.
int run_guarded(const std::function<int()>& action);

}  // namespace cornerturn
