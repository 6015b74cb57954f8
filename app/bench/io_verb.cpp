// SPDX-License-Identifier: Apache-2.0
// cornerturn bench io: how samples get from the disk to the device and back, and the whole job around them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/io_bench.h"
#include "app/console.h"
#include "app/verb.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct IoArguments {
    BenchOptions bench;
    std::int64_t lines = 4096, samples = 4096, size = 0;
    std::string folder, extent = "full";
};

IoRequest request_of(const IoArguments& o) {
    return {.lines = o.size > 0 ? o.size : o.lines,
            .samples = o.size > 0 ? o.size : o.samples,
            .repeat = o.bench.repeat,
            .threads = o.bench.threads,
            .extent = image_extent(o.extent),
            .folder = o.folder};
}

nlohmann::json to_json(const IoStep& step) {
    nlohmann::json json{{"name", step.name},           {"bytes", step.bytes},
                        {"median_ms", step.median_ms}, {"gbytes_per_s", step.gbytes_per_s()},
                        {"plain_ms", step.plain_ms},   {"copy_gbytes_per_s", step.plain_gbytes_per_s()},
                        {"k_eff", step.ratio()},       {"sustained_ms", nullptr},
                        {"check_db", step.check_db}};
    if (step.sustained_ms > 0) json["sustained_ms"] = step.sustained_ms;
    return json;
}

nlohmann::json to_json(const StreamBench& stream) {
    return {{"devices", stream.frames.size()},
            {"turns", stream.turns},
            {"frames_of_devices", stream.frames},
            {"bytes_of_a_frame", stream.bytes},
            {"first_alone_ms_a_frame", stream.alone_ms},
            {"all_ms_a_frame", stream.all_ms},
            {"gbytes_per_s", 1e-6 * stream.bytes / stream.all_ms},
            {"speedup", stream.speedup()}};
}

nlohmann::json to_json(const IoBench& result, const IoRequest& request, const IoArguments& o,
                       const DeviceInfo& device) {
    nlohmann::json json = to_json(result.steps.back());
    json.update(device_facts(device));
    json.update({{"lines", request.lines},
                 {"samples", request.samples},
                 {"extent", o.extent},
                 {"repeat", request.repeat},
                 {"variants", nlohmann::json::array()}});
    for (const IoStep& step : result.steps) json["variants"].push_back(to_json(step));
    if (result.stream) json["stream"] = to_json(*result.stream);
    return json;
}

BenchTable table_of(const IoBench& result) {
    BenchTable table({{.title = "way", .width = 14, .left = true},
                      {"MB", 10},
                      {"ms", 12},
                      {"GB/s", 10},
                      {"plain ms", 12},
                      {"ratio", 10},
                      {"sustained", 12}});
    for (const IoStep& step : result.steps)
        table.row({step.name, fmt::format("{:.1f}", 1e-6 * step.bytes), fmt::format("{:.3f}", step.median_ms),
                   fmt::format("{:.2f}", step.gbytes_per_s()), fmt::format("{:.3f}", step.plain_ms),
                   fmt::format("{:.2f}", step.ratio()),
                   step.sustained_ms > 0 ? fmt::format("{:.3f}", step.sustained_ms) : "-"});
    return table;
}

std::string text_of(const StreamBench& stream) {
    return fmt::format(
        "stream of frames, host to host: {:.3f} ms a frame on the first device alone, {:.3f} ms on all {} ({:.2f} "
        "GB/s): {:.2f} times as fast; frames of each: {}\n",
        stream.alone_ms, stream.all_ms, stream.frames.size(), 1e-6 * stream.bytes / stream.all_ms, stream.speedup(),
        fmt::join(stream.frames, ", "));
}

BarChart chart_of(const IoBench& result, const IoRequest& request, const DeviceInfo& device) {
    BarChart chart{.title = fmt::format("Input and output, {} x {} int8", request.lines, request.samples),
                   .subtitle = device.description,
                   .unit = "GB/s",
                   .bars = {}};
    for (const IoStep& step : result.steps)
        chart.bars.push_back({step.name, step.gbytes_per_s(),
                              fmt::format("{:.2f} ({:.2f} x plain time)", step.gbytes_per_s(), step.ratio())});
    return chart;
}

int run_io(const IoArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    check_bench_options(o.bench);
    const IoRequest request = request_of(o);
    const BenchDevices devices("io", o.bench);
    const DeviceInfo info = devices.first().info();
    const IoBench result = measure_io(devices.all(), request, console_progress());
    if (!result.wrong.empty()) return tell_wrong(result.wrong);
    return tell({.heading = fmt::format("{} x {} int8 on {}, median of {}", request.lines, request.samples, about(info),
                                        request.repeat),
                 .table = table_of(result),
                 .below = result.stream ? text_of(*result.stream) : "",
                 .json = to_json(result, request, o, info),
                 .chart = chart_of(result, request, info)},
                o.bench);
}

}  // namespace

void add_bench_io(const Verb& bench) {
    auto o = std::make_shared<IoArguments>();
    o->bench.repeat = 7;
    const Verb verb = bench.verb(
        "io", "Times reading, upload, download, writing and the whole job against plain calls for the same bytes");
    verb.footer(
        R"(An int8 echo of random samples is written to a temporary folder, which is removed at the end. Each way is
checked first: exit code 1 if a byte changes (an image: below 100 dB). Plain calls alternate with ours: reading and
writing a file in large pieces (dropped from the system's file cache first, and flushed to the disk, as ours are),
memcpy on a CPU, copies of page-locked memory on a GPU. ratio (k_eff in JSON) is our time over theirs.
"host to host" focuses from page-locked memory into page-locked memory. "file to file" is `focus` with its plans, but
without opening the device. sustained is the mean over 2 s.
Of several devices the first is timed in this way. Then all of them focus a stream of frames, host to host, each frame
on the next free device, alternating with the first device alone: three turns of --repeat frames per device, medians.

Examples:
  cornerturn bench io
  cornerturn bench io --size 16384 --device cuda --json --svg io.svg
  cornerturn bench io --size 16384 --device cuda:all)");
    add_size_options(verb, {"--lines", o->lines, "Lines of the echo"}, {"--samples", o->samples, "Samples of a line"},
                     {"--size", o->size, "Both at once"}, 1, 1 << 24);
    verb.option("--extent", o->extent, "full or valid, as in focus").shows_default();
    add_folder_option(verb, o->folder);
    add_bench_options(verb, o->bench);
    add_svg_option(verb, o->bench);
    verb.at("--device")
        .describe("auto, cpu, cuda, cuda:N, or several for a stream of frames: cuda:0,1, cuda:all or cpu,cpu");
    verb.runs([=] { return run_io(*o); });
}

}  // namespace cornerturn
