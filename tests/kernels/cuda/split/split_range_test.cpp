// SPDX-License-Identifier: Apache-2.0
// Range compression of long lines in three kernels: their bodies in the emulator, batch by batch, against double
// precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/cuda/split/split.cuh"
#include "kernels/cuda/split/split_tables.h"
#include "kernels/device/ways/fitting_kernels.h"
#include "kernels/device/ways/fused_lengths.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/guarded.h"

namespace cornerturn {
namespace {

/// 120 dB; 3e-7 was seen.
constexpr double tolerance = 1e-6;
/// Of one rounding to halves: 2^-11 of a number at most, 2.1e-4 in the mean square.
constexpr double half_tolerance = 2.5e-4;

TEST(SplitLengths, AreThoseThatThePlannerKnows) {
    ASSERT_TRUE(std::is_sorted(fused_range_lengths.begin(), fused_range_lengths.end()));
    for (const std::int64_t length : fused_range_lengths)
        EXPECT_TRUE(with_filtered_digits(length, [](auto) {}) || split_of(length)) << length;
    for (const SplitLength& parts : split_lengths) {
        EXPECT_TRUE(std::count(fused_range_lengths.begin(), fused_range_lengths.end(), parts.length()))
            << parts.length();
        EXPECT_TRUE(with_split_points(parts.points, [&]<int Points>() {
            EXPECT_EQ(Points, parts.points);
            EXPECT_EQ(parts.row % SplitShape<Points>::threads, 0) << parts.length();
        })) << parts.length();
        EXPECT_TRUE(with_split_row(parts.row, [&]<class Digits>(Digits) { EXPECT_EQ(Digits::length, parts.row); }))
            << parts.length();
    }
    EXPECT_EQ(least_of(fused_range_lengths, 24576), 24576);
    EXPECT_EQ(least_of(fused_range_lengths, 28560), 30720);
    EXPECT_EQ(least_of(fused_range_lengths, 51000), 51200);
}

TEST(SplitLengths, LinesThatABlockHoldsAreNotSplit) {
    for (const std::int64_t length : fused_line_lengths) {
        EXPECT_EQ(least_of(fused_range_lengths, length), length);
        EXPECT_EQ(range_lines(length, {}), RangeLines::one_kernel) << length;
    }
    EXPECT_EQ(range_lines(30720, {}), RangeLines::three_kernels);
}

/// From 64 KiB on there is a way for every length but the longest.
TEST(SplitLengths, TakeOverWhereABlockDoesNotHoldALine) {
    for (const std::int64_t kib : {64, 99, 163, 227})
        for (const std::int64_t length : fused_range_lengths)
            EXPECT_EQ(range_lines(length, {.shared_bytes = kib << 10}) == RangeLines::none,
                      kib == 64 && length == 131072)
                << kib << " KiB, " << length;
    EXPECT_EQ(range_lines(8192, {.shared_bytes = 64 << 10}), RangeLines::three_kernels);
    EXPECT_EQ(range_lines(8192, {.shared_bytes = 99 << 10}), RangeLines::one_kernel);
    EXPECT_EQ(range_lines(5000, {}), RangeLines::none);
}

/// An echo of four lines, of which the last three come in: gains, and gaps at either end and in the middle.
template <class Component>
struct Echo {
    static constexpr std::int64_t first_line = 1, lines = 3;
    std::int64_t samples;
    std::vector<Stored<Component>> stored;
    std::vector<float> gain{7.0f, 2.0f, 1.0f, 0.5f};
    std::vector<Interval> valid;
    std::vector<float> levels;

    Echo(std::int64_t samples_of_line, const std::vector<Stored<Component>>& values)
        : samples(samples_of_line), stored(values) {
        const auto end = static_cast<std::int32_t>(samples);
        valid = {{0, 1}, {0, 0}, {0, end}, {0, 0}, {0, end}, {0, 0}, {100, end / 2}, {end / 2 + 70, end - 9}};
    }

    template <class Real, class As = Component>
    EchoReader<Real, As> reader() const {
        return EchoReader<Real, Component>{.samples = stored.data(),
                                           .first_line = first_line,
                                           .samples_per_line = samples,
                                           .line_gain = gain.data(),
                                           .valid_samples = valid.data(),
                                           .intervals_per_line = 2,
                                           .levels = levels.data()}
            .template as<As>();
    }
};

/// Lines of the pass; line 0 is of another block and stays as it was.
template <class Sample>
struct Compressed {
    std::vector<Sample> samples;
    std::vector<float> scale;
};

float growth_of(const std::vector<Complex64>& filter) {
    double square = 0;
    for (const Complex64& h : filter) square += h.re * h.re + h.im * h.im;
    return static_cast<float>(std::sqrt(2 * square) * static_cast<double>(filter.size()));
}

/// What the plan does, in batches that do not divide the lines.
template <class Sample, class Component>
Compressed<Sample> compress(const Echo<Component>& echo, const std::vector<Complex64>& filter) {
    constexpr std::int64_t batch = 2;
    using Reader = std::conditional_t<CommonEcho::serves(format_storing<Component>), CommonEcho, RareEcho>;
    const auto length = static_cast<std::int64_t>(filter.size());
    const SplitLength parts = split_of(length).value();
    const int row = static_cast<int>(parts.row);
    const std::vector<Twiddle> store = twiddles(parts.row, length);
    Compressed<Sample> out{
        std::vector<Sample>(static_cast<std::size_t>((Echo<Component>::first_line + echo.lines) * echo.samples)),
        std::vector<float>(static_cast<std::size_t>(Echo<Component>::first_line + echo.lines))};
    Guarded<Complex64> work(batch * length);
    Guarded<float> peaks(batch * row / 32);
    const float growth = growth_of(filter);
    with_split_points(parts.points, [&]<int Points>() {
        with_split_row(row, [&]<class Digits>(Digits) {
            const auto rows = split_filter<Digits>(filter, Points);
            const auto forward_a = split_forward_a<Digits>(Points), forward_b = split_forward_b<Digits>(Points),
                       forward_c = split_forward_c<Digits>(Points),
                       inverse_b = twiddles(Digits::C, Digits::B * Digits::C),
                       inverse_a = twiddles(Digits::B * Digits::C, Digits::length);
            for (std::int64_t first = 0; first < echo.lines; first += batch) {
                const std::int64_t lines = std::min(batch, echo.lines - first), first_line = echo.first_line + first;
                emulate(SplitDecode<Points, Reader>{
                    .echo = {format_storing<Component>, echo.template reader<float, std::int8_t>(),
                             static_cast<int>(2 * sizeof(Component))},
                    .first_line = first_line,
                    .lines = lines,
                    .samples = echo.samples,
                    .row_length = row,
                    .out = work.data(),
                    .peaks = std::is_same_v<Sample, HalfPair> ? peaks.data() : nullptr});
                emulate(SplitFilter<Digits>{.rows = work.data(),
                                            .lines = lines,
                                            .points = Points,
                                            .filter = rows.data(),
                                            .twiddles = {forward_a.data(), forward_b.data(), forward_c.data(),
                                                         inverse_b.data(), inverse_a.data()}});
                emulate(SplitStore<Points, Sample>{.in = work.data(),
                                                   .lines = lines,
                                                   .row_length = row,
                                                   .twiddle = store.data(),
                                                   .first_line = first_line,
                                                   .samples = echo.samples,
                                                   .out = out.samples.data(),
                                                   .peaks = peaks.data(),
                                                   .scale = out.scale.data(),
                                                   .growth = growth});
            }
        });
    });
    EXPECT_TRUE(work.guards_untouched());
    EXPECT_TRUE(peaks.guards_untouched());
    return out;
}

template <class Component>
Line expected_line(const Echo<Component>& echo, const std::vector<Complex64>& filter, std::int64_t line) {
    Line x(filter.size());
    const auto reader = echo.template reader<double>();
    for (std::int64_t i = 0; i < echo.samples; ++i) x[static_cast<std::size_t>(i)] = as_std(reader(line, i));
    x = fast_fourier(x, -1);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] *= as_std(complex_cast<double>(filter[k]));
    x = fast_fourier(x, +1);
    x.resize(static_cast<std::size_t>(echo.samples));
    return x;
}

template <class Sample, class Component>
void expect_compressed(const Echo<Component>& echo, const std::vector<Complex64>& filter, double limit) {
    const Compressed<Sample> got = compress<Sample>(echo, filter);
    const EmulatedBlock block;
    for (std::int64_t line = 0; line < echo.first_line + echo.lines; ++line) {
        Line samples;
        for (std::int64_t i = 0; i < echo.samples; ++i) {
            const Complex64 value = block.widened(got.samples[static_cast<std::size_t>(line * echo.samples + i)]);
            const float scale = std::is_same_v<Sample, HalfPair> ? got.scale[static_cast<std::size_t>(line)] : 1.0f;
            samples.push_back(as_std(complex_cast<double>(scale * value)));
        }
        if (line < echo.first_line)
            EXPECT_TRUE(std::all_of(samples.begin(), samples.end(), [](auto s) { return s == 0.0; }))
                << "line " << line;
        else
            EXPECT_LT(relative_error(samples, expected_line(echo, filter, line)), limit) << "line " << line;
    }
}

template <class Component, class Draw>
Echo<Component> random_echo(std::int64_t samples, const Draw& draw) {
    std::vector<Stored<Component>> values(static_cast<std::size_t>(Echo<Component>::lines * samples));
    for (auto& s : values) s = {draw(), draw()};
    return {samples, values};
}

Echo<std::int8_t> bytes(std::int64_t samples) {
    std::mt19937 generator(1);
    return random_echo<std::int8_t>(samples, [&] { return static_cast<std::int8_t>(generator()); });
}

class SplitLineLengths : public ::testing::TestWithParam<SplitLength> {};
std::string name_of_length(const ::testing::TestParamInfo<SplitLength>& length) {
    return std::to_string(length.param.length());
}
INSTANTIATE_TEST_SUITE_P(Points, SplitLineLengths, ::testing::ValuesIn(split_lengths), name_of_length);

TEST_P(SplitLineLengths, PaddedWithGapsAndGains) {
    const std::int64_t length = GetParam().length();
    expect_compressed<Complex64>(bytes(length - GetParam().row - 101), as_floats(noise(length, 7)), tolerance);
}

TEST(SplitLines, ToHalvesAsLongAsTheTransform) {
    for (const std::int64_t length : {8192, 10240, 30720, 32768, 40960})  // all numbers of points
        expect_compressed<HalfPair>(bytes(length), as_floats(noise(length, 7)), half_tolerance);
}

/// Not all of them finite, if they can be otherwise.
class SplitFormats : public ::testing::Test {
protected:
    template <class Component>
    void expect_format(const Echo<Component>& echo) {
        const std::vector<Complex64> filter = as_floats(noise(30720, 7));
        expect_compressed<Complex64>(echo, filter, tolerance);
        expect_compressed<HalfPair>(echo, filter, half_tolerance);
    }
    template <class Component>
    static void spoil(Echo<Component>& echo, Component infinite, Component not_a_number) {
        echo.stored[3].re = not_a_number;
        echo.stored[static_cast<std::size_t>(echo.samples) - 1].im = infinite;
        echo.stored[static_cast<std::size_t>(echo.samples) + 5000].im = not_a_number;
        echo.stored[2 * static_cast<std::size_t>(echo.samples) + 50] = {infinite, not_a_number};  // in a gap
    }

    static constexpr std::int64_t samples = 28560;
    std::mt19937 generator{5};
    std::normal_distribution<float> normal{0, 1e-3f};
};

TEST_F(SplitFormats, Bytes) { expect_format(bytes(samples)); }

TEST_F(SplitFormats, Words) {
    expect_format(random_echo<std::int16_t>(samples, [&] { return static_cast<std::int16_t>(generator()); }));
}

TEST_F(SplitFormats, Halves) {
    auto echo =
        random_echo<Half>(samples, [&] { return Half{static_cast<std::uint16_t>(generator() & 0xbbffu)}; });  // below 1
    spoil(echo, Half{0xfc00}, Half{0x7e00});
    expect_format(echo);
}

TEST_F(SplitFormats, Levels) {
    auto echo = random_echo<LutIndex>(samples, [&] { return LutIndex{static_cast<std::uint16_t>(generator() >> 3)}; });
    for (int i = 0; i < 65536; ++i) echo.levels.push_back(i == 77 ? NAN : normal(generator));
    expect_format(echo);
}

TEST_F(SplitFormats, Floats) {
    auto echo = random_echo<float>(samples, [&] { return normal(generator); });
    spoil<float>(echo, -INFINITY, NAN);
    expect_format(echo);
}

TEST_F(SplitFormats, Doubles) {
    auto echo = random_echo<double>(samples, [&] { return static_cast<double>(normal(generator)); });
    spoil<double>(echo, -INFINITY, NAN);
    expect_format(echo);
}

/// The scale of a line knows it, wherever it is: a smaller one would overflow.
TEST_F(SplitFormats, OneLoudSampleToHalves) {
    auto echo = random_echo<float>(samples, [&] { return normal(generator); });
    for (const std::int64_t place : {std::int64_t{0}, samples + 12000, 3 * samples - 10})
        echo.stored[static_cast<std::size_t>(place)].im = 1e4f;
    expect_compressed<HalfPair>(echo, as_floats(noise(30720, 7)), half_tolerance);
}

TEST_F(SplitFormats, LineOfZerosToHalves) {
    const Echo<float> echo(samples, std::vector<Stored<float>>(static_cast<std::size_t>(Echo<float>::lines * samples)));
    expect_compressed<HalfPair>(echo, as_floats(noise(30720, 7)), half_tolerance);
}

}  // namespace
}  // namespace cornerturn
