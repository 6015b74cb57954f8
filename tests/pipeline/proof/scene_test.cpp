// SPDX-License-Identifier: Apache-2.0
// What a scene may be: presets, targets that are cut off, and what is refused by name.
#include "pipeline/proof/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kernels/errors.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/proof/few_lines.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

std::string refusal(const std::function<void(Scene&)>& change) {
    Scene scene = few_lines();
    change(scene);
    return error_of([&] { simulate(scene); });
}

TEST(Scene, PresetTargetsAreWhollyRecordedAndOffThePixelCentres) {
    for (const std::string& name : preset_names()) {
        SCOPED_TRACE(name);
        const Scene scene = preset_scene(name);
        EXPECT_NO_THROW(validate(scene));
        if (scene.spotlight()) continue;
        EXPECT_TRUE(coverage_warnings(scene).empty());
        for (const SceneTarget& target : scene_targets(scene)) {
            const auto& at = std::get<BeamCentrePosition>(target.position);
            EXPECT_GT(std::abs(at.line - std::round(at.line)) + std::abs(at.sample - std::round(at.sample)), 0.02);
        }
    }
}

TEST(Scene, GridFollowsTheSizeOfTheEcho) {
    Scene scene = preset_scene("spaceborne");
    scene.lines = 1200;
    scene.samples = 2048;
    EXPECT_NO_THROW(validate(scene));
    EXPECT_TRUE(coverage_warnings(scene).empty());
    scene.lines = 700;
    EXPECT_THROW(validate(scene), InputError);
}

TEST(Scene, WarnsOfTargetsThatAreCutOff) {
    Scene scene = preset_scene("spaceborne");
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{2000, 1000}, 1, 0},
                                             {BeamCentrePosition{100, 1000}, 1, 0},
                                             {BeamCentrePosition{2000, 3000}, 1, 0}};
    const std::vector<std::string> warnings = coverage_warnings(scene);
    ASSERT_EQ(warnings.size(), 2u);
    expect_in(warnings[0], "target 1");
    expect_in(warnings[1], "target 2");
    EXPECT_NO_THROW(validate(scene));
}

TEST(Scene, RefusesWhatCannotBe) {
    struct Case {
        const char* word;
        std::function<void(Scene&)> change;
    };
    const double nan = std::nan("");
    const auto placed = [](const auto& position) { return [=](Scene& s) { s.targets->at(0).position = position; }; };
    const auto on = [](const auto& orbit) { return [=](Scene& s) { s.orbit = orbit; }; };
    const Case cases[] = {
        {"carrier_hz is -1", [](Scene& s) { s.carrier_hz = -1; }},
        {"carrier_hz is nan", [=](Scene& s) { s.carrier_hz = nan; }},
        {"prf_hz is 0", [](Scene& s) { s.prf_hz = 0; }},
        {"sample_rate_hz is inf", [](Scene& s) { s.sample_rate_hz = INFINITY; }},
        {"near_range_m", [](Scene& s) { s.near_range_m = 0; }},
        {"velocity_m_s is -5", [](Scene& s) { s.velocity_m_s = -5; }},
        {"lines is -3", [](Scene& s) { s.lines = -3; }},
        {"samples is 0", [](Scene& s) { s.samples = 0; }},
        {"lines is 99999999", [](Scene& s) { s.lines = 99999999; }},
        {"chirp_slope_hz_s is 0", [](Scene& s) { s.chirp_slope_hz_s = 0; }},
        {"chirp_duration_s is -1e-06", [](Scene& s) { s.chirp_duration_s = -1e-6; }},
        {"raise the rate", [](Scene& s) { s.chirp_slope_hz_s = 9e14; }},
        {"a line has 400", [](Scene& s) { s.chirp_duration_s = 1e-5, s.chirp_slope_hz_s = 1e12; }},
        {"prf_hz is only 400", [](Scene& s) { s.azimuth_bandwidth_hz = 401; }},
        {"azimuth_bandwidth_hz is 0", [](Scene& s) { s.azimuth_bandwidth_hz = 0; }},
        {"2 V / lambda", [](Scene& s) { s.doppler_centroid_hz = 1e9; }},
        {"doppler_centroid_hz is nan", [=](Scene& s) { s.doppler_centroid_hz = nan; }},
        {"altitude_m is 9000", [](Scene& s) { s.altitude_m = 9000; }},
        {"sample_type", [](Scene& s) { s.sample_type = SampleFormat::float16; }},
        {"noise_db", [=](Scene& s) { s.noise_db = nan; }},
        {"no targets", [](Scene& s) { s.targets->clear(); }},
        {"targets[0].amplitude is -1", [](Scene& s) { s.targets->at(0).amplitude = -1; }},
        {"targets[0].phase_deg", [=](Scene& s) { s.targets->at(0).phase_deg = nan; }},
        {"targets[0].line", placed(BeamCentrePosition{nan, 0})},
        {"targets[0].sample is -9000", placed(BeamCentrePosition{0, -9000})},
        {"targets[0].range_m is -8000", placed(ZeroDopplerPosition{-8000, 0})},
        {"targets[0].zero_doppler_time_s", placed(ZeroDopplerPosition{8000, nan})},
        {"lines 0 to 63", placed(BeamCentrePosition{9000, 100})},
        {"samples 0 to 399", placed(BeamCentrePosition{30, 900})},
        {"nine targets", [](Scene& s) { s.targets.reset(); }},
        {"no echo can be computed", placed(ZeroDopplerPosition{1e300, 0})},
        {"targets[0].height_m is 90000", [](Scene& s) { s.targets->at(0).height_m = 90000; }},
        {"targets[0].latitude_deg", placed(GroundPosition{nan, 0})},
        {"height_m is nan", [=](Scene& s) { s.height_m = nan; }},
        {"polarizations are [HH, VV]", [](Scene& s) { s.polarizations.push_back("VV"); }},
        {"polarizations are []", [](Scene& s) { s.polarizations.clear(); }},
        {"clutter[0].scatterers is 0", [](Scene& s) { s.clutter = {{}}; }},
        {"clutter[0].last_line is 3",
         [](Scene& s) { s.clutter = {{.first_line = 4, .last_line = 3, .scatterers = 1}}; }},
        {"clutter[0].first_sample is -9000", [](Scene& s) { s.clutter = {{.first_sample = -9000, .scatterers = 1}}; }},
        {"is nowhere on the ground", on(KeplerOrbit{.altitude_m = 700e3})},
        {"orbit.altitude_m is 5", on(KeplerOrbit{.altitude_m = 5})},
        {"orbit.eccentricity is 1", on(KeplerOrbit{.altitude_m = 7e5, .eccentricity = 1})},
        {"orbit.inclination_deg is nan", on(KeplerOrbit{.altitude_m = 7e5, .inclination_deg = nan})},
        {"beam.yaw_deg is 90",
         [](Scene& s) {
             s.orbit = KeplerOrbit{.altitude_m = 7e5};
             s.beam.yaw_deg = 90;
         }},
        {"orbit has 1 state vectors", on(Orbit{{1}, {{7e6, 0, 0}}, {{0, 7e3, 0}}})},
        {"orbit covers 1 to 4 s",
         on(Orbit{{1, 2, 3, 4}, std::vector<Vec3>(4, {7e6, 0, 0}), std::vector<Vec3>(4, {0, 7e3, 0})})},
        {"orbit.vectors[3] is at 3 s",
         on(Orbit{{1, 2, 3, 3}, std::vector<Vec3>(4, {7e6, 0, 0}), std::vector<Vec3>(4, {0, 7e3, 0})})},
    };
    for (const Case& one : cases) expect_in(refusal(one.change), one.word);
    EXPECT_EQ(refusal([](Scene&) {}), "");
}

TEST(Scene, UnknownPresetListsThePresets) {
    expect_refused(
        [] { preset_scene("banana"); },
        "airborne, aircraft, drone, nisar, pband, radarsat, sentinel, sliding, spaceborne, spotlight, squint, "
        "wide, xfine");
}

}  // namespace
}  // namespace cornerturn
