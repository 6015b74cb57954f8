// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimate/line_doppler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "pipeline/echo/sampled_lines.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// A receiver's rounding and interpolated lines leave next to nothing where there is no echo, but that all alike: at 0
/// Hz, which took the centroid of draw 1304 of the campaign with it, 126 Hz off.
TEST(LineDoppler, WhatIsLeftWhereThereIsNoEchoTellsNothing) {
    Echo echo = simulate(one_target());
    ASSERT_EQ(echo.acquisition.format, SampleFormat::complex64);
    std::vector<Complex<float>> samples(echo.samples.size() / sizeof(Complex<float>));
    std::memcpy(samples.data(), echo.samples.data(), echo.samples.size());
    for (Complex<float>& sample : samples) sample.re += 1e-4f;  // of a target of amplitude 2
    std::memcpy(echo.samples.data(), samples.data(), echo.samples.size());
    EchoInMemory source(echo);
    const DopplerEstimate found = estimate_doppler(sample_lines(source));
    double highest = 0;
    for (const DopplerCell& cell : found.cells) highest = std::max(highest, std::abs(cell.lag1));
    const double of_no_knowledge_hz = 0.5 * echo.acquisition.prf_hz;
    int empty = 0, telling = 0;
    for (const DopplerCell& cell : found.cells) {
        if (std::abs(cell.lag1) < 1e-8 * highest) {
            ++empty;
            EXPECT_GE(cell.error_hz, of_no_knowledge_hz);
        } else if (std::abs(cell.lag1) > 0.1 * highest) {
            ++telling;
            EXPECT_LT(cell.error_hz, 0.05 * of_no_knowledge_hz);
        }
    }
    EXPECT_GT(empty, 0);
    EXPECT_GT(telling, 0);
}

/// Where echoes move by more than half of 1 / band from one line to the next, phases over the band turn around: P band
/// from an orbit, 24 degrees ahead, 1.7 of these cells a line (draw 1261, whose -477 +- 87 Hz were 12300 Hz).
TEST(LineDoppler, TheMultipleIsToldWhereEchoesMoveByCellsFromLineToLine) {
    Scene scene;
    scene.carrier_hz = 0.413e9;
    scene.velocity_m_s = 7260;
    scene.altitude_m = 550e3;
    scene.prf_hz = 275;
    scene.sample_rate_hz = 29.8e6;
    scene.near_range_m = 723.7e3;
    scene.lines = 700;
    scene.samples = 1400;
    scene.chirp_duration_s = 5.29e-6;
    scene.chirp_slope_hz_s = 23.7e6 / scene.chirp_duration_s;
    scene.azimuth_bandwidth_hz = 169;
    scene.targets.emplace();
    for (int i = 0; i < 4; ++i)
        scene.targets->push_back({BeamCentrePosition{200.3 + 90 * i, 900.6 - 200 * i}, 1.0, 70.0 * i});
    for (const double centroid_hz : {8000.0, -8000.0, 400.0}) {
        scene.doppler_centroid_hz = centroid_hz;
        const Echo echo = simulate(scene);
        EchoInMemory source(echo);
        const DopplerEstimate found = estimate_doppler(sample_lines(source));
        ASSERT_TRUE(found.absolute_hz);
        EXPECT_NEAR(*found.absolute_hz, centroid_hz, 0.25 * scene.prf_hz);
        EXPECT_LT(found.absolute_error_hz, 0.5 * scene.prf_hz);
    }
}

}  // namespace
}  // namespace cornerturn
