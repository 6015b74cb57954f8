// SPDX-License-Identifier: Apache-2.0
// Two flights on rows of one track.
#include "pipeline/acquisition/track/given_reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/acquisition/track/same_track.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/flight.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Some metres beside `gusts()`, with others of its own.
Sway beside(double t) {
    const auto wave = [t](double hz) { return std::cos(2 * std::numbers::pi * hz * t + hz); };
    return {1 + 0.1 * wave(0.2), 1.5 + 0.25 * wave(0.3), -0.75 + 0.15 * wave(0.2)};
}

/// The same four places on the ground for all flights.
std::vector<SceneTarget> places() {
    const Acquisition acquisition = describe(four_targets(gusts()));
    std::vector<SceneTarget> targets;
    for (const PointTarget& target : acquisition.truth) {
        const StateVector antenna = interpolate(*acquisition.orbit, target.zero_doppler_time_s);
        const Geographic place = geographic(
            zero_doppler_ground_point(antenna, target.range_m, acquisition.identification.look_side).position_m);
        targets.push_back({GroundPosition{place.latitude_deg, place.longitude_deg}, 1.0, 20.0});
    }
    return targets;
}

Scene flown(const std::function<Sway(double)>& sway, double later_s) {
    Scene scene = flight(lines_of_four_targets, 500, sway);
    scene.targets = places();
    scene.first_pulse_time_s += later_s;
    for (double& time_s : std::get<Orbit>(scene.orbit).time_s) time_s += later_s;
    return scene;
}

double first_s(const Acquisition& acquisition) { return acquisition.pulse_time_s(0); }
double last_s(const Acquisition& acquisition) { return acquisition.last_pulse_time_s(); }

TEST(GivenReference, IsTheTrackItselfAndGoesOnEvenly) {
    const Acquisition echo = describe(flown(gusts(), 0));
    const Orbit fitted = reference_track(echo).value();
    Orbit inside = fitted;  // about the pulses only
    const double span_s = last_s(echo) - first_s(echo);
    for (std::size_t i = 0; i < inside.time_s.size(); ++i) {
        inside.time_s[i] = first_s(echo) + span_s * static_cast<double>(i) / 24;
        const StateVector state = interpolate(fitted, inside.time_s[i]);
        inside.position_m[i] = state.position_m, inside.velocity_m_s[i] = state.velocity_m_s;
    }
    std::vector<std::string> remarks;
    for (const Orbit& track : {fitted, inside}) {
        const Orbit given = given_reference(echo, track, "a.h5", remarks);
        EXPECT_NEAR(given.time_s.front(), fitted.time_s.front(), 1e-9);
        EXPECT_NEAR(given.time_s.back(), fitted.time_s.back(), 1e-9);
        for (std::size_t i = 0; i < given.time_s.size(); ++i)
            EXPECT_LT(norm(given.position_m[i] - interpolate(fitted, given.time_s[i]).position_m), 1e-6);
    }
    EXPECT_TRUE(remarks.empty());
}

/// Both are compensated to it: points are where it has them, with the same phase, an hour apart.
TEST(GivenReference, BringsTwoFlightsTogether) {
    constexpr double later_s = 3600.0011;
    const Scene one = flown(gusts(), 0), other = flown(beside, later_s);
    const Orbit reference = reference_track(describe(one)).value();
    std::vector<std::string> remarks;
    std::vector<Image> images;
    for (const Scene& scene : {one, other}) {
        FocusOptions options = by("backprojection");
        options.reference_track = given_reference(describe(scene), reference, "one.h5", remarks);
        FocusResult result = focus(*open_device("cpu"), simulate(scene), options);
        EXPECT_EQ(result.image.acquisition.orbit, options.reference_track);
        expect_focused(result.image, {.position_px = 0.005, .width = 0.01, .phase_deg = 1});
        images.push_back(std::move(result.image));
    }
    ASSERT_EQ(remarks.size(), 1u);
    expect_in(remarks[0], "3599.99");
    const TrackMatch match = match_of(*images[0].acquisition.orbit, *images[1].acquisition.orbit,
                                      images[0].grid.time_s(0), images[0].grid.time_s(1000));
    EXPECT_NEAR(match.later_s, later_s, 0.02) << "the other flight is a metre ahead";
    EXPECT_LT(match.largest_distance_m, 1e-6);
    for (std::size_t i = 0; i < images[0].acquisition.truth.size(); ++i) {
        const PointTarget &seen = images[0].acquisition.truth[i], &again = images[1].acquisition.truth[i];
        EXPECT_NEAR(again.zero_doppler_time_s - match.later_s, seen.zero_doppler_time_s, 1e-7);
        EXPECT_NEAR(again.range_m, seen.range_m, 1e-5);
    }
}

TEST(GivenReference, RefusesWhatCannotStandForTheFlight) {
    const Acquisition echo = describe(flown(gusts(), 0));
    const Orbit even = reference_track(echo).value();
    const auto refused = [](const Acquisition& of, const Orbit& track, const std::string& word) {
        std::vector<std::string> remarks;
        expect_refused([&] { given_reference(of, track, "a.h5", remarks); }, word);
    };
    refused(echo, *echo.orbit, "sways itself");
    Orbit far = even;
    for (Vec3& position_m : far.position_m) position_m[0] += 500;
    refused(echo, far, "m from the flight");
    Orbit half = even;
    const std::size_t kept = half.time_s.size() / 2;
    half.time_s.resize(kept), half.position_m.resize(kept), half.velocity_m_s.resize(kept);
    refused(echo, half, "covers");
    Acquisition without = echo;
    without.orbit.reset();
    refused(without, even, "no orbit");
    FocusOptions options;
    options.velocity_m_s = 120;
    options.reference_track = even;
    EXPECT_THROW(set_up_focus(*open_device("cpu"), echo, options), InputError);
}

}  // namespace
}  // namespace cornerturn
