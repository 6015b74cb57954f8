// SPDX-License-Identifier: Apache-2.0
// cornerturn bench: how fast are the parts here?
#include "app/bench/bench.h"

#include <CLI/CLI.hpp>

namespace cornerturn {

void add_bench(CLI::App& app, Action& action) {
    auto* verb = app.add_subcommand("bench", "Checks and times parts of the program on this machine");
    verb->require_subcommand(1);
    verb->footer("Example:\n  cornerturn bench corner-turn --size 8192");
    add_bench_backprojection(*verb, action);
    add_bench_corner_turn(*verb, action);
    add_bench_exchange(*verb, action);
    add_bench_io(*verb, action);
    add_bench_matrix_product(*verb, action);
    add_bench_pipeline(*verb, action);
}

}  // namespace cornerturn
