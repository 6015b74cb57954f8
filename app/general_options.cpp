// SPDX-License-Identifier: Apache-2.0
#include "app/general_options.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace cornerturn {
namespace {

constexpr const char* log_format_variable = "CORNERTURN_LOG_FORMAT";

LogFormat format_named(std::string_view name) { return name == "json" ? LogFormat::json : LogFormat::text; }

}  // namespace

Verbosity GeneralOptions::verbosity() const {
    if (quiet || log_level == "error") return Verbosity::quiet;
    if (verbose || log_level == "debug") return Verbosity::verbose;
    return log_level == "warning" ? Verbosity::warnings : Verbosity::normal;
}

LogFormat GeneralOptions::format() const { return format_named(log_format); }

void add_general_options(CLI::App& app, GeneralOptions& options) {
    app.add_flag("-v,--verbose", options.verbose, "More messages on standard error: --log-level debug");
    app.add_flag("-q,--quiet", options.quiet, "Only errors on standard error: --log-level error")
        ->excludes("--verbose");
    app.add_option("--log-level", options.log_level,
                   "Messages on standard error: error, warning, info or debug, each with those before it")
        ->check(CLI::IsMember({"error", "warning", "info", "debug"}))
        ->envname("CORNERTURN_LOG_LEVEL")
        ->capture_default_str();
    app.add_option(
           "--log-format", options.log_format,
           "Form of these messages: text, or json with one object on each line (time, level, rank, scene, message)")
        ->check(CLI::IsMember({"text", "json"}))
        ->envname(log_format_variable)
        ->capture_default_str();
}

void take_environment(CLI::App& app) {
    const std::pair<const char*, const char*> variables[] = {{"--device", "CORNERTURN_DEVICE"},
                                                             {"--threads", "CORNERTURN_THREADS"},
                                                             {"--max-memory", "CORNERTURN_MAX_MEMORY"}};
    for (const auto& [option, variable] : variables)
        if (CLI::Option* there = app.get_option_no_throw(option)) there->envname(variable);
    for (CLI::App* verb : app.get_subcommands({})) take_environment(*verb);
}

LogFormat log_format_before_parsing(int argc, const char* const* argv) {
    constexpr std::string_view option = "--log-format";
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == option && i + 1 < argc) return format_named(argv[i + 1]);
        if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
            return format_named(word.substr(option.size() + 1));
    }
    const char* variable = std::getenv(log_format_variable);
    return format_named(variable != nullptr ? variable : "");
}

}  // namespace cornerturn
