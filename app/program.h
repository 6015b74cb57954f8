// SPDX-License-Identifier: Apache-2.0
// The whole program but for its entry point, so that tests can run it without a new process.
#pragma once

namespace cornerturn {

/// What `main` does: reads the words behind argv[0], does it and gives the exit code. Sets up logging and signals of
/// this process.
int run_program(int argc, const char* const* argv);

}  // namespace cornerturn
