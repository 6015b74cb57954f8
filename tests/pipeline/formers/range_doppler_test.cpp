// SPDX-License-Identifier: Apache-2.0
// Simulated point targets through the whole chain, measured against theory.
#include "pipeline/formers/range_doppler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/formers/processed_band.h"
#include "pipeline/formers/range_coupling.h"
#include "pipeline/plan/focus_setup.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/formers/focused_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class RangeDoppler : public testing::Test {
protected:
    std::unique_ptr<Device> device_ = open_device("cpu");
};

TEST_F(RangeDoppler, FocusesEitherChirpPrimeNumbersAndAmbiguousDopplers) {
    expect_focused_scenes("rda", *device_, one_target(), {-530.0, 870.0});
}

TEST_F(RangeDoppler, TakesTheCouplingToTwoDimensionsWhereItMust) {
    Scene scene = at_doppler(one_target(), 1300);
    scene.chirp_slope_hz_s =
        34e12;  // the skew of the support adds 21 MHz to the chirp's 68: more would not fit the sample rate
    scene.near_range_m = 9000;
    scene.azimuth_bandwidth_hz = 100;
    const Echo echo = simulate(scene);
    const FormerParameters parameters = parameters_of(echo.acquisition);
    EXPECT_EQ(plan_range_coupling(echo.acquisition, plan_image(echo.acquisition, parameters)).place,
              CouplingPlace::two_dimensional);
    expect_focused(focus_by("rda", *device_, echo, parameters));
}

/// A satellite under 11 degrees of squint with a wide chirp: all of the point's echo is there, but at the chirp's ends
/// its range history leaves the swath (a find of scripts/campaign). Omega-K has it whole.
TEST_F(RangeDoppler, RefusesPointsThatLeaveTheSwathAtTheEndsOfTheChirp) {
    Scene scene = small_scene(913, 1503);
    scene.carrier_hz = 3.1e9;
    scene.prf_hz = 1050;
    scene.sample_rate_hz = 66.9e6;
    scene.near_range_m = 738637;
    scene.chirp_slope_hz_s = -5.58e12;
    scene.chirp_duration_s = 9.45e-6;
    scene.azimuth_bandwidth_hz = 503;
    scene.velocity_m_s = 6980;
    scene.doppler_centroid_hz = -28500;
    scene.altitude_m = 474e3;
    scene.targets = {{SceneTarget{BeamCentrePosition{283.3, 177.6}, 1.0, 60.0}}};
    const Echo echo = simulate(scene);
    expect_refused([&] { set_up_focus(*device_, echo.acquisition, by("rda")); },
                   "over 117 columns at the near and the far edge");
    const auto width_of_azimuth = [&](const char* algorithm) {
        FormerParameters parameters = parameters_of(echo.acquisition);
        parameters.force = true;
        parameters.azimuth_bandwidth_hz = 992;
        const Image image = focus_by(algorithm, *device_, echo, parameters);
        const AxisAnalysis azimuth = analyze_point(image, known_targets(image).at(0)).azimuth;
        return azimuth.measured.irw_px / azimuth.theory.irw_px;
    };
    EXPECT_NEAR(width_of_azimuth("omegak"), 1, 0.005);
    EXPECT_GT(width_of_azimuth("rda"), 1.03);
}

TEST_F(RangeDoppler, FollowsAVelocityThatVariesWithRange) {
    // The target lies at one range: only V there may matter.
    const Echo echo = simulate(one_target());
    FormerParameters parameters = parameters_of(echo.acquisition);
    const double range_m = echo.acquisition.truth.at(0).range_m;
    parameters.velocity = VelocityProfile(range_m - 500, range_m + 1500, 4,
                                          [=](double at) { return 120.0 * (1 + 1e-5 * (at - range_m)); });
    expect_focused(focus_by("rda", *device_, echo, parameters));
}

TEST_F(RangeDoppler, GivesThePeakTheAmplitudeOfTheTargetWithinTheBeam) {
    expect_amplitude_within_the_beam("rda", *device_, one_target());
}

TEST_F(RangeDoppler, WindowsGiveTheirOwnResponse) {
    Scene scene = one_target();
    scene.azimuth_bandwidth_hz =
        300;  // the longer the aperture, the weaker the Fresnel ripple that a sharp beam adds to the window
    const Echo echo = simulate(scene);
    FormerParameters parameters = parameters_of(echo.acquisition);
    parameters.azimuth_bandwidth_hz = 270;
    parameters.range_window = parameters.azimuth_window = Window::parse("kaiser:2.5");
    const Image image = focus_by("rda", *device_, echo, parameters);
    const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
    for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
        EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, 0.02);
        EXPECT_NEAR(axis.measured.pslr_db, axis.theory.pslr_db, 0.3);
    }
}

TEST_F(RangeDoppler, WrapsNothingAround) { expect_nothing_wraps("rda", *device_, one_target()); }

TEST_F(RangeDoppler, SinglePrecisionKeeps100Decibels) {
    expect_100_decibels("rda", *device_, at_doppler(one_target(), -530));
}

/// Points and strong noise over all of the echo, at broadside, under squint, where the coupling needs two dimensions,
/// and with windows whose band is narrower than the PRF.
TEST_F(RangeDoppler, ValidExtentIsTheSameAreaOfTheFullImage) {
    struct Case {
        double doppler_hz, near_range_m, band_hz;
        const char* window;
    };
    for (const Case& c : {Case{0, 3000, 400, "none"}, Case{-530, 3000, 400, "none"}, Case{1300, 9000, 100, "none"},
                          Case{870, 3000, 180, "kaiser:2.5"}}) {
        SCOPED_TRACE(c.doppler_hz);
        Scene scene = noisy(at_doppler(one_target(), c.doppler_hz));
        scene.near_range_m = c.near_range_m;
        if (c.band_hz < 180) scene.azimuth_bandwidth_hz = c.band_hz;
        scene.targets->push_back({BeamCentrePosition{510.7, 350.2}, 2.0, 40.0});
        const Echo echo = simulate(scene);
        FormerParameters parameters = parameters_of(echo.acquisition);
        parameters.azimuth_bandwidth_hz = c.band_hz;
        parameters.range_window = parameters.azimuth_window = Window::parse(c.window);
        EXPECT_GT(valid_against_full_db("rda", *device_, echo, parameters), 100);
    }
}

TEST_F(RangeDoppler, ValidExtentKeepsTransformsAsLongAsTheEcho) {
    FormerParameters parameters = parameters_of(describe(one_target()));
    parameters.azimuth_bandwidth_hz = 180;
    parameters.extent = ImageExtent::valid;
    Scene scene = one_target();
    scene.lines = 1024;
    scene.samples = 960;
    const ImagePlan plan = plan_image(describe(scene), parameters);
    EXPECT_EQ(plan.least.azimuth, 1024);
    EXPECT_EQ(plan.least.range, 960);
    EXPECT_EQ(plan.coverage.beam_rows.size(), static_cast<std::size_t>(plan.grid.columns));
    EXPECT_EQ(velocities_m_s(plan).size(), static_cast<std::size_t>(plan.grid.columns));
    EXPECT_EQ(plan.coverage.valid.intervals.size(), static_cast<std::size_t>(plan.grid.rows));
    scene.lines = 150;  // shorter than the aperture
    EXPECT_THROW(plan_image(describe(scene), parameters), InputError);
    scene.lines = 1024;
    scene.samples = 300;  // shorter than the chirp and what the filter adds
    EXPECT_THROW(plan_image(describe(scene), parameters), InputError);
}

/// A corner turn moves bits: whichever is taken, the image is the same. The square scene lets the turn in place take
/// part.
void expect_the_same_image_by_every_corner_turn(Device& device) {
    Scene scene = one_target();
    scene.lines = scene.samples = 700;
    const Echo echo = simulate(scene);
    const FormerParameters parameters = parameters_of(echo.acquisition);
    // The same way for all: the fastest has no corner turn.
    const auto turned_by = [&](CornerTurnVariant variant) {
        return focus_by("rda", device, echo, parameters, {.chain = Chain::plain, .corner_turn = variant}).samples;
    };
    const std::vector<std::complex<float>> expected = turned_by(CornerTurnVariant::production);
    for (const CornerTurnVariant variant : usable_corner_turns(device))
        EXPECT_EQ(turned_by(variant), expected) << name_of(variant);
}

class CornerTurnsOfRangeDoppler : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, CornerTurnsOfRangeDoppler, every_device(), device_name);

TEST_P(CornerTurnsOfRangeDoppler, AllGiveTheSameImage) { expect_the_same_image_by_every_corner_turn(*device); }

TEST_F(RangeDoppler, RefusesACornerTurnThatDoesNotGo) {
    const Echo echo = simulate(one_target());  // 700 x 900
    const FormerParameters parameters = parameters_of(echo.acquisition);
    for (const CornerTurnVariant variant : {CornerTurnVariant::inplace, CornerTurnVariant::patent16})
        EXPECT_THROW(focus_by("rda", *device_, echo, parameters, {.corner_turn = variant}), InputError)
            << name_of(variant);
}

TEST_F(RangeDoppler, RefusesWhatDoesNotFit) {
    const Acquisition acquisition = describe(one_target());
    FormerParameters parameters = parameters_of(acquisition);
    parameters.doppler_centroid_hz = 1e9;
    EXPECT_THROW(plan_image(acquisition, parameters), InputError);
    parameters = parameters_of(acquisition);
    parameters.azimuth_bandwidth_hz = 0.1;  // points of 10 s in a recording of 1.75 s
    EXPECT_THROW(plan_image(acquisition, parameters), InputError);
    parameters.azimuth_bandwidth_hz = 401;
    EXPECT_THROW(plan_image(acquisition, parameters), InputError);
    parameters = parameters_of(acquisition);
    parameters.velocity = VelocityProfile(-1);
    EXPECT_THROW(plan_image(acquisition, parameters), InputError);
}

/// A platform so slow that its PRF lies far beyond 2 V / lambda = 644 Hz.
TEST_F(RangeDoppler, NamesTheWidestBandOfASlowPlatform) {
    Scene scene = one_target();
    scene.prf_hz = 2000;
    scene.velocity_m_s = 10;
    scene.azimuth_bandwidth_hz = 12;
    scene.near_range_m = 300;
    const Acquisition acquisition = describe(scene);
    FormerParameters parameters = parameters_of(acquisition);
    for (const double band_hz : {700.0, 2000.0, 2001.0}) {
        parameters.azimuth_bandwidth_hz = band_hz;
        expect_refused([&] { plan_image(acquisition, parameters); }, "643.77 Hz");
    }
    for (const double band_hz : {12.0, 300.0, 643.77}) {  // 12 Hz: 0.6 % of the PRF
        parameters.azimuth_bandwidth_hz = band_hz;
        EXPECT_NO_THROW(plan_image(acquisition, parameters)) << band_hz;
    }
}

/// Slope of f_img over f_eta: -f0 (lambda / 2V)^2 f_eta / D.
TEST_F(RangeDoppler, KnowsHowFarSquintSkewsTheRangeSpectrum) {
    Scene scene = one_target();
    const double chirp_hz = scene.chirp_slope_hz_s * scene.chirp_duration_s;
    const FormerParameters parameters = parameters_of(describe(scene));
    const auto bandwidth_hz = [&](double centroid_hz, double band_hz) {
        return image_bandwidth_hz(describe(scene), parameters.velocity, scene.near_range_m, centroid_hz, band_hz);
    };
    const double per_hertz = scene.wavelength_m() / (2 * scene.velocity_m_s);
    const auto cosine_at = [&](double doppler_hz) { return std::cos(std::asin(per_hertz * doppler_hz)); };
    EXPECT_NEAR(bandwidth_hz(0, 100), chirp_hz, 0.01 * chirp_hz);
    const double curvature_hz = scene.carrier_hz * (1 - cosine_at(scene.prf_hz / 2));
    EXPECT_NEAR(bandwidth_hz(0, scene.prf_hz), chirp_hz + curvature_hz, 0.01 * chirp_hz);
    const double cosine = cosine_at(1300);
    const double skew_hz = scene.carrier_hz * per_hertz * per_hertz * 1300 * 100 / cosine;
    EXPECT_NEAR(bandwidth_hz(1300, 100), chirp_hz / cosine + skew_hz, 0.01 * chirp_hz);
}

/// The numbers of the RADARSAT-1 scene of Cumming & Wong leave 0.09 rad to a coupling in the range filter.
TEST_F(RangeDoppler, KnowsTheCouplingOfRadarsat) {
    Scene scene = preset_scene("squint");
    const RangeCoupling coupling =
        plan_range_coupling(describe(scene), plan_image(describe(scene), parameters_of(describe(scene))));
    EXPECT_NEAR(coupling.left_rad, 0.09, 0.005);
    EXPECT_EQ(coupling.place, CouplingPlace::range_filter);
}

}  // namespace
}  // namespace cornerturn
