// SPDX-License-Identifier: Apache-2.0
// The fused kernels in the emulator: the very bodies that run on a GPU, against plain sums in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "kernels/cuda/fused/lines.cuh"
#include "kernels/cuda/fused/range_line.cuh"
#include "kernels/cuda/fused/unturned.cuh"
#include "kernels/cuda/fused/unturned_tables.h"
#include "kernels/cuda/migration/gather.cuh"
#include "kernels/fused_lengths.h"
#include "kernels/passes/pass.h"
#include "kernels/passes/tables.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/host_passes.h"
#include "tests/kernels/hyperbolic_gather.h"
#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

/// A transform errs by one or two units in the last place of the rms; 3e-7 was seen.
constexpr double tolerance = 1e-6;

TEST(FastFourier, EqualsThePlainSum) {
    const Samples x = noise(120);
    EXPECT_LT(relative_error(fast_fourier(x, -1), fourier_sum(x, 120, -1)), 1e-13);
}

template <int R>
void expect_butterfly() {
    const Samples x = noise(R, R);
    for (const std::int64_t k : {0, 5}) {
        const std::vector<Complex64> floats = as_floats(x);
        Complex64 v[R];
        std::copy(floats.begin(), floats.end(), v);
        k == 0 ? transform<R>(v) : transform<R>(v, twiddle(k, 97));
        Line expected = as_doubles(floats);
        for (std::size_t r = 0; r < R; ++r)
            expected[r] *= phasor(-static_cast<double>(r) * static_cast<double>(k) / 97);
        expected = fourier_sum(expected, R, -1);
        EXPECT_LT(relative_error(as_doubles({v, v + R}), expected), tolerance) << R << " points, k " << k;
    }
}

TEST(Butterfly, IsAFourierTransformWithInputFactor) {
    expect_butterfly<2>(), expect_butterfly<4>(), expect_butterfly<8>(), expect_butterfly<16>(), expect_butterfly<32>();
    expect_butterfly<6>(), expect_butterfly<12>(), expect_butterfly<24>(), expect_butterfly<48>();
    expect_butterfly<10>(), expect_butterfly<20>(), expect_butterfly<40>();
}

TEST(Roots, AreThoseOfTheLibrary) {
    const Complex64 r = root<7, 40>();
    EXPECT_NEAR(r.re, std::cos(2 * std::numbers::pi * 7 / 40), 1e-7);
    EXPECT_NEAR(r.im, -std::sin(2 * std::numbers::pi * 7 / 40), 1e-7);
    EXPECT_NEAR((root<-5, 32>().im), std::sin(2 * std::numbers::pi * 5 / 32), 1e-7);
    EXPECT_EQ((root<1, 2>().re), -1.0f);
}

/// Tables of LineTwiddles in host memory.
template <class Digits>
struct HostTwiddles {
    std::vector<Twiddle> forward_b = twiddles(Digits::A, Digits::A*Digits::B), forward_c = forward_c_twiddles<Digits>(),
                         inverse_b = twiddles(Digits::C, Digits::B*Digits::C),
                         inverse_a = twiddles(Digits::B * Digits::C, Digits::length);
    LineTwiddles get() const { return {forward_b.data(), forward_c.data(), inverse_b.data(), inverse_a.data()}; }
};

TEST(FusedLengths, AreThoseThatThePlannerKnows) {
    for (const std::int64_t length : fused_line_lengths) {
        EXPECT_TRUE(with_line_digits(length, [&]<class Digits>(Digits) { EXPECT_EQ(Digits::length, length); }))
            << length;
        EXPECT_TRUE(with_filtered_digits(length, [&]<class Digits>(Digits) { EXPECT_EQ(Digits::length, length); }))
            << length;
    }
    for (const std::int64_t length : turn_free_lengths)
        EXPECT_TRUE(with_column_digits(length / unturned_rows, [&]<class Digits>(Digits) {
            EXPECT_EQ(Digits::length * unturned_rows, length);
        })) << length;
    EXPECT_EQ(least_of(fused_line_lengths, 4097), 5120);
    EXPECT_EQ(least_of(fused_line_lengths, 24577), std::nullopt);
}

/// Of one rounding to halves: 2^-11 of a number at most, 2.1e-4 in the mean square.
constexpr double half_tolerance = 2.5e-4;

class FusedLines : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths, FusedLines, ::testing::ValuesIn(fused_line_lengths));

TEST_P(FusedLines, RangeCompressionOfAPaddedLineWithGapAndGain) {
    const bool found = with_filtered_digits(GetParam(), [&]<class Digits>(Digits) {
        const std::int64_t samples = Digits::length - 101, lines = 2;
        std::mt19937 generator(1);
        std::vector<Stored<std::int8_t>> echo(static_cast<std::size_t>(lines * samples));
        for (auto& s : echo) s = {static_cast<std::int8_t>(generator()), static_cast<std::int8_t>(generator())};
        const std::vector<Complex64> filter = as_floats(noise(Digits::length, 7));
        const std::vector<float> gain{2.0f, 0.5f, 3.0f};
        const std::vector<Interval> valid{
            {0, 5}, {0, static_cast<std::int32_t>(samples)}, {100, static_cast<std::int32_t>(samples) - 9}};
        std::vector<Complex64> out(static_cast<std::size_t>(lines * samples));
        const auto grouped = grouped_filter<Digits>(filter);
        const HostTwiddles<Digits> tables;
        const EchoReader<float, std::int8_t> reader{.samples = echo.data(),
                                                    .first_line = 1,
                                                    .samples_per_line = samples,
                                                    .line_gain = gain.data(),
                                                    .valid_samples = valid.data(),
                                                    .intervals_per_line = 1};
        emulate(RangeLine<Digits, CommonEcho, Complex64>{
            .echo = {SampleFormat::int8, reader, 2},
            .filter = grouped.data(),
            .twiddles = tables.get(),
            .first_line = 1,
            .lines = lines,
            .samples = samples,
            .out = out.data() - samples,  // of the pass, whose line 0 is not here
            .scale = nullptr,
            .growth = 0,
            .ahead = 1});
        for (std::int64_t line = 0; line < lines; ++line) {
            Line x(static_cast<std::size_t>(Digits::length));
            for (std::int64_t i = 0; i < samples; ++i)
                x[static_cast<std::size_t>(i)] = as_std(complex_cast<double>(reader(line + 1, i)));
            x = fast_fourier(x, -1);
            for (std::size_t k = 0; k < x.size(); ++k) x[k] *= as_std(complex_cast<double>(filter[k]));
            x = fast_fourier(x, +1);
            x.resize(static_cast<std::size_t>(samples));
            const auto begin = out.begin() + line * samples;
            EXPECT_LT(relative_error(as_doubles({begin, begin + samples}), x), tolerance) << "line " << line;
        }
    });
    ASSERT_TRUE(found);
}

TEST_P(FusedLines, RangeCompressionToHalvesOfALineThatIsNotAllFinite) {
    with_filtered_digits(GetParam(), [&]<class Digits>(Digits) {
        constexpr std::int64_t samples = Digits::length, lines = 2;
        std::vector<Complex64> echo = as_floats(noise(lines * samples, 5));
        for (std::int64_t i = 0; i < samples; ++i)
            echo[static_cast<std::size_t>(i)] = 1e-6f * echo[static_cast<std::size_t>(i)];
        echo[7] = {NAN, 1};
        echo[samples - 1] = {0, -INFINITY};
        const std::vector<Complex64> filter = as_floats(noise(Digits::length, 7));
        const auto grouped = grouped_filter<Digits>(filter);
        const HostTwiddles<Digits> tables;
        const EchoReader<float, std::int8_t> reader{
            .samples = reinterpret_cast<const Stored<std::int8_t>*>(echo.data()), .samples_per_line = samples};
        std::vector<HalfPair> halves(static_cast<std::size_t>(lines * samples));
        std::vector<Complex64> full(halves.size());
        std::vector<float> scale(lines);
        double square = 0;
        for (const Complex64& h : filter) square += h.re * h.re + h.im * h.im;
        const auto growth = static_cast<float>(std::sqrt(2 * square) * static_cast<double>(samples));
        const auto run = [&]<class Sample>(Sample* out) {
            emulate(RangeLine<Digits, CommonEcho, Sample>{.echo = {SampleFormat::complex64, reader, 8},
                                                          .filter = grouped.data(),
                                                          .twiddles = tables.get(),
                                                          .first_line = 0,
                                                          .lines = lines,
                                                          .samples = samples,
                                                          .out = out,
                                                          .scale = scale.data(),
                                                          .growth = growth,
                                                          .ahead = 0});
        };
        run(full.data());
        run(halves.data());
        const EmulatedBlock block;
        for (std::int64_t line = 0; line < lines; ++line) {
            Line x, got_full, got_halves;
            for (std::int64_t i = 0; i < samples; ++i) {
                const auto at = static_cast<std::size_t>(line * samples + i);
                const bool finite = std::isfinite(echo[at].re) && std::isfinite(echo[at].im);
                x.push_back(finite ? as_std(complex_cast<double>(echo[at])) : 0.0);
                got_full.push_back(as_std(complex_cast<double>(full[at])));
                got_halves.push_back(
                    as_std(complex_cast<double>(scale[static_cast<std::size_t>(line)] * block.widened(halves[at]))));
            }
            x = fast_fourier(x, -1);
            for (std::size_t k = 0; k < x.size(); ++k) x[k] *= as_std(complex_cast<double>(filter[k]));
            x = fast_fourier(x, +1);
            EXPECT_LT(relative_error(got_full, x), tolerance) << "line " << line;
            EXPECT_LT(relative_error(got_halves, x), half_tolerance) << "line " << line;
        }
    });
}

TEST_P(FusedLines, SpectrumAndImageLine) {
    with_line_digits(GetParam(), [&]<class Digits>(Digits) {
        constexpr std::int64_t samples = Digits::length / 2 + 33, image_rows = Digits::length + 7;
        const std::vector<Complex64> in = as_floats(noise(samples, 3));
        std::vector<Complex64> spectrum(static_cast<std::size_t>(Digits::length)),
            image(static_cast<std::size_t>(image_rows), {9, 9});
        const HostTwiddles<Digits> tables;
        emulate(ForwardLine<Digits, AzimuthSpectrumHooks>{.in = in.data(),
                                                          .lines = 1,
                                                          .samples = samples,
                                                          .hooks = {},
                                                          .first_line = 0,
                                                          .out = spectrum.data(),
                                                          .twiddles = tables.get()});
        Line expected = as_doubles(in);
        expected.resize(static_cast<std::size_t>(Digits::length));
        EXPECT_LT(relative_error(as_doubles(spectrum), fast_fourier(expected, -1)), tolerance);

        const Interval covered{3, static_cast<std::int32_t>(image_rows) - 2};
        AzimuthCompressionHooks hooks{};
        hooks.fft_length = Digits::length;
        hooks.image_rows = image_rows;
        hooks.covered_rows = &covered;
        emulate(InverseLine<Digits, AzimuthCompressionHooks>{.in = spectrum.data(),
                                                             .lines = 1,
                                                             .shape = {1, Digits::length, Digits::length, image_rows},
                                                             .hooks = hooks,
                                                             .first_line = 0,
                                                             .out = image.data(),
                                                             .twiddles = tables.get()});
        const Line whole = fast_fourier(as_doubles(spectrum), +1);
        Line rows;
        for (std::int64_t row = 0; row < image_rows; ++row)
            rows.push_back(hooks.store(0).covers(row) ? whole[static_cast<std::size_t>(hooks.store(0).source(row))]
                                                      : 0.0);
        EXPECT_LT(relative_error(as_doubles(image), rows), tolerance);
    });
}

/// C band seen broadside or squinted, V bending smoothly with range, image rows beyond the transform.
HyperbolicGather azimuth_pass(int taps, std::int64_t fft_length, std::int64_t cells, double centroid_hz) {
    HyperbolicGather pass{.input_cells = cells,
                          .fft_length = fft_length,
                          .columns = cells - 3,
                          .image_rows = fft_length + 5,
                          .carrier_hz = 5.3e9,
                          .prf_hz = 1257,
                          .doppler_centroid_hz = centroid_hz,
                          .image_near_range_m = 988e3,
                          .range_spacing_m = 4.64,
                          .image_delay_s = 3.9,
                          .velocity_m_s = {},
                          .weight = {},
                          .covered_rows = {},
                          .kernel = SincKernel::for_band(taps, 0.9)};
    pass.input_near_range_m = pass.image_near_range_m / migration_factor(centroid_hz, 7062, c_m_s / pass.carrier_hz) +
                              2 * pass.range_spacing_m;
    for (std::int64_t column = 0; column < pass.columns; ++column) {
        pass.velocity_m_s.push_back(7062 + 1e-5 * static_cast<double>(column) * pass.range_spacing_m);
        const auto first = static_cast<std::int32_t>(column % 7);
        pass.covered_rows.push_back({first, static_cast<std::int32_t>(pass.image_rows - column % 3)});
    }
    for (std::int64_t bin = 0; bin < fft_length; ++bin)
        pass.weight.push_back(bin % 11 == 4 ? 0.0 : 1.0 / static_cast<double>(bin + fft_length));
    return pass;
}

/// X band from an aircraft over a wide beam, near enough that the gain falls visibly from column to column.
HyperbolicGather near_pass(int taps, std::int64_t fft_length, std::int64_t cells, double near_range_m, double spacing_m,
                           double band_edge_hz = 150) {
    HyperbolicGather pass{.input_cells = cells,
                          .fft_length = fft_length,
                          .columns = cells,
                          .image_rows = fft_length,
                          .carrier_hz = 9.65e9,
                          .prf_hz = 400,
                          .input_near_range_m = near_range_m,
                          .image_near_range_m = near_range_m,
                          .range_spacing_m = spacing_m,
                          .velocity_m_s = std::vector<double>(static_cast<std::size_t>(cells), 120.0),
                          .weight = {},
                          .covered_rows = std::vector<Interval>(static_cast<std::size_t>(cells),
                                                                {0, static_cast<std::int32_t>(fft_length)}),
                          .kernel = SincKernel::for_band(taps, 0.9)};
    for (std::int64_t bin = 0; bin < fft_length; ++bin) {
        const bool in_band = std::abs(azimuth_frequency_hz(bin, fft_length, pass.prf_hz, 0)) < band_edge_hz;
        pass.weight.push_back(in_band ? 1 / static_cast<double>(fft_length) : 0.0);
    }
    return pass;
}

struct NearGeometry {
    double near_range_m, spacing_m;
};
constexpr NearGeometry near_geometries[] = {{300, 1.5},   {1000, 1.5}, {3000, 1.5},
                                            {16000, 1.5}, {300, 0.5},  {1000, 0.5}};

/// Error that stepping may add to what float arithmetic has.
constexpr double stepped_tolerance = largest_stepping_error + tolerance;
/// Of whole images: 110 dB.
constexpr double image_tolerance = 3.16e-6;

std::vector<std::int64_t> bins_in_order(const AzimuthCompression& pass) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(pass.fft_length));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

TileLaws laws_of(const AzimuthCompression& pass, std::int64_t tile_columns = law_tile_columns) {
    return tile_laws(pass, tile_columns, bins_in_order(pass));
}

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
                  tolerance)
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

std::vector<HalfPair> as_halves(const std::vector<Complex64>& samples, std::int64_t line, std::vector<float>& scale) {
    std::vector<HalfPair> halves(samples.size());
    const EmulatedBlock block;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto row = i / static_cast<std::size_t>(line);
        // Scales of their own, however far apart.
        if (row == scale.size()) scale.push_back(10.0f / largest_scaled_half * static_cast<float>(1 << row % 5));
        block.put(&halves[i], 1 / scale[row] * samples[i]);
    }
    return halves;
}

/// Rounded three times on the way: 3.6e-4 by theory, 3.7e-4 was seen.
template <class Sample>
constexpr double unturned_tolerance = std::is_same_v<Sample, HalfPair> ? 4e-4 : stepped_tolerance;

template <class Sample, class Digits, int Taps, int Stepping, int Cells>
void expect_unturned(const AzimuthCompression& pass, std::int64_t lines, int sets,
                     double limit = unturned_tolerance<Sample>) {
    constexpr std::int64_t length = Digits::length * unturned_rows;
    const std::int64_t cells = pass.input_cells;
    const std::vector<Complex64> echo = as_floats(noise(lines * cells));

    std::vector<std::int64_t> order;
    for (std::int64_t k2 = 0; k2 < Digits::length; ++k2)
        for (std::int64_t k0 = 0; k0 < unturned_rows; ++k0) order.push_back(k2 + Digits::length * k0);
    using Kernel = Middle<Taps, weight_steppings[Stepping].chunk, weight_steppings[Stepping].order, Cells, Sample>;
    TileLaws laws = tile_laws(pass, sets * Kernel::columns_per_set, order);
    ASSERT_TRUE(laws_hold(laws));
    ASSERT_LE(laws.cells, Cells);
    ASSERT_LE(stepping_for(pass.kernel, laws), Stepping) << laws.steepest;

    constexpr bool halves = std::is_same_v<Sample, HalfPair>;
    std::vector<Sample> in, a(static_cast<std::size_t>(length * cells)), b(a.size());
    constexpr int words = FourFactors::words(Digits::A);
    std::vector<FourFactors> factors(static_cast<std::size_t>(unturned_rows * Digits::B * words));
    float image_scale = 1;
    if constexpr (halves) {
        std::vector<float> scale;
        in = as_halves(echo, cells, scale);
        const double growth = growth_of_middle(pass.kernel, laws);
        scale_gains(laws, 1 / growth);
        emulate(FrameScale{scale.data(), static_cast<int>(lines), Digits::A, Digits::B, static_cast<float>(growth),
                           reinterpret_cast<float*>(factors.data()), &image_scale});
    } else {
        in = echo;
    }
    const auto second = twiddles(Digits::A, Digits::length), middle = twiddles(Digits::length, length);
    std::vector<Twiddle> inverse_first, inverse_second;
    for (int n0 = 0; n0 < unturned_rows; ++n0) {
        inverse_first.push_back(twiddle(Digits::B * n0, length));
        for (int k = 0; k < Digits::A; ++k) inverse_second.push_back(twiddle(n0 + unturned_rows * k, length));
    }
    emulate(ForwardColumns<Digits, Sample>{in.data(), lines, cells, a.data(), second.data(), factors.data()});
    emulate(Kernel{a.data(), cells, b.data(), pass.columns, Digits::length, sets, polynomials<float>(pass.kernel),
                   laws.first_cell.data(), laws.laws.data(), middle.data(), 1});
    std::vector<Complex64> image(static_cast<std::size_t>(pass.image_rows * pass.columns));
    emulate(InverseColumns<Digits, Sample>{b.data(), pass.columns, pass.fft_length, pass.image_rows,
                                           pass.covered_rows.data(), image.data(), inverse_first.data(),
                                           inverse_second.data(), laws.column_gain.data(), &image_scale});

    // The same passes through corner turns, in double precision.
    Line spectra;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
        Line x(static_cast<std::size_t>(length));
        for (std::int64_t line = 0; line < lines; ++line) {
            const Complex64 value = echo[static_cast<std::size_t>(line * cells + cell)];
            x[static_cast<std::size_t>(line)] = {value.re, value.im};
        }
        x = fast_fourier(x, -1);
        spectra.insert(spectra.end(), x.begin(), x.end());
    }
    for (const std::int64_t column :
         {std::int64_t{0}, pass.columns / 2, std::min(band_columns, pass.columns) - 1, pass.columns - 1}) {
        Line got;
        for (std::int64_t row = 0; row < pass.image_rows; ++row) {
            const Complex64 value = image[static_cast<std::size_t>(row * pass.columns + column)];
            got.emplace_back(value.re, value.im);
        }
        EXPECT_LT(relative_error(got, host_line(pass, spectra, column)), limit) << "column " << column;
    }
}

TEST(TurnFree, EqualsThePassesThroughCornerTurns) {
    expect_unturned<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 256>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_unturned<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 256>(azimuth_pass(8, 1024, 100, 1000).pass(), 900,
                                                                        1);
    expect_unturned<Complex64, ColumnDigits<12, 4, 32, 4, 1>, 8, 2, 512>(azimuth_pass(8, 1536, 245, -6900).pass(), 1400,
                                                                         2);
    expect_unturned<Complex64, ColumnDigits<10, 8, 32, 8, 1>, 16, 3, 512>(azimuth_pass(16, 2560, 90, 20000).pass(),
                                                                          2000, 1);
}

TEST(TurnFree, FollowsTheGainAtNearRange) {
    for (const auto& [near_range_m, spacing_m] : near_geometries) {
        SCOPED_TRACE(testing::Message() << near_range_m << " m, cells of " << spacing_m << " m");
        const AzimuthCompression narrow = near_pass(8, 1024, 500, near_range_m, spacing_m, 90).pass();
        expect_unturned<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 512>(narrow, 1000, 2, image_tolerance);
        const AzimuthCompression wide = near_pass(8, 1024, 500, near_range_m, spacing_m).pass();
        expect_unturned<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(wide, 1000, 4, image_tolerance);
    }
}

TEST(TurnFree, FollowsABandThatMoves) {
    HyperbolicGather gather = azimuth_pass(8, 1024, 960, 0);
    for (std::int64_t bin = 400; bin < 550; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
    gather.band_shift = {0, 50, -30};
    expect_unturned<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(gather.pass(), 1000, 4);
    gather.band_shift = {-20, 1, 1};
    expect_unturned<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(gather.pass(), 1000, 2);
}

TEST(TurnFree, WithHalvesBetweenItsKernels) {
    expect_unturned<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 256>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_unturned<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 512>(near_pass(8, 1024, 500, 300, 1.5, 90).pass(),
                                                                       1000, 2);
    expect_unturned<HalfPair, ColumnDigits<10, 8, 32, 8, 1>, 16, 3, 512>(azimuth_pass(16, 2560, 90, 20000).pass(), 2000,
                                                                         1);
}

class ColumnLengths : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Points, ColumnLengths,
                         ::testing::Values(32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024));

TEST_P(ColumnLengths, ForwardAndInverseTransformDownTheColumns) {
    const bool found = with_column_digits(GetParam(), [&]<class Digits>(Digits) {
        constexpr std::int64_t length = Digits::length * unturned_rows, cells = 3, lines = length - 100;
        const std::vector<Complex64> in = as_floats(noise(lines * cells));
        std::vector<Complex64> out(static_cast<std::size_t>(length * cells));
        const auto second = twiddles(Digits::A, Digits::length);
        emulate(ForwardColumns<Digits, Complex64>{in.data(), lines, cells, out.data(), second.data(), nullptr});
        for (const std::int64_t n0 : {0, 31}) {
            Line x(static_cast<std::size_t>(Digits::length)), got;
            for (std::int64_t n1 = 0; n1 < Digits::length; ++n1) {
                const std::int64_t line = n0 + unturned_rows * n1;
                if (line < lines) {
                    const Complex64 value = in[static_cast<std::size_t>(line * cells + 1)];
                    x[static_cast<std::size_t>(n1)] = {value.re, value.im};
                }
                const Complex64 value = out[static_cast<std::size_t>(line * cells + 1)];
                got.emplace_back(value.re, value.im);
            }
            EXPECT_LT(relative_error(got, fast_fourier(x, -1)), tolerance) << "n0 " << n0;
        }
    });
    ASSERT_TRUE(found);
}

}  // namespace
}  // namespace cornerturn
