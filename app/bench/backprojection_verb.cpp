// SPDX-License-Identifier: Apache-2.0
// cornerturn bench backprojection: pixels times lines per second.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/bench/backprojection_bench.h"
#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/console.h"
#include "app/verb.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct BackprojectionArguments {
    BackprojectionRequest request;
    BenchOptions bench{.repeat = 5};
    std::int64_t size = 0;
};

nlohmann::json to_json(const BackprojectionRequest& request, const BackprojectionBench& bench,
                       const DeviceInfo& device) {
    const BackprojectionScene& scene = request.scene;
    nlohmann::json json = device_facts(device);
    json.update({{"rows", scene.rows},
                 {"columns", scene.columns},
                 {"lines", scene.lines},
                 {"cells", bench.cells},
                 {"carrier_hz", scene.carrier_hz},
                 {"range_m", scene.range_m},
                 {"grazing_deg", scene.grazing_deg},
                 {"aperture_deg", scene.aperture_deg},
                 {"pixel_m", scene.pixel_m},
                 {"cell_m", scene.cell_m},
                 {"turned_deg", scene.turned_deg},
                 {"repeat", request.repeat},
                 {"steps", nlohmann::json::array()}});
    for (const BackprojectionStep& step : bench.steps)
        json["steps"].push_back({{"asked_db", step.asked_db},
                                 {"signal_to_error_db", step.seen_db},
                                 {"signal_to_error_of_points_db", step.of_points_db},
                                 {"median_ms", step.median_ms},
                                 {"gpixel_lines_per_s", step.gpixel_lines_per_s}});
    return json;
}

BenchTable table_of(const BackprojectionBench& bench) {
    BenchTable table({{"asked dB", 10}, {"ms", 12}, {"G pixel lines/s", 18}, {"seen dB", 12}, {"points dB", 12}});
    for (const BackprojectionStep& step : bench.steps)
        table.row({fmt::format("{:.0f}", step.asked_db), fmt::format("{:.2f}", step.median_ms),
                   fmt::format("{:.1f}", step.gpixel_lines_per_s), fmt::format("{:.1f}", step.seen_db),
                   fmt::format("{:.1f}", step.of_points_db)});
    return table;
}

int run_backprojection(const BackprojectionArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    check_bench_options(o.bench);
    const auto device = open_device(o.bench.device, o.bench.threads);
    BackprojectionRequest request = o.request;
    BackprojectionScene& scene = request.scene;
    if (o.size > 0) scene.rows = scene.columns = o.size;
    request.repeat = o.bench.repeat, request.threads = o.bench.threads;
    const BackprojectionBench bench = measure_backprojection(*device, request, console_progress());
    if (!bench.wrong.empty()) return tell_wrong(bench.wrong);
    return tell({.heading = fmt::format("{} x {} pixels of {} m, {} lines of {} cells of {} m on {}, median of {}",
                                        scene.rows, scene.columns, scene.pixel_m, scene.lines, bench.cells,
                                        scene.cell_m, about(device->info()), request.repeat),
                 .table = table_of(bench),
                 .json = to_json(request, bench, device->info())},
                o.bench);
}

}  // namespace

void add_bench_backprojection(const Verb& bench) {
    auto o = std::make_shared<BackprojectionArguments>();
    BackprojectionScene& scene = o->request.scene;
    const Verb verb =
        bench.verb("backprojection", "Times exact back-projection of compressed lines that lie on the device");
    verb.footer(
        R"(An antenna flies past a plane of pixels with 1000 points and band-limited noise. Every line is summed into
every pixel. The sums are checked first against sums in double precision, at 4096 random pixels and at 512 points:
exit code 1 if they miss the accuracy asked for by more than 3 dB. A pixel line is one line summed into one pixel.

Examples:
  cornerturn bench backprojection --device cuda
  cornerturn bench backprojection --size 1024 --lines 512 --pixel 1.4 --turned 45
  cornerturn bench backprojection --device cuda --rows 12207 --cols 8808 --lines 15186 --accuracy 100 --json)");
    constexpr std::int64_t most = std::int64_t{1} << 17;
    add_size_options(verb, {"--rows", scene.rows, "Rows of pixels, along the track"},
                     {"--cols", scene.columns, "Columns of pixels, across the track"},
                     {"--size", o->size, "Both at once"}, 1, most);
    verb.option("--lines", scene.lines, "Pulses").between(1, most).shows_default();
    verb.option("--carrier", scene.carrier_hz, "Carrier frequency, in Hz").shows_default().number_between(1e7, 1e12);
    verb.option("--range", scene.range_m, "Slant range to the middle of the image, in m")
        .shows_default()
        .number_between(10.0, 1e7);
    verb.option("--grazing", scene.grazing_deg, "Grazing angle, in degrees").shows_default().number_between(1.0, 85.0);
    verb.option("--aperture", scene.aperture_deg, "Angle of the aperture, in degrees")
        .shows_default()
        .number_between(1e-4, 120.0);
    verb.option("--pixel", scene.pixel_m, "Spacing of pixels on the ground, in m")
        .shows_default()
        .number_between(1e-3, 1e3);
    verb.option("--cell", scene.cell_m, "Spacing of the compressed lines' cells in slant range, in m")
        .shows_default()
        .number_between(1e-3, 1e3);
    verb.option("--turned", scene.turned_deg,
                "Angle between the columns of the grid and the range direction, in degrees")
        .shows_default()
        .number_between(-180.0, 180.0);
    verb.option("--accuracy", o->request.signal_to_error_db,
                "Signal to error to reach, in dB; several values are timed one by one")
        .shows_default()
        .number_between(20.0, 150.0);
    add_bench_options(verb, o->bench);
    verb.runs([=] { return run_backprojection(*o); });
}

}  // namespace cornerturn
