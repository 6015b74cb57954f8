// SPDX-License-Identifier: Apache-2.0
#include "app/bench/bench_report.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "app/console.h"
#include "app/verb.h"
#include "data/files/file_names.h"

namespace cornerturn {
namespace {

nlohmann::json number_or_null(double value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json to_json(const BenchStep& step, const BenchResult& result) {
    return {{"name", step.name},
            {"median_ms", step.median_ms},
            {"gbytes_per_s", step.gbytes_per_s},
            {"copy_gbytes_per_s", result.copy_gbytes_per_s},
            {"fraction_of_copy", step.gbytes_per_s / result.copy_gbytes_per_s},
            {"gflops", number_or_null(step.gflops)},
            {"k_eff", step.k_eff},
            {"burst_ms", number_or_null(step.burst_ms)},
            {"sustained_ms", number_or_null(step.sustained_ms)},
            {"check_db", step.check_db}};
}

bool counts_flops(const BenchResult& result) {
    return std::any_of(result.steps.begin(), result.steps.end(), [](const BenchStep& step) { return step.gflops > 0; });
}

void print_table(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                 const DeviceInfo& device) {
    const bool flops = counts_flops(result), compared = result.has(page.comparator);
    fmt::print("{} on {}, median of {}\n", page.what, about(device), options.repeat);
    fmt::print("{:<16}{:>12}{:>10}{:>10}{}{}{:>10}\n", "variant", "ms", "GB/s", "of copy",
               flops ? fmt::format("{:>12}", "GFLOP/s") : "",
               compared ? fmt::format("{:>12}", "of " + page.comparator) : "", "check dB");
    for (const BenchStep& step : result.steps)
        fmt::print("{:<16}{:>12.4f}{:>10.1f}{:>8.1f} %{}{}{:>10}\n", step.name, step.median_ms, step.gbytes_per_s,
                   100 * step.gbytes_per_s / result.copy_gbytes_per_s,
                   !flops            ? ""
                   : step.gflops > 0 ? fmt::format("{:>12.1f}", step.gflops)
                                     : fmt::format("{:>12}", "-"),
                   !compared ? ""
                   : step.name == "copy"
                       ? fmt::format("{:>12}", "-")
                       : fmt::format("{:>10.1f} %", 100 * result.step(page.comparator).median_ms / step.median_ms),
                   step.check_db >= exact_db ? "exact" : fmt::format("{:.1f}", step.check_db));
    const BenchStep& chosen = result.step(page.chosen);
    fmt::print("copy: {:.1f} GB/s. {}: ", result.copy_gbytes_per_s, chosen.name);
    if (chosen.sustained_ms > 0)
        fmt::print("{:.4f} ms one behind the other (first 50), {:.4f} ms sustained (2 s), ", chosen.burst_ms,
                   chosen.sustained_ms);
    fmt::print("k_eff {:.3f}\n", chosen.k_eff);
}

}  // namespace

void add_size_options(const Verb& verb, const SizeOption& first, const SizeOption& second, const SizeOption& both,
                      std::int64_t least, std::int64_t most) {
    const auto add = [&](const SizeOption& size) {
        return verb.option(size.name, size.to, size.description).between(least, most);
    };
    const Option one = add(first).shows_default(), other = add(second).shows_default();
    add(both).excludes(one).excludes(other);
}

void add_bench_options(const Verb& verb, BenchOptions& o) {
    verb.option("--device", o.device, "auto, cpu, cuda or cuda:N").shows_default();
    verb.option("--repeat", o.repeat, "Runs whose median is taken").between(1, 100000).shows_default();
    add_threads_option(verb, o.threads);
    add_json_option(verb, o.json);
    verb.option("--svg", o.svg, "Also draw a bar chart").type("FILE");
}

std::string about(const DeviceInfo& device) {
    std::string text = fmt::format("{} ({})", device.name, device.description);
    if (!device.driver.empty()) text += fmt::format(", driver {}", device.driver);
    if (device.clock_mhz > 0)
        text += fmt::format(", up to {:.0f} MHz, memory {:.0f} MHz", device.clock_mhz, device.memory_clock_mhz);
    return text;
}

void check_bench_options(const BenchOptions& options) { check_outputs({options.svg, options.json.file()}); }

nlohmann::json bench_json(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                          const DeviceInfo& device) {
    nlohmann::json json = to_json(result.step(page.chosen), result);
    json.update({{"device", device.name},
                 {"device_description", device.description},
                 {"driver", device.driver},
                 {"clock_mhz", number_or_null(device.clock_mhz)},
                 {"memory_clock_mhz", number_or_null(device.memory_clock_mhz)},
                 {"repeat", options.repeat},
                 {"left_out", result.left_out},
                 {"variants", nlohmann::json::array()}});
    json.update(page.parameters);
    for (const BenchStep& step : result.steps) {
        json["variants"].push_back(to_json(step, result));
        if (result.has(page.comparator) && step.name != "copy")
            json["variants"].back()["fraction_of_" + page.comparator] =
                result.step(page.comparator).median_ms / step.median_ms;
    }
    return json;
}

BarChart bench_chart(const BenchPage& page, const BenchResult& result, const DeviceInfo& device) {
    const bool flops = counts_flops(result);
    BarChart chart{.title = page.chart_title,
                   .subtitle = device.description,
                   .unit = flops ? "GFLOP/s" : "GB/s read and written",
                   .bars = {}};
    for (const BenchStep& step : result.steps) {
        if (!flops)
            chart.bars.push_back({step.name, step.gbytes_per_s,
                                  fmt::format("{:.0f} ({:.1f} %)", step.gbytes_per_s,
                                              100 * step.gbytes_per_s / result.copy_gbytes_per_s)});
        else if (step.gflops > 0)
            chart.bars.push_back({step.name, step.gflops, fmt::format("{:.0f}", step.gflops)});
    }
    return chart;
}

int report_bench(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                 const DeviceInfo& device) {
    log_warnings(result.left_out);
    for (const std::string& wrong : result.wrong) spdlog::error("{}", wrong);
    if (!result.wrong.empty()) return exit_code::check_failed;
    if (!options.svg.empty()) write_bar_chart(options.svg, bench_chart(page, result, device));
    if (!options.json.instead_of_text()) print_table(page, result, options, device);
    options.json.write(bench_json(page, result, options, device));
    return exit_code::success;
}

}  // namespace cornerturn
