// SPDX-License-Identifier: Apache-2.0
// How a GPU would go through the steps: weighed on the host, without a GPU.
#include "kernels/cuda/ways.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "tests/kernels/hyperbolic_gather.h"

namespace cornerturn {
namespace {

/// Range-Doppler of 3000 lines of a C-band satellite, broadside.
HyperbolicGather hyperbola(std::int64_t samples, std::int64_t fft_length, int taps) {
    return {.input_cells = samples,
            .fft_length = fft_length,
            .columns = samples,
            .image_rows = 3000,
            .carrier_hz = 5.3e9,
            .prf_hz = 1257,
            .input_near_range_m = 988e3,
            .image_near_range_m = 988e3,
            .range_spacing_m = 4.64,
            .velocity_m_s = std::vector<double>(static_cast<std::size_t>(samples), 7062.0),
            .weight = std::vector<double>(static_cast<std::size_t>(fft_length), 1.0),
            .covered_rows = std::vector<Interval>(static_cast<std::size_t>(samples), {0, 3000}),
            .kernel = SincKernel::for_band(taps, 0.9)};
}

AzimuthCompression gather(std::int64_t samples, std::int64_t fft_length, int taps) {
    return hyperbola(samples, fft_length, taps).pass();
}

Algorithm range_doppler(std::int64_t samples, int taps = 8, bool secondary_range_compression = false) {
    const auto steps_at = [=](const FftLengths& fft) {
        Steps steps{{"range_compression", "line", "range",
                     RangeCompression{.lines = 3000,
                                      .samples = samples,
                                      .fft_length = fft.range,
                                      .format = SampleFormat::int8,
                                      .decoding = {},
                                      .filter = {}}},
                    {"corner_turn", "range", "line", CornerTurn{3000, samples}},
                    {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{samples, 3000, fft.azimuth}}};
        if (secondary_range_compression)
            steps.push_back(
                {"secondary_range_compression", "range", "azimuth_frequency",
                 SecondaryRangeCompression{
                     .azimuth_bins = samples, .range_cells = fft.azimuth, .fft_length = fft.azimuth, .powers = {}}});
        steps.push_back(
            {"azimuth_compression", "slant_range", "zero_doppler_time", gather(samples, fft.azimuth, taps)});
        steps.push_back({"image", "zero_doppler_time", "slant_range", CornerTurn{samples, 3000}});
        return steps;
    };
    return {.least = {samples, 3000}, .steps = steps_at};
}

TEST(Ways, WhatMovesTheLeastComesFirst) {
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(range_doppler(500), {}, not_taken);
    ASSERT_EQ(ways.size(), 3u);
    EXPECT_EQ(ways[0].chain, Chain::turn_free);
    EXPECT_EQ(ways[0].groups.size(), 2u) << "range compression, and all the rest";
    EXPECT_EQ(ways[0].fft_lengths, (FftLengths{1024, 3072}));
    EXPECT_EQ(ways[1].chain, Chain::fused);
    EXPECT_EQ(ways[1].groups.size(), 5u);
    EXPECT_EQ(ways[2].chain, Chain::plain);
    EXPECT_TRUE(not_taken.empty());
    EXPECT_LT(ways[0].report.bytes_moved, ways[1].report.bytes_moved);
    EXPECT_LT(ways[1].report.bytes_moved, ways[2].report.bytes_moved);
}

TEST(Ways, ARangeLineThatIsTooLongDoesNotKeepAzimuthFromBeingFused) {
    std::vector<std::string> not_taken;
    EXPECT_NE(ways_through(range_doppler(28560), {}, not_taken)[0].report.steps[0].find("three kernels"),
              std::string::npos);
    const std::vector<Way> ways = ways_through(range_doppler(140000), {}, not_taken);
    const Way& way = ways[0];
    EXPECT_EQ(way.chain, Chain::turn_free);
    EXPECT_EQ(way.groups[0].method, Method::plain);
    EXPECT_EQ(way.groups[1].method, Method::turn_free);
}

TEST(Ways, WhyAWayIsPassedOverIsSaid) {
    std::vector<std::string> not_taken;
    EXPECT_EQ(ways_through(range_doppler(500, 12), {}, not_taken)[0].chain, Chain::fused);
    ASSERT_EQ(not_taken.size(), 1u);
    EXPECT_NE(not_taken[0].find("12 interpolation taps"), std::string::npos) << not_taken[0];

    not_taken.clear();
    EXPECT_EQ(ways_through(range_doppler(500, 8, true), {}, not_taken)[0].chain, Chain::fused);
    EXPECT_NE(not_taken.at(0).find("gather right behind"), std::string::npos) << not_taken[0];

    not_taken.clear();
    EXPECT_EQ(ways_through(range_doppler(500), {.corner_turn = CornerTurnVariant::naive}, not_taken)[0].chain,
              Chain::fused);
    EXPECT_NE(not_taken.at(0).find("naive was asked for"), std::string::npos) << not_taken[0];
}

/// Few bins are processed, none of those that a look at every so many of them meets; where they have moved to, they
/// must be met all the same.
TEST(Ways, ABandThatMovesIsLookedAtWhereItIs) {
    const auto steps_with = [](double odd_m_s) {
        return [=](const FftLengths& fft) {
            HyperbolicGather gather = hyperbola(900, fft.azimuth, 8);
            gather.weight.assign(gather.weight.size(), 0.0);
            for (std::size_t bin = 100; bin < 110; ++bin) gather.weight[bin] = 1;
            gather.band_shift = {0, 24, 24};
            gather.velocity_m_s[700] += odd_m_s;
            return Steps{{"corner_turn", "range", "line", CornerTurn{3000, 900}},
                         {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{900, 3000, fft.azimuth}},
                         {"azimuth_compression", "slant_range", "zero_doppler_time", gather.pass()},
                         {"image", "zero_doppler_time", "slant_range", CornerTurn{900, 3000}}};
        };
    };
    std::vector<std::string> not_taken;
    EXPECT_EQ(ways_through({.least = {900, 3000}, .steps = steps_with(0)}, {}, not_taken)[0].chain, Chain::turn_free);
    EXPECT_EQ(ways_through({.least = {900, 3000}, .steps = steps_with(100)}, {}, not_taken)[0].chain, Chain::fused);
    ASSERT_EQ(not_taken.size(), 1u);
    EXPECT_NE(not_taken[0].find("bends along range"), std::string::npos) << not_taken[0];
}

/// The phases before and behind: range-Doppler where histories drift along a block.
Algorithm with_phases() {
    const Algorithm between = range_doppler(500);
    return {.least = between.least, .steps = [=](const FftLengths& fft) {
                Steps steps = between.steps(fft);
                steps.insert(steps.begin() + 1, {"drift_before", "line", "range",
                                                 PhaseCorrection{.lines = 3000, .samples = 500, .cycles = {}}});
                steps.push_back({"drift_after", "zero_doppler_time", "slant_range",
                                 PhaseCorrection{.lines = 3000, .samples = 500, .cycles = {}}});
                return steps;
            }};
}

TEST(Ways, PhasesLieBesideWhatIsFused) {
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(with_phases(), {}, not_taken);
    ASSERT_EQ(ways.size(), 3u);
    EXPECT_EQ(ways[0].chain, Chain::turn_free);
    ASSERT_EQ(ways[0].groups.size(), 4u);
    EXPECT_EQ(ways[0].groups[1].method, Method::plain);
    EXPECT_EQ(ways[0].groups[2].method, Method::turn_free);
    EXPECT_EQ(ways[0].groups[3].method, Method::plain);
    EXPECT_NE(ways[0].report.steps[1].find("phase correction"), std::string::npos) << ways[0].report.steps[1];
    const double matrix_bytes = 8.0 * 3000 * 500,
                 without = ways_through(range_doppler(500), {}, not_taken)[0].report.bytes_moved;
    EXPECT_EQ(ways[0].report.bytes_moved, without + 4 * matrix_bytes) << "each reads and writes a matrix";
}

TEST(Ways, AHintIsFollowedOrRefused) {
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(range_doppler(500), {.chain = Chain::plain}, not_taken);
    ASSERT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0].fft_lengths, (FftLengths{512, 3072}));
    EXPECT_THROW(ways_through(range_doppler(500, 12), {.chain = Chain::turn_free}, not_taken), Unsupported);
    EXPECT_THROW(
        ways_through(range_doppler(500), {.chain = Chain::fused, .fft_lengths = FftLengths{500, 3001}}, not_taken),
        Unsupported);
}

TEST(Ways, HalvesComeFromFusedKernelsAlone) {
    std::vector<std::string> not_taken;
    const LoweringHints halves{.precision = Precision::half_middle};
    const std::vector<Way> ways = ways_through(range_doppler(500), halves, not_taken);
    ASSERT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0].chain, Chain::turn_free);
    EXPECT_EQ(ways[0].outline[0].format, SampleFormat::float16);
    EXPECT_THROW(ways_through(range_doppler(500, 12), halves, not_taken), Unsupported);
    EXPECT_THROW(ways_through(range_doppler(140000), halves, not_taken), Unsupported);
    EXPECT_THROW(ways_through(with_phases(), halves, not_taken), Unsupported) << "which reads no halves";
}

}  // namespace
}  // namespace cornerturn
