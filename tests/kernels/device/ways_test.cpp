// SPDX-License-Identifier: Apache-2.0
// How a GPU would go through the steps: weighed on the host, without a GPU.
#include "kernels/device/ways/ways.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/errors.h"
#include "tests/kernels/hyperbolic_gather.h"
#include "tests/support/texts.h"

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
    const std::vector<Way> ways = ways_through(range_doppler(500), {}, {}, not_taken);
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
    expect_in(ways_through(range_doppler(28560), {}, {}, not_taken)[0].report.steps[0], "three kernels");
    const std::vector<Way> ways = ways_through(range_doppler(140000), {}, {}, not_taken);
    const Way& way = ways[0];
    EXPECT_EQ(way.chain, Chain::turn_free);
    EXPECT_EQ(way.groups[0].method, Method::plain);
    EXPECT_EQ(way.groups[1].method, Method::turn_free);
}

/// Chirp scaling: compression lies between two transforms, each of which has corner turns about it.
Algorithm chirp_scaling_steps(std::int64_t samples) {
    const auto steps_at = [=](const FftLengths& fft) {
        return Steps{
            {"echo", "line", "range", DecodedEcho{3000, samples, SampleFormat::int8, {}}},
            {"corner_turn", "range", "line", CornerTurn{3000, samples}},
            {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{samples, 3000, fft.azimuth}},
            {"corner_turn_to_range", "azimuth_frequency", "range", CornerTurn{samples, fft.azimuth}},
            {"compression", "azimuth_frequency", "slant_range",
             ScaledCompression{.azimuth_bins = fft.azimuth,
                               .samples = samples,
                               .fft_length = fft.range,
                               .columns = samples,
                               .laws = {},
                               .covered_columns = {},
                               .filter = {}}},
            {"corner_turn_to_azimuth", "slant_range", "azimuth_frequency", CornerTurn{fft.azimuth, samples}},
            {"azimuth_image", "slant_range", "zero_doppler_time", AzimuthImage{samples, fft.azimuth, 2500, {}}},
            {"image", "zero_doppler_time", "slant_range", CornerTurn{samples, 2500}}};
    };
    return {.least = {samples, 3000}, .steps = steps_at};
}

TEST(Ways, TransformsBetweenCornerTurnsNeedNone) {
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(chirp_scaling_steps(3500), {}, {}, not_taken);
    ASSERT_EQ(ways.size(), 3u);
    const Way& way = ways[0];
    EXPECT_EQ(way.chain, Chain::turn_free);
    EXPECT_EQ(way.fft_lengths, (FftLengths{4096, 3072}));
    ASSERT_EQ(way.groups.size(), 4u) << "echo, spectrum, compression, image";
    EXPECT_EQ(way.outline[1].name, "azimuth_spectrum");
    EXPECT_EQ(way.outline[1].result_rows, 3072);
    EXPECT_GE(way.outline[1].room_samples, 3072 * 3500);
    EXPECT_EQ(way.groups[2].method, Method::fused);
    EXPECT_EQ(way.outline[3].result_rows, 2500);
    EXPECT_GE(way.outline[3].room_samples, 3072 * 3500);
    EXPECT_EQ(way.report.steps[1], "azimuth spectrum: two kernels, no corner turn");
    // Where memory has the say: two corner turns less, of which each reads and writes the matrix.
    EXPECT_LT(way.report.bytes_moved, ways[1].report.bytes_moved);
}

TEST(Ways, WhyAWayIsPassedOverIsSaid) {
    std::vector<std::string> not_taken;
    EXPECT_EQ(ways_through(range_doppler(500, 12), {}, {}, not_taken)[0].chain, Chain::fused);
    ASSERT_EQ(not_taken.size(), 1u);
    expect_in(not_taken[0], "12 interpolation taps");

    not_taken.clear();
    EXPECT_EQ(ways_through(range_doppler(500, 8, true), {}, {}, not_taken)[0].chain, Chain::fused);
    expect_in(not_taken.at(0), "no azimuth transform between corner turns");

    not_taken.clear();
    EXPECT_EQ(ways_through(range_doppler(500), {.corner_turn = CornerTurnVariant::naive}, {}, not_taken)[0].chain,
              Chain::fused);
    expect_in(not_taken.at(0), "naive was asked for");
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
    EXPECT_EQ(ways_through({.least = {900, 3000}, .steps = steps_with(0)}, {}, {}, not_taken)[0].chain,
              Chain::turn_free);
    EXPECT_EQ(ways_through({.least = {900, 3000}, .steps = steps_with(100)}, {}, {}, not_taken)[0].chain, Chain::fused);
    ASSERT_EQ(not_taken.size(), 1u);
    expect_in(not_taken[0], "bends along range");
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
    const std::vector<Way> ways = ways_through(with_phases(), {}, {}, not_taken);
    ASSERT_EQ(ways.size(), 3u);
    EXPECT_EQ(ways[0].chain, Chain::turn_free);
    ASSERT_EQ(ways[0].groups.size(), 4u);
    EXPECT_EQ(ways[0].groups[1].method, Method::plain);
    EXPECT_EQ(ways[0].groups[2].method, Method::turn_free);
    EXPECT_EQ(ways[0].groups[3].method, Method::plain);
    expect_in(ways[0].report.steps[1], "phase correction");
    const double matrix_bytes = 8.0 * 3000 * 500,
                 without = ways_through(range_doppler(500), {}, {}, not_taken)[0].report.bytes_moved;
    EXPECT_EQ(ways[0].report.bytes_moved, without + 4 * matrix_bytes) << "each reads and writes a matrix";
}

/// The classes of shared memory that a block may have: capability 7.5, L4 and RTX, A100, H100.
constexpr GpuLimits turing{64 << 10, 4 << 20, 40}, ada{99 << 10, 48 << 20, 58}, ampere{163 << 10, 40 << 20, 108},
    hopper{227 << 10, 50 << 20, 132};
constexpr std::int64_t lengths_of_classes[] = {4096, 5120, 6144, 8192, 10240, 12288, 16384, 20480, 24576, 32768};

/// The one that is taken.
Way way_through(const Algorithm& algorithm, const LoweringHints& hints, const GpuLimits& limits) {
    std::vector<std::string> not_taken;
    return std::move(ways_through(algorithm, hints, limits, not_taken).at(0));
}

bool goes_plainly(const std::string& step) { return step.find("cuFFT and sweeps") != std::string::npos; }

TEST(WaysOfSmallGpus, AreTurnFreeAtEveryLength) {
    for (const GpuLimits& limits : {turing, ada, ampere, hopper})
        for (const std::int64_t length : lengths_of_classes) {
            SCOPED_TRACE(testing::Message() << limits.shared_bytes / 1024 << " KiB, " << length << " points");
            const LoweringHints hints{.fft_lengths = FftLengths{length, length}};
            const Way way = way_through(range_doppler(900), hints, limits);
            EXPECT_EQ(way.chain, Chain::turn_free);
            EXPECT_TRUE(std::none_of(way.report.steps.begin(), way.report.steps.end(), goes_plainly));
            EXPECT_EQ(way.report.steps[0].find("one kernel") != std::string::npos,
                      length <= (limits.shared_bytes == turing.shared_bytes   ? 6144
                                 : limits.shared_bytes == ada.shared_bytes    ? 10240
                                 : limits.shared_bytes == ampere.shared_bytes ? 16384
                                                                              : 24576))
                << way.report.steps[0];
        }
}

TEST(WaysOfSmallGpus, HalvesBetweenThePassesGoEverywhere) {
    for (const GpuLimits& limits : {turing, ada, ampere, hopper})
        for (const std::int64_t length : lengths_of_classes) {
            std::vector<std::string> not_taken;
            const LoweringHints hints{.precision = Precision::half_middle, .fft_lengths = FftLengths{length, length}};
            EXPECT_EQ(ways_through(range_doppler(900), hints, limits, not_taken).size(), 1u)
                << limits.shared_bytes << ", " << length;
        }
}

/// Where no kernel holds an azimuth line, range is fused all the same, and why azimuth is not is said.
TEST(WaysOfSmallGpus, AzimuthLinesThatDoNotFitGoPlainlyByThemselves) {
    const auto longest_fused = [](const GpuLimits& limits) {
        std::int64_t longest = 0;
        for (const std::int64_t length : lengths_of_classes) {
            const auto steps = way_through(range_doppler(900),
                                           {.chain = Chain::fused, .fft_lengths = FftLengths{length, length}}, limits)
                                   .report.steps;
            EXPECT_FALSE(goes_plainly(steps.at(0))) << limits.shared_bytes << ", " << length << ": " << steps[0];
            EXPECT_EQ(goes_plainly(steps.at(2)), goes_plainly(steps.at(3)));
            if (!goes_plainly(steps[2])) longest = length;
            if (goes_plainly(steps[2]) && length <= 24576) {
                expect_in(steps[2], std::to_string(limits.shared_bytes / 1024) + " KiB of shared memory");
            }
        }
        return longest;
    };
    EXPECT_EQ(longest_fused(turing), 6144);
    EXPECT_EQ(longest_fused(ada), 12288);
    EXPECT_EQ(longest_fused(ampere), 20480);
    EXPECT_EQ(longest_fused(hopper), 24576);
}

TEST(WaysOfSmallGpus, AutomaticLengthsAreThoseThatFit) {
    const LoweringHints fused{.chain = Chain::fused};
    const Algorithm long_range = range_doppler(110000);
    EXPECT_EQ(way_through(long_range, fused, hopper).fft_lengths, (FftLengths{122880, 3072}));
    const Algorithm longest_range = range_doppler(123000);
    EXPECT_EQ(way_through(longest_range, fused, hopper).fft_lengths.range, 131072);
    const Way on_turing = way_through(longest_range, fused, turing);
    EXPECT_LT(on_turing.fft_lengths.range, 131072) << "rows of 8192 points do not fit: cuFFT's lengths";
    EXPECT_TRUE(goes_plainly(on_turing.report.steps[0]));
}

/// Finer cells, more of which a tile reads beside its own.
Algorithm wide_migration(double spacing_m) {
    return {.least = {900, 3000}, .steps = [=](const FftLengths& fft) {
                HyperbolicGather gather = hyperbola(900, fft.azimuth, 8);
                gather.doppler_centroid_hz = -6900;
                gather.range_spacing_m = spacing_m;
                gather.input_near_range_m =
                    gather.image_near_range_m / migration_factor(-6900, 7062, c_m_s / gather.carrier_hz);
                return Steps{
                    {"corner_turn", "range", "line", CornerTurn{3000, 900}},
                    {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{900, 3000, fft.azimuth}},
                    {"azimuth_compression", "slant_range", "zero_doppler_time", gather.pass()},
                    {"image", "zero_doppler_time", "slant_range", CornerTurn{900, 3000}}};
            }};
}

TEST(WaysOfSmallGpus, AMigrationThatNeedsLargerTilesIsToldFromOneThatHasNone) {
    const auto refusal = [&](double spacing_m, const GpuLimits& limits) {
        return error_of<Unsupported>(
            [&] { way_through(wide_migration(spacing_m), {.chain = Chain::turn_free}, limits); });
    };
    for (const double spacing_m : {4.64, 2.0})
        for (const GpuLimits& limits : {turing, ada, ampere, hopper}) EXPECT_EQ(refusal(spacing_m, limits), "");
    EXPECT_EQ(refusal(0.4, hopper), "");
    expect_in(refusal(0.4, turing), "tiles of 512 cells in 129 KiB of shared memory, a block may have 64 KiB");
    for (const GpuLimits& limits : {turing, ada, ampere, hopper})
        expect_in(refusal(0.2, limits), "a tile of the turn-free kernels holds 512");
}

/// The columns between the kernels take the place of the echo's cells.
TEST(Ways, StoragesHoldTheColumnsOfAnImageThatIsWiderThanTheEcho) {
    for (const auto& [cells, columns] : {std::pair{900, 1000}, {900, 700}}) {
        const auto steps = [cells = cells, columns = columns](const FftLengths& fft) {
            HyperbolicGather gather = hyperbola(columns, fft.azimuth, 8);
            gather.input_cells = cells;
            return Steps{{"corner_turn", "range", "line", CornerTurn{3000, cells}},
                         {"azimuth_spectrum", "range", "azimuth_frequency", AzimuthSpectrum{cells, 3000, fft.azimuth}},
                         {"azimuth_compression", "slant_range", "zero_doppler_time", gather.pass()},
                         {"image", "zero_doppler_time", "slant_range", CornerTurn{columns, 3000}}};
        };
        const Way way = way_through({.least = {900, 3000}, .steps = steps}, {}, {});
        ASSERT_EQ(way.chain, Chain::turn_free);
        EXPECT_EQ(way.outline.at(0).room_samples, std::max(cells, columns) * 3072);
    }
}

TEST(Ways, AHintIsFollowedOrRefused) {
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(range_doppler(500), {.chain = Chain::plain}, {}, not_taken);
    ASSERT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0].fft_lengths, (FftLengths{512, 3072}));
    EXPECT_THROW(ways_through(range_doppler(500, 12), {.chain = Chain::turn_free}, {}, not_taken), Unsupported);
    EXPECT_THROW(
        ways_through(range_doppler(500), {.chain = Chain::fused, .fft_lengths = FftLengths{500, 3001}}, {}, not_taken),
        Unsupported);
}

TEST(Ways, HalvesComeFromFusedKernelsAlone) {
    std::vector<std::string> not_taken;
    const LoweringHints halves{.precision = Precision::half_middle};
    const std::vector<Way> ways = ways_through(range_doppler(500), halves, {}, not_taken);
    ASSERT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0].chain, Chain::turn_free);
    EXPECT_EQ(ways[0].outline[0].format, SampleFormat::float16);
    EXPECT_THROW(ways_through(range_doppler(500, 12), halves, {}, not_taken), Unsupported);
    EXPECT_THROW(ways_through(range_doppler(140000), halves, {}, not_taken), Unsupported);
    EXPECT_THROW(ways_through(with_phases(), halves, {}, not_taken), Unsupported) << "which reads no halves";
}

}  // namespace
}  // namespace cornerturn
