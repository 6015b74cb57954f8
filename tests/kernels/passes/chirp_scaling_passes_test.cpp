// SPDX-License-Identifier: Apache-2.0
// The passes of chirp scaling on every device, with laws without meaning that differ from bin to bin.
#include <gtest/gtest.h>

#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/chirp_scaling.h"
#include "kernels/passes/scaled_compression.h"
#include "tests/kernels/line_pass_on_devices.h"

namespace cornerturn {
namespace {

constexpr double rate_hz = 20e6, carrier_hz = 5.3e9, velocity_m_s = 7000, near_m = 850e3;

std::vector<ScalingLaw> laws_of(std::int64_t bins) {
    std::vector<ScalingLaw> laws;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        const auto x = static_cast<double>(bin % 11);
        laws.push_back({.doppler_hz = 100 * x - 300,
                        .rate_hz_s = -7e11 * (1 + 1e-3 * x),
                        .stretch = 1 + 1e-4 * x,
                        .pivot_s = 2 * near_m / c_m_s + 1e-6 * x,
                        .reference_s = 2 * near_m / c_m_s});
    }
    return laws;
}

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
                           .carrier_hz = carrier_hz,
                           .sample_rate_hz = rate_hz,
                           .slope_hz_s = -7e11,
                           .duration_s = 20e-6,
                           .echo_near_range_m = near_m,
                           .image_near_range_m = near_m + 13.7,
                           .image_delay_s = -0.3,
                           .reference_range_m = near_m + 500,
                           .reference_velocity_m_s = velocity_m_s,
                           .range_mean_square_hz2 = 1.6e13,
                           .velocity_m_s = {},
                           .weight = {},
                           .laws = laws_of(bins),
                           .filter = [length] {
                               Samples filter = noise(length, 5);
                               for (auto& value : filter) value /= static_cast<double>(length);
                               return filter;
                           }};
    for (std::int64_t column = 0; column < columns; ++column)
        pass.velocity_m_s.push_back(velocity_m_s + 0.01 * static_cast<double>(column % 5));
    for (std::int64_t bin = 0; bin < bins; ++bin) pass.weight.push_back(bin % 4 == 3 ? 0.0 : 1.0);
    return pass;
}

class ChirpScalingPasses : public LinePassOnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ChirpScalingPasses, every_device(), device_name);

TEST_P(ChirpScalingPasses, ScaleTheSpectrumOfEachSample) {
    for (const auto& [samples, lines, length] :
         {std::array{1, 1, 1}, {1, 31, 32}, {7, 33, 61}, {65, 32, 40}, {3, 600, 750}})
        expect_its_hooks(ChirpScaling{.samples = samples,
                                      .lines = lines,
                                      .fft_length = length,
                                      .first_middle_s = 2 * near_m / c_m_s + 1e-5,
                                      .sample_rate_hz = rate_hz,
                                      .laws = laws_of(length)});
}

TEST_P(ChirpScalingPasses, CompressEachBin) {
    // Phases are what is left of 3e7 cycles, of which double keeps 4e-9. The device's loop has copies for several
    // processors, which round otherwise than the test does: 1.5e-8 off on a Xeon.
    constexpr double double_limit = 1e-7;
    for (const auto& [bins, samples, length, columns] :
         {std::array{1, 1, 1, 1}, {1, 31, 32, 33}, {5, 33, 61, 40}, {65, 32, 40, 30}, {3, 600, 750, 601}})
        expect_its_hooks(compression_of(bins, samples, length, columns), double_limit);
}

TEST_P(ChirpScalingPasses, StoreTheRowsThatAreCovered) {
    for (const auto& [columns, length, rows] :
         {std::array{1, 1, 1}, {1, 32, 31}, {7, 61, 61}, {65, 40, 90}, {3, 750, 600}})
        expect_its_hooks(AzimuthImage{
            .columns = columns, .fft_length = length, .image_rows = rows, .covered_rows = covered_of(columns, rows)});
}

}  // namespace
}  // namespace cornerturn
