// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/range_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/math/hyperbola.h"
#include "pipeline/formers/folded_chirp.h"
#include "tests/support/phasor.h"

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
        sum += weight * phasor(0.5 * chirp.slope_hz_s * centred * centred - frequency_hz * t);
    }
    return sum * step / 3.0;
}

TEST(ChirpSpectrum, IsTheFourierIntegral) {
    constexpr std::int64_t length = 1800;
    const auto spectrum = chirp_spectrum(down_chirp, sample_rate_hz, length);
    const double level = sample_rate_hz / std::sqrt(std::abs(down_chirp.slope_hz_s));
    for (std::int64_t bin : {0, 1, 200, 830, 899, 900, 1000, 1799}) {
        const auto exact =
            sample_rate_hz * fourier_integral(down_chirp, range_frequency_hz(bin, length, sample_rate_hz));
        EXPECT_LT(std::abs(spectrum[static_cast<std::size_t>(bin)] - exact), 3e-4 * level)
            << bin;  // h^2 term of the trapezoidal rule at 16 points per sample
    }
}

constexpr std::int64_t reach = 64;
constexpr std::int64_t pulse = 1349;

std::vector<std::complex<double>> plain_filter(std::int64_t length, const Window& window) {
    return range_filter(down_chirp, sample_rate_hz, length, reach, window,
                        [](double) { return std::complex<double>(1.0); });
}

/// Response to the chirp, sampled without aliasing, at `sample` from its peak.
std::complex<double> response(std::int64_t length, const Window& window, double sample) {
    const auto spectrum = chirp_spectrum(down_chirp, sample_rate_hz, length);
    const auto filter = plain_filter(length, window);
    std::complex<double> sum = 0;
    for (std::int64_t bin = 0; bin < length; ++bin)
        sum += filter[static_cast<std::size_t>(bin)] * spectrum[static_cast<std::size_t>(bin)] *
               phasor(range_frequency_hz(bin, length, sample_rate_hz) / sample_rate_hz * sample);
    return sum;
}

TEST(RangeFilter, FlattensTheBand) {
    constexpr std::int64_t length = 1800;
    const Window window = Window::parse("kaiser:2.5");
    const auto spectrum = chirp_spectrum(down_chirp, sample_rate_hz, length);
    const auto filter = plain_filter(length, window);
    double window_sum = 0;
    for (std::int64_t bin = 0; bin < length; ++bin)
        window_sum += window(range_frequency_hz(bin, length, sample_rate_hz) / down_chirp.bandwidth_hz());
    for (std::int64_t bin = 0; bin < length; ++bin) {
        const double x = range_frequency_hz(bin, length, sample_rate_hz) / down_chirp.bandwidth_hz();
        if (std::abs(std::abs(x) - 0.5) < 0.04) continue;  // a filter that ends has no sharp edge
        const auto product =
            filter[static_cast<std::size_t>(bin)] * spectrum[static_cast<std::size_t>(bin)] * window_sum;
        EXPECT_LT(std::abs(product - window(x)), 0.02) << x;  // far paired echoes are cut off, 40 dB down
    }
}

TEST(RangeFilter, GivesTheSincNearThePeak) {
    const double band = down_chirp.bandwidth_hz() / sample_rate_hz;
    for (double sample : {0.0, 0.4, 1.5, 7.3, 20.2, 30.7}) {
        const double x = std::numbers::pi * band * sample;
        EXPECT_LT(std::abs(response(2000, Window{}, sample) - (x == 0 ? 1.0 : std::sin(x) / x)), 2e-4) << sample;
    }
}

TEST(RangeFilter, EndsAndDoesNotDependOnTheTransform) {
    const auto taps = [](std::int64_t length) {
        auto filter = plain_filter(length, Window{});
        std::vector<std::complex<double>> result;
        for (std::int64_t n = -pulse - 2 * reach; n <= 2 * reach; ++n) {
            std::complex<double> sum = 0;
            for (std::int64_t bin = 0; bin < length; ++bin)
                sum += filter[static_cast<std::size_t>(bin)] *
                       phasor(static_cast<double>(bin * n % length) / static_cast<double>(length));
            result.push_back(sum);
        }
        return result;
    };
    const auto shorter = taps(1620), longer = taps(2048);
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        EXPECT_LT(std::abs(shorter[i] - longer[i]), 1e-15);
        const bool beyond = i < reach || i >= shorter.size() - reach;
        EXPECT_LT(std::abs(shorter[i]), beyond ? 1e-15 : 1.0);
    }
}

TEST(RangeFilter, WrapsInATransformShorterThanItself) {
    // Wrapping in time is leaving out bins in frequency; both hold 1 / length of the inverse transform.
    constexpr std::size_t few = 64, step = 32;
    ASSERT_LT(few, static_cast<std::size_t>(pulse));
    const auto shorter = plain_filter(few, Window{}), longer = plain_filter(few * step, Window{});
    for (std::size_t bin = 0; bin < few; ++bin)
        EXPECT_LT(std::abs(shorter[bin] - static_cast<double>(step) * longer[step * bin]), 1e-13) << bin;
}

/// A pulse as an instrument may send it: weaker toward its end, with a phase that ripples. Its replica says so.
Chirp rippled_chirp() {
    Chirp chirp = down_chirp;
    for (std::int64_t k = 0; k < pulse; ++k) {
        const double t = static_cast<double>(k) / sample_rate_hz, centred = t - chirp.duration_s / 2,
                     part = t / chirp.duration_s;
        chirp.replica.emplace_back((1 - 0.5 * part) * phasor(0.5 * chirp.slope_hz_s * centred * centred +
                                                             0.1 * std::sin(2 * std::numbers::pi * 3 * part)));
    }
    return chirp;
}

/// What a filter for one chirp makes of the replica of another, `sample` samples behind where the pulse begins.
std::complex<double> compressed(const Chirp& of_filter, const Chirp& pulse_sent, double sample) {
    constexpr std::int64_t length = 2000;
    const auto filter = range_filter(of_filter, sample_rate_hz, length, reach, Window::parse("hamming"),
                                     [](double) { return std::complex<double>(1.0); });
    std::complex<double> sum = 0;
    for (std::int64_t bin = 0; bin < length; ++bin) {
        std::complex<double> spectrum = 0;
        for (std::size_t k = 0; k < pulse_sent.replica.size(); ++k)
            spectrum += std::complex<double>(pulse_sent.replica[k]) *
                        phasor(-static_cast<double>(bin) * static_cast<double>(k) / static_cast<double>(length));
        sum += filter[static_cast<std::size_t>(bin)] * spectrum *
               phasor(range_frequency_hz(bin, length, sample_rate_hz) / sample_rate_hz * sample);
    }
    return sum;
}

TEST(RangeFilter, CompressesThePulseOfTheReplica) {
    const Chirp sent = rippled_chirp();
    for (const double sample : {0.0, 0.4, 1.5, 2.6, 7.3, 20.2}) {
        const auto ideal = response(2000, Window::parse("hamming"), sample);
        EXPECT_LT(std::abs(compressed(sent, sent, sample) - ideal), 2e-3) << sample;
    }
    // Three ripples of 0.63 rad: paired echoes, and half of the amplitude is lost.
    EXPECT_GT(std::abs(compressed(down_chirp, sent, 0) - 1.0), 0.2);
}

/// A pulse that rises and falls: its spectrum is 22 dB down at the edges of the band.
Chirp tapered_chirp() {
    Chirp chirp = down_chirp;
    for (std::int64_t k = 0; k < pulse; ++k) {
        const double t = static_cast<double>(k) / sample_rate_hz, centred = t - chirp.duration_s / 2;
        chirp.replica.emplace_back((0.54 + 0.46 * std::cos(2 * std::numbers::pi * centred / chirp.duration_s)) *
                                   phasor(0.5 * chirp.slope_hz_s * centred * centred));
    }
    return chirp;
}

/// Made flat, noise at the edges of the band would stand 22 dB above that of its middle.
TEST(RangeFilter, RaisesNoiseAtWeakEdgesByTenDecibelsAtMost) {
    constexpr std::int64_t length = 2000;
    const Chirp sent = tapered_chirp();
    const auto spectrum = chirp_spectrum(sent, sample_rate_hz, length);
    double power = 0, bins = 0;
    for (std::int64_t bin = 0; bin < length; ++bin) {
        if (std::abs(range_frequency_hz(bin, length, sample_rate_hz)) > 0.5 * sent.bandwidth_hz()) continue;
        power += std::norm(spectrum[static_cast<std::size_t>(bin)]);
        ++bins;
    }
    for (const char* window : {"none", "hamming"}) {
        SCOPED_TRACE(window);
        const auto filter = range_filter(sent, sample_rate_hz, length, reach, Window::parse(window),
                                         [](double) { return std::complex<double>(1.0); });
        std::complex<double> peak = 0;
        double loudest = 0;
        for (std::size_t bin = 0; bin < static_cast<std::size_t>(length); ++bin) {
            peak += filter[bin] * spectrum[bin];
            loudest = std::max(loudest, std::norm(filter[bin]));
        }
        // A filter with a flat response of 1 has the gain 1 / power; its peak is the sum of all bins. Half more for
        // what the peak is scaled by where the edges are missed, and for the filter that ends.
        const double flat = 1 / (power / bins) / (bins * bins);
        const double weighed = flat / std::pow(Window::parse(window).mean(), 2);
        EXPECT_LT(loudest, 1.5 * most_noise_gain * weighed);
        EXPECT_LT(std::abs(peak - 1.0), 2e-3) << "a point keeps its amplitude";
    }
}

TEST(RangeFilter, TellsByHowMuchWeakEdgesWidenPoints) {
    EXPECT_EQ(widened_by_floor(down_chirp, sample_rate_hz, Window{}), 0);
    EXPECT_NEAR(widened_by_floor(rippled_chirp(), sample_rate_hz, Window{}), 0, 0.002);
    const double widened = widened_by_floor(tapered_chirp(), sample_rate_hz, Window{});
    EXPECT_GT(widened, 0.01);
    EXPECT_LT(widened, 0.2);
    EXPECT_LT(widened_by_floor(tapered_chirp(), sample_rate_hz, Window::parse("hamming")), 0.005);
}

/// As points of simulated scenes are, by rda: with a product of 10, sampled at 1.06 of the band, 0.027 px, 0.8 degrees
/// and 1.4 % of width, of 60 at 1.03 0.004 px. With room for the spectrum, and for long chirps, next to nothing.
TEST(RangeFilter, ChirpsWhoseSpectraFoldBackMovePoints) {
    const auto lost = [](double product, double sampling) {
        constexpr double band_hz = 80e6;
        const double duration_s = product / band_hz;
        return lost_by_folding({.slope_hz_s = -band_hz / duration_s, .duration_s = duration_s}, sampling * band_hz,
                               Window{});
    };
    const Prediction shortest = lost(10, 1.06);
    EXPECT_NEAR(shortest.position_px, 0.027, 0.003);
    EXPECT_NEAR(shortest.phase_deg, 0.8, 0.3);
    EXPECT_NEAR(shortest.width_percent, 1.9, 0.8);
    EXPECT_NEAR(lost(60, 1.03).position_px, 0.004, 0.001);
    EXPECT_LT(lost(40, 1.5).position_px, 0.001);
    EXPECT_EQ(lost(200, 1.03), Prediction{});
    EXPECT_EQ(lost_by_folding(compressed_pulse(80e6), 100e6, Window{}), Prediction{});
}

}  // namespace
}  // namespace cornerturn
