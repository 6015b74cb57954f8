// SPDX-License-Identifier: Apache-2.0
// Compute time of the range-Doppler chain alone, by stage: int8 echo on the device to image on the device, frame after
// frame in the same plans and matrices; planning and the first frame are not counted.
#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <random>

#include "pipeline/formers/range_doppler.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/step_runner.h"

namespace cornerturn {
namespace {

/// Random int8 echo of the spaceborne preset's geometry.
Echo random_echo(std::int64_t lines, std::int64_t samples) {
    Scene scene = preset_scene("spaceborne");
    scene.lines = lines;
    scene.samples = samples;
    scene.sample_type = SampleFormat::int8;
    scene.noise_db = 0;
    Echo echo{.acquisition = describe(scene),
              .samples = std::vector<std::byte>(static_cast<std::size_t>(lines * samples * 2))};
    std::minstd_rand generator(1);
    for (auto& sample : echo.samples) sample = static_cast<std::byte>(generator() >> 8);
    return echo;
}

void range_doppler(benchmark::State& state, const char* device_name) {
    const auto device = open_device(device_name);
    const Echo echo = random_echo(state.range(0), state.range(1));
    const Acquisition& acquisition = echo.acquisition;
    FormerParameters parameters;
    parameters.velocity = VelocityProfile(acquisition.effective_velocity_m_s.value());
    parameters.azimuth_bandwidth_hz = acquisition.azimuth_bandwidth_hz.value();
    parameters.interpolation_taps = static_cast<int>(state.range(2));
    parameters.extent = state.range(3) == 0 ? ImageExtent::full : ImageExtent::valid;
    const Formation formation = range_doppler(acquisition, plan_image(acquisition, parameters));
    Matrix samples = device->allocate(acquisition.format, acquisition.lines, acquisition.samples);
    device->upload(echo.samples, samples);

    StepRunner runner(*device, formation.algorithm);
    std::map<std::string, double> stage_seconds;
    auto since = std::chrono::steady_clock::now();
    const auto frame = [&] {
        since = std::chrono::steady_clock::now();
        runner.take_lines(samples, 0);
        return runner.finish(
            [&](std::string_view stage, double) {
                const auto now = std::chrono::steady_clock::now();
                stage_seconds[std::string(stage)] += std::chrono::duration<double>(now - since).count();
                since = now;
            },
            {});
    };
    frame();
    stage_seconds.clear();
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        const Matrix image = frame();
        benchmark::DoNotOptimize(image.storage.get());
        state.SetIterationTime(std::chrono::duration<double>(since - start).count());
    }
    for (const auto& [stage, seconds] : stage_seconds)
        state.counters[stage + "_ms"] = 1e3 * seconds / static_cast<double>(state.iterations());
    state.SetItemsProcessed(state.iterations() * acquisition.lines * acquisition.samples);
}

void on_cpu(benchmark::State& state) { range_doppler(state, "cpu"); }

void on_cuda(benchmark::State& state) {
    const std::string reason = list_devices().cuda_status;
    if (!reason.empty()) return state.SkipWithError(reason.c_str());
    range_doppler(state, "cuda");
}

void sizes(benchmark::internal::Benchmark* benchmark) {
    for (std::int64_t extent : {0, 1}) {
        for (std::int64_t taps : {8, 16}) benchmark->Args({4096, 4096, taps, extent});
        benchmark->Args({16384, 8192, 8, extent});
    }
    benchmark->ArgNames({"lines", "samples", "taps", "valid"})
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(20);
}

BENCHMARK(on_cpu)->Apply(sizes);
BENCHMARK(on_cuda)->Apply(sizes)->Args({8192, 8192, 16, 0});

}  // namespace
}  // namespace cornerturn

BENCHMARK_MAIN();
