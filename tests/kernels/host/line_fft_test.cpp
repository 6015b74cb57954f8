// SPDX-License-Identifier: Apache-2.0
// Transforms against the sum that they stand for, whichever library is built in.
#include "kernels/host/line_fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/errors.h"
#include "kernels/host/line_loop.h"

namespace cornerturn {
namespace {

template <class Real>
std::vector<Complex<Real>> noise(std::int64_t length) {
    std::mt19937 generator(static_cast<unsigned>(length));
    std::normal_distribution<Real> normal;
    std::vector<Complex<Real>> line(static_cast<std::size_t>(length));
    for (auto& sample : line) sample = {normal(generator), normal(generator)};
    return line;
}

/// One bin by its definition, summed with more digits than are compared.
template <class Real>
Complex128 bin_of(const std::vector<Complex<Real>>& line, std::int64_t bin, FftDirection direction) {
    const auto length = static_cast<std::int64_t>(line.size());
    const double turn = (direction == FftDirection::forward ? -2.0 : 2.0) * std::numbers::pi / double(length);
    long double re = 0, im = 0;
    for (std::int64_t n = 0; n < length; ++n) {
        const double angle = turn * double(n * bin % length), c = std::cos(angle), s = std::sin(angle);
        const auto& sample = line[static_cast<std::size_t>(n)];
        re += double(sample.re) * c - double(sample.im) * s;
        im += double(sample.re) * s + double(sample.im) * c;
    }
    return {static_cast<double>(re), static_cast<double>(im)};
}

/// Some bins of it, the first and the last among them. Rounding grows with the root of the length, as noise does.
template <class Real>
void expect_transform(const Complex<Real>* spectrum, const std::vector<Complex<Real>>& line, FftDirection direction) {
    const auto length = static_cast<std::int64_t>(line.size());
    const double tolerance = 16 * std::numeric_limits<Real>::epsilon() * std::sqrt(double(length));
    for (std::int64_t i = 0; i <= std::min<std::int64_t>(length - 1, 20); ++i) {
        const std::int64_t bin = i * (length - 1) / std::max<std::int64_t>(std::min<std::int64_t>(length - 1, 20), 1);
        const Complex128 expected = bin_of(line, bin, direction);
        EXPECT_NEAR(spectrum[bin].re, expected.re, tolerance) << "bin " << bin << " of " << length;
        EXPECT_NEAR(spectrum[bin].im, expected.im, tolerance) << "bin " << bin << " of " << length;
    }
}

// Short, prime, prime times few, as squares and not, with a last strip of columns that is and is not whole.
const std::vector<std::int64_t> lengths{1,   2,   3,   7,    16,   31,   63,   64,   65,   66,   72,    96,
                                        100, 128, 509, 1000, 1009, 1024, 8072, 4096, 5760, 6561, 15625, 16384};

template <class Real>
void expect_every_way(std::int64_t length, FftDirection direction) {
    const std::vector<Complex<Real>> line = noise<Real>(length);
    const LineBuffer<Real> in_place(length), from(length), to(length);
    std::copy(line.begin(), line.end(), in_place.data());
    std::copy(line.begin(), line.end(), from.data());
    LineFft<Real>(length, direction)(in_place.data());
    PassFft<Real>(length, direction, 1)(from.data(), to.data());
    expect_transform(in_place.data(), line, direction);
    expect_transform(to.data(), line, direction);
    EXPECT_EQ(std::memcmp(from.data(), line.data(), line.size() * sizeof line[0]), 0) << "its input was changed";
}

TEST(LineFft, IsTheSumOfAnyLength) {
    for (const std::int64_t length : lengths)
        for (const FftDirection direction : {FftDirection::forward, FftDirection::inverse}) {
            expect_every_way<float>(length, direction);
            expect_every_way<double>(length, direction);
        }
}

TEST(LineFft, OnePlanServesManyThreads) {
    const std::int64_t length = 1536, lines = 64;
    const LineFft<float> fft(length, FftDirection::forward);
    const std::vector<Complex64> line = noise<float>(length);
    LineBuffer<float> alone(length);
    std::copy(line.begin(), line.end(), alone.data());
    fft(alone.data());
    std::vector<LineBuffer<float>> buffers;
    for (std::int64_t i = 0; i < lines; ++i) buffers.emplace_back(length);
    for_each_line(lines, 4, [&](std::int64_t i) {
        Complex64* const mine = buffers[static_cast<std::size_t>(i)].data();
        std::copy(line.begin(), line.end(), mine);
        fft(mine);
    });
    for (const auto& buffer : buffers)
        EXPECT_EQ(std::memcmp(buffer.data(), alone.data(), static_cast<std::size_t>(length) * sizeof(Complex64)), 0);
}

TEST(LineFft, RefusesALengthOfNothing) {
    EXPECT_THROW(LineFft<float>(0, FftDirection::forward), DeviceError);
    EXPECT_THROW(LineFft<double>(0, FftDirection::inverse), DeviceError);
}

TEST(LineFft, TellsItsLibrary) {
    EXPECT_TRUE(fft_library().starts_with("FFTW 3.") || fft_library().starts_with("DUCC0 0.")) << fft_library();
}

}  // namespace
}  // namespace cornerturn
