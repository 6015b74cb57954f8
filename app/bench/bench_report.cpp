// SPDX-License-Identifier: Apache-2.0
#include "app/bench/bench_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/console.h"
#include "app/log.h"
#include "app/verb.h"
#include "data/files/file_names.h"
#include "kernels/errors.h"

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

std::string percent(double part) { return fmt::format("{:.1f} %", 100 * part); }

bool counts_flops(const BenchResult& result) {
    return std::any_of(result.steps.begin(), result.steps.end(), [](const BenchStep& step) { return step.gflops > 0; });
}

BenchTable table_of(const BenchPage& page, const BenchResult& result) {
    const bool flops = counts_flops(result), compared = result.has(page.comparator);
    std::vector<BenchTable::Column> columns{
        {.title = "variant", .width = 16, .left = true}, {"ms", 12}, {"GB/s", 10}, {"of copy", 10}};
    if (flops) columns.push_back({"GFLOP/s", 12});
    if (compared) columns.push_back({"of " + page.comparator, 12});
    columns.push_back({"check dB", 10});
    BenchTable table(std::move(columns));
    for (const BenchStep& step : result.steps) {
        std::vector<std::string> words{step.name, fmt::format("{:.4f}", step.median_ms),
                                       fmt::format("{:.1f}", step.gbytes_per_s),
                                       percent(step.gbytes_per_s / result.copy_gbytes_per_s)};
        if (flops) words.push_back(step.gflops > 0 ? fmt::format("{:.1f}", step.gflops) : "-");
        if (compared)
            words.push_back(step.name == "copy" ? "-"
                                                : percent(result.step(page.comparator).median_ms / step.median_ms));
        words.push_back(check_text(step.check_db));
        table.row(std::move(words));
    }
    return table;
}

std::string chosen_text(const BenchStep& chosen, const BenchResult& result) {
    std::string text = fmt::format("copy: {:.1f} GB/s. {}: ", result.copy_gbytes_per_s, chosen.name);
    if (chosen.sustained_ms > 0)
        text += fmt::format("{:.4f} ms one behind the other (first 50), {:.4f} ms sustained (2 s), ", chosen.burst_ms,
                            chosen.sustained_ms);
    return text + fmt::format("k_eff {:.3f}\n", chosen.k_eff);
}

nlohmann::json json_of(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                       const DeviceInfo& device) {
    nlohmann::json json = to_json(result.step(page.chosen), result);
    json.update(device_facts(device));
    json.update({{"clock_mhz", number_or_null(device.clock_mhz)},
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

BarChart chart_of(const BenchPage& page, const BenchResult& result, const DeviceInfo& device) {
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
}

void add_folder_option(const Verb& verb, std::string& folder) {
    verb.option("--folder", folder,
                "Where the files are written. Default: the folder for temporary files (TMPDIR, else /tmp)");
}

void add_svg_option(const Verb& verb, BenchOptions& o) {
    verb.option("--svg", o.svg, "Also draw a bar chart").type("FILE");
}

void check_bench_options(const BenchOptions& options) { check_outputs({options.svg, options.json.file()}); }

void refuse_double(const std::string& bench, const BenchOptions& options, const Device& device) {
    if (device.info().native != SampleFormat::complex64)
        throw InputError(fmt::format("bench {} --device {}: {} works in double precision; choose cpu or cuda", bench,
                                     options.device, device.info().name));
}

BenchDevices::BenchDevices(const std::string& bench, const BenchOptions& options)
    : opened_(open_devices(options.device, options.threads)) {
    for (const auto& device : opened_) {
        refuse_double(bench, options, *device);
        pointers_.push_back(device.get());
    }
}

std::string about(const DeviceInfo& device) {
    std::string text = fmt::format("{} ({})", device.name, device.description);
    if (!device.driver.empty()) text += fmt::format(", driver {}", device.driver);
    if (device.clock_mhz > 0)
        text += fmt::format(", up to {:.0f} MHz, memory {:.0f} MHz", device.clock_mhz, device.memory_clock_mhz);
    return text;
}

nlohmann::json device_facts(const DeviceInfo& device) {
    return {{"device", device.name}, {"device_description", device.description}, {"driver", device.driver}};
}

std::string check_text(double check_db) { return check_db >= exact_db ? "exact" : fmt::format("{:.1f}", check_db); }

std::string BenchTable::text() const {
    std::string text;
    const auto line = [&](const auto& word_of) {
        for (std::size_t k = 0; k < columns_.size(); ++k)
            text += columns_[k].left ? fmt::format("{:<{}}", word_of(k), columns_[k].width)
                                     : fmt::format("{:>{}}", word_of(k), columns_[k].width);
        text += '\n';
    };
    line([&](std::size_t k) { return columns_[k].title; });
    for (const auto& words : rows_) line([&](std::size_t k) { return words.at(k); });
    return text;
}

int tell(const BenchReport& report, const BenchOptions& options) {
    log_warnings(report.left_out);
    if (!options.svg.empty() && report.chart) write_bar_chart(options.svg, *report.chart);
    if (!options.json.instead_of_text()) fmt::print("{}\n{}{}", report.heading, report.table.text(), report.below);
    options.json.write(report.json);
    return exit_code::success;
}

int tell_wrong(const std::vector<std::string>& wrong) {
    for (const std::string& one : wrong) log_error("{}", one);
    return exit_code::check_failed;
}

BenchReport report_of(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                      const DeviceInfo& device) {
    return {.heading = fmt::format("{} on {}, median of {}", page.what, about(device), options.repeat),
            .table = table_of(page, result),
            .below = chosen_text(result.step(page.chosen), result),
            .json = json_of(page, result, options, device),
            .chart = chart_of(page, result, device),
            .left_out = result.left_out};
}

int tell(const BenchPage& page, const BenchResult& result, const BenchOptions& options, const DeviceInfo& device) {
    if (result.wrong.empty()) return tell(report_of(page, result, options, device), options);
    log_warnings(result.left_out);
    return tell_wrong(result.wrong);
}

}  // namespace cornerturn
