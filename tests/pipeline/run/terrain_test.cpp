// SPDX-License-Identifier: Apache-2.0
// Targets at all heights of a terrain, under squint: with its heights each lies where it is, without them where theory
// says.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/run/terrain_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class Terrain : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Terrain, every_device(), device_name);

/// Where a target lands when it is taken for one at another height: at the place up there that has the same range and
/// Doppler frequency while the beam's centre is on it.
AnalysisTarget taken_for_height(const Scene& scene, const SceneTarget& target, double height_m) {
    const SceneGeometry geometry(scene);
    const RadarGeometry& radar = geometry.radar();
    const LocatedTarget located = geometry.locate(target);
    const double line = geometry.centre_line(located.place_m);
    const StateVector antenna = radar.halfway(line, located.place_m);
    const double speed_m_s = norm(antenna.velocity_m_s), delay_s = radar.delay_s(line, located.place_m),
                 doppler_hz = radar.doppler_hz(line, located.place_m);
    double range_m = 0.5 * speed_of_light_m_s * delay_s, frequency_hz = doppler_hz;
    Vec3 place_m{};
    for (int round = 0; round < 30; ++round) {
        place_m = place_at(antenna.position_m, antenna.velocity_m_s, range_m,
                           0.5 * scene.wavelength_m() * frequency_hz / speed_m_s, height_m, scene.look_side);
        range_m += 0.5 * speed_of_light_m_s * (delay_s - radar.delay_s(line, place_m));
        frequency_hz += doppler_hz - radar.doppler_hz(line, place_m);
    }
    const ClosestApproach approach = radar.closest_approach(place_m, located.truth.zero_doppler_time_s);
    AnalysisTarget taken;
    taken.time_s = approach.time_s;
    taken.range_m = approach.range_m;
    return taken;
}

TEST_P(Terrain, TargetsAtAllHeightsLieWhereTheyAre) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    for (const double yaw_deg : {-0.4, 0.6}) {
        Scene scene = squinted_scene(yaw_deg, 4096, 2048);
        const Geodetic middle = middle_of(scene);
        const HeightModel height_m = slope_about(middle, 6000, 11000);
        put_targets(scene, height_m);
        const FocusResult result =
            focus(*device, simulate(scene), over(std::make_shared<TerrainByFormula>(box_about(middle, 3), height_m)));
        const Worst worst = worst_of(result.image);
        EXPECT_LT(worst.azimuth_px, 0.01);
        EXPECT_LT(worst.range_px, 0.01);
        EXPECT_LT(worst.phase_deg, 5);
    }
}

TEST_P(Terrain, WithoutHeightsTargetsLieWhereTheorySays) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 4096, 2048);
    put_targets(scene, slope_about(middle_of(scene), 6000, 11000));
    const Echo echo = simulate(scene);
    // The band about the beam's centre; nine targets alone tell little of that.
    const DopplerSurface doppler_hz = predicted_doppler(echo.acquisition).value();
    const FocusResult result = focus(*device, echo,
                                     with_doppler({}, {in_the_middle_hz(echo.acquisition, doppler_hz), doppler_hz,
                                                       DopplerOrigin::option, "", true}));
    for (std::size_t i = 0; i < scene.targets->size(); ++i) {
        const AnalysisTarget truth = known_targets(result.image)[i],
                             taken = taken_for_height(scene, (*scene.targets)[i], 0);
        const PointAnalysis point = analyze_point(result.image, truth);
        ASSERT_EQ(point.refused, "");
        const double rows = (taken.time_s - truth.time_s) / result.image.grid.time_spacing_s,
                     columns = (taken.range_m - truth.range_m) / result.image.grid.range_spacing_m;
        if (*(*scene.targets)[i].height_m > 1000) {
            EXPECT_LT(rows, -0.3) << "or heights would not matter";
        }
        EXPECT_NEAR(*point.azimuth.position_error_px, rows, 0.005);
        EXPECT_NEAR(*point.range.position_error_px, columns, 0.005);
    }
}

/// Nine seconds over hills of 30 km, through several blocks.
TEST_P(Terrain, HillsAlongAStripAreFollowed) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 10240, 640);
    const Geodetic middle = middle_of(scene);
    const HeightModel hills_m = [=](double latitude_deg, double longitude_deg) {
        return 900 + 900 * std::sin(20 * (latitude_deg - middle.latitude_deg)) +
               2000 * (longitude_deg - middle.longitude_deg);
    };
    scene.targets.emplace();
    const SceneGeometry geometry(scene);
    for (int i = 0; i < 7; ++i) {
        SceneTarget target{BeamCentrePosition{700.3 + 1450 * i, i % 2 == 0 ? 60.2 : 190.6}, 1.0, 30.0 * i, 0.0};
        lift(target, geometry, hills_m);
        scene.targets->push_back(target);
    }
    Echo echo = simulate(scene);
    echo.acquisition.doppler_of_pixels_hz.reset();  // which is that of the ellipsoid; attitude tells that of the hills
    const FocusResult result =
        focus(*device, echo, over(std::make_shared<TerrainByFormula>(box_about(middle, 3), hills_m)));
    const Worst worst = worst_of(result.image);

    EXPECT_GT(result.report.setup.memory.blocks.size(), 1u);
    EXPECT_LT(worst.azimuth_px, 0.01);
    EXPECT_LT(worst.range_px, 0.01);
}

/// Hills of 4 km, which no surface of smooth terms follows, under squint: a top lies degrees of phase off, as
/// predicted.
TEST(TerrainRelief, IsRefusedWhereTheSmoothSurfaceMissesIt) {
    Scene scene = squinted_scene(0.6, 2600, 900);
    const Geodetic middle = middle_of(scene);
    const auto hills_of = [&](double amplitude_m) {
        return [=](double latitude_deg, double) {
            return 500 + amplitude_m * std::cos(175 * (latitude_deg - middle.latitude_deg));
        };
    };
    const HeightModel hills_m = hills_of(60);
    SceneTarget target{BeamCentrePosition{1300.3, 250.2}, 1, 0, 0.0};
    lift(target, SceneGeometry(scene), hills_m);
    scene.targets = {{target}};
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu");
    FocusOptions options = over(std::make_shared<TerrainByFormula>(box_about(middle, 3), hills_m));
    options.algorithm = "backprojection";
    options.doppler_from = ParameterSource::orbit;
    const std::string refusal = error_of([&] { set_up_focus(*device, echo.acquisition, options); });
    expect_in(refusal, "m off the smooth surface that the zero-Doppler grid follows");
    options.force = true;
    const FocusResult forced = focus(*device, echo, options);
    EXPECT_EQ(forced.report.setup.forced_over, refusal);
    const SceneHeight& surface_m = forced.report.setup.height_m;
    EXPECT_GT(surface_m.largest_relief_m(), 20);
    EXPECT_LT(surface_m.largest_relief_m(), 130);
    EXPECT_GT(worst_of(forced.image).phase_deg, 10);
    const Prediction predicted = predicted_for_relief(echo.acquisition, forced.report.setup.image, surface_m);
    EXPECT_LT(worst_of(forced.image).phase_deg, 1.2 * predicted.phase_deg);

    options.force = false;
    options.terrain = std::make_shared<TerrainByFormula>(box_about(middle, 3), hills_of(0.5));
    constexpr auto told = "points may be off by";
    const auto warned_of = [&](double amplitude_m) {
        options.terrain = std::make_shared<TerrainByFormula>(box_about(middle, 3), hills_of(amplitude_m));
        std::string all;
        for (const std::string& warning : set_up_focus(*device, echo.acquisition, options).warnings) all += warning;
        return all;
    };
    EXPECT_EQ(warned_of(0.5).find(told), std::string::npos);
    // Allowed over a terrain, but more than elsewhere: not without a word.
    const double part = 0.7 * std::min({error_limits_over_terrain.phase_deg / predicted.phase_deg,
                                        error_limits_over_terrain.position_px / predicted.position_px,
                                        error_limits_over_terrain.width_percent / predicted.width_percent});
    expect_in(warned_of(60 * part), told);
}

}  // namespace
}  // namespace cornerturn
