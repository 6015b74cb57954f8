// SPDX-License-Identifier: Apache-2.0
// The load along the migration and its laws, in the emulator, against the hook sample by sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/cuda/migration/gather.cuh"
#include "kernels/passes/tables.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/migration_passes.h"

namespace cornerturn {
namespace {

template <int Taps, int Stepping>
void expect_window_gather(const AzimuthCompression& pass, double limit = stepped_tolerance) {
    const std::int64_t bins = pass.fft_length, cells = pass.input_cells;
    const auto hooks = pass.hooks(HostTables{});
    const TileLaws laws = laws_of(pass);
    ASSERT_TRUE(laws_hold(laws));
    ASSERT_LE(stepping_for(pass.kernel, laws), Stepping) << laws.steepest;
    // A band that the kernel is made for, so that the error of its weights is not drowned by what no kernel can do.
    const std::vector<Complex64> in = as_floats(noise(cells * bins));
    const std::int64_t first_column = 20, columns = pass.columns - first_column;
    std::vector<Complex64> stepped(static_cast<std::size_t>(columns * bins)), exact(stepped.size());
    const SincPolynomials<float> sinc = polynomials<float>(pass.kernel);
    using Gather = WindowGather<Taps, weight_steppings[Stepping].chunk, weight_steppings[Stepping].order>;
    const Gather gather{sinc, laws.first_cell.data(), laws.laws.data(), laws.column_gain.data(), in.data(), cells,
                        bins, first_column,           columns,          stepped.data()};
    Emulator(Gather::threads, 1).run(gather.blocks(), [&](const EmulatedBlock& block) { gather.run(block); });
    const SampleGather<Taps> sample_by_sample{hooks, sinc, in.data(), cells, first_column, exact.data()};
    for (std::int64_t row = 0; row < columns; ++row)
        for (std::int64_t bin = 0; bin < bins; ++bin) sample_by_sample(row, bin);
    EXPECT_LT(relative_error(as_doubles(stepped), as_doubles(exact)), limit) << "slope " << laws.steepest;
}

TEST(WindowGather, EqualsTheHookSampleBySample) {
    expect_window_gather<8, 0>(azimuth_pass(8, 130, 261, 0).pass());
    expect_window_gather<12, 1>(azimuth_pass(12, 130, 261, -1000).pass());
    expect_window_gather<16, 2>(azimuth_pass(16, 130, 261, -6900).pass());
    expect_window_gather<8, 2>(azimuth_pass(8, 130, 261, -9000).pass());
    expect_window_gather<8, 3>(azimuth_pass(8, 130, 261, 20000).pass());
    expect_window_gather<16, 3>(azimuth_pass(16, 130, 261, -20000).pass());
}

TEST(WindowGather, FollowsTheGainAtNearRange) {
    for (const auto& [near_range_m, spacing_m] : near_geometries) {
        SCOPED_TRACE(testing::Message() << near_range_m << " m, cells of " << spacing_m << " m");
        expect_window_gather<8, 0>(near_pass(8, 130, 700, near_range_m, spacing_m, 90).pass(), image_tolerance);
        expect_window_gather<8, 1>(near_pass(8, 130, 700, near_range_m, spacing_m).pass(), image_tolerance);
        expect_window_gather<16, 1>(near_pass(16, 130, 700, near_range_m, spacing_m).pass(), image_tolerance);
    }
}

TEST(WindowGather, FollowsABandThatMoves) {
    HyperbolicGather gather = azimuth_pass(8, 130, 1000, -1000);
    for (std::int64_t bin = 0; bin < 20; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
    for (const std::vector<std::int32_t>& shift : {std::vector<std::int32_t>{0, 3, -40}, {-7, -7, 131}}) {
        gather.band_shift = shift;
        expect_window_gather<8, 2>(gather.pass());
    }
}

TEST(SampleGather, FollowsABandThatMoves) {
    HyperbolicGather gather = azimuth_pass(8, 61, 1000, -6900);
    for (std::int64_t bin = 0; bin < 20; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
    gather.band_shift = {2, -5, 63};
    const std::vector<Complex64> in = as_floats(noise(gather.input_cells * gather.fft_length));
    const auto gathered = [&](const HyperbolicGather& from, std::int64_t first, std::int64_t columns) {
        const AzimuthCompression pass = from.pass();
        std::vector<Complex64> out(static_cast<std::size_t>(columns * pass.fft_length), {NAN, NAN});
        const AzimuthCompressionHooks hooks = pass.hooks(HostTables{});
        const SampleGather<8> gather_columns{
            hooks, polynomials<float>(pass.kernel), in.data(), pass.input_cells, first, out.data()};
        for (std::int64_t row = 0; row < columns; ++row)
            for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) gather_columns(row, bin);
        return as_doubles(out);
    };
    for (std::int64_t group = 0; group < 3; ++group) {
        const std::int64_t first = group * band_columns, columns = std::min(band_columns, gather.columns - first);
        EXPECT_LT(relative_error(gathered(gather, first, columns), gathered(gather.in_band_of(group), first, columns)),
                  fft_tolerance)
            << group;
    }
}

TEST(TileLaws, RefuseATileAcrossAChangeOfBand) {
    HyperbolicGather gather = azimuth_pass(8, 64, 1000, 0);
    gather.band_shift = {0, 2, 2};
    const AzimuthCompression pass = gather.pass();
    for (const std::int64_t tile : {56, 112, 224, 448}) EXPECT_TRUE(laws_hold(laws_of(pass, tile))) << tile;
    for (const std::int64_t tile : {40, 336, 449, 1000}) EXPECT_FALSE(laws_hold(laws_of(pass, tile))) << tile;
    const auto three_sets = fit_laws(pass, 3 * 112 + 50, 112, bins_in_order(pass));
    ASSERT_TRUE(three_sets.has_value());
    EXPECT_EQ(three_sets->sets, 2) << "three would cross the change";

    gather.band_shift = {2, 2, 2};
    EXPECT_TRUE(laws_hold(laws_of(gather.pass(), 336))) << "no change";
}

TEST(TileLaws, OfAMovedBandAreThoseOfABandThere) {
    HyperbolicGather gather = azimuth_pass(8, 64, 1000, -6900);
    for (std::int64_t bin = 0; bin < 10; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
    gather.band_shift = {0, -9, 70};
    const TileLaws laws = laws_of(gather.pass());
    ASSERT_TRUE(laws_hold(laws));
    for (std::int64_t tile = 0; tile < laws.tiles; ++tile) {
        const TileLaws there = laws_of(gather.in_band_of(tile * law_tile_columns / band_columns).pass());
        EXPECT_EQ(laws.first_cell[static_cast<std::size_t>(tile)], there.first_cell[static_cast<std::size_t>(tile)]);
        for (std::int64_t bin = 0; bin < 64; ++bin) {
            const auto i = static_cast<std::size_t>(tile * 64 + bin),
                       column = static_cast<std::size_t>(tile * law_tile_columns);
            const TileLaw &got = laws.laws[i], &expected = there.laws[i];
            EXPECT_EQ(got.cell, expected.cell);
            EXPECT_NEAR(got.fraction, expected.fraction, 1e-6);
            EXPECT_NEAR(static_cast<std::int32_t>(got.phase - expected.phase), 0, 100);
            EXPECT_NEAR(got.gain * laws.column_gain[column], expected.gain * there.column_gain[column],
                        1e-6 * got.gain);
        }
    }
}

TEST(TileLaws, GainIsTheHooksAtEveryColumn) {
    for (const auto& [near_range_m, spacing_m] : near_geometries) {
        SCOPED_TRACE(testing::Message() << near_range_m << " m, cells of " << spacing_m << " m");
        const AzimuthCompression pass = near_pass(8, 64, 1000, near_range_m, spacing_m).pass();
        const auto hooks = pass.hooks(HostTables{});
        const TileLaws laws = laws_of(pass, 448);
        EXPECT_TRUE(laws_hold(laws));
        double largest = 0;
        for (std::int64_t column = 0; column < pass.columns; ++column)
            for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
                if (pass.weight[static_cast<std::size_t>(bin)] == 0) continue;
                const TileLaw& law = laws.laws[static_cast<std::size_t>(column / 448 * pass.fft_length + bin)];
                const double gain = hooks.at(column, bin).gain;
                largest = std::max(
                    largest, std::abs(law.gain * laws.column_gain[static_cast<std::size_t>(column)] - gain) / gain);
            }
        EXPECT_LT(largest, 3e-7) << "two roundings to float";
    }
}

TEST(TileLaws, RefuseAVelocityThatBends) {
    HyperbolicGather gather = azimuth_pass(8, 64, 300, 1000);
    for (std::size_t column = 0; column < gather.velocity_m_s.size(); ++column)
        gather.velocity_m_s[column] += 0.01 * static_cast<double>(column % 101);
    EXPECT_FALSE(laws_hold(laws_of(gather.pass())));
}

TEST(TileLaws, RefuseAVelocityThatIsOddAtOneColumn) {
    for (const std::size_t column : {1, 50, 111, 201, 222, 250}) {
        HyperbolicGather gather = azimuth_pass(8, 64, 300, 1000);
        EXPECT_TRUE(laws_hold(laws_of(gather.pass())));
        gather.velocity_m_s[column] += 0.1;
        EXPECT_FALSE(laws_hold(laws_of(gather.pass()))) << column;
    }
}

TEST(TileLaws, HoldNoNumbersThatAreNone) {
    HyperbolicGather gather = near_pass(8, 64, 300, 1000, 1.5);
    const auto finite = [](const TileLaws& laws) {
        return std::all_of(
                   laws.laws.begin(), laws.laws.end(),
                   [](const TileLaw& law) {
                       return std::isfinite(law.fraction + law.slope + law.curvature + law.phase_curvature + law.gain);
                   }) &&
               std::all_of(laws.column_gain.begin(), laws.column_gain.end(),
                           [](float gain) { return std::isfinite(gain); });
    };
    // 2 V / lambda is 190 Hz: the processed band ends before it, the sampled one behind it.
    std::fill(gather.velocity_m_s.begin(), gather.velocity_m_s.end(), 190 * c_m_s / gather.carrier_hz / 2);
    EXPECT_TRUE(finite(laws_of(gather.pass())));
    // Now within the processed band.
    std::fill(gather.velocity_m_s.begin(), gather.velocity_m_s.end(), 100 * c_m_s / gather.carrier_hz / 2);
    for (const std::int64_t columns : {1, 2, 300}) {
        gather.columns = columns;
        const TileLaws laws = laws_of(gather.pass());
        EXPECT_TRUE(finite(laws));
        EXPECT_FALSE(laws_hold(laws));
    }
}

TEST(TileLaws, AreFittedToTilesThatTheyHoldFor) {
    HyperbolicGather gather = azimuth_pass(8, 64, 900, -6900);
    const auto bend = [&](double m_s) {
        for (std::size_t column = 0; column < gather.velocity_m_s.size(); ++column)
            gather.velocity_m_s[column] = 7062 + m_s * std::pow(static_cast<double>(column) / 450, 3);
    };
    double m_s = 1e-9;
    for (bend(m_s); laws_hold(laws_of(gather.pass(), 448)); m_s *= 1.5) bend(m_s);
    ASSERT_TRUE(laws_hold(laws_of(gather.pass(), 112))) << m_s;
    const auto fitted = fit_laws(gather.pass(), 512, 112, bins_in_order(gather.pass()));
    ASSERT_TRUE(fitted.has_value());
    EXPECT_TRUE(laws_hold(fitted->laws));
    EXPECT_LT(fitted->sets, 4);
}

TEST(SampleGather, ReadsNothingForWhatIsNotProcessed) {
    HyperbolicGather slow = near_pass(8, 64, 40, 1000, 1.5);
    std::fill(slow.velocity_m_s.begin(), slow.velocity_m_s.end(), 190 * c_m_s / slow.carrier_hz / 2);
    const AzimuthCompression pass = slow.pass();
    const auto hooks = pass.hooks(HostTables{});
    std::vector<Complex64> in = as_floats(noise(pass.input_cells * pass.fft_length)), out(in.size(), {NAN, NAN});
    for (std::size_t i = 0; i < in.size(); ++i)
        if (pass.weight[i % 64] == 0) in[i] = {NAN, INFINITY};
    const SampleGather<8> gather{hooks, polynomials<float>(pass.kernel), in.data(), pass.input_cells, 0, out.data()};
    for (std::int64_t row = 0; row < pass.columns; ++row)
        for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
            gather(row, bin);
            const Complex64 value = out[static_cast<std::size_t>(row * pass.fft_length + bin)];
            EXPECT_TRUE(std::isfinite(value.re) && std::isfinite(value.im)) << row << ", " << bin;
            if (pass.weight[static_cast<std::size_t>(bin)] == 0) {
                EXPECT_TRUE(value.re == 0 && value.im == 0) << row << ", " << bin;
            }
        }
}

TEST(WeightStepping, GetsFinerAsTheMigrationGetsSteeper) {
    const SincKernel kernel = SincKernel::for_band(8, 0.8);
    std::vector<int> seen;
    for (double slope = 1e-6; slope < 0.1; slope *= 1.2) {
        TileLaws laws;
        laws.steepest = slope;
        const int stepping = stepping_for(kernel, laws);
        if (seen.empty() || seen.back() != stepping) seen.push_back(stepping);
        if (stepping >= 0) {
            EXPECT_LT(stepping_error(kernel, weight_steppings[stepping], slope), largest_stepping_error);
        }
    }
    EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3, -1}));
}

TEST(WeightStepping, GetsFinerAsThePhaseBends) {
    TileLaws laws;
    laws.phase_bend_cycles = 1e-8;
    EXPECT_EQ(stepping_for(SincKernel::for_band(8, 0.8), laws), 1);
    laws.phase_bend_cycles = 1e-6;
    EXPECT_EQ(stepping_for(SincKernel::for_band(8, 0.8), laws), -1);
}

}  // namespace
}  // namespace cornerturn
