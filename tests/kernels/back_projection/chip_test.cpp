// SPDX-License-Identifier: Apache-2.0
#include "kernels/back_projection/chip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "kernels/cpu/back_projection/chip.h"
#include "kernels/device/device.h"
#include "tests/kernels/straight_echo.h"

namespace cornerturn {
namespace {

using Cplx = std::complex<double>;

constexpr std::int64_t rows = 15, columns = 13;
constexpr std::size_t middle = 7 * 13 + 6;
constexpr double target_m = 9302.7;

/// A target whose whole aperture lies inside the echo, 15 x 13 pixels about it.
struct Small {
    StraightEcho echo;
    double low_hz, high_hz;
    double zero_doppler_s;

    Small(double slope_sign, double centroid_hz) : low_hz(centroid_hz - 50), high_hz(centroid_hz + 50) {
        echo = {.lines = 700,
                .samples = 512,
                .timing = {.carrier_hz = 9.65e9,
                           .chirp_slope_hz_s = slope_sign * 4e13,
                           .chirp_duration_s = 2e-6,
                           .first_sample_s = 2 * 9000 / c_m_s,
                           .sample_rate_hz = 1e8},
                .first_pulse_time_s = 3600,
                .prf_hz = 400,
                .velocity_m_s = 100};
        const double sine = centroid_hz * c_m_s / echo.timing.carrier_hz / 200;
        zero_doppler_s = 3600 + 350 / 400.0 + 0.0007 + target_m * sine / std::sqrt(1 - sine * sine) / 100;
    }
    double range_m(std::int64_t column) const { return target_m + 1.5 * static_cast<double>(column - 6); }
    double time_s(std::int64_t row) const { return zero_doppler_s + static_cast<double>(row - 7) / 400; }
    IndexRange aperture(double range, double time) const { return echo.aperture(range, time, low_hz, high_hz); }

    BackprojectionChip chip() const {
        BackprojectionChip chip = echo.chip();
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column) {
                const double range = range_m(column), time = time_s(row);
                chip.pixels.push_back({echo.place(range, time), range, aperture(range, time)});
            }
        return chip;
    }

    /// The signal model, sample by sample, of the target at a pixel.
    std::vector<Cplx> echo_of(Cplx amplitude, std::int64_t row = 7, std::int64_t column = 6) const {
        std::vector<Cplx> samples(static_cast<std::size_t>(echo.lines * echo.samples));
        const double range = range_m(column), time = time_s(row);
        const IndexRange lines = recorded(aperture(range, time), echo.lines);
        for (std::int64_t line = lines.first; line < lines.last; ++line)
            for (std::int64_t k = 0; k < echo.samples; ++k)
                samples[static_cast<std::size_t>(line * echo.samples + k)] =
                    amplitude * echo.model(line, k, range, time);
        return samples;
    }
};

std::vector<Cplx> backproject(const std::vector<Cplx>& echo, const BackprojectionChip& chip, int threads = 2) {
    const auto device = open_device("cpu", threads);
    Matrix matrix = device->allocate(SampleFormat::complex128, chip.lines, chip.samples);
    device->upload(std::as_bytes(std::span(echo)), matrix);
    std::vector<Cplx> pixels = device->backproject(matrix, {}, chip);
    EXPECT_EQ(pixels.size(), chip.pixels.size());
    return pixels;
}

/// A satellite's numbers: the platform moves 50 m between transmission and reception.
TEST(TwoWayDelay, IsTheClosedFormOfStraightFlight) {
    const StraightEcho echo{.lines = 1,
                            .samples = 4096,
                            .timing = {.carrier_hz = 5.3e9,
                                       .chirp_slope_hz_s = -0.72135e12,
                                       .chirp_duration_s = 41.74e-6,
                                       .first_sample_s = 2 * 993513.0 / c_m_s,
                                       .sample_rate_hz = 32.317e6},
                            .first_pulse_time_s = 0,
                            .prf_hz = 1,
                            .velocity_m_s = 7062};
    for (const double away_s : {0.0, 0.4, 3.9, -5.4}) {
        const double range_m = 996000;
        const Place place = echo.place(range_m, away_s);
        const PulsePath path = echo.path(0);
        for (const double sent_s : {0.0, 20e-6, 40e-6}) {
            const double delay_s = sent_delay_s(path, sent_s, place);
            const long double exact_s =
                straight_delay_s(range_m, 7062, sent_s + static_cast<long double>(delay_s) - away_s);
            EXPECT_LT(std::abs(static_cast<double>(delay_s - exact_s)) * 5.3e9,
                      2e-8);  // cycles: some roundings of 3.5e7
            const long double step_s = 1e-3L, received_s = sent_s + static_cast<long double>(delay_s) - away_s;
            const long double rate = (straight_delay_s(range_m, 7062, received_s + step_s) -
                                      straight_delay_s(range_m, 7062, received_s - step_s)) /
                                     (2 * step_s);
            EXPECT_NEAR(doppler_hz(path, sent_s, place, 5.3e9), static_cast<double>(-5.3e9L * rate), 1e-6);
        }
        const PulseEcho pulse = pulse_echo(echo.timing, path, place);
        ASSERT_GT(pulse.samples.last - pulse.samples.first, 1300);
        EXPECT_EQ(std::abs(echo.model(0, pulse.samples.first - 1, range_m, away_s)), 0);
        EXPECT_EQ(std::abs(echo.model(0, pulse.samples.last, range_m, away_s)), 0);
        for (std::int64_t k = pulse.samples.first; k < pulse.samples.last; ++k) {
            const Complex128 found = pulse.at(k);
            // The parabola leaves tau'''; what is seen are roundings of 3.5e7 cycles.
            ASSERT_LT(std::abs(Cplx(found.re, found.im) - echo.model(0, k, range_m, away_s)), 3e-7)
                << k << ' ' << away_s;
        }
    }
}

class Backprojection : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(Backprojection, PeaksAtTheTargetWithItsAmplitudeAndPhase) {
    const Small small(GetParam().first, GetParam().second);
    const Cplx amplitude = std::polar(0.8, 1.1);
    const auto pixels = backproject(small.echo_of(amplitude), small.chip());
    ASSERT_EQ(pixels.size(), 15u * 13u);
    for (std::size_t i = 0; i < pixels.size(); ++i)
        if (i != middle) {
            EXPECT_LT(std::abs(pixels[i]), 0.98 * std::abs(pixels[middle])) << i;
        }
    EXPECT_LT(std::abs(pixels[middle] - amplitude * small.echo.image_phase(target_m)), 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Chirps, Backprojection,
                         testing::Values(std::pair{1.0, 0.0}, std::pair{-1.0, 0.0}, std::pair{-1.0, 560.0},
                                         std::pair{1.0, -300.0}));

TEST(Backprojection, EqualsTheDoubleSumOfItsDefinition) {
    const Small small(-1, 560);
    std::vector<Cplx> echo(static_cast<std::size_t>(small.echo.lines * small.echo.samples));
    unsigned state = 1;
    const auto random = [&] {
        return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5;
    };
    for (Cplx& x : echo) x = {random(), random()};
    const auto pixels = backproject(echo, small.chip(), 1);
    for (std::size_t i : {0ul, 97ul, 194ul}) {
        const auto row = static_cast<std::int64_t>(i / 13), column = static_cast<std::int64_t>(i % 13);
        const auto model = small.echo_of(1.0, row, column);  // the model of this pixel is the echo of the target there
        Cplx sum = 0;
        double energy = 0;
        for (std::size_t k = 0; k < echo.size(); ++k)
            sum += std::conj(model[k]) * echo[k], energy += std::norm(model[k]);
        const Cplx expected = sum / energy * small.echo.image_phase(small.range_m(column));
        EXPECT_LT(std::abs(pixels[i] - expected), 1e-6 * std::sqrt(1 / energy) * 10) << i;  // 1e-5 of a pixel's noise
    }
}

TEST(Backprojection, AWrongChirpSignFindsNothing) {
    const Small small(1, 0);
    BackprojectionChip chip = small.chip();
    chip.timing.chirp_slope_hz_s = -chip.timing.chirp_slope_hz_s;
    // 160 of time x bandwidth: mismatched, the chirp spreads to about 1/sqrt(160).
    for (const Cplx& pixel : backproject(small.echo_of(1.0), chip)) EXPECT_LT(std::abs(pixel), 0.2);
}

TEST(Backprojection, OutsideTheEchoThereIsNothing) {
    const Small small(1, 0);
    const auto echo = small.echo_of(1.0);
    BackprojectionChip chip = small.chip();
    for (BackprojectionPixel& pixel : chip.pixels) pixel.lines.first += 5000, pixel.lines.last += 5000;
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_EQ(pixel, Cplx(0));
    chip = small.chip();
    for (BackprojectionPixel& pixel : chip.pixels) pixel.place.x_m += 5000;
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_EQ(pixel, Cplx(0));
    chip = small.chip();
    for (BackprojectionPixel& pixel : chip.pixels) pixel.lines = {};
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_EQ(pixel, Cplx(0));
}

TEST(Backprojection, ReadsEveryFormatWithGainAndGaps) {
    const Small small(1, 0);
    const BackprojectionChip chip = small.chip();
    const auto echo = small.echo_of(100.0);
    std::vector<std::int8_t> integers;
    for (const Cplx& x : echo)
        integers.push_back(static_cast<std::int8_t>(std::lround(x.real()))),
            integers.push_back(static_cast<std::int8_t>(std::lround(x.imag())));
    const auto device = open_device("cpu", 2);
    Matrix matrix = device->allocate(SampleFormat::int8, chip.lines, chip.samples);
    device->upload(std::as_bytes(std::span(integers)), matrix);
    EchoDecoding decoding;
    decoding.line_gain.assign(static_cast<std::size_t>(chip.lines), 0.01f);
    const double whole = std::abs(device->backproject(matrix, decoding, chip)[middle]);
    EXPECT_NEAR(whole, 1.0, 1e-3);  // rounding to integers: 0.3 of 100 a sample, over 1e5 samples
    decoding.intervals_per_line = 1;
    decoding.valid_samples.assign(static_cast<std::size_t>(chip.lines),
                                  {0, 202 + 100});  // the pulse's leading edge is at sample 201.8, half of 200 samples
    EXPECT_NEAR(std::abs(device->backproject(matrix, decoding, chip)[middle]), 0.5, 0.02);
}

}  // namespace
}  // namespace cornerturn
