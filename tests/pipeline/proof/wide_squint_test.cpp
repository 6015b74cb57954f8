// SPDX-License-Identifier: Apache-2.0
// Points of images under wide squint are read where their spectra lie (draw 1557 of the campaign).
#include <gtest/gtest.h>

#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// C band from an orbit at -12.9 degrees of yaw: 22 kHz of Doppler, seen twelve seconds before zero Doppler, by when
/// effective velocities that differ over range by 1e-4 a 10 km have moved the range spectrum by a sixth of the rate.
TEST(WideSquint, PointsAreReadWhereTheirSpectraLie) {
    Scene scene;
    scene.lines = 487;
    scene.samples = 378;
    scene.carrier_hz = 3.96e9;
    scene.prf_hz = 900;
    scene.sample_rate_hz = 6e6;
    scene.near_range_m = 718590;
    scene.chirp_slope_hz_s = -1e11;
    scene.chirp_duration_s = 40e-6;
    scene.azimuth_bandwidth_hz = 700;
    scene.beam.yaw_deg = -12.9;
    scene.orbit = KeplerOrbit{.altitude_m = 600e3, .inclination_deg = 98, .latitude_argument_deg = 87};
    scene.targets = {{SceneTarget{BeamCentrePosition{224, 80.3}, 1, 0}}};
    const auto device = open_device("cpu");
    for (const char* algorithm : {"rda", "omegak"}) {
        const FocusResult focused = focus(*device, simulate(scene), by(algorithm));
        const PointAnalysis point = analyze_point(ImageView(focused.image), known_targets(focused.image).front());
        ASSERT_EQ(point.refused, "");
        EXPECT_NEAR(point.range.position_error_px.value(), 0, 0.002) << algorithm;
        EXPECT_NEAR(point.azimuth.position_error_px.value(), 0, 0.002) << algorithm;
        EXPECT_NEAR(point.phase_error_deg.value(), 0, 0.5) << algorithm;
        EXPECT_NEAR(point.range.measured.irw_px / point.range.theory.irw_px, 1, 0.002) << algorithm;
    }
}

}  // namespace
}  // namespace cornerturn
