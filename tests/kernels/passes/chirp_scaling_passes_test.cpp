// SPDX-License-Identifier: Apache-2.0
// The passes of chirp scaling on every device, with laws without meaning that differ from bin to bin.
#include <gtest/gtest.h>

#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/scaled_compression.h"
#include "tests/kernels/line_pass_on_devices.h"

namespace cornerturn {
namespace {

std::vector<Interval> covered_of(std::int64_t lines, std::int64_t stored) {
    std::vector<Interval> covered;
    for (std::int64_t line = 0; line < lines; ++line) {
        const auto first = static_cast<std::int32_t>(line % stored);
        covered.push_back({first, std::max(first, static_cast<std::int32_t>(stored - line % 3))});
    }
    covered[0] = {0, static_cast<std::int32_t>(stored)};
    return covered;
}

ScaledCompression compression_of(std::int64_t bins, std::int64_t samples, std::int64_t length, std::int64_t columns) {
    ScaledCompression pass{.azimuth_bins = bins,
                           .samples = samples,
                           .fft_length = length,
                           .columns = columns,
                           .laws =
                               [bins] {
                                   ScaledLaws laws;
                                   const auto add = [](std::vector<double>& powers, double constant, double linear) {
                                       for (int k = 0; k < ScaledLaws::terms; ++k)
                                           powers.push_back(k == 0 ? constant : linear / (k * k));
                                   };
                                   for (std::int64_t bin = 0; bin < bins; ++bin) {
                                       const auto x = static_cast<double>(bin % 11);
                                       laws.scaling.push_back({.pivot_sample = 17.3 - x, .cycles = 1e-3 * x});
                                       add(laws.filter_cycles, 3e3 + x, 20 - x);
                                       add(laws.image_cycles, -4e3 * x, 7 + x);
                                       add(laws.image_gain, 2 + x, 0.3);
                                   }
                                   return laws;
                               },
                           .covered_columns = covered_of(bins, columns),
                           .filter =
                               [length] {
                                   Samples filter = noise(length, 5);
                                   for (auto& value : filter) value /= static_cast<double>(length);
                                   return filter;
                               }};
    return pass;
}

class ChirpScalingPasses : public LinePassOnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ChirpScalingPasses, every_device(), device_name);

TEST_P(ChirpScalingPasses, ScaleAndCompressEachBin) {
    // The device's loop has copies for several processors, which round phases of 4e4 cycles otherwise than the test.
    constexpr double double_limit = 1e-9;
    for (const auto& [bins, samples, length, columns] :
         {std::array{1, 1, 1, 1}, {1, 31, 32, 33}, {5, 33, 61, 40}, {65, 32, 40, 30}, {3, 600, 750, 601}})
        expect_its_hooks(compression_of(bins, samples, length, columns), double_limit);
}

/// Bin 1, of which scaling leaves sample 17.3 - 1 as it is.
TEST(ScaledCompressionHooks, AreTheLawsOfABin) {
    const HostTables tables;
    const auto hooks = compression_of(3, 40, 50, 21).hooks<double>(tables);
    const auto line = hooks.of_line(1);
    const auto expect_phase = [](Complex128 value, double cycles) {
        const double turned = std::arg(as_std(value * unit_phasor<double>(-cycles)));
        EXPECT_NEAR(turned, 0, 1e-9);
    };
    expect_phase(line.before(20), 1e-3 * 3.7 * 3.7);
    const auto series = [](double constant, double linear, double x) {
        double sum = constant, power = 1;
        for (int k = 1; k < ScaledLaws::terms; ++k) sum += linear / (k * k) * (power *= x);
        return sum;
    };
    expect_phase(line.filter(10) * conj(hooks.response[10]), series(3e3 + 1, 19, 0.4));  // 10 of 50 / 2
    expect_phase(line.filter(40) * conj(hooks.response[40]), series(3e3 + 1, 19, -0.4));
    expect_phase(line.scale(15), series(-4e3, 8, 0.5));  // columns 0 to 20 are -1 to 1
    EXPECT_NEAR(std::abs(as_std(line.scale(15))), series(3, 0.3, 0.5), 1e-12);
}

TEST_P(ChirpScalingPasses, StoreTheRowsThatAreCovered) {
    for (const auto& [columns, length, rows] :
         {std::array{1, 1, 1}, {1, 32, 31}, {7, 61, 61}, {65, 40, 90}, {3, 750, 600}})
        expect_its_hooks(AzimuthImage{
            .columns = columns, .fft_length = length, .image_rows = rows, .covered_rows = covered_of(columns, rows)});
}

}  // namespace
}  // namespace cornerturn
