// SPDX-License-Identifier: Apache-2.0
// cornerturn bench exchange: the corner turn of one matrix across several devices.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/exchange_bench.h"
#include "app/console.h"
#include "app/verb.h"
#include "data/files/file_names.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct ExchangeArguments {
    ExchangeRequest request;
    std::string device = "cuda:all";
    std::string carrier = "fastest";
    std::int64_t size = 0;
    int threads = 0;
    JsonOutput json;
};

nlohmann::json to_json(const ExchangeArguments& o, const ExchangeResult& result, std::size_t devices,
                       const DeviceInfo& device) {
    nlohmann::json json{{"device", o.device},
                        {"devices", devices},
                        {"device_description", device.description},
                        {"driver", device.driver},
                        {"rows", o.request.rows},
                        {"columns", o.request.columns},
                        {"repeat", o.request.repeat},
                        {"carrier", name_of(result.carrier)},
                        {"steps", nlohmann::json::array()}};
    for (const ExchangeStep& step : result.steps)
        json["steps"].push_back({{"name", step.name},
                                 {"median_ms", step.median_ms},
                                 {"sent_gbytes_per_s", step.sent_gbytes_per_s},
                                 {"fraction_of_links", result.fraction_of_links(step)}});
    return json;
}

void print_table(const ExchangeArguments& o, const ExchangeResult& result, std::size_t devices,
                 const DeviceInfo& device) {
    const std::string carrier = result.carrier == Carrier::fastest ? "" : ", carrier " + name_of(result.carrier);
    fmt::print("{} x {} complex64 in slabs over {} x {}{}, median of {}\n", o.request.rows, o.request.columns, devices,
               about(device), carrier, o.request.repeat);
    fmt::print("{:<20}{:>12}{:>22}{:>12}\n", "way", "ms", "GB/s sent by each", "of last");
    for (const ExchangeStep& step : result.steps)
        fmt::print("{:<20}{:>12.3f}{:>22.1f}{:>10.1f} %\n", step.name, step.median_ms, step.sent_gbytes_per_s,
                   100 * result.fraction_of_links(step));
}

int run_exchange(const ExchangeArguments& o) {
    const ThreadLimit limit(o.threads);
    check_outputs({o.json.file()});
    const auto devices = open_devices(o.device, o.threads);
    if (devices.size() < 2)
        throw InputError(fmt::format(
            "bench exchange --device {}: {} device; an exchange takes two or more, as in cuda:0,1 or cuda:all",
            o.device, devices.size()));
    std::vector<Device*> pointers;
    for (const auto& device : devices) {
        if (device->info().native != SampleFormat::complex64)
            throw InputError(fmt::format("bench exchange --device {}: {} works in double precision; choose cpu or cuda",
                                         o.device, device->info().name));
        pointers.push_back(device.get());
    }
    const ExchangeResult result = measure_exchange(pointers, o.request, console_progress());
    for (const std::string& wrong : result.wrong) spdlog::error("{}", wrong);
    if (!result.wrong.empty()) return exit_code::check_failed;
    if (!o.json.instead_of_text()) print_table(o, result, devices.size(), devices.front()->info());
    o.json.write(to_json(o, result, devices.size(), devices.front()->info()));
    return exit_code::success;
}

}  // namespace

void add_bench_exchange(const Verb& bench) {
    auto o = std::make_shared<ExchangeArguments>();
    const Verb verb = bench.verb("exchange", "Times the corner turn of a matrix whose slabs lie on several devices");
    verb.footer(
        "turn: each GPU reads its rows and writes them turned into the memory of the GPU that takes those\n"
        "columns. Beside it: the same by a turn on each GPU and copies of what others take; those blocks sent\n"
        "as focus does, nothing turned; where NCCL is there, as many bytes by it; and copies in one piece for\n"
        "each pair, which is what the links give. Turned rows are checked first: exit code 1 if one is wrong.\n\n"
        "Examples:\n"
        "  cornerturn bench exchange --device cuda:all\n"
        "  cornerturn bench exchange --device cuda:0,1 --size 16384 --json\n"
        "  cornerturn bench exchange --device cuda:all --carrier host");
    add_size_options(verb, {"--rows", o->request.rows, "Rows of the matrix that is turned"},
                     {"--cols", o->request.columns, "Its columns"}, {"--size", o->size, "Both at once"}, 1,
                     std::int64_t{1} << 20);
    verb.option("--device", o->device, "cuda:0,1,..., cuda:all, or cpu,cpu to try it without").shows_default();
    verb.option("--carrier", o->carrier,
                "What brings blocks from GPU to GPU: peer (access to each other's memory), nccl, host (the driver, "
                "through the host); fastest: the first of these that is there")
        .one_of(carrier_names())
        .shows_default();
    verb.option("--repeat", o->request.repeat, "Runs whose median is taken").between(1, 100000).shows_default();
    add_threads_option(verb, o->threads);
    add_json_option(verb, o->json);
    verb.runs([=] {
        if (o->size > 0) o->request.rows = o->request.columns = o->size;
        o->request.carrier = carrier_named(o->carrier).value_or(Carrier::fastest);
        return run_exchange(*o);
    });
}

}  // namespace cornerturn
