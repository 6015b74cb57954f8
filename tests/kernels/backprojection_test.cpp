// SPDX-License-Identifier: Apache-2.0
#include "kernels/backprojection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "kernels/cpu/backproject.h"
#include "kernels/device.h"

namespace cornerturn {
namespace {

using Cplx = std::complex<double>;

/// A target whose whole aperture lies inside the echo, 15 x 13 pixels about it.
BackprojectionChip small_chip(double slope_sign, double centroid_hz) {
    BackprojectionChip chip;
    chip.lines = 700;
    chip.samples = 512;
    chip.near_range_m = 9000;
    chip.range_spacing_m = 1.5;
    chip.first_pulse_time_s = 3600;
    chip.prf_hz = 400;
    chip.carrier_hz = 9.65e9;
    chip.chirp_slope_hz_s = slope_sign * 4e13;
    chip.chirp_duration_s = 2e-6;
    chip.velocity_m_s = 100;
    chip.doppler_low_hz = centroid_hz - 50;
    chip.doppler_high_hz = centroid_hz + 50;
    chip.rows = 15;
    chip.columns = 13;
    chip.time_spacing_s = 1 / 400.0;
    chip.column_spacing_m = 1.5;
    const double range_m = 9302.7, middle_s = 3600 + 350 / 400.0 + 0.0007;
    const double zero_doppler_s = middle_s - beam_time_offset_s(range_m, centroid_hz, chip.velocity_m_s, chip.wavelength_m());
    chip.first_range_m = range_m - 6 * chip.column_spacing_m;
    chip.first_time_s = zero_doppler_s - 7 * chip.time_spacing_s;
    return chip;
}

/// DESIGN §2, sample by sample, for the target in the middle of the chip.
std::vector<Cplx> echo_of_middle(const BackprojectionChip& chip, Cplx amplitude) {
    const double r0 = chip.first_range_m + 6 * chip.column_spacing_m, eta0 = chip.first_time_s + 7 * chip.time_spacing_s;
    std::vector<Cplx> echo(static_cast<std::size_t>(chip.lines * chip.samples));
    for (std::int64_t line = 0; line < chip.lines; ++line) {
        const double s = 3600 + static_cast<double>(line) / chip.prf_hz - eta0;
        const double r = std::sqrt(r0 * r0 + 1e4 * s * s);
        const double doppler = -2 / chip.wavelength_m() * 1e4 * s / r;
        if (doppler < chip.doppler_low_hz || doppler >= chip.doppler_high_hz) continue;
        for (std::int64_t k = 0; k < chip.samples; ++k) {
            const double u = 2 / c_m_s * (chip.near_range_m + static_cast<double>(k) * chip.range_spacing_m - r);
            if (u < 0 || u >= chip.chirp_duration_s) continue;
            const double t = u - chip.chirp_duration_s / 2;
            echo[static_cast<std::size_t>(line * chip.samples + k)] =
                amplitude * std::polar(1.0, std::numbers::pi * chip.chirp_slope_hz_s * t * t) *
                std::polar(1.0, -2 * std::numbers::pi * std::fmod(2 * chip.carrier_hz * r / c_m_s, 1.0));
        }
    }
    return echo;
}

std::vector<Cplx> backproject(const std::vector<Cplx>& echo, const BackprojectionChip& chip, int threads = 2) {
    const auto device = open_device("cpu", threads);
    Matrix matrix = device->allocate(SampleFormat::complex128, chip.lines, chip.samples);
    device->upload(std::as_bytes(std::span(echo)), matrix);
    return device->backproject(matrix, {}, chip);
}

class Backprojection : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(Backprojection, PeaksAtTheTargetWithItsAmplitudeAndPhase) {
    const BackprojectionChip chip = small_chip(GetParam().first, GetParam().second);
    const Cplx amplitude = std::polar(0.8, 1.1);
    const auto pixels = backproject(echo_of_middle(chip, amplitude), chip);
    ASSERT_EQ(pixels.size(), 15u * 13u);
    const std::size_t middle = 7 * 13 + 6;
    for (std::size_t i = 0; i < pixels.size(); ++i)
        if (i != middle) {
            EXPECT_LT(std::abs(pixels[i]), 0.98 * std::abs(pixels[middle])) << i;
        }
    const double range_m = chip.first_range_m + 6 * chip.column_spacing_m;
    const Cplx expected = amplitude * std::polar(1.0, -2 * std::numbers::pi * std::fmod(2 * chip.carrier_hz * range_m / c_m_s, 1.0));
    EXPECT_LT(std::abs(pixels[middle] - expected), 1e-6);  // phases of 6e5 cycles in double leave 1e-9
}

INSTANTIATE_TEST_SUITE_P(Chirps, Backprojection,
                         testing::Values(std::pair{1.0, 0.0}, std::pair{-1.0, 0.0}, std::pair{-1.0, 560.0}, std::pair{1.0, -300.0}));

TEST(Backprojection, EqualsTheDoubleSumOfItsDefinition) {
    const BackprojectionChip chip = small_chip(-1, 560);
    std::vector<Cplx> echo(static_cast<std::size_t>(chip.lines * chip.samples));
    unsigned state = 1;
    const auto random = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5; };
    for (Cplx& x : echo) x = {random(), random()};
    const auto pixels = backproject(echo, chip, 1);
    for (std::size_t i : {0ul, 97ul, 194ul}) {
        BackprojectionChip here = chip;  // the model of this pixel is the echo of the target there
        here.first_time_s += (static_cast<double>(i / 13) - 7) * chip.time_spacing_s;
        here.first_range_m += (static_cast<double>(i % 13) - 6) * chip.column_spacing_m;
        const auto model = echo_of_middle(here, 1.0);
        const double range_m = here.first_range_m + 6 * chip.column_spacing_m;
        Cplx sum = 0;
        double energy = 0;
        for (std::size_t k = 0; k < echo.size(); ++k) sum += std::conj(model[k]) * echo[k], energy += std::norm(model[k]);
        const Cplx expected = sum / energy * std::polar(1.0, -2 * std::numbers::pi * std::fmod(2 * chip.carrier_hz * range_m / c_m_s, 1.0));
        EXPECT_LT(std::abs(pixels[i] - expected), 1e-6 * std::sqrt(1 / energy) * 10) << i;  // 1e-5 of a pixel's noise
    }
}

TEST(Backprojection, AWrongChirpSignFindsNothing) {
    BackprojectionChip chip = small_chip(1, 0);
    const auto echo = echo_of_middle(chip, 1.0);
    chip.chirp_slope_hz_s = -chip.chirp_slope_hz_s;
    // 160 of time x bandwidth: mismatched, the chirp spreads to about 1/sqrt(160).
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_LT(std::abs(pixel), 0.2);
}

TEST(Backprojection, OutsideTheEchoThereIsNothing) {
    BackprojectionChip chip = small_chip(1, 0);
    const auto echo = echo_of_middle(chip, 1.0);
    chip.first_time_s += 100;
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_EQ(pixel, Cplx(0));
    chip = small_chip(1, 0);
    chip.first_range_m += 5000;
    for (const Cplx& pixel : backproject(echo, chip)) EXPECT_EQ(pixel, Cplx(0));
}

TEST(Backprojection, ReadsEveryFormatWithGainAndGaps) {
    BackprojectionChip chip = small_chip(1, 0);
    const auto echo = echo_of_middle(chip, 100.0);
    std::vector<std::int8_t> integers;
    for (const Cplx& x : echo)
        integers.push_back(static_cast<std::int8_t>(std::lround(x.real()))),
            integers.push_back(static_cast<std::int8_t>(std::lround(x.imag())));
    const auto device = open_device("cpu", 2);
    Matrix matrix = device->allocate(SampleFormat::int8, chip.lines, chip.samples);
    device->upload(std::as_bytes(std::span(integers)), matrix);
    EchoDecoding decoding;
    decoding.line_gain.assign(static_cast<std::size_t>(chip.lines), 0.01f);
    const double whole = std::abs(device->backproject(matrix, decoding, chip)[7 * 13 + 6]);
    EXPECT_NEAR(whole, 1.0, 1e-3);  // rounding to integers: 0.3 of 100 a sample, over 1e5 samples
    decoding.intervals_per_line = 1;
    decoding.valid_samples.assign(static_cast<std::size_t>(chip.lines),
                                  {0, 202 + 100});  // the pulse's leading edge is at sample 201.8, half of 200 samples
    EXPECT_NEAR(std::abs(device->backproject(matrix, decoding, chip)[7 * 13 + 6]), 0.5, 0.02);
}

}  // namespace
}  // namespace cornerturn
