// SPDX-License-Identifier: Apache-2.0
// cornerturn bench corner-turn: every step of the corner turn's history against the copy rate.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench.h"
#include "app/console.h"
#include "app/turn_ladder.h"
#include "data/bar_chart.h"
#include "data/output_file.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

struct Options {
    std::string device = "auto", type = "c64", svg;
    std::int64_t rows = 4096, columns = 4096, size = 0;
    int repeat = 31, threads = 0;
    bool json = false;
};

/// Signal-to-error ratio that stands for "every bit is right"; infinity is no JSON number.
constexpr double exact_db = 999;

TurnRequest request_of(const Options& o) {
    TurnRequest request{.rows = o.rows, .columns = o.columns, .repeat = o.repeat};
    if (o.size > 0) request.rows = request.columns = o.size;
    if (o.type != "c64") request.format = SampleFormat::float16;  // four bytes, whatever they mean
    return request;
}

std::string about(const DeviceInfo& device) {
    std::string text = fmt::format("{} ({})", device.name, device.description);
    if (!device.driver.empty()) text += fmt::format(", driver {}", device.driver);
    if (device.clock_mhz > 0) text += fmt::format(", up to {:.0f} MHz, memory {:.0f} MHz", device.clock_mhz, device.memory_clock_mhz);
    return text;
}

void print_table(const TurnLadder& ladder, const TurnRequest& request, const Options& o, const DeviceInfo& device) {
    fmt::print("{} x {} {} on {}, median of {}\n", request.rows, request.columns, o.type, about(device), request.repeat);
    fmt::print("{:<16}{:>12}{:>10}{:>10}\n", "variant", "ms", "GB/s", "of copy");
    for (const TurnTiming& step : ladder.steps)
        fmt::print("{:<16}{:>12.4f}{:>10.1f}{:>8.1f} %\n", step.name, step.median_ms, step.gbytes_per_s,
                   100 * step.gbytes_per_s / ladder.copy_gbytes_per_s);
    const TurnTiming& production = ladder.step("production");
    fmt::print("production: {:.4f} ms one behind the other (first 50), {:.4f} ms sustained (2 s), k_eff {:.3f}\n", production.burst_ms,
               production.sustained_ms, production.k_eff);
}

nlohmann::json number_or_null(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json to_json(const TurnTiming& step, const TurnLadder& ladder) {
    return {{"name", step.name},
            {"median_ms", step.median_ms},
            {"gbytes_per_s", step.gbytes_per_s},
            {"copy_gbytes_per_s", ladder.copy_gbytes_per_s},
            {"fraction_of_copy", step.gbytes_per_s / ladder.copy_gbytes_per_s},
            {"k_eff", step.k_eff},
            {"burst_ms", number_or_null(step.burst_ms)},
            {"sustained_ms", number_or_null(step.sustained_ms)},
            {"check_db", exact_db}};
}

nlohmann::json to_json(const TurnLadder& ladder, const TurnRequest& request, const Options& o, const DeviceInfo& device) {
    nlohmann::json json = to_json(ladder.step("production"), ladder);
    json.update({{"device", device.name},
                 {"device_description", device.description},
                 {"driver", device.driver},
                 {"clock_mhz", number_or_null(device.clock_mhz)},
                 {"memory_clock_mhz", number_or_null(device.memory_clock_mhz)},
                 {"rows", request.rows},
                 {"cols", request.columns},
                 {"type", o.type},
                 {"repeat", request.repeat},
                 {"left_out", ladder.left_out},
                 {"variants", nlohmann::json::array()}});
    for (const TurnTiming& step : ladder.steps) json["variants"].push_back(to_json(step, ladder));
    return json;
}

BarChart chart_of(const TurnLadder& ladder, const TurnRequest& request, const Options& o, const DeviceInfo& device) {
    BarChart chart{
        .title = fmt::format("Corner turn, {} x {} {}", request.rows, request.columns, o.type == "c64" ? "complex64" : "float32"),
        .subtitle = device.description,
        .unit = "GB/s read and written",
        .bars = {}};
    for (const TurnTiming& step : ladder.steps)
        chart.bars.push_back({step.name, step.gbytes_per_s,
                              fmt::format("{:.0f} ({:.1f} %)", step.gbytes_per_s, 100 * step.gbytes_per_s / ladder.copy_gbytes_per_s)});
    return chart;
}

int run(const Options& o) {
    if (!o.svg.empty()) check_output_path(o.svg);
    const auto device = open_device(o.device, o.threads);
    const DeviceInfo info = device->info();
    if (info.native != SampleFormat::complex64)
        throw InputError(fmt::format("bench corner-turn --device {}: it works in double precision; choose cpu or cuda", o.device));
    const TurnRequest request = request_of(o);
    const TurnLadder ladder = measure_turn_ladder(*device, request, console_progress());
    log_warnings(ladder.left_out);
    for (const std::string& wrong : ladder.wrong) spdlog::error("{}", wrong);
    if (!ladder.wrong.empty()) return exit_code::check_failed;
    if (!o.svg.empty()) write_bar_chart(o.svg, chart_of(ladder, request, o, info));
    if (o.json)
        fmt::print("{}\n", to_json(ladder, request, o, info).dump(2));
    else
        print_table(ladder, request, o, info);
    return exit_code::well;
}

}  // namespace

void add_bench_corner_turn(CLI::App& bench, Action& action) {
    auto o = std::make_shared<Options>();
    auto* verb = bench.add_subcommand("corner-turn", "Times every step of the corner turn's history against a copy of the same matrix");
    verb->footer(
        "Each variant is checked first: exit code 1 if one does not turn random numbers exactly. GB/s count bytes read and bytes written.\n"
        "k_eff is the time in units of matrix bytes over copy rate: a copy takes 2. check_db is 999, for every bit is right. burst and\n"
        "sustained are mean times of production, one behind the other: of the first 50, and over 2 s.\n\n"
        "Examples:\n"
        "  cornerturn bench corner-turn --size 16384\n"
        "  cornerturn bench corner-turn --rows 5000 --cols 3001 --type f32 --device cpu --json --svg turn.svg");
    auto* rows =
        verb->add_option("--rows", o->rows, "Rows of the matrix that is read")->check(CLI::Range(1, 1 << 24))->capture_default_str();
    auto* columns = verb->add_option("--cols", o->columns, "Its columns")->check(CLI::Range(1, 1 << 24))->capture_default_str();
    verb->add_option("--size", o->size, "Rows and columns of a square one")
        ->check(CLI::Range(1, 1 << 24))
        ->excludes(rows)
        ->excludes(columns);
    verb->add_option("--type", o->type, "Elements: c64 (complex64) or f32 (float32)")
        ->check(CLI::IsMember({"c64", "f32"}))
        ->capture_default_str();
    verb->add_option("--device", o->device, "auto, cpu, cuda or cuda:N")->capture_default_str();
    verb->add_option("--repeat", o->repeat, "Runs whose median is taken")->check(CLI::Range(1, 100000))->capture_default_str();
    verb->add_option("--threads", o->threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 4096))->capture_default_str();
    verb->add_flag("--json", o->json, "Print one JSON object instead of the table");
    verb->add_option("--svg", o->svg, "Also draw a bar chart")->type_name("FILE");
    verb->callback([=, &action] { action = [=] { return run(*o); }; });
}

}  // namespace cornerturn
