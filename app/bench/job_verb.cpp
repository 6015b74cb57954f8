// SPDX-License-Identifier: Apache-2.0
// cornerturn bench job: how long a user waits for one image, and for each of many.
#include <fmt/format.h>

#include <memory>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/job_bench.h"
#include "app/bench/process.h"
#include "app/console.h"
#include "app/verb.h"
#include "data/scene/scene_file.h"
#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct JobArguments {
    BenchOptions bench;
    JobRequest request;
    std::int64_t size = 0;
    bool start_only = false;
};

struct Row {
    std::string name;
    JobTimes times;
    int scenes;    ///< that it makes or writes
    double ratio;  ///< to the plain write of the same bytes; 0: none
};

std::vector<Row> rows_of(const JobBench& job) {
    std::vector<Row> rows{{"--version", job.program, 0, 0},
                          {"device opened", job.start, 0, 0},
                          {"plain write", job.write, 1, 1},
                          {"focus, cold", job.cold, 1, job.cold.median_ms / job.write.median_ms},
                          {"focus, warm", job.warm, 1, job.warm.median_ms / job.write.median_ms}};
    if (job.scenes == 0) return rows;
    rows.push_back({"plain writes", job.stream_write, job.scenes, 1});
    rows.push_back({"batch", job.stream, job.scenes, job.stream.median_ms / job.stream_write.median_ms});
    return rows;
}

BenchTable table_of(const JobBench& job) {
    BenchTable table({{.title = "process", .width = 14, .left = true},
                      {"runs", 6},
                      {"ms", 12},
                      {"least", 12},
                      {"greatest", 12},
                      {"ms a scene", 12},
                      {"of writing", 12}});
    for (const Row& row : rows_of(job))
        table.row({row.name, std::to_string(row.times.runs), fmt::format("{:.1f}", row.times.median_ms),
                   fmt::format("{:.1f}", row.times.least_ms), fmt::format("{:.1f}", row.times.greatest_ms),
                   row.scenes > 0 ? fmt::format("{:.2f}", row.times.median_ms / row.scenes) : "-",
                   row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "-"});
    return table;
}

std::string below(const JobBench& job) {
    std::string text = fmt::format("focus, warm: the start with the device and {:.2f} plain writes of its image\n",
                                   job.writes_over_start());
    if (job.scenes > 0)
        text += fmt::format(
            "batch: {:.2f} ms a scene behind that start, {:.1f} scenes/s, {:.2f} of plain writes ({:.2f} ms)\n",
            job.scene_ms(), 1e3 / job.scene_ms(), job.scene_ms() / job.scene_write_ms(), job.scene_write_ms());
    return text;
}

nlohmann::json to_json(const JobTimes& times) {
    return {{"median_ms", times.median_ms},
            {"least_ms", times.least_ms},
            {"greatest_ms", times.greatest_ms},
            {"runs", times.runs}};
}

nlohmann::json to_json(const JobBench& job, const JobRequest& request) {
    nlohmann::json json{{"name", "focus, warm"},
                        {"median_ms", job.warm.median_ms},
                        {"writes_over_start", job.writes_over_start()},
                        {"position_error_px", job.position_error_px},
                        {"device", job.device.at("name")},
                        {"device_description", job.device.at("description")},
                        {"lines", request.lines},
                        {"samples", request.samples},
                        {"sample_type", request.sample_type},
                        {"preset", request.preset},
                        {"image_bytes", job.image_bytes},
                        {"repeat", request.repeat},
                        {"variants", nlohmann::json::array()},
                        {"stream", nullptr}};
    for (const Row& row : rows_of(job)) {
        nlohmann::json variant = to_json(row.times);
        variant["name"] = row.name;
        variant["scenes"] = row.scenes;
        variant["ratio_to_write"] = row.ratio > 0 ? nlohmann::json(row.ratio) : nlohmann::json();
        json["variants"].push_back(std::move(variant));
    }
    if (job.scenes > 0)
        json["stream"] = {{"scenes", job.scenes},
                          {"ms_a_scene", job.scene_ms()},
                          {"scenes_per_s", 1e3 / job.scene_ms()},
                          {"write_ms_a_scene", job.scene_write_ms()},
                          {"ratio_to_write", job.scene_ms() / job.scene_write_ms()}};
    return json;
}

BarChart chart_of(const JobBench& job, const std::string& what) {
    BarChart chart{.title = "Whole processes, " + what,
                   .subtitle = job.device.at("description"),
                   .unit = "ms for a scene",
                   .bars = {}};
    for (const Row& row : rows_of(job)) {
        const double ms = row.times.median_ms / std::max(1, row.scenes);
        chart.bars.push_back({row.name, ms, fmt::format("{:.1f} ms", ms)});
    }
    return chart;
}

int run_job(JobArguments o) {
    const ThreadLimit limit(o.bench.threads);
    if (o.start_only) {
        open_device(o.bench.device, o.bench.threads)->synchronize();
        return exit_code::success;
    }
    check_bench_options(o.bench);
    parse_sample_type(o.request.sample_type);
    if (device_names(o.bench.device).size() != 1)
        throw InputError(fmt::format("bench job --device {}: takes one device; name one", o.bench.device));
    o.request.program = this_program();
    o.request.device = o.bench.device;
    if (o.size > 0) o.request.lines = o.request.samples = o.size;
    o.request.repeat = o.bench.repeat;
    o.request.threads = o.bench.threads;
    const JobBench job = measure_job(o.request, console_progress());
    if (!job.wrong.empty()) return tell_wrong(job.wrong);
    const std::string what = fmt::format("{} x {} {}", o.request.lines, o.request.samples, o.request.sample_type);
    return tell({.heading = fmt::format("{} on {} ({}), image files of {:.1f} MB, medians of {}", what,
                                        job.device.at("name").get<std::string>(),
                                        job.device.at("description").get<std::string>(),
                                        1e-6 * static_cast<double>(job.image_bytes), o.bench.repeat),
                 .table = table_of(job),
                 .below = below(job),
                 .json = to_json(job, o.request),
                 .chart = chart_of(job, what)},
                o.bench);
}

}  // namespace

void add_bench_job(const Verb& bench) {
    auto o = std::make_shared<JobArguments>();
    o->bench.repeat = 7;
    const Verb verb = bench.verb(
        "job", "Times whole processes, one image and a stream, beside bare starts and plain writes of the same bytes");
    verb.footer(
        R"(A scene is simulated into a temporary folder, which is removed at the end: the preset spaceborne, or airborne
below 2048 lines or samples. Images are checked by their known targets: exit code 1 if one is out of place.
These processes are timed in turn: `cornerturn --version`; one that only opens the device (--start-only); a plain
write of as many bytes as the image file has, in large pieces and flushed to the disk; and `focus`. Its first run is
called cold: the raw file was dropped from the system's file cache. Then, in at most three turns, plain writes of as
many files as there are scenes, and `batch` of these scenes, which share one raw file. Each time is that of the whole
process, from its start until it is gone.

Examples:
  cornerturn bench job
  cornerturn bench job --size 512 --scenes 1000 --folder /dev/shm
  cornerturn bench job --preset radarsat --device cuda --json)");
    add_size_options(verb, {"--lines", o->request.lines, "Lines of the echo"},
                     {"--samples", o->request.samples, "Samples of a line"}, {"--size", o->size, "Both at once"}, 1,
                     1 << 24);
    verb.option("--sample-type", o->request.sample_type, "f32, int16 or int8").shows_default();
    verb.option("--preset", o->request.preset, "Scene to simulate, as in simulate; the sizes must hold its targets");
    verb.option("--scenes", o->request.scenes, "Scenes of the stream. 0: none").between(0, 100000).shows_default();
    add_folder_option(verb, o->request.folder);
    verb.flag("--start-only", o->start_only, "Only open the device and end: the time that every job needs at least");
    add_bench_options(verb, o->bench);
    add_svg_option(verb, o->bench);
    verb.runs([=] { return run_job(*o); });
}

}  // namespace cornerturn
