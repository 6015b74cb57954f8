// SPDX-License-Identifier: Apache-2.0
// cornerturn bench corner-turn: every step of the corner turn's history against the copy rate.
#include <fmt/format.h>

#include <memory>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/corner_turn_bench.h"
#include "app/console.h"
#include "app/verb.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct CornerTurnArguments {
    BenchOptions bench;
    std::string type = "c64";
    std::int64_t rows = 4096, columns = 4096, size = 0, pitch = 0;
};

TurnRequest request_of(const CornerTurnArguments& o) {
    TurnRequest request{.rows = o.rows, .columns = o.columns, .repeat = o.bench.repeat};
    if (o.size > 0) request.rows = request.columns = o.size;
    request.pitch = o.pitch;
    if (o.pitch > 0 && o.pitch < request.columns)
        throw InputError(fmt::format(
            "bench corner-turn --pitch {}: rows of {} elements cannot begin closer than that; give {} or more", o.pitch,
            request.columns, request.columns));
    if (o.type != "c64") request.format = SampleFormat::float32;
    return request;
}

BenchPage page_of(const TurnRequest& request, const CornerTurnArguments& o) {
    const std::string apart =
        request.row_pitch() == request.columns ? "" : fmt::format(", rows {} apart", request.row_pitch());
    return {.what = fmt::format("{} x {} {}{}", request.rows, request.columns, o.type, apart),
            .chosen = "production",
            .parameters = {{"rows", request.rows},
                           {"columns", request.columns},
                           {"pitch", request.row_pitch()},
                           {"type", o.type}},
            .chart_title = fmt::format("Corner turn, {} x {} {}{}", request.rows, request.columns,
                                       o.type == "c64" ? "complex64" : "float32", apart)};
}

int run_corner_turn(const CornerTurnArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    check_bench_options(o.bench);
    const TurnRequest request = request_of(o);
    const auto device = open_device(o.bench.device, o.bench.threads);
    refuse_double("corner-turn", o.bench, *device);
    return tell(page_of(request, o), measure_corner_turns(*device, request, console_progress()), o.bench,
                device->info());
}

}  // namespace

void add_bench_corner_turn(const Verb& bench) {
    auto o = std::make_shared<CornerTurnArguments>();
    const Verb verb =
        bench.verb("corner-turn", "Times every step of the corner turn's history against a copy of the same matrix");
    verb.footer(
        R"(Each variant is checked first: exit code 1 if it does not turn random numbers exactly (check_db is 999
where every bit is right). GB/s count bytes read and bytes written. k_eff is the time in units of matrix bytes over
copy rate: a copy takes 2. burst and sustained are mean times of calls of production in direct succession: burst of
the first 50, sustained over 2 s.

Examples:
  cornerturn bench corner-turn --size 16384
  cornerturn bench corner-turn --size 16384 --pitch 16896
  cornerturn bench corner-turn --rows 5000 --cols 3001 --type f32 --device cpu --json --svg turn.svg)");
    add_size_options(verb, {"--rows", o->rows, "Rows of the matrix that is read"},
                     {"--cols", o->columns, "Its columns"}, {"--size", o->size, "Rows and columns of a square one"}, 1,
                     1 << 24);
    verb.option("--pitch", o->pitch,
                "Elements from one row to the next in the matrix that is read. Default: as many as columns")
        .between(1, 1 << 25);
    verb.option("--type", o->type, "Elements: c64 (complex64) or f32 (float32)").one_of({"c64", "f32"}).shows_default();
    add_bench_options(verb, o->bench);
    add_svg_option(verb, o->bench);
    verb.runs([=] { return run_corner_turn(*o); });
}

}  // namespace cornerturn
