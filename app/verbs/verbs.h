// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line. Each adds its subcommand with options, help and an example, and leaves in `action`
// what to do when it was chosen; the action returns the exit code. Errors travel as the exceptions of kernels/errors.h;
// main() turns them into one line and an exit code. Results go to standard output, everything else through spdlog to
// standard error.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace cornerturn {

using Action = std::function<int()>;

void add_focus(CLI::App& app, Action& action);
void add_batch(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_analyze(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_doppler(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_multilook(CLI::App& app, Action& action);
void add_quicklook(CLI::App& app, Action& action);
void add_devices(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

}  // namespace cornerturn
