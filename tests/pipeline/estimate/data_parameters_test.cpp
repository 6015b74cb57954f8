// SPDX-License-Identifier: Apache-2.0
// Doppler ambiguity and velocity by data alone: right where they are told, not told where nothing tells them.
#include "pipeline/estimate/data_parameters.h"

#include "pipeline/run/data_estimates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/doppler/ambiguity.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Ground of some scatterers all over, seen by a beam at 2.25 PRF.
Scene ground(std::int64_t scatterers) {
    Scene scene = small_scene(1024, 640);
    scene.doppler_centroid_hz = 900;
    scene.noise_db = 0;
    scene.targets.emplace();
    scene.clutter = {{.first_line = -200,
                      .last_line = 1224,
                      .first_sample = -150,
                      .last_sample = 640,
                      .scatterers = scatterers,
                      .power_db = 0}};
    return scene;
}

/// As if the file had no orbit, no attitude and nothing of its own.
Echo without_knowledge(const Scene& scene) {
    Echo echo = simulate(scene);
    echo.acquisition = data_alone(std::move(echo.acquisition));
    echo.acquisition.orbit.reset();
    return echo;
}

Echo noise() {
    Scene scene = ground(1);
    scene.clutter.front().power_db = -90;
    return without_knowledge(scene);
}

DataParameters found_in(const Echo& echo) {
    EchoInMemory source(echo);
    return find_parameters(source, on_cpu());
}

TEST(DataParameters, GroundTellsCentroidAmbiguityAndVelocity) {
    const DataParameters found = found_in(without_knowledge(ground(400)));
    EXPECT_NEAR(found.doppler.centroid_hz, 900, 5);
    EXPECT_LT(found.error_hz, 5);
    EXPECT_GE(found.confidence, certain_confidence);
    EXPECT_TRUE(found.doppler.ambiguity_certain);
    ASSERT_TRUE(found.looks);
    EXPECT_NEAR(*found.estimate.walk_hz, 900, 0.1 * 400);  // the deviation that a vote is given anyway
    ASSERT_TRUE(found.velocity);
    EXPECT_NEAR(found.velocity->velocity_m_s, 120, 3 * found.velocity->error_m_s);
    EXPECT_LT(found.velocity->error_m_s, 0.3);
    EXPECT_FALSE(found.geometry_hz);
    EXPECT_TRUE(found.warnings.empty());
}

TEST(DataParameters, NoiseTellsNothing) {
    const DataParameters found = found_in(noise());
    EXPECT_LT(found.confidence, 0.9);
    EXPECT_FALSE(found.doppler.ambiguity_certain);
    EXPECT_FALSE(found.velocity);
}

/// One target says where it is, but no other part of the scene agrees.
TEST(DataParameters, OneTargetIsNoGround) {
    Scene scene = ground(1);
    scene.clutter.clear();
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{500, 200}}};
    const DataParameters found = found_in(without_knowledge(scene));
    EXPECT_FALSE(found.velocity);
    EXPECT_LT(found.confidence, certain_confidence);
}

/// 1 MHz at X band: the slope over frequency drowns, and the walk for each PRF is a hundredth of a cell.
TEST(DataParameters, LittleBandwidthLeavesTheAmbiguityOpen) {
    Scene scene = ground(400);
    scene.samples = 96;
    scene.sample_rate_hz = 2e6;
    scene.chirp_slope_hz_s = 0.25e12;
    scene.chirp_duration_s = 4e-6;
    scene.clutter.front().first_sample = -6;
    scene.clutter.front().last_sample = 96;
    const DataParameters found = found_in(without_knowledge(scene));
    EXPECT_LT(found.confidence, certain_confidence);
    EXPECT_FALSE(found.doppler.ambiguity_certain);
}

TEST(DataParameters, ContradictionsAreSaid) {
    Echo echo = without_knowledge(ground(400));
    echo.acquisition.doppler_centroid_hz = 100;
    echo.acquisition.effective_velocity_m_s = 123;
    const DataParameters found = found_in(echo);
    EXPECT_NEAR(found.doppler.centroid_hz, 900, 5) << "by data alone";
    ASSERT_EQ(found.warnings.size(), 2u);
    expect_in(found.warnings[0], "multiple of the PRF");
    expect_in(found.warnings[1], "effective velocity");
}

TEST(DataParameters, AnOrbitIsChecked) {
    Scene scene = ground(400);
    Echo echo = simulate(scene);
    EXPECT_TRUE(found_in(echo).warnings.empty());
    Orbit& orbit =
        *echo.acquisition.orbit;  // 2 % faster along the same line, over the middle of the scene at the same time
    const double middle_s = echo.acquisition.pulse_time_s(0.5 * static_cast<double>(echo.acquisition.lines));
    const StateVector middle = interpolate(orbit, middle_s);
    for (std::size_t i = 0; i < orbit.time_s.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            orbit.position_m[i][k] = middle.position_m[k] + 1.02 * (orbit.position_m[i][k] - middle.position_m[k]);
            orbit.velocity_m_s[i][k] *= 1.02;
        }
    const DataParameters found = found_in(echo);
    ASSERT_TRUE(found.velocity && found.velocity->orbit_velocity_m_s);
    EXPECT_NEAR(*found.velocity->orbit_velocity_m_s, 122.4, 0.2);
    EXPECT_NEAR(found.velocity->velocity_m_s, 120, 3 * found.velocity->error_m_s);
    EXPECT_TRUE(std::any_of(found.warnings.begin(), found.warnings.end(),
                            [](const std::string& w) { return w.find("the orbit has") != std::string::npos; }));
}

TEST(VelocityFromData, FocusTakesIt) {
    const Echo echo = without_knowledge(ground(400));
    const auto device = open_device("cpu");
    FocusOptions options;
    options.velocity_from = ParameterSource::data;
    const FocusResult focused = focus(*device, echo, options);
    EXPECT_NEAR(focused.image.processing.effective_velocity_m_s.front(), 120, 0.3);
    EXPECT_TRUE(focused.image.processing.velocity_source.starts_with("data"));
    // The ambiguity of an echo without attitude comes from the data, too, and is no guess.
    EXPECT_NEAR(focused.image.processing.doppler_centroid_hz, 900, 15);
    // What is said is that nobody knows the beam, which under this squint might not fit between the samples.
    ASSERT_EQ(focused.report.warnings.size(), 1u);
    expect_in(focused.report.warnings[0], "the beam's bandwidth is not known");
    EXPECT_THROW(focus(*device, noise(), options), InputError);
}

TEST(VelocityFromData, IsThatOfTheFmRate) {
    const double wavelength_m = 0.0566, slant_m = 1e6, velocity_m_s = 7062, doppler_hz = -6900;
    const double sine = wavelength_m * doppler_hz / (2 * velocity_m_s), cosine2 = 1 - sine * sine;
    const double rate_hz_s = 2 * velocity_m_s * velocity_m_s * cosine2 / (wavelength_m * slant_m);  // R0 = R D
    EXPECT_NEAR(velocity_of_fm_rate(rate_hz_s, slant_m, doppler_hz, wavelength_m), velocity_m_s, 1e-6);
}

/// Nine points without attitude: their echoes come and go at the FM rate, which was taken for the beam's.
TEST(DataParameters, NineTargetsBendNoSurface) {
    Scene scene = small_scene(1500, 700);
    scene.doppler_centroid_hz = 130;
    Echo echo = simulate(scene);
    echo.acquisition = data_alone(std::move(echo.acquisition));
    EchoInMemory source(echo);
    const Acquisition& a = echo.acquisition;
    const DopplerEstimate found = settled_doppler(source, {}, on_cpu());
    EXPECT_TRUE(found.whole_beam);
    const DopplerChoice choice = choose_doppler(a, {}, ParameterSource::automatic, [&] { return found; });
    ASSERT_TRUE(choice.error_hz);
    EXPECT_LT(*choice.error_hz, 10);
    EXPECT_NEAR(choice.centroid_hz, 130, 3 * *choice.error_hz);
    const double last_s = a.last_pulse_time_s(), last_m = a.range_m(500);
    for (const double time_s : {a.pulse_time_s(0), last_s})
        for (const double range_m : {a.range_m(0), last_m}) EXPECT_NEAR(choice.surface_hz(time_s, range_m), 130, 20);
}

}  // namespace
}  // namespace cornerturn
