// SPDX-License-Identifier: Apache-2.0
// The fused kernels of lines in the emulator: the very bodies that run on a GPU, against plain sums in double
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "kernels/cuda/lines/lines.cuh"
#include "kernels/cuda/lines/range_line.cuh"
#include "kernels/device/ways/fused_lengths.h"
#include "kernels/device/ways/gpu_limits.h"
#include "kernels/passes/azimuth_image.h"
#include "kernels/passes/azimuth_spectrum.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/fused_tolerance.h"
#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

TEST(FastFourier, EqualsThePlainSum) {
    for (const std::int64_t length : {1, 2, 9, 31, 120, 1024}) {
        const Samples x = noise(length);
        for (const int sign : {-1, 1})
            EXPECT_LT(relative_error(fast_fourier(x, sign), fourier_sum(x, length, sign)), 1e-13) << length;
        const LineView half(x.data(), x.size() / 2);
        EXPECT_LT(relative_error(fast_fourier(half, length, -1), fourier_sum(half, length, -1)), 1e-13) << length;
    }
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
        EXPECT_LT(relative_error(as_doubles({v, v + R}), expected), fft_tolerance) << R << " points, k " << k;
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

/// Shared memory of a block of an H100.
constexpr std::int64_t shared_bytes = GpuLimits{}.shared_bytes;

TEST(FusedLengths, AreThoseThatThePlannerKnows) {
    for (const std::int64_t length : fused_line_lengths) {
        EXPECT_TRUE(with_line_digits(length, shared_bytes, [&]<class Digits>(Digits) {
            EXPECT_EQ(Digits::length, length);
        })) << length;
        EXPECT_TRUE(with_filtered_digits(length, [&]<class Digits>(Digits) { EXPECT_EQ(Digits::length, length); }))
            << length;
    }
    EXPECT_EQ(least_of(fused_line_lengths, 4097), 5120);
    EXPECT_EQ(least_of(fused_line_lengths, 24577), std::nullopt);
    EXPECT_EQ(least_of(fused_line_lengths, 4097, [](auto length) { return length > 7000; }), 8192);
    EXPECT_EQ(least_of(fused_line_lengths, 4097, [](auto) { return false; }), std::nullopt);
}

TEST(FusedLengths, AKernelTakesNoMoreSharedMemoryThanThereIs) {
    for (const std::int64_t kib : {48, 64, 99, 163, 227})
        for (const std::int64_t length : fused_line_lengths)
            with_line_digits(length, kib << 10, [&]<class Digits>(Digits) {
                EXPECT_EQ(Digits::length, length);
                EXPECT_LE(shared_bytes_of_shape<Digits>, kib << 10) << length;
            });
}

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
            .not_finite = nullptr,
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
            EXPECT_LT(relative_error(as_doubles({begin, begin + samples}), x), fft_tolerance) << "line " << line;
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
        unsigned not_finite = 0;
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
                                                          .not_finite = &not_finite,
                                                          .ahead = 0});
        };
        run(full.data());
        EXPECT_EQ(std::exchange(not_finite, 0u), 1u);
        run(halves.data());
        EXPECT_EQ(std::exchange(not_finite, 0u), 1u);
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
            EXPECT_LT(relative_error(got_full, x), fft_tolerance) << "line " << line;
            EXPECT_LT(relative_error(got_halves, x), half_tolerance) << "line " << line;
        }
        // The largest that can be, alone: its line is finite.
        for (Complex64& sample : echo) sample = {0, 0};
        echo[samples + 5] = {3.4e38f, -3.4e38f};
        run(full.data());
        EXPECT_EQ(not_finite, 0u);
        echo[samples + 5].im = -INFINITY;
        run(full.data());
        EXPECT_EQ(not_finite, 1u);
    });
}

/// Factors before, between and behind the transforms, of line 3.
struct FactorsOnTheWay {
    std::int32_t out;

    static Complex64 factor(std::int64_t i, int of) {
        return {1.0f + static_cast<float>(i % 7), static_cast<float>((i + of) % 5) - 2.0f};
    }
    Complex64 before(std::int64_t line, std::int64_t i) const { return factor(i, static_cast<int>(line)); }
    Complex64 filter(std::int64_t line, std::int64_t k) const { return factor(k, static_cast<int>(line) + 1); }
    Complex64 scale(std::int64_t line, std::int64_t i) const { return factor(i, static_cast<int>(line) + 3); }
    Interval covered(std::int64_t line) const { return {static_cast<std::int32_t>(line), out}; }
};

template <class Digits>
void expect_factors_on_the_way() {
    constexpr int samples = Digits::length / 2 + 33, stored = Digits::length + 7, lines = 5;
    const FactorsOnTheWay hooks{stored - 5};
    const std::vector<Complex64> in = as_floats(noise(samples * lines, 3));
    std::vector<Complex64> out(stored * lines, {9, 9});
    const HostTwiddles<Digits> tables;
    emulate(FilteredLine<Digits, FactorsOnTheWay>{
        in.data(), {lines, samples, Digits::length, stored}, hooks, out.data(), tables.get()});

    const auto times = [](Line x, int of) {
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] *= as_std(complex_cast<double>(FactorsOnTheWay::factor(static_cast<std::int64_t>(i), of)));
        return x;
    };
    for (const int line : {0, 3}) {
        Line x = times(as_doubles({in.begin() + line * samples, in.begin() + (line + 1) * samples}), line);
        x.resize(Digits::length);
        x = times(fast_fourier(times(fast_fourier(x, -1), line + 1), +1), line + 3);
        const Line whole = x;
        for (int i = Digits::length; i < stored; ++i) x.push_back(whole[static_cast<std::size_t>(i - Digits::length)]);
        for (int i = 0; i < stored; ++i)
            if (i < line || i >= stored - 5) x[static_cast<std::size_t>(i)] = 0;
        EXPECT_LT(relative_error(as_doubles({out.begin() + line * stored, out.begin() + (line + 1) * stored}), x),
                  fft_tolerance);
    }
}

TEST_P(FusedLines, FactorsBeforeBetweenAndBehindTheTransforms) {
    ASSERT_TRUE(with_filtered_digits(GetParam(), []<class Digits>(Digits) { expect_factors_on_the_way<Digits>(); }));
}

/// Of a line that is filtered and gathered along its spectrum: the two kernels about that.
struct FilterAndCover {
    Complex64 filter(std::int64_t line, std::int64_t k) const {
        return FactorsOnTheWay::factor(k, static_cast<int>(line));
    }
    Interval covered(std::int64_t line) const { return {static_cast<std::int32_t>(line), 900}; }
};

template <class Digits>
void expect_filter_and_what_is_stored_over() {
    const LineShape shape{1, 700, Digits::length, 1000};
    const std::vector<Complex64> in = as_floats(noise(700, 3));
    std::vector<Complex64> spectrum(Digits::length), out(1000, {9, 9});
    const HostTwiddles<Digits> tables;
    emulate(ForwardLine<Digits, FilterAndCover>{in.data(), 1, shape, {}, 3, spectrum.data(), tables.get()});
    Line x = as_doubles(in);
    x.resize(Digits::length);
    x = fast_fourier(x, -1);
    for (std::size_t k = 0; k < x.size(); ++k)
        x[k] *= as_std(complex_cast<double>(FactorsOnTheWay::factor(static_cast<std::int64_t>(k), 3)));
    EXPECT_LT(relative_error(as_doubles(spectrum), x), fft_tolerance);
    emulate(InverseLine<Digits, FilterAndCover>{spectrum.data(), 1, shape, {}, 3, out.data(), tables.get(), true});
    x = fast_fourier(x, +1);
    x.resize(1000);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i < 3 || i >= 900) x[i] = {9, 9};
    EXPECT_LT(relative_error(as_doubles(out), x), fft_tolerance);
}

TEST_P(FusedLines, AFilterAndWhatIsStoredOver) {
    ASSERT_TRUE(with_line_digits(GetParam(), shared_bytes,
                                 []<class Digits>(Digits) { expect_filter_and_what_is_stored_over<Digits>(); }));
}

/// Reads a little faster than bins go by, and so once around the spectrum's ends.
struct GatherAndCover {
    static constexpr std::int64_t samples = 1000;
    std::int64_t length;

    SpectrumPlace<float> place(std::int64_t line, std::int64_t k) const {
        const double bin = 1.003 * static_cast<double>(k) + static_cast<double>(line) + 0.3;
        return {std::fmod(bin, static_cast<double>(length)), FactorsOnTheWay::factor(k, static_cast<int>(line))};
    }
    Interval covered(std::int64_t line) const { return {static_cast<std::int32_t>(line), 900}; }
};

template <class Digits>
void expect_what_is_gathered_along_a_spectrum(int taps) {
    constexpr std::int64_t line = 3;
    const LineShape shape{1, Digits::length, Digits::length, GatherAndCover::samples};
    const GatherAndCover hooks{Digits::length};
    const SincKernel kernel = SincKernel::for_band(taps, 0.6);
    const std::vector<Complex64> spectrum = as_floats(noise(Digits::length, 3));
    std::vector<Complex64> out(GatherAndCover::samples, {9, 9});
    const HostTwiddles<Digits> tables;
    emulate(InverseLine<Digits, GatherAndCover>{.in = spectrum.data(),
                                                .lines = 1,
                                                .shape = shape,
                                                .hooks = hooks,
                                                .first_line = line,
                                                .out = out.data(),
                                                .twiddles = tables.get(),
                                                .reader = {polynomials<float>(kernel), Digits::length}});
    std::vector<Complex128> whole;
    for (const std::complex<double>& value : as_doubles(spectrum)) whole.push_back({value.real(), value.imag()});
    const SincPolynomials<double> weights = polynomials<double>(kernel);
    Line x;
    for (std::int64_t k = 0; k < Digits::length; ++k) {
        const SpectrumPlace<float> place = hooks.place(line, k);
        x.push_back(as_std(gathered(whole.data(), Digits::length, weights,
                                    SpectrumPlace<double>{place.bin, complex_cast<double>(place.factor)})));
    }
    x = fast_fourier(x, +1);
    x.resize(GatherAndCover::samples);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i < line || i >= 900) x[i] = 0;
    EXPECT_LT(relative_error(as_doubles(out), x), fft_tolerance) << taps;
}

TEST_P(FusedLines, WhatIsGatheredAlongASpectrum) {
    for (const int taps : {8, 12, 16})
        ASSERT_TRUE(with_line_digits(GetParam(), shared_bytes, [&]<class Digits>(Digits) {
            expect_what_is_gathered_along_a_spectrum<Digits>(taps);
        }));
}

template <class Digits>
void expect_spectrum_and_image_line() {
    constexpr std::int64_t samples = Digits::length / 2 + 33, image_rows = Digits::length + 7;
    const std::vector<Complex64> in = as_floats(noise(samples, 3));
    std::vector<Complex64> spectrum(static_cast<std::size_t>(Digits::length)),
        image(static_cast<std::size_t>(image_rows), {9, 9});
    const HostTwiddles<Digits> tables;
    emulate(ForwardLine<Digits, AzimuthSpectrumHooks>{.in = in.data(),
                                                      .lines = 1,
                                                      .shape = {1, samples, Digits::length, Digits::length},
                                                      .hooks = {},
                                                      .first_line = 0,
                                                      .out = spectrum.data(),
                                                      .twiddles = tables.get()});
    Line expected = as_doubles(in);
    expected.resize(static_cast<std::size_t>(Digits::length));
    EXPECT_LT(relative_error(as_doubles(spectrum), fast_fourier(expected, -1)), fft_tolerance);

    const Interval covered{3, static_cast<std::int32_t>(image_rows) - 2};
    const LineShape shape{1, Digits::length, Digits::length, image_rows};
    const AzimuthImageHooks hooks{&covered};
    emulate(InverseLine<Digits, AzimuthImageHooks>{.in = spectrum.data(),
                                                   .lines = 1,
                                                   .shape = shape,
                                                   .hooks = hooks,
                                                   .first_line = 0,
                                                   .out = image.data(),
                                                   .twiddles = tables.get()});
    const Line whole = fast_fourier(as_doubles(spectrum), +1);
    const StoreRule rule = store_rule(hooks, shape, 0);
    Line rows;
    for (std::int64_t row = 0; row < image_rows; ++row)
        rows.push_back(rule.covers(row) ? whole[static_cast<std::size_t>(rule.source(row))] : 0.0);
    EXPECT_LT(relative_error(as_doubles(image), rows), fft_tolerance);
}

TEST_P(FusedLines, SpectrumAndImageLine) {
    with_line_digits(GetParam(), shared_bytes, []<class Digits>(Digits) { expect_spectrum_and_image_line<Digits>(); });
}

TEST(TightLines, SpectrumAndImageLineOfThoseThatFitLessSharedMemory) {
    int tight = 0;
    for (const auto& [length, kib] : {std::pair{6144, 64}, {10240, 99}, {12288, 99}, {20480, 163}})
        with_line_digits(length, kib << 10, [&]<class Digits>(Digits) {
            ++tight;
            EXPECT_LT(Digits::stride_b, Digits::C + 1);
            expect_spectrum_and_image_line<Digits>();
        });
    EXPECT_EQ(tight, 4);
}

}  // namespace
}  // namespace cornerturn
