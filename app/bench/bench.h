// SPDX-License-Identifier: Apache-2.0
// The benches; each adds itself below the verb `bench`, as the verbs do below the program.
#pragma once

#include "app/verbs/verbs.h"

namespace cornerturn {

void add_bench_backprojection(CLI::App& bench, Action& action);
void add_bench_corner_turn(CLI::App& bench, Action& action);
void add_bench_exchange(CLI::App& bench, Action& action);
void add_bench_io(CLI::App& bench, Action& action);
void add_bench_matrix_product(CLI::App& bench, Action& action);
void add_bench_pipeline(CLI::App& bench, Action& action);

}  // namespace cornerturn
