// SPDX-License-Identifier: Apache-2.0
// The GPU's kernel of the echo statistics, run in the emulator, against the CPU's loop.
#include "kernels/cuda/statistics/line_statistics.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/cpu/statistics.h"
#include "tests/kernels/emulator.h"

namespace cornerturn {
namespace {

TEST(LineStatistics, AddUpToWhatTheCpuFinds) {
    constexpr std::int64_t lines = 6, samples = 613;  // not a multiple of the block
    std::mt19937 generator(1);
    std::vector<Stored<std::int8_t>> echo(lines * samples);
    for (auto& s : echo) s = {static_cast<std::int8_t>(generator()), static_cast<std::int8_t>(generator())};
    EchoDecoding decoding{.line_gain = {1, 2, 3, 4, 5, 6}, .valid_samples = {}, .intervals_per_line = 0, .levels = {}};
    const Matrix matrix{.storage = {std::shared_ptr<void>(), echo.data()},
                        .capacity_bytes = echo.size() * 2,
                        .format = SampleFormat::int8,
                        .rows = lines,
                        .columns = samples};
    const auto expected = reduction_on_cpu(lines, samples, decoding, 1);
    expected->add(matrix, 0, lines);
    const EchoStatistics cpu = expected->result();

    std::vector<LineSums> sums(lines);
    using Statistics = LineStatistics<std::int8_t>;
    Emulator emulator(Statistics::block_width, Statistics::block_height);
    for (const auto& [first, count] :
         {std::pair<std::int64_t, std::int64_t>{0, 1}, {1, 4}, {5, 1}}) {  // with the line behind, if any
        const std::int64_t there = std::min(count + 1, lines - first);
        const Statistics statistics{{.samples = echo.data() + first * samples,
                                     .first_line = first,
                                     .samples_per_line = samples,
                                     .line_gain = decoding.line_gain.data()},
                                    first,
                                    there,
                                    samples,
                                    sums.data()};
        emulator.run(count, [&](const EmulatedBlock& block) { statistics.run(block); });
    }
    const EchoStatistics gpu = total(sums, samples);
    EXPECT_EQ(gpu.non_finite, 0);
    EXPECT_EQ(gpu.mean_power, cpu.mean_power) << "whole numbers: no rounding";
    EXPECT_EQ(gpu.lag1, cpu.lag1);
    EXPECT_GT(std::abs(cpu.lag1), 0);
}

}  // namespace
}  // namespace cornerturn
