// SPDX-License-Identifier: Apache-2.0
// What the benches share on the command line: options, the devices they name, and what is told: a table for people, one
// JSON object for programs, a bar chart.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/bench_result.h"
#include "app/common_options.h"
#include "data/picture/bar_chart.h"
#include "kernels/device/device.h"

namespace cornerturn {

class Verb;

struct BenchOptions {
    std::string device = "auto", svg = {};
    int repeat = 31, threads = 0;
    JsonOutput json = {};
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

/// --device, --repeat, --threads, --json.
void add_bench_options(const Verb& verb, BenchOptions& options);
/// --folder, of benches that write files.
void add_folder_option(const Verb& verb, std::string& folder);
/// --svg, of benches that draw what they find.
void add_svg_option(const Verb& verb, BenchOptions& options);

/// Throws InputError where --svg or --json cannot be written; to be called before the work begins.
void check_bench_options(const BenchOptions& options);

/// Throws InputError for a device that works in double precision, which is for proofs. `bench`: its name.
void refuse_double(const std::string& bench, const BenchOptions& options, const Device& device);

/// The devices of --device, at least one, none of which works in double precision. Throws InputError.
class BenchDevices {
public:
    BenchDevices(const std::string& bench, const BenchOptions& options);

    Device& first() const { return *pointers_.front(); }
    const std::vector<Device*>& all() const { return pointers_; }

private:
    std::vector<std::unique_ptr<Device>> opened_;
    std::vector<Device*> pointers_;
};

/// "NVIDIA H200 ..., driver ..., up to ... MHz, memory ... MHz"
std::string about(const DeviceInfo& device);
/// Name, description and driver.
nlohmann::json device_facts(const DeviceInfo& device);

/// A signal-to-error ratio, in dB: "exact" where every bit is right.
std::string check_text(double check_db);

/// Rows of words under titles.
class BenchTable {
public:
    struct Column {
        std::string title;
        int width = 0;      ///< letters, with what parts it from the column before
        bool left = false;  ///< words begin there; else they end at the right
    };
    explicit BenchTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void row(std::vector<std::string> words) { rows_.push_back(std::move(words)); }
    std::string text() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// What a bench has to tell.
struct BenchReport {
    std::string heading;  ///< what was done, on what, how often
    BenchTable table;
    std::string below = {};  ///< whole lines under the table
    nlohmann::json json;
    std::optional<BarChart> chart = {};      ///< for --svg
    std::vector<std::string> left_out = {};  ///< what does not go here, and why
};

/// Table or JSON on standard output, the picture if asked for, what was left out on standard error. Returns the exit
/// code.
int tell(const BenchReport& report, const BenchOptions& options);
/// Says what gave a wrong result. Returns the exit code.
int tell_wrong(const std::vector<std::string>& wrong);

/// What a bench did that times steps of one kind beside a copy.
struct BenchPage {
    std::string what;    ///< "4096 x 4096 c64"
    std::string chosen;  ///< the step whose figures the report is about; it may have burst and sustained figures
    std::string comparator = {};   ///< a step to give the others as a percentage of, beside the copy; "": none
    nlohmann::json parameters;     ///< an object: what was asked for
    std::string chart_title = {};  ///< for --svg
};
BenchReport report_of(const BenchPage& page, const BenchResult& result, const BenchOptions& options,
                      const DeviceInfo& device);
int tell(const BenchPage& page, const BenchResult& result, const BenchOptions& options, const DeviceInfo& device);

}  // namespace cornerturn
