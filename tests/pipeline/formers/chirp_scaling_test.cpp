// SPDX-License-Identifier: Apache-2.0
// Simulated point targets by chirp scaling: against theory, and pixel by pixel against range-Doppler.
#include "pipeline/formers/chirp_scaling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/math/chebyshev.h"
#include "kernels/math/phasor.h"
#include "kernels/passes/scaled_compression.h"
#include "pipeline/formers/scaling_law.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// With a target off the middle of the swath.
Scene off_centre_scene() { return one_target(200.4); }

class ChirpScalingFormer : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, ChirpScalingFormer, every_device(), device_name);

TEST_P(ChirpScalingFormer, FocusesEitherChirpPrimeNumbersAndAmbiguousDopplers) {
    expect_focused_scenes("csa", *device, off_centre_scene(), {-460.0, 440.0});
}

/// Two targets with velocities of their own, simulated apart: the law of the whole swath has to serve both. Were they
/// to differ by more, points at the edges of the swath would move by more than 0.004 cells.
TEST_P(ChirpScalingFormer, FollowsAVelocityThatVariesWithRange) {
    for (const double column : {150.4, 520.7}) {
        SCOPED_TRACE(column);
        Scene scene = at_doppler(off_centre_scene(), -460);
        scene.targets = {{SceneTarget{BeamCentrePosition{350.3, column}, 2.0, 40.0}}};
        const Echo echo = simulate(scene);
        FormerParameters parameters = parameters_of(echo.acquisition);
        const double range_m = echo.acquisition.truth.at(0).range_m;
        parameters.velocity = VelocityProfile(range_m - 1500, range_m + 1500, 4,
                                              [=](double at) { return 120.0 * (1 + 5e-6 * (at - range_m)); });
        expect_focused(focus_by("csa", *device, echo, parameters));
    }
}

/// Samples at most `half` columns from a column, of all rows.
std::vector<std::complex<float>> strip(const Image& image, double column, std::int64_t half) {
    std::vector<std::complex<float>> samples;
    for (std::int64_t row = 0; row < image.grid.rows; ++row) {
        const auto middle = image.samples.begin() + row * image.grid.columns + std::lround(column);
        samples.insert(samples.end(), middle - half, middle + half);
    }
    return samples;
}

/// On the same grid, with the same amplitude and phase. Under squint scaling moves a chirp's band by some 0.5 % away
/// from the range filter that takes the Fresnel ripple from its spectrum; what is left of the ripple stands up to half
/// a chirp, 100 samples, from a point.
TEST_P(ChirpScalingFormer, GivesTheImageOfRangeDoppler) {
    struct Case {
        double doppler_hz, about_point_db, all_db;
    };
    for (const Case& c : {Case{0, 60, 60}, Case{-460, 30, 25}}) {
        SCOPED_TRACE(c.doppler_hz);
        Scene scene = at_doppler(off_centre_scene(), c.doppler_hz);
        const Echo echo = simulate(scene);
        FormerParameters parameters = parameters_of(echo.acquisition);
        parameters.range_window = parameters.azimuth_window = Window::parse("kaiser:2.5");
        const Image scaled = focus_by("csa", *device, echo, parameters),
                    gathered = focus_by("rda", *device, echo, parameters);
        ASSERT_EQ(scaled.grid, gathered.grid);
        const double column = analyze_point(gathered, known_targets(gathered).at(0)).column;
        EXPECT_GT(signal_to_error_db(scaled.samples, gathered.samples), c.all_db);
        EXPECT_GT(signal_to_error_db(strip(scaled, column, 40), strip(gathered, column, 40)), c.about_point_db);
    }
}

TEST_P(ChirpScalingFormer, KeepsA100DecibelsOfDoublePrecision) {
    expect_100_decibels("csa", *device, at_doppler(off_centre_scene(), -460));
}

TEST_P(ChirpScalingFormer, ValidExtentIsTheSameAreaOfTheFullImage) {
    for (const double doppler_hz : {0.0, -460.0}) {
        SCOPED_TRACE(doppler_hz);
        const Echo echo = simulate(noisy(at_doppler(off_centre_scene(), doppler_hz)));
        EXPECT_GT(valid_against_full_db("csa", *device, echo, parameters_of(echo.acquisition)), 100);
    }
}

TEST_P(ChirpScalingFormer, GivesThePeakTheAmplitudeOfTheTargetWithinTheBeam) {
    expect_amplitude_within_the_beam("csa", *device, off_centre_scene());
}

/// At a low carrier and under squint an orbit's histories are no hyperbolas: taken as such, points were off by 0.5
/// lines and 165 degrees (a find of scripts/campaign).
TEST_P(ChirpScalingFormer, FollowsACurvedOrbit) {
    if (!is_float()) GTEST_SKIP() << "the precision matters little here";
    Scene scene;
    scene.carrier_hz = 789e6;
    scene.prf_hz = 675;
    scene.sample_rate_hz = 14.5e6;
    scene.near_range_m = 605.5e3;
    scene.lines = 762;
    scene.samples = 813;
    scene.chirp_slope_hz_s = 2.88e11;
    scene.chirp_duration_s = 38.2e-6;
    scene.azimuth_bandwidth_hz = 265;
    scene.orbit =
        KeplerOrbit{.altitude_m = 524e3, .inclination_deg = 57.1, .node_deg = 70, .latitude_argument_deg = 104};
    scene.beam.yaw_deg = -3.82;
    scene.targets = {{SceneTarget{BeamCentrePosition{318.4, 70.0}, 1.0, -65.0},
                      SceneTarget{BeamCentrePosition{445.2, 177.7}, 1.0, 40.0}}};
    const Echo echo = simulate(scene);
    FocusOptions options = by("csa");
    const FocusLimits limits{.position_px = 0.004, .width = 0.01, .phase_deg = 1};
    expect_focused(focus(*device, echo, options).image, limits);
    options.memory.block_rows = 181;
    expect_focused(focus(*device, echo, options).image, limits);
}

TEST_P(ChirpScalingFormer, WrapsNothingAround) { expect_nothing_wraps("csa", *device, off_centre_scene()); }

TEST(ChirpScalingLimits, TakesThePresets) {
    for (const char* preset : {"spaceborne", "airborne", "squint"}) {
        const Acquisition acquisition = describe(preset_scene(preset));
        EXPECT_NO_THROW(chirp_scaling(acquisition, plan_image(acquisition, parameters_of(acquisition)))) << preset;
    }
}

TEST(ChirpScalingLimits, RefusesASquintThatMovesTheBand) {
    Scene scene = at_doppler(off_centre_scene(), 1300);
    scene.azimuth_bandwidth_hz = 100;
    scene.chirp_slope_hz_s = 34e12;
    expect_refused("csa", scene, parameters_of(describe(scene)), "edges of a chirp's band");
}

TEST(ChirpScalingLimits, RefusesACouplingThatChangesOverTheSwath) {
    Scene scene = off_centre_scene();  // L band, wide open, and a chirp so long that scaling moves its band by little
    scene.carrier_hz = 1.25e9;
    scene.sample_rate_hz = 120e6;
    scene.near_range_m = 6000;
    scene.samples = 2600;
    scene.chirp_duration_s = 20e-6;
    scene.chirp_slope_hz_s = 5e12;
    scene.azimuth_bandwidth_hz = 200;
    expect_refused("csa", scene, parameters_of(describe(scene)), "coupling");
}

TEST(ChirpScalingLimits, RefusesAVelocityThatBends) {
    Scene scene = at_doppler(off_centre_scene(), 500);
    scene.azimuth_bandwidth_hz = 50;
    FormerParameters parameters = parameters_of(describe(scene));
    parameters.azimuth_bandwidth_hz = 60;
    parameters.velocity =
        VelocityProfile(2900, 4500, 4, [](double at) { return 120.0 * (1 + 5e-8 * (at - 3600) * (at - 3600)); });
    expect_refused("csa", scene, parameters, "migration");
}

/// One centroid for the whole swath: at its edges a sixth of the beam would be lost or aliased.
TEST(ChirpScalingLimits, RefusesACentroidThatChangesOverTheSwath) {
    const Scene scene = squinted_scene(0.6, 1600, 5000);
    const Echo echo = simulate(scene);
    FocusOptions options = by("csa");
    expect_refused([&] { focus(*open_device("cpu", 1), echo, options); }, "one Doppler centroid");
}

/// Where the centroid changes over the swath by more than next to nothing, there has to be room for what it is off by.
TEST(ChirpScalingLimits, RefusesACentroidThatChangesAndIsInDoubt) {
    const Scene scene = squinted_scene(0.6, 1600, 1200);
    const Acquisition acquisition = describe(scene);
    ViewChoice view = choose_view(acquisition, by("csa"));
    const auto formed = [&] {
        former_named("csa").form(acquisition, plan_image(acquisition, view.parameters, *view.geometry));
    };
    EXPECT_NO_THROW(formed());
    view.parameters.centroid_error_hz = 0.2 * scene.prf_hz;
    expect_refused(formed, "one Doppler centroid");
}

// ---- the formulas

constexpr double carrier_hz = 9.65e9, slope_hz_s = 36e12;

/// Cumming & Wong eq. 7.19 as printed: K / (1 - K c R f^2 / (2 V^2 f0^3 D^3)).
TEST(ChirpScalingFormulas, CoupledRateIsThatOfTheBook) {
    for (const double slope : {slope_hz_s, -slope_hz_s}) {
        const double range_m = 9000, f = 1300, v = 120, factor = migration_factor(f, v, c_m_s / carrier_hz);
        const double book =
            slope / (1 - slope * c_m_s * range_m * f * f / (2 * v * v * std::pow(carrier_hz * factor, 3)));
        EXPECT_NEAR(coupled_fm_rate_hz_s(slope, range_m, factor, carrier_hz) / book, 1, 1e-12);
    }
}

/// Chirp times scaling phase is a chirp of the rate stretch x Km about the new middle, with the residual as its phase
/// there.
TEST(ChirpScalingFormulas, ScalingMakesAnotherChirp) {
    const ScalingLaw law{
        .doppler_hz = 0, .rate_hz_s = -36e12, .stretch = 1.004, .pivot_s = 23e-6, .reference_s = 22.9e-6};
    const double middle_s = 24.5e-6, moved_s = law.pivot_s + (middle_s - law.pivot_s) / law.stretch;
    for (const std::int64_t sample : {0, 300, 777}) {
        const double t = 20e-6 + static_cast<double>(sample) / 100e6;
        const Complex128 got = unit_phasor<double>(0.5 * law.rate_hz_s * (t - middle_s) * (t - middle_s)) *
                               unit_phasor<double>(scaling_cycles_s2(law) * (t - law.pivot_s) * (t - law.pivot_s));
        const Complex128 expected = unit_phasor<double>(
            0.5 * law.stretch * law.rate_hz_s * (t - moved_s) * (t - moved_s) + scaling_residual_cycles(law, middle_s));
        EXPECT_NEAR(got.re, expected.re, 1e-9);
        EXPECT_NEAR(got.im, expected.im, 1e-9);
        // Its frequency in the chirp's old middle is what scaling adds there.
        EXPECT_NEAR(law.stretch * law.rate_hz_s * (middle_s - moved_s), scaling_shift_hz(law, middle_s), 1e-3);
    }
}

/// Without scaling, the filter takes exactly the coupling and the migration from the spectrum of a point at the
/// reference range.
TEST(ChirpScalingFormulas, FilterTakesWhatTheSpectrumHolds) {
    const double range_m = 9000, f_eta = 900, v = 120, factor = migration_factor(f_eta, v, c_m_s / carrier_hz);
    const ScalingLaw law{.doppler_hz = f_eta,
                         .rate_hz_s = coupled_fm_rate_hz_s(slope_hz_s, range_m, factor, carrier_hz),
                         .stretch = 1,
                         .pivot_s = 2 * range_m / (c_m_s * factor),
                         .reference_s = 2 * range_m / c_m_s};
    ScaledPhases phases{};
    phases.carrier_hz = carrier_hz;
    phases.slope_hz_s = slope_hz_s;
    phases.reference_range_m = range_m;
    phases.reference_velocity_m_s = v;
    phases.image_near_range_m = 8990;
    phases.echo_near_range_m = 8900;
    for (const double f_tau : {-34e6, -1e6, 0.0, 20e6}) {
        const double total = carrier_hz + f_tau, transverse = c_m_s * f_eta / (2 * v);
        const double held =
            -2 * range_m / c_m_s * (std::sqrt(total * total - transverse * transverse) - carrier_hz * factor) +
            2 / c_m_s * 8900 * f_tau;                                 // from the near range of the echo
        const double wanted = -2 / c_m_s * (range_m - 8990) * f_tau;  // on the grid of the image
        EXPECT_NEAR(phases.filter_cycles(law, f_tau), wanted - held, 1e-6);
    }
}

/// A point in the middle keeps -2 R0 / lambda of the phase that flying on while the pulse travels leaves to the
/// hyperbola (docs/theory.md): -2 R0 / sqrt(1 - V^2 / c^2) sqrt((f0 - f / 2)^2 - (c f / 2 V)^2) / c - 1/8, and of a
/// pulse that Doppler moves: f T / 2 - f^2 / 2 K.
TEST(ChirpScalingFormulas, ImagePhaseIsThatOfTheAzimuthChirp) {
    const double range_m = 9000, f_eta = 900, v = 120, duration_s = 2e-6, half_hz = carrier_hz - f_eta / 2;
    const double factor = migration_factor(f_eta, v, c_m_s / half_hz);
    const ScalingLaw law{.doppler_hz = f_eta,
                         .rate_hz_s = slope_hz_s,
                         .stretch = 1 / factor,
                         .pivot_s = 2 * range_m / (c_m_s * factor) - f_eta / slope_hz_s,
                         .reference_s = 2 * range_m / c_m_s};
    ScaledPhases phases{};
    phases.carrier_hz = carrier_hz;
    phases.slope_hz_s = slope_hz_s;
    phases.duration_s = duration_s;
    phases.reference_range_m = range_m;
    phases.reference_velocity_m_s = v;
    phases.range_mean_square_hz2 = 4e14;
    phases.image_delay_s = 0.25;
    const double transverse_hz = c_m_s * f_eta / (2 * v), stretched = 1 / std::sqrt(1 - v / c_m_s * (v / c_m_s));
    const auto wanted = [&](double at_m) {
        const double held = stretched * std::sqrt(half_hz * half_hz - transverse_hz * transverse_hz);
        return 2 * at_m / c_m_s * (held - carrier_hz) + 0.125 + f_eta * 0.25 + f_eta * f_eta / (2 * slope_hz_s) -
               f_eta * duration_s / 2;
    };
    EXPECT_NEAR(phases.image_cycles(law, range_m, v), wanted(range_m), 1e-8);
    // 100 m away the residual of scaling has to go, too.
    const double away_s = 2 * 100 / (c_m_s * factor), at_m = range_m + 100;
    const double residual = 0.5 * slope_hz_s * (1 / factor - 1) * factor * away_s * away_s;
    const double coupling = mean_secondary_range_cycles(100, factor, 4e14, carrier_hz);
    EXPECT_NEAR(phases.image_cycles(law, at_m, v), wanted(at_m) + coupling - residual, 1e-8);
}

/// What the pass has instead of the formulas, where they bend most: a swath to five times its near range, a chirp of a
/// quarter of the carrier.
TEST(ChirpScalingFormulas, PolynomialsHoldOverTheWidestSwathAndChirp) {
    constexpr int terms = ScaledLaws::terms;
    constexpr double near_m = 2000, far_m = 10000, fs = 110e6;
    const ScaledPhases phases{.carrier_hz = 435e6,
                              .slope_hz_s = 20e12,
                              .duration_s = 5e-6,
                              .echo_near_range_m = near_m,
                              .image_near_range_m = near_m,
                              .image_delay_s = 0.5,
                              .reference_range_m = 6000,
                              .reference_velocity_m_s = 120,
                              .range_mean_square_hz2 = 8e14};
    const double f_eta = 90, factor = migration_factor(f_eta, 120, c_m_s / phases.carrier_hz);
    const ScalingLaw law{.doppler_hz = f_eta,
                         .rate_hz_s = coupled_fm_rate_hz_s(phases.slope_hz_s, 6000, factor, phases.carrier_hz),
                         .stretch = 1 / factor,
                         .pivot_s = 2 * 6000 / (c_m_s * factor),
                         .reference_s = 2 * 6000 / c_m_s};
    const auto velocity = [](double range_m) { return 120 + 1e-4 * (range_m - 6000); };
    const PowersThrough powers_through(terms);
    const auto expect_polynomial = [&](double from, double to, double limit, const auto& formula) {
        std::vector<double> values, powers(terms);
        for (const double x : chebyshev_points(from, to, terms)) values.push_back(formula(x));
        powers_through(values.data(), powers.data());
        const Powers<double, terms> polynomial(powers.data());
        double worst = 0;
        for (int i = 0; i <= 200; ++i)
            worst = std::max(worst, std::abs(polynomial(-1 + 0.01 * i) - formula(from + (to - from) * 0.005 * i)));
        EXPECT_LT(worst, limit);
    };
    expect_polynomial(-0.5 * fs, 0.5 * fs, 1e-7, [&](double f_tau) { return phases.filter_cycles(law, f_tau); });
    expect_polynomial(near_m, far_m, 1e-7,
                      [&](double range_m) { return phases.image_cycles(law, range_m, velocity(range_m)); });
    expect_polynomial(near_m, far_m, 2e-7 * phases.image_gain(law, far_m, 120),
                      [&](double range_m) { return phases.image_gain(law, range_m, velocity(range_m)); });
}

}  // namespace
}  // namespace cornerturn
