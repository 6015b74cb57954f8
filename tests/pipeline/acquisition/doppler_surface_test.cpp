// SPDX-License-Identifier: Apache-2.0
// Doppler centroids over swaths that are wide as the antenna sees them.
#include "pipeline/acquisition/doppler_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/track/range_history.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

constexpr double altitude_m = 2800;

/// From 8 to 45 degrees off nadir, by an antenna that is turned ahead.
Scene turned_ahead(double yaw_deg) {
    Scene scene = small_scene(300, 960);
    Flight flight;
    flight.speed_m_s = 120;
    flight.altitude_m = altitude_m;
    flight.latitude_deg = 40;
    scene.orbit = flight;
    scene.near_range_m = altitude_m / std::cos(8 * degree);
    scene.beam.yaw_deg = yaw_deg;
    scene.targets = {{SceneTarget{BeamCentrePosition{150, 200}, 1, 0}}};
    return scene;
}

TEST(DopplerOfWideSwaths, FollowsTheBeamDownToTheGroundBelow) {
    const Scene scene = turned_ahead(8);
    const Echo echo = simulate(scene);
    const SceneGeometry geometry(scene);
    const DopplerSurface by_attitude = predicted_doppler(echo.acquisition).value(),
                         by_file = doppler_of_echo(echo.acquisition,
                                                   OrbitTrack(*echo.acquisition.orbit, LookSide::right, 0.0),
                                                   *echo.acquisition.doppler_of_pixels_hz);
    double least_hz = INFINITY, most_hz = -INFINITY;
    for (const double sample : {0.0, 20.0, 100.0, 300.0, 500.0, 740.0}) {
        const double line = 150, range_m = echo.acquisition.range_m(sample),
                     hz = geometry.beam_centre_hz(line, geometry.place_in_beam({line, sample}, 0));
        least_hz = std::min(least_hz, hz), most_hz = std::max(most_hz, hz);
        // The beam of 180 Hz does not feel a hundredth; a cubic over range is off by 66 Hz.
        EXPECT_NEAR(by_attitude(echo.acquisition.pulse_time_s(line), range_m), hz, 1.8) << range_m;
        EXPECT_NEAR(by_file(echo.acquisition.pulse_time_s(line), range_m), hz, 1.8) << range_m;
    }
    EXPECT_GT(most_hz - least_hz, 500);
}

/// The antenna looks 60 degrees off nadir, and the swath begins right below it.
TEST(DopplerOfWideSwaths, IsToldByAttitudeFarBesideTheBoresight) {
    Scene scene = turned_ahead(8);
    scene.near_range_m = altitude_m;
    scene.samples = 3300;
    const Echo echo = simulate(scene);
    const SceneGeometry geometry(scene);
    const auto by_attitude = predicted_doppler(echo.acquisition);
    ASSERT_TRUE(by_attitude);
    for (const double sample : {5.0, 100.0, 1000.0, 3000.0})
        EXPECT_NEAR((*by_attitude)(echo.acquisition.pulse_time_s(150), echo.acquisition.range_m(sample)),
                    geometry.beam_centre_hz(150, geometry.place_in_beam({150, sample}, 0)), 3)
            << sample;
}

TEST(DopplerOfWideSwaths, IsAPolynomialOverRangeForSatellites) {
    Scene scene = squinted_scene(0.3, 600, 600);
    scene.targets = {{SceneTarget{BeamCentrePosition{300, 80}, 1, 0}}};
    const Echo echo = simulate(scene);
    EXPECT_EQ(predicted_doppler(echo.acquisition).value().nadir_m, 0);
    EXPECT_EQ(echo.acquisition.doppler_of_pixels_hz->nadir_m, 0);
}

TEST(DopplerOfWideSwaths, IsWhatItWasAtTheEdgesOfItsScale) {
    SmoothSurface polynomial{.x_centre = 3, .x_half = 2, .y_centre = 5000, .y_half = 1500};
    polynomial.powers[0][0] = 7, polynomial.powers[0][1] = 30, polynomial.powers[1][3] = -4;
    const DopplerSurface over_angle(polynomial, 3000);
    for (const double time_s : {1.0, 3.5})
        for (const double range_m : {3500.0, 6500.0})
            EXPECT_NEAR(over_angle(time_s, range_m), polynomial(time_s, range_m), 1e-9);
    // Halfway between the angles of the edges.
    const double middle_rad = 0.5 * (std::acos(3000.0 / 3500) + std::acos(3000.0 / 6500));
    EXPECT_NEAR(over_angle(3, 3000 / std::cos(middle_rad)), polynomial(3, 5000), 1e-9);
}

/// An antenna that is turned ahead follows targets whose range shrinks: truth says in how much of Doppler they are lit.
TEST(BeamCentres, TellHowMuchWiderTargetsAreLit) {
    const Scene scene = turned_ahead(18);
    const Echo echo = simulate(scene);
    const Acquisition& acquisition = echo.acquisition;
    const PointTarget& target = acquisition.truth.front();
    const DopplerSurface centroid_hz = predicted_doppler(acquisition).value();
    const BeamCentre beam = beam_centre(OrbitTrack(*acquisition.orbit, LookSide::right, 0.0), acquisition.carrier_hz,
                                        target.zero_doppler_time_s, target.range_m, centroid_hz);
    const double lit_hz = target.illuminated_band_hz->high_hz - target.illuminated_band_hz->low_hz;
    EXPECT_GT(lit_hz, 1.03 * scene.azimuth_bandwidth_hz);
    EXPECT_NEAR(beam.widening, lit_hz / scene.azimuth_bandwidth_hz, 0.01);
}

/// Rows of sums lie closer than pulses.
TEST(BeamCentres, OfTargetsThatThePrfHasNoRoomForTakeFinerRows) {
    Scene scene = turned_ahead(18.5);
    std::get<Flight>(scene.orbit).speed_m_s = 137;
    std::get<Flight>(scene.orbit).altitude_m = 4540;
    scene.carrier_hz = 1.83e9;
    scene.lines = 417;
    scene.prf_hz = 72.1;
    scene.azimuth_bandwidth_hz = 67.8;
    scene.near_range_m = 4931.3;
    scene.samples = 1774;
    scene.sample_rate_hz = 79.2e6;
    scene.chirp_slope_hz_s = 4.05e12;
    scene.chirp_duration_s = 11.4e-6;
    const Echo echo = simulate(scene);
    const auto device = open_device("cpu");
    const FocusResult summed = focus(*device, echo, by("backprojection"));
    EXPECT_LT(summed.image.grid.time_spacing_s * scene.prf_hz, 0.81);
    EXPECT_GT(summed.image.processing.azimuth_bandwidth_hz, scene.prf_hz);
    expect_focused(summed.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 2});
}

}  // namespace
}  // namespace cornerturn
