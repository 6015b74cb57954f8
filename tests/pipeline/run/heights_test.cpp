// SPDX-License-Identifier: Apache-2.0
// The surface that images over a terrain follow, and the Doppler centroid over it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/run/terrain_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

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

/// Hills under an antenna that is turned far ahead: zero Doppler lies half a minute away from the pulses, where neither
/// hyperbolas nor the middle of a table say which pixels there are.
Scene far_ahead_over_hills() {
    Scene scene = squinted_scene(-13.8, 852, 1546);
    scene.carrier_hz = 429e6;
    scene.prf_hz = 161;
    scene.sample_rate_hz = 26.1e6;
    scene.chirp_slope_hz_s = -564e9;
    scene.chirp_duration_s = 39.7e-6;
    scene.azimuth_bandwidth_hz = 121;
    scene.near_range_m = 1130e3;
    scene.beam.steering = Steering::zero_doppler;
    return scene;
}

TEST(SceneHeights, AreThoseUnderAllPixels) {
    const Scene scene = far_ahead_over_hills();
    const Acquisition acquisition = describe(scene);
    const Geodetic middle = middle_of(scene);
    const HeightModel hills_m = [=](double latitude_deg, double longitude_deg) {
        return 600 + 500 * std::sin(17 * (latitude_deg - middle.latitude_deg)) * std::cos(17 * longitude_deg);
    };
    const auto device = open_device("cpu");
    FocusOptions options = over(std::make_shared<TerrainByFormula>(box_about(middle, 8), hills_m));
    options.algorithm = "backprojection";
    const FocusSetup setup = set_up_focus(*device, acquisition, options);
    const ImageGrid& grid = setup.image.grid;
    const double last_s = grid.last_time_s(), last_m = grid.far_range_m();
    EXPECT_TRUE(setup.height_m.covers({grid.first_time_s, last_s, grid.near_range_m, last_m}));
    for (const double along : {0.0, 0.5, 1.0})
        for (const double across : {0.0, 0.5, 1.0}) {
            const double at_s = std::lerp(grid.first_time_s, last_s, along),
                         at_m = std::lerp(grid.near_range_m, last_m, across), height_m = setup.height_m(at_s, at_m);
            const Geodetic place = to_geodetic(zero_doppler_ground_point(interpolate(*acquisition.orbit, at_s), at_m,
                                                                         acquisition.identification.look_side, height_m)
                                                   .position_m);
            EXPECT_NEAR(height_m, hills_m(place.latitude_deg, place.longitude_deg), 2) << along << ", " << across;
        }
}

/// A chirp of a tenth of the carrier, whose ends see the beam two beams beside its centre: at each Doppler frequency
/// omega-K has to fit what it leaves of other ranges where there is anything.
TEST(TerrainOmegaK, FollowsHillsOverTheChirp) {
    Scene scene = squinted_scene(12.3, 955, 2924);
    scene.carrier_hz = 1.78e9;
    scene.prf_hz = 1400;
    scene.sample_rate_hz = 236e6;
    scene.chirp_slope_hz_s = 294e12;
    scene.chirp_duration_s = 0.585e-6;
    scene.azimuth_bandwidth_hz = 288;
    scene.near_range_m = 960e3;
    scene.beam.steering = Steering::zero_doppler;
    const Geodetic middle = middle_of(scene);
    const HeightModel hills_m = [=](double latitude_deg, double) {
        return 927 + 25 * std::sin(70 * (latitude_deg - middle.latitude_deg));
    };
    SceneTarget target{BeamCentrePosition{477.3, 800.2}, 1, 0, 927.0};
    lift(target, SceneGeometry(scene), hills_m);
    scene.targets = {{target}};
    FocusOptions options = over(std::make_shared<TerrainByFormula>(box_about(middle, 8), hills_m));
    options.algorithm = "omegak";
    const FocusResult result = focus(*open_device("cpu"), simulate(scene), options);
    const Worst worst = worst_of(result.image);
    EXPECT_LT(worst.azimuth_px, 0.003);
    EXPECT_LT(worst.range_px, 0.003);
    EXPECT_GT(result.report.setup.image.parameters.azimuth_bandwidth_hz, 3 * 288) << "the chirp's ends";
}

/// A file's table of the ellipsoid, over ground of up to 2500 m: attitude tells what that changes. One that follows the
/// ground stays as it is.
TEST(TerrainDoppler, OfAFileFollowsHeights) {
    const Scene scene = squinted_scene(0.6, 4096, 2048);
    const Geodetic middle = middle_of(scene);
    const HeightModel height_m = slope_about(middle, 6000, 11000);
    Acquisition acquisition = describe(scene);
    ASSERT_TRUE(acquisition.doppler_of_pixels_hz.has_value());
    const auto device = open_device("cpu");
    FocusOptions options = over(std::make_shared<TerrainByFormula>(box_about(middle, 3), height_m));
    options.algorithm = "backprojection";
    const auto most_off_hz = [&](const FocusSetup& setup) {
        double most = 0;
        for (const double along : {0.1, 0.5, 0.9})
            for (const double across : {0.0, 0.4, 0.8}) {
                const double time_s = acquisition.pulse_time_s(along * 4096),
                             range_m = acquisition.range_m(across * 2048);
                most = std::max(
                    most, std::abs(setup.doppler.surface_hz(time_s, range_m) -
                                   predicted_doppler_at_hz(acquisition, time_s, range_m, setup.height_m).value()));
            }
        return most;
    };
    EXPECT_LT(most_off_hz(set_up_focus(*device, acquisition, options)), 3);
    acquisition.attitude.reset();  // nobody tells what heights change
    const FocusSetup as_told = set_up_focus(*device, acquisition, options);
    EXPECT_EQ(as_told.image.parameters.centroid_doubt_hz, 0);
    acquisition = describe(scene);
    EXPECT_GT(most_off_hz(as_told), 20) << "or heights would not matter";
    *acquisition.doppler_of_pixels_hz = *acquisition.doppler_of_pixels_hz + 200;  // neither the one nor the other
    const FocusSetup doubtful = set_up_focus(*device, acquisition, options);
    EXPECT_GT(doubtful.image.parameters.centroid_doubt_hz, 10);
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
