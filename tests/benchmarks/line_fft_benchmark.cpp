// SPDX-License-Identifier: Apache-2.0
// Transforms of lines on one core, in cache: by whichever library is built in
// (CORNERTURN_FFT).
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "kernels/host/line_fft.h"

namespace cornerturn {
namespace {

constexpr std::int64_t many_lines = std::int64_t{1} << 20;  // so that FFTW measures

void lines(benchmark::State& state) {
    const std::int64_t length = state.range(0);
    const LineBuffer<float> from(length), to(length);
    std::minstd_rand generator(1);
    for (std::int64_t i = 0; i < length; ++i)
        from.data()[i] = {float(generator() % 1024) - 512, float(generator() % 1024) - 512};
    const PassFft<float> fft(length, FftDirection::forward, many_lines);
    for (auto _ : state) {
        fft(from.data(), to.data());
        benchmark::ClobberMemory();
    }
    // By the time of the processor: other programs on the machine do not count.
    const double operations = 5 * double(length) * std::log2(double(length));
    state.counters["GFLOP/s"] =
        benchmark::Counter(1e-9 * operations * double(state.iterations()), benchmark::Counter::kIsRate);
}

}  // namespace
}  // namespace cornerturn

BENCHMARK(cornerturn::lines)
    ->Arg(1024)
    ->Arg(2048)
    ->Arg(4096)
    ->Arg(5120)
    ->Arg(5760)
    ->Arg(8192)
    ->Arg(16384)
    ->Arg(32768)
    ->Arg(65536);

int main(int count, char** words) {
    benchmark::AddCustomContext("transforms by", cornerturn::fft_library());
    benchmark::Initialize(&count, words);
    benchmark::RunSpecifiedBenchmarks();
}
