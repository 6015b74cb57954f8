// SPDX-License-Identifier: Apache-2.0
// Delays of instrument and air: an echo that is taken to come late belongs to a nearer target, in place and phase.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

class Delay : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, Delay, every_device(), device_name);

/// Steered, or at some -10 kHz.
Scene scene_with_targets(bool steered) {
    Scene scene = squinted_scene(steered ? 0 : 0.6, 2400, 2048);
    if (steered) scene.beam.steering = Steering::zero_doppler;
    scene.targets.emplace();
    for (int i = 0; i < 3; ++i)
        scene.targets->push_back({BeamCentrePosition{900.3 + 300 * i, 300.2 + 600 * i}, 1.0, 30.0 * i});
    return scene;
}

/// The target of the ground that the beam's centre sees on a line at a range less by `added_m`, and at the same Doppler
/// frequency.
AnalysisTarget nearer(const Scene& scene, const AnalysisTarget& truth, const SceneTarget& target, double added_m) {
    const SceneGeometry geometry(scene);
    const RadarGeometry& radar = geometry.radar();
    const Vec3 place_m = geometry.locate(target).place_m;
    const double line = geometry.centre_line(place_m),
                 wanted_s = radar.delay_s(line, place_m) - 2 * added_m / speed_of_light_m_s,
                 wanted_hz = radar.doppler_hz(line, place_m);
    const StateVector antenna = radar.halfway(line, place_m);
    double range_m = 0.5 * speed_of_light_m_s * wanted_s, hz = wanted_hz;
    Vec3 found_m{};
    for (int round = 0; round < 30; ++round) {
        found_m =
            place_at(antenna.position_m, antenna.velocity_m_s, range_m,
                     0.5 * scene.wavelength_m() * hz / norm(antenna.velocity_m_s), scene.height_m, scene.look_side);
        range_m += 0.5 * speed_of_light_m_s * (wanted_s - radar.delay_s(line, found_m));
        hz += wanted_hz - radar.doppler_hz(line, found_m);
    }
    const ClosestApproach approach = radar.closest_approach(found_m, truth.time_s);
    AnalysisTarget moved = truth;
    moved.time_s = approach.time_s;
    moved.range_m = approach.range_m;
    return moved;
}

/// These echoes are not late: they bend as those of their true range do, by a part of added / R less than those of a
/// nearer one. That leaves the mean of a parabola over the aperture, pi B^2 / (12 |Ka|) added / R.
double phase_of_curvature_deg(const Scene& scene, const SceneTarget& target, double added_m) {
    const SceneGeometry geometry(scene);
    const LocatedTarget located = geometry.locate(target);
    const double line = geometry.centre_line(located.place_m), band_hz = scene.azimuth_bandwidth_hz;
    const double rate_hz_s = 0.5 * scene.prf_hz *
                             (geometry.radar().doppler_hz(line - 1, located.place_m) -
                              geometry.radar().doppler_hz(line + 1, located.place_m));
    return 180.0 / 12 * band_hz * band_hz / rate_hz_s * added_m / located.truth.range_m;
}

void expect_nearer(Device& device, const Scene& scene, const FocusOptions& options,
                   const std::function<double(const AnalysisTarget&)>& added_m) {
    const Echo echo = simulate(scene);
    const DopplerSurface doppler_hz = predicted_doppler(echo.acquisition, scene.height_m).value();
    const FocusResult result = focus(device, echo,
                                     with_doppler(options, {in_the_middle_hz(echo.acquisition, doppler_hz), doppler_hz,
                                                            DopplerOrigin::option, "", true}));
    for (std::size_t i = 0; i < scene.targets->size(); ++i) {
        const AnalysisTarget truth = known_targets(result.image)[i];
        const AnalysisTarget expected = nearer(scene, truth, (*scene.targets)[i], added_m(truth));
        EXPECT_NEAR(truth.range_m - expected.range_m, added_m(truth), 0.01 * std::abs(added_m(truth)));
        const PointAnalysis point = analyze_point(result.image, expected);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(*point.azimuth.position_error_px), 0.004);
        EXPECT_LT(std::abs(*point.range.position_error_px), 0.002);
        EXPECT_NEAR(*point.phase_error_deg, phase_of_curvature_deg(scene, (*scene.targets)[i], added_m(truth)), 0.5);
    }
}

TEST_P(Delay, OfTheInstrumentBringsAllNearer) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    FocusOptions options;
    for (const double delay_m : {37.3, -412.0}) {
        options.range_delay_m = delay_m;
        expect_nearer(*device, scene_with_targets(true), options, [&](const AnalysisTarget&) { return delay_m; });
        expect_nearer(*device, scene_with_targets(false), options, [&](const AnalysisTarget&) { return delay_m; });
    }
}

TEST_P(Delay, OfTheAirIsThatOfItsFormula) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    FocusOptions options;
    options.troposphere = true;
    for (const bool steered : {true, false}) {
        Scene scene = scene_with_targets(steered);
        scene.height_m = options.height_m = 1200;
        const SceneGeometry geometry(scene);
        const auto added_m = [&](const AnalysisTarget& target) {
            const Vec3 antenna_m = geometry.radar().track()(target.time_s).position_m,
                       place_m = geometry.radar().zero_doppler_place({target.time_s, target.range_m}, scene.height_m);
            const Geodetic ground = to_geodetic(place_m);
            const Vec3 up =
                unit(to_ecef({ground.latitude_deg, ground.longitude_deg, ground.height_m + 1000}) - place_m);
            return 2.3 * std::exp(-1200.0 / 6000) / dot(up, unit(antenna_m - place_m));
        };
        expect_nearer(*device, scene, options, added_m);
    }
}

}  // namespace
}  // namespace cornerturn
