// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line. Each adds itself to the program with options, help and an example, and says what it
// does when it is chosen, which returns the exit code. Errors travel as the exceptions of kernels/errors.h;
// main() turns them into one line and an exit code. Results go to standard output, everything else through spdlog to
// standard error.
#pragma once

namespace cornerturn {

class Verb;

void add_focus(const Verb& program);
void add_batch(const Verb& program);
void add_simulate(const Verb& program);
void add_analyze(const Verb& program);
void add_verify(const Verb& program);
void add_compare(const Verb& program);
void add_doppler(const Verb& program);
void add_info(const Verb& program);
void add_convert(const Verb& program);
void add_multilook(const Verb& program);
void add_quicklook(const Verb& program);
void add_devices(const Verb& program);
void add_completion(const Verb& program);
void add_bench(const Verb& program);

}  // namespace cornerturn
