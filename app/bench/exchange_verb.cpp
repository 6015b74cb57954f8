// SPDX-License-Identifier: Apache-2.0
// cornerturn bench exchange: the corner turn of one matrix across several devices.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/exchange_bench.h"
#include "app/console.h"
#include "app/verb.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct ExchangeArguments {
    ExchangeRequest request;
    BenchOptions bench{.device = "cuda:all", .repeat = 15};
    std::string carrier = "fastest";
    std::int64_t size = 0;
};

nlohmann::json to_json(const ExchangeArguments& o, const ExchangeRequest& request, const ExchangeResult& result,
                       const BenchDevices& devices) {
    nlohmann::json json = device_facts(devices.first().info());
    json.update({{"device", o.bench.device},
                 {"devices", devices.all().size()},
                 {"rows", request.rows},
                 {"columns", request.columns},
                 {"repeat", request.repeat},
                 {"carrier", name_of(result.carrier)},
                 {"steps", nlohmann::json::array()}});
    for (const ExchangeStep& step : result.steps)
        json["steps"].push_back({{"name", step.name},
                                 {"median_ms", step.median_ms},
                                 {"sent_gbytes_per_s", step.sent_gbytes_per_s},
                                 {"fraction_of_links", result.fraction_of_links(step)}});
    return json;
}

BenchTable table_of(const ExchangeResult& result) {
    BenchTable table(
        {{.title = "way", .width = 20, .left = true}, {"ms", 12}, {"GB/s sent by each", 22}, {"of last", 12}});
    for (const ExchangeStep& step : result.steps)
        table.row({step.name, fmt::format("{:.3f}", step.median_ms), fmt::format("{:.1f}", step.sent_gbytes_per_s),
                   fmt::format("{:.1f} %", 100 * result.fraction_of_links(step))});
    return table;
}

int run_exchange(const ExchangeArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    check_bench_options(o.bench);
    const BenchDevices devices("exchange", o.bench);
    if (devices.all().size() < 2)
        throw InputError(fmt::format(
            "bench exchange --device {}: {} device; an exchange takes two or more, as in cuda:0,1 or cuda:all",
            o.bench.device, devices.all().size()));
    ExchangeRequest request = o.request;
    if (o.size > 0) request.rows = request.columns = o.size;
    request.repeat = o.bench.repeat;
    request.carrier = carrier_named(o.carrier).value_or(Carrier::fastest);
    const ExchangeResult result = measure_exchange(devices.all(), request, console_progress());
    if (!result.wrong.empty()) return tell_wrong(result.wrong);
    const std::string carrier = result.carrier == Carrier::fastest ? "" : ", carrier " + name_of(result.carrier);
    return tell({.heading = fmt::format("{} x {} complex64 in slabs over {} x {}{}, median of {}", request.rows,
                                        request.columns, devices.all().size(), about(devices.first().info()), carrier,
                                        request.repeat),
                 .table = table_of(result),
                 .json = to_json(o, request, result, devices)},
                o.bench);
}

}  // namespace

void add_bench_exchange(const Verb& bench) {
    auto o = std::make_shared<ExchangeArguments>();
    const Verb verb = bench.verb("exchange", "Times the corner turn of a matrix whose slabs lie on several devices");
    verb.footer(
        R"(turn: each GPU reads its rows and writes them, turned, into the memory of the GPU that takes those columns.
It is compared with three others: a turn on each GPU and copies of the blocks that other GPUs take; those blocks sent
as focus sends them, without a turn (and as many bytes by NCCL, where it was built in); and one copy for each pair of
GPUs, which shows the rate of the links. Turned rows are checked first: exit code 1 if one is wrong.

Examples:
  cornerturn bench exchange --device cuda:all
  cornerturn bench exchange --device cuda:0,1 --size 16384 --json
  cornerturn bench exchange --device cuda:all --carrier host)");
    add_size_options(verb, {"--rows", o->request.rows, "Rows of the matrix that is turned"},
                     {"--cols", o->request.columns, "Its columns"}, {"--size", o->size, "Both at once"}, 1,
                     std::int64_t{1} << 20);
    verb.option("--carrier", o->carrier,
                "How blocks go from GPU to GPU: peer (access to each other's memory), nccl, host (the driver, through "
                "the host); fastest: the first of these that is available")
        .one_of(carrier_names())
        .shows_default();
    add_bench_options(verb, o->bench);
    verb.at("--device").describe("cuda:0,1,..., cuda:all, or cpu,cpu to try it without GPUs");
    verb.runs([=] { return run_exchange(*o); });
}

}  // namespace cornerturn
