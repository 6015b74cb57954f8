// SPDX-License-Identifier: Apache-2.0
// cornerturn bench: how fast are the parts here?
#include "app/bench/bench.h"
#include "app/verb.h"

namespace cornerturn {

void add_bench(const Verb& program) {
    const Verb verb = program.verb("bench", "Checks and times parts of the program on this machine");
    verb.require_verb();
    verb.footer(R"(Example:
  cornerturn bench corner-turn --size 8192)");
    add_bench_backprojection(verb);
    add_bench_corner_turn(verb);
    add_bench_exchange(verb);
    add_bench_io(verb);
    add_bench_job(verb);
    add_bench_matrix_product(verb);
    add_bench_pipeline(verb);
}

}  // namespace cornerturn
