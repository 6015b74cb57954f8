// SPDX-License-Identifier: Apache-2.0
// Simulated point targets by omega-K: against theory, and pixel by pixel against range-Doppler.
#include "pipeline/formers/omega_k.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/formers/wavenumber.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/formers/focused_scene.h"

namespace cornerturn {
namespace {

/// Off the middle of the swath, near its edge.
Scene target_at_120() { return one_target(120.4); }

class OmegaK : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, OmegaK, every_device(), device_name);

TEST_P(OmegaK, FocusesEitherChirpPrimeNumbersAndAmbiguousDopplers) {
    expect_focused_scenes("omegak", *device, target_at_120(), {-1530.0, 500.0});
}

/// What range-Doppler cannot: there the coupling changes over the swath.
TEST_P(OmegaK, FocusesAWideBandAndAperture) {
    const Echo echo = simulate(wide_scene());
    FormerParameters parameters = parameters_of(echo.acquisition);
    expect_focused(focus_by("omegak", *device, echo, parameters));
    if (!is_float()) return;
    parameters.force = true;  // range-Doppler refuses
    const Image other = focus_by("rda", *device, echo, parameters);
    const PointAnalysis by_rda = analyze_point(other, known_targets(other).front());
    EXPECT_GT(by_rda.range.measured.irw_px / by_rda.range.theory.irw_px, 1.015)
        << "or the scene is not what this test is for";
}

/// Each range has a velocity of its own: what is beyond the law of the middle is taken away later.
TEST_P(OmegaK, FollowsAVelocityThatVariesWithRange) {
    Scene scene = at_doppler(target_at_120(), -530);
    const Echo echo = simulate(scene);
    FormerParameters parameters = parameters_of(echo.acquisition);
    const double range_m = echo.acquisition.truth.at(0).range_m;
    parameters.velocity = VelocityProfile(range_m - 1500, range_m + 1500, 4,
                                          [=](double at) { return 120.0 * (1 + 1e-5 * (at - range_m)); });
    EXPECT_GT(errors_of_stolt(echo.acquisition, plan_image(echo.acquisition, parameters)).cells, 1e-3);
    expect_focused(focus_by("omegak", *device, echo, parameters));
}

/// On the same grid, with the same amplitude and phase: broadside the coupling is small enough for either.
TEST_P(OmegaK, GivesTheImageOfRangeDoppler) {
    for (const double doppler_hz : {0.0, -530.0}) {
        SCOPED_TRACE(doppler_hz);
        Scene scene = at_doppler(target_at_120(), doppler_hz);
        scene.targets->front().position = BeamCentrePosition{350.3, 350.4};
        const Echo echo = simulate(scene);
        FormerParameters parameters = parameters_of(echo.acquisition);
        parameters.range_window = parameters.azimuth_window = Window::parse("kaiser:2.5");
        const Image image = focus_by("omegak", *device, echo, parameters),
                    other = focus_by("rda", *device, echo, parameters);
        ASSERT_EQ(image.grid, other.grid);
        EXPECT_GT(signal_to_error_db(image.samples, other.samples), 45);
        expect_focused(image);
    }
}

/// The error of the Stolt interpolation depends on the length: all have one that fused kernels have, too.
TEST_P(OmegaK, KeepsA100DecibelsOfDoublePrecision) {
    expect_100_decibels("omegak", *device, at_doppler(target_at_120(), -530), FftLengths{4096, 2048});
}

/// Range transforms of `valid` and `full` differ, and with them the error of the interpolation: 84 dB at the edges of
/// the swath.
TEST_P(OmegaK, ValidExtentIsTheSameAreaOfTheFullImage) {
    const Echo echo = simulate(noisy(at_doppler(target_at_120(), -530)));
    EXPECT_GT(valid_against_full_db("omegak", *device, echo, parameters_of(echo.acquisition)), 70);
}

TEST_P(OmegaK, GivesThePeakTheAmplitudeOfTheTargetWithinTheBeam) {
    for (const double part : {0.8, 0.5}) expect_amplitude_within_the_beam("omegak", *device, target_at_120(), part);
}

TEST_P(OmegaK, WrapsNothingAround) { expect_nothing_wraps("omegak", *device, target_at_120()); }

Image by_omega_k(Device& device, const Echo& echo, std::optional<std::int64_t> block_rows = {}) {
    FocusOptions options = by("omegak");
    options.memory.block_rows = block_rows;
    return focus(device, echo, options).image;
}

/// C band, an antenna that is not steered: range histories drift along the strip and its blocks.
TEST_P(OmegaK, FollowsACurvedOrbitInBlocks) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 4096, 640);
    scene.targets = {{SceneTarget{BeamCentrePosition{700.3, 60.2}, 1.0, 40.0},
                      SceneTarget{BeamCentrePosition{2000.3, 190.6}, 1.0, 40.0},
                      SceneTarget{BeamCentrePosition{3400.3, 120.6}, 1.0, 40.0}}};
    const Echo echo = simulate(scene);
    const FocusLimits limits{.position_px = 0.004, .width = 0.006, .phase_deg = 1};
    expect_focused(by_omega_k(*device, echo), limits);
    expect_focused(by_omega_k(*device, echo, 1501), limits);
}

/// The bins at the ends of one column's band are other Doppler frequencies to another: a PRF hardly above the beam's
/// leaves none to spare.
TEST_P(OmegaK, FollowsCentroidsThatVaryOverTheSwath) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene = squinted_scene(0.6, 1600, 5000);
    scene.targets.emplace();
    for (const double sample : {100.2, 2200.7, 4300.4})
        scene.targets->push_back({BeamCentrePosition{800.3, sample}, 1.0, 30.0});
    const Image image = by_omega_k(*device, simulate(scene));
    const auto centroid_hz = [&](double part) {
        return image.processing.doppler_hz(image.grid.time_s(0),
                                           image.grid.range_m(part * static_cast<double>(image.grid.columns)));
    };
    EXPECT_GT(std::abs(centroid_hz(0) - centroid_hz(1)), 300) << "or the scene is not what this test is for";
    expect_focused(image, {.position_px = 0.004, .width = 0.006, .phase_deg = 3});
}

TEST(OmegaKLimits, RefusesVelocitiesThatBendTooMuch) {
    Scene scene = at_doppler(target_at_120(), 1500);
    scene.azimuth_bandwidth_hz = 50;
    FormerParameters parameters = parameters_of(describe(scene));
    parameters.azimuth_bandwidth_hz = 60;
    parameters.velocity =
        VelocityProfile(2900, 4500, 6, [](double at) { return 120.0 * (1 + 5e-8 * (at - 3600) * (at - 3600)); });
    expect_refused("omegak", scene, parameters, "cells of migration");
}

TEST(OmegaKLimits, RefusesCouplingThatVelocitiesBend) {
    Scene scene = wide_scene();
    FormerParameters parameters = parameters_of(describe(scene));
    parameters.azimuth_bandwidth_hz = 139;
    parameters.velocity =
        VelocityProfile(600, 1600, 6, [](double at) { return 60.0 * (1 + 3e-7 * (at - 1100) * (at - 1100)); });
    expect_refused("omegak", scene, parameters, "rad of range-azimuth coupling");
}

/// Straight flight: 2 (f0 + u') / c per metre, u' = sqrt(F^2 - (c f / 2 V)^2) - f0 (Cumming & Wong eq. 8.5), with what
/// flying on while the pulse travels makes of that: F less half the Doppler frequency, and a stretch of all
/// (docs/theory.md).
TEST(ReferenceSpectrum, IsThatOfTheBookInStraightFlight) {
    constexpr double carrier_hz = 1e9, velocity_m_s = 60;
    const ViewingGeometry geometry(
        std::make_shared<StraightTrack>(VelocityProfile(velocity_m_s)), [](double, double) { return 20.0; },
        carrier_hz);
    const RangeHistory history = geometry.history(0, {.from_m = 900, .to_m = 1300, .half_band_hz = 90});
    const auto image_hz = [](double f_hz, double u_hz) {
        const double transverse_hz = c_m_s * f_hz / (2 * velocity_m_s), total_hz = carrier_hz + u_hz - f_hz / 2;
        const double stretch = 1 / std::sqrt(1 - velocity_m_s * velocity_m_s / (c_m_s * c_m_s));
        return stretch * std::sqrt(total_hz * total_hz - transverse_hz * transverse_hz) - carrier_hz;
    };
    const ReferenceSpectrum spectrum(history, {-90e6, 0.0, 70e6}, -50, 90);
    for (std::size_t k = 0; k < spectrum.size(); ++k)
        for (const double f_hz : {-50.0, 3.0, 85.0}) {
            const double u_hz = spectrum.range_frequency_hz(k);
            SCOPED_TRACE(testing::Message() << u_hz << " Hz, " << f_hz << " Hz");
            EXPECT_NEAR(spectrum.phase_cycles(k, f_hz), 2 * 1100 / c_m_s * (image_hz(f_hz, u_hz) - u_hz), 1e-6);
            EXPECT_NEAR(spectrum.image_hz(k, f_hz), image_hz(f_hz, u_hz) - image_hz(f_hz, 0), 0.1);
            EXPECT_NEAR(history.column(950).phase_cycles_at(f_hz, u_hz, carrier_hz),
                        2 * 950 / c_m_s * (image_hz(f_hz, u_hz) - u_hz), 1e-6);
            // |Ka| = 2 V^2 F D^3 / (c R): the amplitude goes with its root.
            const auto rate = [&](double u) {
                const double factor = (carrier_hz + image_hz(f_hz, u)) / (carrier_hz + u);
                return (carrier_hz + u) * factor * factor * factor;
            };
            EXPECT_NEAR(spectrum.amplitude(k, f_hz), std::sqrt(rate(0) / rate(u_hz)), 1e-6);
        }
}

}  // namespace
}  // namespace cornerturn
