// SPDX-License-Identifier: Apache-2.0
#include "app/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "app/common_options.h"
#include "app/console.h"
#include "app/general_options.h"
#include "app/help.h"
#include "app/log.h"
#include "app/verb.h"
#include "app/verbs/verbs.h"
#include "app/version.h"
#include "data/hdf5/at_exit.h"
#include "kernels/host/line_fft.h"
#include "kernels/interrupt.h"
#include "pipeline/ranks/launch.h"

namespace cornerturn {
namespace {

/// The work of a verb is shared among ranks, or done by each of them for itself, where scenes are taken one after the
/// other.
std::string refusal_of_ranks(const CLI::App& app, const Launch& launch) {
    if (launch.alone() || app.got_subcommand("focus") || app.got_subcommand("batch")) return {};
    return fmt::format("{}: is no work for {} ranks (focus is, and batch); start it without mpirun",
                       app.get_subcommands().front()->get_name(), launch.size);
}

/// Of a rank that says nothing, bad input is told by rank 0, whose code is the job's: a launcher ends all ranks when
/// one fails, and on a busy machine rank 0 would be ended before it has spoken.
int code_of_rank(bool speaks, int code) { return !speaks && code == exit_code::bad_input ? exit_code::success : code; }

bool follows_json(const std::vector<std::string>& words, const std::string& word) {
    const auto found = std::find(words.begin(), words.end(), word);
    return found != words.begin() && found != words.end() && *(found - 1) == "--json=-";
}

}  // namespace

int run_program(int argc, const char* const* argv) {
    reserve_standard_streams();
    h5::leave_nothing_to_exit();
    CLI::App app{"Simulates, focuses, verifies and pictures synthetic aperture radar scenes, on the GPU or the CPU.",
                 "cornerturn"};
    use_short_help(app);
    app.set_version_flag("--version", fmt::format("cornerturn {}\ntransforms on the CPU: {}", version, fft_library()));
    app.require_subcommand(1);
    app.fallthrough();
    app.footer(R"(Examples:
  cornerturn simulate spaceborne -o raw.h5
  cornerturn focus raw.h5 -o slc.h5 --png slc.png
  cornerturn analyze slc.h5

Exit codes: 0 success; 1 a check failed, or a scene of several; 2 bad input or usage, or a job that does not fit
(the same command fails again); 3 device or system failure (another try may succeed); 4 internal error;
130 interrupted; 143 terminated.)");
    GeneralOptions general;
    add_general_options(app, general);

    Action action;
    for (auto add : {add_focus, add_batch, add_simulate, add_analyze, add_verify, add_compare, add_doppler, add_info,
                     add_convert, add_multilook, add_quicklook, add_devices, add_bench, add_completion})
        add(Verb(app, action));
    take_environment(app);
    explain_rare_of_few(app);

    const Launch launch = launch_from_environment();
    if (!launch.alone()) work_as_rank(launch.rank);
    set_up_logging(launch.leads() ? Verbosity::normal : Verbosity::silent, log_format_before_parsing(argc, argv));
    const std::vector<std::string> words = with_json_values({argv + std::min(argc, 1), argv + argc});
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes the last one first
    } catch (const CLI::Success& help_or_version) {
        return launch.leads() ? run_guarded([&] { return app.exit(help_or_version); }) : exit_code::success;
    } catch (const CLI::ParseError& error) {
        const std::vector<std::string> unknown = app.remaining(true);  // CLI11 looks first for what is missing
        const std::string fault = fault_of_values(app);
        log_error("{}; see cornerturn --help",
                  !fault.empty()    ? fault
                  : unknown.empty() ? error.what()
                  : follows_json(words, unknown.front())
                      ? unknown.front() + ": a report that does not end in .json is named by --json=FILE"
                      : unknown_word(app, unknown.front()));
        return code_of_rank(launch.leads(), exit_code::bad_input);
    }
    if (const std::string fault = fault_of_values(app); !fault.empty()) {
        log_error("{}; see cornerturn --help", fault);
        return code_of_rank(launch.leads(), exit_code::bad_input);
    }
    const bool speaks = launch.leads() || app.got_subcommand("batch");
    set_up_logging(speaks ? general.verbosity() : Verbosity::silent, general.format());
    if (const std::string refusal = refusal_of_ranks(app, launch); !refusal.empty()) {
        log_error("{}", refusal);
        return code_of_rank(speaks, exit_code::bad_input);
    }
    const JobScope job(stop_on_signals());
    return code_of_rank(speaks, run_guarded(action));
}

}  // namespace cornerturn
