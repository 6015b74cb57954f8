// SPDX-License-Identifier: Apache-2.0
// The benches; each adds itself below the verb `bench`, as the verbs do below the program.
#pragma once

#include "app/verbs/verbs.h"

namespace cornerturn {

class Verb;

void add_bench_backprojection(const Verb& bench);
void add_bench_corner_turn(const Verb& bench);
void add_bench_exchange(const Verb& bench);
void add_bench_io(const Verb& bench);
void add_bench_job(const Verb& bench);
void add_bench_matrix_product(const Verb& bench);
void add_bench_pipeline(const Verb& bench);

}  // namespace cornerturn
