// SPDX-License-Identifier: Apache-2.0
#include "pipeline/range_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/hyperbola.h"

namespace cornerturn {
namespace {

constexpr double sample_rate_hz = 32.317e6;
constexpr Chirp down_chirp{.slope_hz_s = -0.72135e12, .duration_s = 41.74e-6};

/// The Fourier integral by Simpson's rule on a fine grid that ends exactly at the pulse's end.
std::complex<double> fourier_integral(const Chirp& chirp, double frequency_hz) {
    constexpr int intervals = 200000;
    const double step = chirp.duration_s / intervals;
    std::complex<double> sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double t = i * step, centred = t - chirp.duration_s / 2;
        const double weight = (i == 0 || i == intervals) ? 1 : i % 2 ? 4 : 2;
        sum += weight * std::polar(1.0, std::numbers::pi * chirp.slope_hz_s * centred * centred - 2 * std::numbers::pi * frequency_hz * t);
    }
    return sum * step / 3.0;
}

TEST(ChirpSpectrum, IsTheFourierIntegral) {
    constexpr std::int64_t length = 1800;
    const auto spectrum = chirp_spectrum(down_chirp, sample_rate_hz, length);
    const double level = sample_rate_hz / std::sqrt(std::abs(down_chirp.slope_hz_s));
    for (std::int64_t bin : {0, 1, 200, 830, 899, 900, 1000, 1799}) {
        const auto exact = sample_rate_hz * fourier_integral(down_chirp, range_frequency_hz(bin, length, sample_rate_hz));
        EXPECT_LT(std::abs(spectrum[static_cast<std::size_t>(bin)] - exact), 3e-4 * level)
            << bin;  // h^2 term of the trapezoidal rule at 16 points per sample
    }
}

TEST(RangeFilter, FlattensTheBandAndNothingElse) {
    constexpr std::int64_t length = 1800;
    const Window window = Window::parse("kaiser:2.5");
    const auto spectrum = chirp_spectrum(down_chirp, sample_rate_hz, length);
    const auto filter = range_filter(down_chirp, sample_rate_hz, length, window, [](double) { return std::complex<double>(1.0); });
    double window_sum = 0;
    for (std::int64_t bin = 0; bin < length; ++bin)
        window_sum += window(range_frequency_hz(bin, length, sample_rate_hz) / down_chirp.bandwidth_hz());
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const auto product = filter[static_cast<std::size_t>(bin)] * spectrum[static_cast<std::size_t>(bin)] * window_sum;
        const double expected = window(range_frequency_hz(bin, length, sample_rate_hz) / down_chirp.bandwidth_hz());
        EXPECT_NEAR(product.real(), expected, 1e-12);
        EXPECT_NEAR(product.imag(), 0, 1e-12);
    }
}

}  // namespace
}  // namespace cornerturn
