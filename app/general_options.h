// SPDX-License-Identifier: Apache-2.0
// The options that every verb has, and what the environment says where the command line says nothing.
#pragma once

#include <string>

#include "app/console.h"

namespace CLI {
class App;
}

namespace cornerturn {

/// As they were written.
struct GeneralOptions {
    std::string log_level = "info", log_format = "text";
    bool verbose = false, quiet = false;

    /// -q and -v go before --log-level, which the environment may have said.
    Verbosity verbosity() const;
    LogFormat format() const;
};

void add_general_options(CLI::App& app, GeneralOptions& options);

/// Lets CORNERTURN_DEVICE, CORNERTURN_THREADS and CORNERTURN_MAX_MEMORY stand for the options of these names, in every
/// verb that has them.
void take_environment(CLI::App& app);

/// What --log-format or CORNERTURN_LOG_FORMAT says, for complaints about the command line itself.
LogFormat log_format_before_parsing(int argc, const char* const* argv);

}  // namespace cornerturn
