// SPDX-License-Identifier: Apache-2.0
// What the benches share on the command line: options, and the result as a table, as one JSON object and as a bar
// chart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/bench/bench_result.h"
#include "app/common_options.h"
#include "data/picture/bar_chart.h"
#include "kernels/device.h"

namespace cornerturn {

class Verb;

struct BenchOptions {
    std::string device = "auto", svg;
    int repeat = 31, threads = 0;
    JsonOutput json;
};

/// An option for a length of what a bench works on.
struct SizeOption {
    const char* name;
    std::int64_t& to;
    const char* description;
};
/// Two lengths, or in place of them one that both have.
void add_size_options(const Verb& verb, const SizeOption& first, const SizeOption& second, const SizeOption& both,
                      std::int64_t least, std::int64_t most);

/// --device, --repeat, --threads, --json, --svg.
void add_bench_options(const Verb& verb, BenchOptions& options);

/// "NVIDIA H200 ..., driver ..., up to ... MHz, memory ... MHz"
std::string about(const DeviceInfo& device);

/// What a bench did, for its report.
struct BenchPage {
    std::string what;    ///< "4096 x 4096 c64"
    std::string chosen;  ///< the step whose figures the report is about; it may have burst and sustained figures
    std::string comparator = {};   ///< a step to give the others as a percentage of, beside the copy; "": none
    nlohmann::json parameters;     ///< an object: what was asked for
    std::string chart_title = {};  ///< for --svg
};

/// Throws InputError where --svg or --json cannot be written; to be called before the work begins.
void check_bench_options(const BenchOptions& options);

/// Table or JSON on standard output, the picture if asked for, what was left out or wrong on standard error. Returns
/// the exit code.
int report_bench(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                 const DeviceInfo& device);

/// The parts of it, for benches that say more.
nlohmann::json bench_json(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                          const DeviceInfo& device);
BarChart bench_chart(const BenchPage& page, const BenchResult& result, const DeviceInfo& device);

}  // namespace cornerturn
