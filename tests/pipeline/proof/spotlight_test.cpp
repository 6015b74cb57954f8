// SPDX-License-Identifier: Apache-2.0
// Flights round a scene with the beam held on it: geometry, echo, and maps of all pulses.
#include <gtest/gtest.h>

#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/measure/map_points.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double radius_m = 1000, altitude_m = 800;

Flight round_flight(double turn_m) {
    Flight flight;
    flight.latitude_deg = 48, flight.longitude_deg = 11;
    flight.altitude_m = altitude_m;
    flight.heading_deg = 30;
    flight.speed_m_s = 50;
    flight.turn_radius_m = turn_m;
    return flight;
}

/// Below the centre of the turn, on the ellipsoid: by three places on the circle.
GroundPosition centre_of(const Flight& flight) {
    const double turn_s = 2 * std::numbers::pi * std::abs(flight.turn_radius_m) / flight.speed_m_s;
    const Trajectory track = even_track(flight, 0);
    const Geodetic place = to_geodetic(0.5 * (track(0).position_m + track(0.5 * turn_s).position_m));
    return {place.latitude_deg, place.longitude_deg};
}

/// An arc of so many degrees: C band, 1.2 m.
Scene round_scene(double arc_deg) {
    Scene scene;
    scene.carrier_hz = 5e9;
    scene.prf_hz = 80;
    scene.sample_rate_hz = 150e6;
    scene.near_range_m = 1080;
    scene.samples = 600;
    scene.chirp_slope_hz_s = 120e12;
    scene.chirp_duration_s = 1e-6;
    scene.azimuth_bandwidth_hz = 60;
    const Flight flight = round_flight(radius_m);
    scene.lines = std::llround(arc_deg / 180 * std::numbers::pi * radius_m / flight.speed_m_s * scene.prf_hz);
    scene.orbit = flight;
    scene.beam = {.steering = Steering::spotlight, .spot = centre_of(flight)};
    return scene;
}

struct Offset {
    double east_m, north_m;
};
constexpr Offset offsets[] = {{4.3, 8.1}, {-9.2, -3.4}, {7.7, -8.8}};

LocalFrame frame_at(const GroundPosition& spot) {
    return local_frame({.longitude_deg = spot.longitude_deg, .latitude_deg = spot.latitude_deg});
}

void add_targets(Scene& scene) {
    const Vec3 spot_m = to_ecef({scene.beam.spot.latitude_deg, scene.beam.spot.longitude_deg, 0});
    const LocalFrame frame = frame_at(scene.beam.spot);
    scene.targets.emplace();
    for (const Offset& offset : offsets) {
        const Geodetic place = to_geodetic(spot_m + offset.east_m * frame.east + offset.north_m * frame.north);
        scene.targets->push_back({GroundPosition{place.latitude_deg, place.longitude_deg}, 1, 40});
    }
}

TEST(Spotlight, AFlightTurnsRoundAPlaceAtOneHeight) {
    for (const double turn_m : {radius_m, -radius_m}) {
        const Flight flight = round_flight(turn_m);
        const Trajectory track = even_track(flight, 100);
        const double turn_s = 2 * std::numbers::pi * radius_m / flight.speed_m_s;
        const GroundPosition centre = centre_of(flight);
        const Vec3 spot_m = to_ecef({centre.latitude_deg, centre.longitude_deg, 0});
        const StateVector middle = track(100);
        const Vec3 right = cross(unit(middle.velocity_m_s), ellipsoid_normal(middle.position_m));
        EXPECT_GT(turn_m * dot(spot_m - middle.position_m, right), 0) << "the centre lies to the right";
        for (const double part : {-0.4, -0.1, 0.0, 0.2, 0.45}) {
            const double time_s = 100 + part * turn_s;
            const StateVector state = track(time_s);
            EXPECT_NEAR(norm(state.position_m - spot_m), std::hypot(radius_m, altitude_m), 0.2);
            EXPECT_NEAR(to_geodetic(state.position_m).height_m, altitude_m, 0.01);
            EXPECT_NEAR(norm(state.velocity_m_s), flight.speed_m_s, 1e-9);
            const Vec3 moved_m = track(time_s + 1e-3).position_m - track(time_s - 1e-3).position_m;
            EXPECT_NEAR(norm(1 / 2e-3 * moved_m - state.velocity_m_s), 0, 1e-5);
        }
        EXPECT_NEAR(norm(track(100 + turn_s).position_m - middle.position_m), 0, 1e-6);
    }
}

TEST(Spotlight, SeesItsSpotInAllLinesAndOtherPlacesAsFarAsTheBeamIsWide) {
    Scene scene = round_scene(90);
    add_targets(scene);
    validate(scene);
    const SceneGeometry geometry(scene);
    const Vec3 spot_m = to_ecef({scene.beam.spot.latitude_deg, scene.beam.spot.longitude_deg, 0});
    const auto last = static_cast<double>(scene.lines - 1);
    EXPECT_EQ(geometry.illuminated(spot_m).first, 0);
    EXPECT_EQ(geometry.illuminated(spot_m).last, last);
    EXPECT_NEAR(geometry.radar().doppler_hz(0, spot_m), geometry.beam_centre_hz(0, spot_m), 1e-6);
    for (std::size_t i = 0; i < std::size(offsets); ++i) {
        const LocatedTarget target = geometry.locate(scene.targets->at(i));
        const auto& ground = std::get<GroundPosition>(scene.targets->at(i).position);
        EXPECT_NEAR(norm(target.place_m - to_ecef({ground.latitude_deg, ground.longitude_deg, 0})), 0, 1e-6);
        EXPECT_EQ(target.illuminated.last, last);
    }
    // Half of the beam's 60 Hz are 30 * lambda / 2V of a range of 1281 m: 11.5 m. Far off it is seen in a part.
    const Vec3 ahead_m = spot_m + 40.0 * unit(geometry.radar().track()(geometry.radar().pulse_time_s(0)).velocity_m_s);
    EXPECT_GT(geometry.illuminated(ahead_m).first, 0);
    scene.targets->front().position = BeamCentrePosition{100, 100};
    EXPECT_THROW(validate(scene), InputError);
    scene.targets.reset();
    scene.clutter = {{.first_line = 0, .last_line = 10, .first_sample = 0, .last_sample = 10, .scatterers = 3}};
    EXPECT_THROW(validate(scene), InputError);
}

/// The orbit of a file in a frame about the spot: what a navigation file with east_m, north_m, up_m makes of it.
Orbit in_frame(const Orbit& orbit, const GroundPosition& spot) {
    const Vec3 origin_m = to_ecef({spot.latitude_deg, spot.longitude_deg, 0});
    const LocalFrame frame = frame_at(spot);
    const auto turned = [&](const Vec3& v) { return Vec3{dot(v, frame.east), dot(v, frame.north), dot(v, frame.up)}; };
    Orbit local = orbit;
    for (Vec3& position_m : local.position_m) position_m = turned(position_m - origin_m);
    for (Vec3& velocity_m_s : local.velocity_m_s) velocity_m_s = turned(velocity_m_s);
    return local;
}

TEST(Spotlight, MapsOfShortAndWideArcsHavePointsAtTheirPlaces) {
    const auto device = open_device("cpu");
    for (const double arc_deg : {6.0, 150.0}) {
        SCOPED_TRACE(arc_deg);
        Scene scene = round_scene(arc_deg);
        add_targets(scene);
        Echo echo = simulate(scene);
        FocusOptions options = by("backprojection");
        expect_refused([&] { focus(*device, echo, options); }, "--grid local");
        echo.acquisition.local_track = in_frame(*echo.acquisition.orbit, scene.beam.spot);
        echo.acquisition.orbit.reset();
        echo.acquisition.attitude.reset();
        const double spacing_m = arc_deg > 90 ? 0.006 : 0.03;
        for (const Offset& offset : offsets) {
            const double half_m = 64 * spacing_m;
            const MapGrid grid = grid_over(MapProjection::local(), {offset.east_m - half_m, offset.north_m - half_m},
                                           {offset.east_m + half_m, offset.north_m + half_m}, spacing_m, spacing_m);
            options.map = MapRequest{.projection = MapProjection::local(), .spacing_m = spacing_m, .grid = grid};
            const Image image = focus(*device, echo, options).image;
            const MapPointAnalysis point = analyze_map_point(ImageView(image), {{offset.east_m, offset.north_m}, true});
            ASSERT_EQ(point.refused, "");
            // Straight lines between cells are 43 dB from ideal ones; the other points' sidelobes lie below.
            EXPECT_NEAR(point.magnitude, 1, 0.01);
            EXPECT_NEAR(point.east_m, 0, arc_deg > 90 ? 0.0005 : 0.002);  // a fiftieth of the width, a 200th
            EXPECT_NEAR(point.north_m, 0, arc_deg > 90 ? 0.0005 : 0.002);
            EXPECT_LT(std::max(point.across.irw_m, point.down.irw_m), arc_deg > 90 ? 0.035 : 0.7);
        }
    }
}

}  // namespace
}  // namespace cornerturn
