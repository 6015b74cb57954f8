// SPDX-License-Identifier: Apache-2.0
// Theoretical cuts against the closed forms of sinc and windows.
#include "pipeline/measure/point_theory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr double band = 0.8;            // of the sampling rate
constexpr std::int64_t per_pixel = 64;  // elements of a cut

ResponseSupport spaceborne(double doppler_hz) {
    ResponseSupport support;
    support.carrier_hz = 5.3e9;
    support.velocity_m_s = 7062;
    support.doppler_centroid_hz = doppler_hz;
    support.range_bandwidth_hz = 30e6;
    support.azimuth_bandwidth_hz = 900;
    return support;
}

Cut range_cut(const ResponseSupport& support) {
    const double step_s = band / support.range_bandwidth_hz / per_pixel;
    return theoretical_range_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel);
}

Cut azimuth_cut(const ResponseSupport& support) {
    const double step_s = band / support.azimuth_bandwidth_hz / per_pixel;
    return theoretical_azimuth_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel);
}

double normalised(const Cut& cut, std::int64_t k) {
    const auto middle = static_cast<std::int64_t>(cut.power.size() / 2);
    return std::sqrt(cut.power[middle + k] / cut.power[middle]);
}

TEST(PointTheory, WithoutSquintAndWindowBothCutsAreSinc) {
    // lambda / 4 at f_eta = +-450 Hz bends the range frequency by 1e-6 of the carrier squared terms: below 1e-6 of the
    // cut.
    for (const Cut& cut : {range_cut(spaceborne(0)), azimuth_cut(spaceborne(0))}) {
        for (std::int64_t k : {7, 40, 64, 115, 500, 800}) {
            const double x = std::numbers::pi * band * static_cast<double>(k) / per_pixel;
            EXPECT_NEAR(normalised(cut, k), std::abs(std::sin(x) / x), 2e-5) << k;
        }
        const CutMetrics metrics = measure(cut, band, 2.0);
        EXPECT_NEAR(metrics.irw_px * band, 0.88589, 2e-4);
        EXPECT_NEAR(metrics.irw_m, 2 * metrics.irw_px, 1e-12);
        EXPECT_NEAR(metrics.pslr_db, -13.261, 2e-3);
        // Energy within the first null 0.90282; within the eleventh 1 - 1 / (11 pi^2) = 0.99079 of all.
        EXPECT_NEAR(metrics.islr_db, 10 * std::log10((0.99079 - 0.90282) / 0.90282), 0.005);
    }
}

TEST(PointTheory, KaiserCutsAreTheKaiserTransform) {
    ResponseSupport support = spaceborne(0);
    support.range_window = support.azimuth_window = Window::parse("kaiser:2.5");
    for (const Cut& cut : {range_cut(support), azimuth_cut(support)}) {
        for (std::int64_t k : {10, 50, 150, 600}) {
            const double squared =
                2.5 * 2.5 - std::pow(std::numbers::pi * band * static_cast<double>(k) / per_pixel, 2);
            const double root = std::sqrt(std::abs(squared));
            const double value = (squared > 0 ? std::sinh(root) : std::sin(root)) / root * 2.5 / std::sinh(2.5);
            EXPECT_NEAR(normalised(cut, k), std::abs(value), 2e-5) << k;
        }
    }
}

TEST(PointTheory, ANarrowBeamDecidesTheAzimuthCut) {
    ResponseSupport support = spaceborne(0);
    support.azimuth_bandwidth_hz = 1200;
    support.beam_bandwidth_hz = 900;
    EXPECT_EQ(support.effective_azimuth_bandwidth_hz(), 900);
    const double step_s = band / 900 / per_pixel;
    const CutMetrics metrics =
        measure(theoretical_azimuth_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel), band, 1);
    // The beam's band scales with (f0 + f_tau) / f0, +-0.28 %: the sinc blurs a little, its width by the square of
    // that.
    EXPECT_NEAR(metrics.irw_px * band, 0.88589, 2e-4);
    EXPECT_NEAR(metrics.pslr_db, -13.261, 5e-3);
    // A window over the processed band weights what the beam leaves of it: 900 of 1200 Hz of a Kaiser window.
    support.azimuth_window = Window::parse("kaiser:2.5");
    const double narrow =
        measure(theoretical_azimuth_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel), band, 1).irw_px;
    support.beam_bandwidth_hz.reset();
    const double wide =
        measure(theoretical_azimuth_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel), band, 1).irw_px;
    EXPECT_GT(narrow, wide * 1.05);
}

TEST(PointTheory, ABeamNarrowerThanTheProcessedBandDimsThePeak) {
    ResponseSupport support = spaceborne(0);
    EXPECT_DOUBLE_EQ(illuminated_fraction(support), 1);
    support.beam_bandwidth_hz = 450;
    EXPECT_NEAR(illuminated_fraction(support), 0.5, 1e-6);  // of 900 Hz
    support.azimuth_window = Window::parse("hamming");
    // Integral of 0.54 + 0.46 cos(2 pi x) over the middle half: 0.27 + 0.46 / pi, of 0.54.
    EXPECT_NEAR(illuminated_fraction(support), (0.27 + 0.46 / std::numbers::pi) / 0.54, 1e-5);
}

TEST(PointTheory, WhatPulsesLightOfATargetDecides) {
    ResponseSupport support = spaceborne(0);
    support.beam_bandwidth_hz = 800;
    support.illuminated_band_hz = DopplerBand{-250, 150};  // the record ends
    EXPECT_EQ(support.effective_azimuth_bandwidth_hz(), 400);
    EXPECT_EQ(support.centre_hz(), -50);
    EXPECT_NEAR(illuminated_fraction(support), 400.0 / 900, 1e-6);
    const double step_s = band / 400 / per_pixel;
    const CutMetrics metrics =
        measure(theoretical_azimuth_cut(support, step_s, 16 * per_pixel, 1.0 / per_pixel), band, 1);
    EXPECT_NEAR(metrics.irw_px * band, 0.88589, 2e-4);
    EXPECT_NEAR(metrics.pslr_db, -13.261, 5e-3);
    support.illuminated_band_hz = DopplerBand{300, 700};  // processed: -450 to 450
    EXPECT_EQ(support.effective_azimuth_bandwidth_hz(), 150);
}

TEST(PointTheory, SquintSkewsTheRangeCut) {
    // To first order f_img = f_tau / D - f_eta * tan(theta) * c / 2V: the range cut is sinc(B t / D) * sinc(Ba t
    // tan(theta) c / 2V).
    ResponseSupport support = spaceborne(560);
    support.carrier_hz = 9.65e9;
    support.velocity_m_s = 100;
    support.range_bandwidth_hz = 72e6;
    support.azimuth_bandwidth_hz = 60;
    const double sine = speed_of_light_m_s / 9.65e9 * 560 / 200;
    const double cosine = std::sqrt(1 - sine * sine);
    const double skew_hz = 60 * sine / cosine * speed_of_light_m_s / 200;
    const Cut cut = range_cut(support);
    for (std::int64_t k : {20, 50, 100, 120}) {
        const double t = band / 72e6 * static_cast<double>(k) / per_pixel;
        const double x = std::numbers::pi * 72e6 / cosine * t;
        const double y = std::numbers::pi * skew_hz * t;
        // The neglected curvature of the square root shifts the edges by c * Ba^2 / (8 f0 V^2 ...) ~ 0.1 % of the band.
        EXPECT_NEAR(normalised(cut, k), std::abs(std::sin(x) / x * std::sin(y) / y), 2e-3) << k;
    }
    const CutMetrics metrics = measure(cut, band, 1);
    EXPECT_LT(metrics.pslr_db, -13.6);  // so a plain sinc is the wrong theory here
    // The azimuth cut stays a sinc.
    EXPECT_NEAR(measure(azimuth_cut(support), band, 1).pslr_db, -13.261, 2e-3);
}

/// A pulse holds all of its range frequencies alike, however far apart along azimuth these put it: over a narrow beam
/// the range cut is a plain sinc, where the azimuth frequencies of a band this wide would weigh one end 1.6 times as
/// much as the other.
TEST(PointTheory, PulsesThatAreSummedCountAlikeAtAllRangeFrequencies) {
    ResponseSupport support = spaceborne(0);
    support.carrier_hz = 435e6;
    support.velocity_m_s = 100;
    support.range_bandwidth_hz = 200e6;
    support.azimuth_bandwidth_hz = 0.5;
    support.pulses_weighed = true;
    const Cut cut = range_cut(support);
    for (std::int64_t k : {20, 50, 100, 120}) {
        const double x = std::numbers::pi * band * static_cast<double>(k) / per_pixel;
        EXPECT_NEAR(normalised(cut, k), std::abs(std::sin(x) / x), 1e-5) << k;
    }
}

/// dR / dR0 of R^2 = R0^2 + V(R0)^2 t^2, of the pulse whose Doppler frequency it is: 2 (f0 + f_tau) V sin / c, sin = V
/// t / R. In C band at 22 kHz 4 % of slope are a megahertz.
TEST(PointTheory, AVelocityThatChangesWithRangeMovesTheRangeFrequency) {
    ResponseSupport support = spaceborne(22000);
    support.velocity_slope = -0.04;
    constexpr double closest_m = 715e3, step_m = 10;
    for (const double f_tau : {-3e6, 0.0, 3e6}) {
        const double total_hz = support.carrier_hz + f_tau,
                     sine = speed_of_light_m_s * 22000 / (2 * support.velocity_m_s * total_hz),
                     time_s = closest_m / support.velocity_m_s * sine / std::sqrt(1 - sine * sine);
        const auto range_m = [&](double of_m) {
            const double velocity_m_s =
                support.velocity_m_s * (1 + support.velocity_slope * (of_m - closest_m) / closest_m);
            return std::hypot(of_m, velocity_m_s * time_s);
        };
        const double grows = (range_m(closest_m + step_m) - range_m(closest_m - step_m)) / (2 * step_m);
        EXPECT_NEAR(support.image_range_frequency_hz(f_tau, 22000), total_hz * grows - support.carrier_hz, 1e3);
    }
    const double with_slope_hz = support.image_range_frequency_hz(0, 22000);
    support.velocity_slope = 0;
    EXPECT_GT(std::abs(support.image_range_frequency_hz(0, 22000) - with_slope_hz), 1e6);
}

TEST(PointTheory, AnImageTellsHowItsVelocityChangesWithRange) {
    Image image;
    image.processing.range_bandwidth_hz = 1;
    image.processing.azimuth_bandwidth_hz = 1;
    image.grid.near_range_m = 700e3;
    image.grid.range_spacing_m = 100;
    for (int column = 0; column < 200; ++column)
        image.processing.effective_velocity_m_s.push_back(7200 - 0.02 * column);
    for (const int column : {0, 100, 199}) {
        const double range_m = 700e3 + 100 * column;
        EXPECT_NEAR(response_support(image, 0, column).velocity_slope, -0.0002 * range_m / (7200 - 0.02 * column),
                    1e-9);
    }
    image.processing.effective_velocity_m_s.assign(1, 7200);
    EXPECT_EQ(response_support(image, 0, 0).velocity_slope, 0);
}

TEST(PointTheory, SupportOfAnImageWithoutVelocityOrBandsIsRefused) {
    Image image;
    image.processing.range_bandwidth_hz = 1;
    image.processing.azimuth_bandwidth_hz = 1;
    EXPECT_THROW(response_support(image, 0, 0), InputError);
    image.acquisition.effective_velocity_m_s = 7000;
    EXPECT_EQ(response_support(image, 0, 0).velocity_m_s, 7000);
    image.processing.effective_velocity_m_s = {7001, 7002};
    EXPECT_EQ(response_support(image, 0, 17).velocity_m_s, 7002);
    image.processing.azimuth_bandwidth_hz = 0;
    EXPECT_THROW(response_support(image, 0, 0), InputError);
}

}  // namespace
}  // namespace cornerturn
