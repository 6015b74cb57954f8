// SPDX-License-Identifier: Apache-2.0
// cornerturn bench pipeline: the range-Doppler chains on resident data, against the copy rate.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/pipeline_bench.h"
#include "app/bench/shared_frame_bench.h"
#include "app/console.h"
#include "app/verb.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"
#include "pipeline/formers/former.h"

namespace cornerturn {
namespace {

struct PipelineArguments {
    BenchOptions bench;
    std::int64_t lines = 4096, samples = 4096, size = 0;
    std::string type = "c64", chain = "auto", precision = "full", algorithm = "rda";
    int taps = 8;
    bool padded = false;
};

SampleFormat echo_format_of(const std::string& type) {
    if (type == "int8") return SampleFormat::int8;
    if (type == "int16") return SampleFormat::int16;
    if (type == "f16") return SampleFormat::float16;
    return SampleFormat::complex64;
}

int run_on_one(const PipelineArguments& o, Device& device, const PipelineRequest& request) {
    const PipelineBench bench = measure_pipeline(device, request, console_progress());
    const DeviceInfo info = device.info();
    const std::string what = fmt::format("{} lines x {} samples {}", request.lines, request.samples, o.type);
    nlohmann::json parameters{{"lines", request.lines},
                              {"samples", request.samples},
                              {"type", o.type},
                              {"taps", request.taps},
                              {"padded", request.padded},
                              {"chain", bench.fastest},
                              {"precision", o.precision},
                              {"range_fft_length", bench.fft_lengths.range},
                              {"azimuth_fft_length", bench.fft_lengths.azimuth},
                              {"algorithm", o.algorithm},
                              {"how", bench.how},
                              {"checked_against", bench.checked_against},
                              {"stages", nlohmann::json::array()}};
    for (const BenchStep& stage : bench.stages)
        parameters["stages"].push_back({{"name", stage.name}, {"median_ms", stage.median_ms}, {"k_eff", stage.k_eff}});
    const BenchPage page{.what = what,
                         .chosen = bench.fastest,
                         .parameters = parameters,
                         .chart_title = fmt::format("{}, {}", former_named(request.algorithm).title, what)};
    if (!bench.chains.wrong.empty()) return tell(page, bench.chains, o.bench, info);
    BenchReport report = report_of(page, bench.chains, o.bench, info);
    report.below += fmt::format("stages of {} (FFT {} x {}), each for itself:\n", bench.fastest,
                                bench.fft_lengths.range, bench.fft_lengths.azimuth);
    for (const BenchStep& stage : bench.stages)
        report.below += fmt::format("  {:<28}{:>10.4f} ms{:>10.2f} k_eff\n", stage.name, stage.median_ms, stage.k_eff);
    return tell(report, o.bench);
}

nlohmann::json to_json(const PipelineArguments& o, const PipelineRequest& request, const SharedFrameBench& bench,
                       const BenchDevices& devices) {
    nlohmann::json json = device_facts(devices.first().info());
    json.update({{"device", o.bench.device},
                 {"devices", devices.all().size()},
                 {"lines", request.lines},
                 {"samples", request.samples},
                 {"type", o.type},
                 {"chain", bench.chain},
                 {"range_fft_length", bench.fft_lengths.range},
                 {"azimuth_fft_length", bench.fft_lengths.azimuth},
                 {"how", bench.how},
                 {"strips", bench.strips},
                 {"one_ms", bench.one_ms},
                 {"all_ms", bench.all_ms},
                 {"times_as_fast", bench.one_ms / bench.all_ms},
                 {"signal_to_error_db", std::min(bench.signal_to_error_db, exact_db)}});
    return json;
}

int run_on_all(const PipelineArguments& o, const BenchDevices& devices, const PipelineRequest& request) {
    if (!o.bench.svg.empty()) throw InputError("--svg: is of the chains of one device; give one --device");
    const SharedFrameBench bench = measure_shared_frame(devices.all(), request, console_progress());
    const std::size_t count = devices.all().size();
    if (!bench.agrees())
        return tell_wrong({fmt::format(
            "{:.1f} dB of signal to error between the image of {} devices and that of one; the least is {:.0f} dB",
            bench.signal_to_error_db, count, SharedFrameBench::least_db)});
    BenchTable table(
        {{.title = "one frame on", .width = 30, .left = true}, {"ms", 10}, {"times as fast", 15}, {"check dB", 10}});
    table.row({"one device", fmt::format("{:.3f}", bench.one_ms), "1.00", "-"});
    table.row({fmt::format("{} devices", count), fmt::format("{:.3f}", bench.all_ms),
               fmt::format("{:.2f}", bench.one_ms / bench.all_ms), check_text(bench.signal_to_error_db)});
    return tell(
        {.heading = fmt::format("one frame of {} lines x {} samples {}, {} (FFT {} x {}), on {} x {}, median of {}",
                                request.lines, request.samples, o.type, bench.chain, bench.fft_lengths.range,
                                bench.fft_lengths.azimuth, count, about(devices.first().info()), o.bench.repeat),
         .table = std::move(table),
         .json = to_json(o, request, bench, devices)},
        o.bench);
}

int run_pipeline(const PipelineArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    check_bench_options(o.bench);
    if (o.taps != 8 && o.taps != 12 && o.taps != 16)
        throw InputError(fmt::format("--rcmc-taps {}: choose 8, 12 or 16", o.taps));
    PipelineRequest request{.lines = o.lines,
                            .samples = o.samples,
                            .format = echo_format_of(o.type),
                            .chain = chain_named(o.chain),
                            .precision = precision_named(o.precision),
                            .algorithm = std::string(former_named(o.algorithm).name),
                            .taps = o.taps,
                            .padded = o.padded,
                            .repeat = o.bench.repeat,
                            .threads = o.bench.threads};
    if (o.size > 0) request.lines = request.samples = o.size;
    const BenchDevices devices("pipeline", o.bench);
    return devices.all().size() > 1 ? run_on_all(o, devices, request) : run_on_one(o, devices.first(), request);
}

}  // namespace

void add_bench_pipeline(const Verb& bench) {
    auto o = std::make_shared<PipelineArguments>();
    const Verb verb = bench.verb(
        "pipeline", "Times the chains of an algorithm from an echo to an image, both in the memory of the device");
    verb.footer(
        R"(The echo is random numbers in the geometry of the spaceborne preset. Each chain is checked first against the
CPU: exit code 1 below 100 dB of signal to error (65 dB for half-middle). GB/s and k_eff count the echo as complex64,
read once and written once: a copy has k_eff 2. Without --padded, transforms are as long as the echo: the image wraps
at its edges, which changes the picture, not the work.
On several devices (--device cuda:0,1 or cuda:all) one frame is shared in parts, and the same is timed on the first.

Examples:
  cornerturn bench pipeline --size 8192
  cornerturn bench pipeline --size 32768 --type int8 --device cuda:all
  cornerturn bench pipeline --lines 5000 --samples 3001 --chain plain --type int8 --json)");
    add_size_options(verb, {"--lines", o->lines, "Lines of the echo"}, {"--samples", o->samples, "Samples of a line"},
                     {"--size", o->size, "Both at once"}, 64, std::int64_t{1} << 17);
    verb.option("--type", o->type, "Samples of the echo: c64, f16, int16 or int8")
        .one_of({"c64", "f16", "int16", "int8"})
        .shows_default();
    verb.option("--algorithm", o->algorithm, former_names()).shows_default();
    verb.option("--chain", o->chain, "plain, fused or turn-free; auto: all that the device has").shows_default();
    verb.option("--precision", o->precision,
                "full, or half-middle: 16-bit floats with a scale per line between the passes")
        .shows_default();
    verb.option("--rcmc-taps", o->taps, "Interpolation taps of the migration correction: 8, 12 or 16").shows_default();
    verb.flag("--padded", o->padded, "Pad transforms as focus does, so that nothing wraps");
    add_bench_options(verb, o->bench);
    add_svg_option(verb, o->bench);
    verb.runs([=] { return run_pipeline(*o); });
}

}  // namespace cornerturn
