// SPDX-License-Identifier: Apache-2.0
// Spotlights as phase histories: positions, ways, samples and what is seen when, against closed forms.
#include "pipeline/proof/spotlight_pulses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/phase_error.h"
#include "pipeline/proof/spotlight_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

Scene short_scene(const char* preset) {
    Scene scene = preset_scene(preset);
    scene.lines = 200;
    return scene;
}

std::vector<Complex128> spectrum_of(const SpotlightPulses& echo, std::size_t pulse, std::size_t polarization = 0) {
    std::vector<Complex128> samples(static_cast<std::size_t>(echo.samples()));
    echo.spectrum(pulse, polarization, samples);
    return samples;
}

/// A place of the echo's plane, as a scene has it.
SceneTarget target_at(const SceneArea& area, double x_m, double y_m) {
    const Geodetic place = to_geodetic(area.plane.at(x_m, y_m));
    return {GroundPosition{place.latitude_deg, place.longitude_deg}, 1, 0, place.height_m};
}

void expect_scene_refused(const Scene& scene, const std::vector<std::string>& words) {
    expect_refused([&] { const SpotlightPulses echo(scene); }, words);
}

TEST(SpotlightPulses, AntennaIsOnItsTrackWhenItSendsAndWhenTheEchoComes) {
    for (const char* preset : {"spotlight", "sliding"}) {
        const Scene scene = short_scene(preset);
        const Trajectory track = kepler_track(std::get<KeplerOrbit>(scene.orbit), scene.first_pulse_time_s);
        const SpotlightPulses echo(scene);
        ASSERT_EQ(echo.pulses().size(), 200u);
        for (std::size_t i : {0u, 77u, 199u}) {
            const SpotlightPulse& pulse = echo.pulses()[i];
            EXPECT_NEAR(pulse.sent_s, scene.first_pulse_time_s + static_cast<double>(i) / scene.prf_hz + 2.5e-6, 1e-12);
            EXPECT_EQ(pulse.sender.position_m, track(pulse.sent_s).position_m);
            EXPECT_LT(norm(pulse.receiver.position_m - track(pulse.received_s).position_m), 1e-6);
            EXPECT_EQ(pulse.receiver.velocity_m_s, track(pulse.received_s).velocity_m_s);
            const double way_m =
                norm(pulse.sender.position_m - pulse.reference_m) + norm(pulse.receiver.position_m - pulse.reference_m);
            EXPECT_NEAR(way_m / speed_of_light_m_s, pulse.received_s - pulse.sent_s, 1e-12);
            EXPECT_NEAR(to_geodetic(pulse.reference_m).height_m, scene.height_m, 1e-6);
        }
    }
}

TEST(SpotlightPulses, ThePointOfReferenceStandsOrSlidesWithTheBeam) {
    const Scene held = preset_scene("spotlight");
    const SpotlightPulses still(held);
    const Vec3 spot_m = to_ecef({held.beam.spot.latitude_deg, held.beam.spot.longitude_deg, held.height_m});
    for (const SpotlightPulse& pulse : still.pulses()) ASSERT_EQ(pulse.reference_m, spot_m);
    EXPECT_EQ(still.later_s_per_m(), 0);

    const Scene scene = preset_scene("sliding");
    const SpotlightPulses echo(scene);
    const Vec3 deep_m =
        to_ecef({scene.beam.spot.latitude_deg, scene.beam.spot.longitude_deg, *scene.beam.spot_height_m});
    const Vec3 &first_m = echo.pulses().front().reference_m, &last_m = echo.pulses().back().reference_m;
    EXPECT_NEAR(norm(last_m - first_m), 7600 * 0.045 / 1.045 * 1299 / 480, 20);
    const Vec3 sight = unit(first_m - echo.pulses().front().sender.position_m);
    EXPECT_LT(norm(cross(deep_m - first_m, sight)), 0.01) << "on the line to the spot";
    EXPECT_NEAR(dot(deep_m - first_m, sight) / 620e3, 0.045, 0.001);
    // The beam's centre runs along y as it says, with the flight.
    const ScenePlane& plane = echo.area().plane;
    const std::size_t late = echo.pulses().size() * 4 / 5;
    const double y_m = dot(echo.pulses()[late].reference_m - plane.origin_m, plane.y_axis);
    EXPECT_NEAR(echo.centre_time_s() + y_m * echo.later_s_per_m(), echo.pulses()[late].sent_s, 2e-3);
    EXPECT_GT(dot(last_m - first_m, echo.pulses().front().sender.velocity_m_s), 0);
}

TEST(SpotlightPulses, SamplesHaveThePhaseOfTheWay) {
    Scene scene = short_scene("spotlight");
    const SceneArea area = SpotlightPulses(scene).area();
    scene.targets = {target_at(area, 60, -20), target_at(area, -35, 44)};
    scene.targets->front().amplitude = 0.7, scene.targets->front().phase_deg = 50;
    const SpotlightPulses echo(scene);
    const std::size_t n = 131;
    const std::vector<Complex128> samples = spectrum_of(echo, n);
    const SpotlightPulse& pulse = echo.pulses()[n];
    const auto way_m = [&](const Vec3& place_m) {
        return norm(pulse.sender.position_m - place_m) + norm(pulse.receiver.position_m - place_m);
    };
    const Vec3 places_m[] = {area.plane.at(60, -20), area.plane.at(-35, 44)};
    for (const std::int64_t k : {std::int64_t{0}, std::int64_t{63}, std::int64_t{200}, echo.samples() - 1}) {
        const double f_hz = echo.first_hz() + static_cast<double>(k) * echo.step_hz();
        std::complex<double> sum = 0;
        for (std::size_t t = 0; t < 2; ++t) {
            const double cycles = -f_hz * (way_m(places_m[t]) - way_m(pulse.reference_m)) / speed_of_light_m_s;
            EXPECT_LT(norm(places_m[t] - *echo.truth()[t].place_m), 2e-6);
            sum += echo.truth()[t].amplitude * std::polar(1.0, 2 * std::numbers::pi * (cycles - std::round(cycles)));
        }
        // A micrometre of place is 2e-4 rad.
        EXPECT_NEAR(samples[static_cast<std::size_t>(k)].re, sum.real(), 1e-3) << k;
        EXPECT_NEAR(samples[static_cast<std::size_t>(k)].im, sum.imag(), 1e-3) << k;
    }
    EXPECT_NEAR(echo.first_hz() + 0.5 * static_cast<double>(echo.samples() - 1) * echo.step_hz(), scene.carrier_hz, 1);
    EXPECT_NEAR(static_cast<double>(echo.samples()) * echo.step_hz(), 300e6, echo.step_hz());
    EXPECT_NEAR(1 / echo.step_hz(), 1.25 * echo.window_s(), 1e-12);
}

TEST(SpotlightPulses, ASlidingBeamSeesEachPlaceForItsDwell) {
    Scene scene = preset_scene("sliding");
    const SpotlightPulses whole(scene);
    scene.targets = {target_at(whole.area(), 0, 0.9 * whole.area().least_y_m)};
    const SpotlightPulses echo(scene);
    std::size_t seen = 0;
    double first_s = INFINITY, last_s = -INFINITY;
    for (std::size_t i = 0; i < echo.pulses().size(); ++i) {
        const bool lit = spectrum_of(echo, i).front().re != 0;
        seen += lit;
        if (lit) first_s = std::min(first_s, echo.pulses()[i].sent_s), last_s = echo.pulses()[i].sent_s;
    }
    EXPECT_NEAR(static_cast<double>(seen) / scene.prf_hz, echo.dwell_s(), 0.02 * echo.dwell_s());
    EXPECT_LT(seen, echo.pulses().size() * 3 / 5);
    const double centre_s = echo.centre_time_s() + 0.9 * whole.area().least_y_m * echo.later_s_per_m();
    EXPECT_NEAR(0.5 * (first_s + last_s), centre_s, 0.02);
    EXPECT_NEAR(echo.truth().front().illuminated_s->first_s, first_s - 0.5 / scene.prf_hz, 1e-4);
    EXPECT_NEAR(echo.truth().front().illuminated_s->last_s, last_s + 0.5 / scene.prf_hz, 1e-4);
}

TEST(SpotlightPulses, NineTargetsLieOnThePlaneAndAreSeenWhole) {
    for (const char* preset : {"spotlight", "sliding"}) {
        const SpotlightPulses echo(preset_scene(preset));
        ASSERT_EQ(echo.truth().size(), 9u);
        const SceneArea& area = echo.area();
        EXPECT_GT(area.greatest_x_m, 200);
        EXPECT_GT(area.greatest_y_m, 150);
        for (const PointTarget& target : echo.truth()) {
            const Vec3 from_m = *target.place_m - area.plane.origin_m;
            EXPECT_NEAR(dot(from_m, area.plane.normal()), 0, 1e-5);
            EXPECT_LT(std::abs(dot(from_m, area.plane.x_axis)), 0.81 * area.greatest_x_m);
            EXPECT_LT(std::abs(dot(from_m, area.plane.y_axis)), 0.81 * area.greatest_y_m);
            const double lit_s = target.illuminated_s->last_s - target.illuminated_s->first_s;
            EXPECT_NEAR(lit_s, echo.dwell_s(), 0.03 * echo.dwell_s());
        }
    }
}

TEST(SpotlightPulses, NoiseIsOfEachPolarizationAndPulsesMayBeLost) {
    Scene scene = short_scene("sliding");
    scene.targets.emplace();
    scene.noise_db = -6;
    scene.lost_lines = 0.2;
    scene.dither = 0.1;
    const SpotlightPulses echo(scene);
    EXPECT_LT(echo.pulses().size(), 185u);
    double power = 0, difference = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const auto first = spectrum_of(echo, i), second = spectrum_of(echo, i, 1);
        for (std::size_t k = 0; k < first.size(); ++k) {
            power += first[k].re * first[k].re + first[k].im * first[k].im;
            difference += std::pow(first[k].re - second[k].re, 2) + std::pow(first[k].im - second[k].im, 2);
        }
    }
    const double samples = 40.0 * static_cast<double>(echo.samples());
    EXPECT_NEAR(10 * std::log10(power / samples), -6, 0.1);
    EXPECT_NEAR(10 * std::log10(difference / samples), -3, 0.1) << "independent";
}

TEST(SpotlightPulses, PhaseErrorsTurnEchoesAndNoNoise) {
    Scene scene = short_scene("spotlight");
    const SpotlightPulses clean(scene);
    scene.phase_error = {.quadratic_rad = 2, .walk_rad = 1};
    const std::vector<double> error_rad = phases_rad(scene.phase_error, scene.lines);
    const SpotlightPulses turned(scene);
    scene.targets.emplace();
    scene.noise_db = 0;
    const std::vector<Complex128> noise = spectrum_of(SpotlightPulses(scene), 199);
    scene.phase_error = {};
    const std::vector<Complex128> same = spectrum_of(SpotlightPulses(scene), 199);
    for (std::size_t k = 0; k < noise.size(); k += 50) EXPECT_EQ(noise[k].re, same[k].re);
    for (const std::size_t pulse : {0u, 50u, 199u}) {
        const std::vector<Complex128> was = spectrum_of(clean, pulse), is = spectrum_of(turned, pulse);
        for (std::size_t k = 0; k < was.size(); k += 50) {
            const std::complex<double> expected =
                std::complex<double>(was[k].re, was[k].im) * std::polar(1.0, error_rad[pulse]);
            EXPECT_NEAR(is[k].re, expected.real(), 1e-9);
            EXPECT_NEAR(is[k].im, expected.imag(), 1e-9);
        }
    }
}

TEST(SpotlightPulses, RefusesByNameWhatItDoesNotHold) {
    expect_scene_refused(preset_scene("sentinel"), {"goes along with the antenna", "steering: spotlight"});
    Scene scene = short_scene("spotlight");
    scene.transmit_gaps = true;
    expect_scene_refused(scene, {"transmit_gaps"});
    scene = short_scene("spotlight");
    scene.samples = 1810;  // 1800 are the pulse
    expect_scene_refused(scene, {"samples is 1810", "takes 1800", "raise samples"});
    scene = short_scene("spotlight");
    const SceneArea area = SpotlightPulses(scene).area();
    scene.targets = {target_at(area, 0, 0), target_at(area, 1.3 * area.greatest_x_m, 0)};
    expect_scene_refused(scene, {"targets[1] echoes", "raise samples by"});
    scene = short_scene("spotlight");
    scene.beam.spot_height_m = 90e3;
    expect_scene_refused(scene, {"beam.height_m is 90000", "20000"});
}

}  // namespace
}  // namespace cornerturn
