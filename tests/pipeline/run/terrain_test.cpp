// SPDX-License-Identifier: Apache-2.0
// Targets at all heights of a terrain, under squint: with its heights each lies where it is, without them where theory
// says.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/formers/prediction.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/pipeline/terrain_by_formula.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class Terrain : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Terrain, every_device(), device_name);

/// Nine places in the beam, on the terrain.
void put_targets(Scene& scene, const HeightModel& height_m) {
    scene.targets.emplace();
    const double last_sample = static_cast<double>(scene.samples) - scene.chirp_duration_s * scene.sample_rate_hz;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            SceneTarget target{BeamCentrePosition{700.3 + 0.5 * i * (static_cast<double>(scene.lines) - 1400) + 40 * k,
                                                  60.2 + 0.5 * k * (last_sample - 260.4) + 23 * i},
                               1.0, 30.0 * i, 0.0};
            const SceneGeometry geometry(scene);
            for (int round = 0; round < 8; ++round) {
                const Geodetic place = to_geodetic(geometry.locate(target).place_m);
                target.height_m = height_m(place.latitude_deg, place.longitude_deg);
            }
            scene.targets->push_back(target);
        }
}

Geodetic middle_of(const Scene& scene) {
    const SceneGeometry geometry(scene);
    return to_geodetic(
        geometry.place_in_beam({0.5 * static_cast<double>(scene.lines), 0.5 * static_cast<double>(scene.samples)}, 0));
}

/// From the foot of a slope of so many metres per degree to 2500 m.
HeightModel slope_about(const Geodetic& middle, double per_latitude_m, double per_longitude_m) {
    return [=](double latitude_deg, double longitude_deg) {
        return 1250 + per_latitude_m * (latitude_deg - middle.latitude_deg) +
               per_longitude_m * (longitude_deg - middle.longitude_deg);
    };
}

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

struct Worst {
    double azimuth_px = 0, range_px = 0, phase_deg = 0;
};
Worst worst_of(const Image& image) {
    Worst worst;
    for (const AnalysisTarget& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        EXPECT_EQ(point.refused, "");
        worst.azimuth_px = std::max(worst.azimuth_px, std::abs(point.azimuth.position_error_px.value_or(99)));
        worst.range_px = std::max(worst.range_px, std::abs(point.range.position_error_px.value_or(99)));
        worst.phase_deg = std::max(worst.phase_deg, std::abs(point.phase_error_deg.value_or(180)));
    }
    return worst;
}

FocusOptions over(std::shared_ptr<TerrainSource> terrain) {
    FocusOptions options;
    options.terrain = std::move(terrain);
    return options;
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
        for (int round = 0; round < 8; ++round) {
            const Geodetic place = to_geodetic(geometry.locate(target).place_m);
            target.height_m = hills_m(place.latitude_deg, place.longitude_deg);
        }
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
    const SceneGeometry geometry(scene);
    for (int round = 0; round < 8; ++round) {
        const Geodetic place = to_geodetic(geometry.locate(target).place_m);
        target.height_m = hills_m(place.latitude_deg, place.longitude_deg);
    }
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
    EXPECT_NO_THROW(set_up_focus(*device, echo.acquisition, options));
}

/// Where the beam's centre looks depends on how high the ground is: some 100 Hz at 2500 m.
TEST(TerrainDoppler, FollowsHeights) {
    Scene scene = squinted_scene(0.6, 4096, 2048);
    const Geodetic middle = middle_of(scene);
    const HeightModel height_m = slope_about(middle, 6000, 11000);
    put_targets(scene, height_m);
    const Acquisition acquisition = describe(scene);
    const SceneGeometry geometry(scene);
    std::vector<std::string> remarks;
    TerrainByFormula terrain(box_about(middle, 3), height_m);
    PixelSpan span{INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (const PointTarget& target : acquisition.truth)
        span = {std::min(span.from_s, target.zero_doppler_time_s), std::max(span.to_s, target.zero_doppler_time_s),
                std::min(span.from_m, target.range_m), std::max(span.to_m, target.range_m)};
    const SceneHeight heights_m = height_over_terrain(*acquisition.orbit, LookSide::right, span, terrain, remarks);
    EXPECT_TRUE(remarks.empty());
    const DopplerSurface with = predicted_doppler(acquisition, heights_m).value(),
                         without = predicted_doppler(acquisition).value();
    double most_without_hz = 0;
    for (std::size_t i = 0; i < scene.targets->size(); ++i) {
        const LocatedTarget located = geometry.locate((*scene.targets)[i]);
        EXPECT_NEAR(heights_m(located.truth.zero_doppler_time_s, located.truth.range_m), located.truth.height_m, 5);
        const double line = geometry.centre_line(located.place_m), time_s = acquisition.pulse_time_s(line),
                     range_m = 0.5 * speed_of_light_m_s * geometry.radar().delay_s(line, located.place_m),
                     truth_hz = geometry.radar().doppler_hz(line, located.place_m);
        EXPECT_NEAR(with(time_s, range_m), truth_hz, 2);
        most_without_hz = std::max(most_without_hz, std::abs(without(time_s, range_m) - truth_hz));
    }
    EXPECT_GT(most_without_hz, 20) << "or heights would not matter";
    // One height for all of it, too.
    const double truth_hz = geometry.radar().doppler_hz(
        geometry.centre_line(geometry.place_in_beam({2000, 1000}, 2000)), geometry.place_in_beam({2000, 1000}, 2000));
    EXPECT_NEAR(
        predicted_doppler(acquisition, 2000.0).value()(acquisition.pulse_time_s(2000), acquisition.range_m(1000)),
        truth_hz, 1);
}

/// Some of them within the swath: what the surface leaves of them turns phases under squint, by a degree a metre.
TEST(SceneHeights, FollowHillsOfFortyKilometres) {
    const Scene scene = squinted_scene(0.6, 4096, 2048);
    const Acquisition acquisition = describe(scene);
    const Geodetic middle = middle_of(scene);
    const HeightModel hills_m = [](double latitude_deg, double longitude_deg) {
        constexpr double per_degree = 2 * std::numbers::pi * 111 / 40;
        return 600 + 600 * std::sin(per_degree * latitude_deg) * std::cos(per_degree * longitude_deg);
    };
    TerrainByFormula terrain(box_about(middle, 3), hills_m);
    const double time_s = acquisition.truth.front().zero_doppler_time_s, range_m = acquisition.truth.front().range_m;
    const PixelSpan span{time_s, time_s + 2, range_m, range_m + 30e3};
    std::vector<std::string> remarks;
    const SceneHeight heights_m = height_over_terrain(*acquisition.orbit, LookSide::right, span, terrain, remarks);
    for (double part = 0; part <= 1; part += 1.0 / 64) {
        const double at_s = span.from_s + part * (span.to_s - span.from_s),
                     at_m = span.from_m + part * (span.to_m - span.from_m), height_m = heights_m(at_s, at_m);
        const Geodetic place = to_geodetic(
            zero_doppler_ground_point(interpolate(*acquisition.orbit, at_s), at_m, LookSide::right, height_m)
                .position_m);
        EXPECT_NEAR(height_m, hills_m(place.latitude_deg, place.longitude_deg), 1) << part;
    }
}

TEST(SceneHeights, NeedATerrainThatCoversTheScene) {
    const Scene scene = squinted_scene(0.6, 4096, 2048);
    const Acquisition acquisition = describe(scene);
    const Geodetic middle = middle_of(scene);
    const HeightModel flat = [](double, double) { return 700; };
    const auto refusal = [&](TerrainSource& terrain) -> std::string {
        try {
            std::vector<std::string> remarks;
            const double time_s = acquisition.truth.front().zero_doppler_time_s,
                         range_m = acquisition.truth.front().range_m;
            height_over_terrain(*acquisition.orbit, LookSide::right, {time_s, time_s + 2, range_m, range_m + 9000},
                                terrain, remarks);
            return remarks.empty() ? "" : remarks.front();
        } catch (const InputError& error) {
            return error.what();
        }
    };
    TerrainByFormula whole(box_about(middle, 3), flat);
    EXPECT_EQ(refusal(whole), "");
    TerrainByFormula elsewhere(
        {middle.latitude_deg + 5, middle.latitude_deg + 6, middle.longitude_deg, middle.longitude_deg + 1}, flat);
    expect_in(refusal(elsewhere), "formula: covers latitudes");
    TerrainByFormula half(
        {middle.latitude_deg - 3, middle.latitude_deg, middle.longitude_deg - 3, middle.longitude_deg + 3}, flat);
    expect_in(refusal(half), "the scene lies at latitudes");
    TerrainByFormula gaps(box_about(middle, 3), [&](double latitude_deg, double) {
        return latitude_deg > middle.latitude_deg ? 700.0 : NAN;
    });
    expect_in(refusal(gaps), "knows no height for");
    TerrainByFormula nothing(box_about(middle, 3), [](double, double) { return NAN; });
    expect_in(refusal(nothing), "knows no height within");
}

}  // namespace
}  // namespace cornerturn
