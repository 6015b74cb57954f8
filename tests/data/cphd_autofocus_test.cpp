// SPDX-License-Identifier: Apache-2.0
// Autofocus of spotlights: the phase error of pulses is found in points of the back-projected image, which then is what
// it would have been without; what is in focus, or tells nothing, stays as it is.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/fits/line_fit.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/phase_error.h"
#include "pipeline/run/autofocus.h"
#include "tests/data/product_fixture.h"
#include "tests/data/spotlight_echo.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/terrain_by_formula.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class AutofocusOfSpotlights : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, AutofocusOfSpotlights, every_device(), device_name);

constexpr std::int64_t pulses = 640;
/// At the carrier 1.3 rad rms once what is straight is taken off, 4 rad at most.
const PhaseError smooth_and_walk{.quadratic_rad = 8, .sine_rad = 2, .sine_cycles = 3, .walk_rad = 1.5, .walk_seed = 7};

/// Twelve points within 50 m of the middle, at heights by `height_m` of latitude and longitude in degrees.
Scene spotlight_scene(const PhaseError& error, const HeightModel& height_m = {}) {
    Scene scene = preset_scene("spotlight");
    scene.lines = pulses;
    const ScenePlane plane = SpotlightPulses(scene).area().plane;
    scene.phase_error = error;
    scene.targets.emplace();
    for (int i = 0; i < 12; ++i) {
        const Geodetic at = to_geodetic(plane.at(30 * (i % 4) - 45 + 3 * (i % 5), 35 * (i / 4) - 35 + 2 * (i % 3)));
        scene.targets->push_back({GroundPosition{at.latitude_deg, at.longitude_deg}, 1 - 0.04 * i, 50.0 * i,
                                  height_m ? height_m(at.latitude_deg, at.longitude_deg) : at.height_m});
    }
    return scene;
}

FocusOptions on_plane(std::string_view algorithm = "backprojection") {
    FocusOptions options;
    options.algorithm = algorithm;
    options.autofocus = Autofocus::phase_gradient;
    options.map = MapRequest{.projection = {},
                             .spacing_m = 0,
                             .grid = MapGrid{.projection = MapProjection::plane_of_scene(),
                                             .rows = 270,
                                             .columns = 290,
                                             .first_x = -62,
                                             .x_step = 0.42,
                                             .first_y = 60,
                                             .y_step = -0.46}};
    return options;
}

AutofocusReport phases_of(Device& device, const Echo& echo, const FocusOptions& options = on_plane()) {
    EchoInMemory source(echo);
    return find_line_phases(device, source, options, 2);
}

/// What is left of an error, less what shifts the image: a line over the times of pulses.
struct Residual {
    StraightLine line;
    std::vector<double> left_rad;
    double rms_rad = 0, largest_rad = 0;

    Residual(const Echo& echo, const std::vector<double>& error_rad, const std::vector<double>& found_rad) {
        const auto time_s = [&](std::size_t i) { return echo.acquisition.pulse_time_s(static_cast<double>(i)); };
        line = line_through(error_rad.size(), [&](std::size_t i) {
            return LinePoint{time_s(i), error_rad[i] - found_rad[i], 1};
        });
        for (std::size_t i = 0; i < error_rad.size(); ++i) {
            left_rad.push_back(error_rad[i] - found_rad[i] - line(time_s(i)));
            rms_rad += left_rad[i] * left_rad[i] / static_cast<double>(error_rad.size());
            largest_rad = std::max(largest_rad, std::abs(left_rad[i]));
        }
        rms_rad = std::sqrt(rms_rad);
    }
};

Image image_less(Device& device, const Echo& echo, const std::vector<double>& phase_rad) {
    EchoInMemory source(echo);
    PhasedEcho phased(source, phase_rad);
    FocusOptions options = on_plane();
    options.autofocus = Autofocus::none;
    ImageInMemory sink;
    focus(device, phased, options, sink);
    return std::move(sink.image);
}

TEST_P(AutofocusOfSpotlights, TakesSmoothErrorsAndRandomWalksOffAndPointsAreWhatTheyWere) {
    const Echo echo = simulated_spotlight(spotlight_scene(smooth_and_walk));
    const std::vector<double> error_rad = phases_rad(smooth_and_walk, pulses);
    const AutofocusReport found = phases_of(*device, echo);
    EXPECT_EQ(found.verdict, "phase error taken away");
    EXPECT_GT(found.rms_rad, 1.5);
    EXPECT_GT(found.largest_rad, found.rms_rad);
    EXPECT_EQ(found.told_lines, pulses);
    EXPECT_TRUE(found.record.times_s.empty()) << "pulses leave in equal steps";
    const Residual residual(echo, error_rad, found.record.phase_rad);
    EXPECT_LT(residual.rms_rad, 2 * degree);  // the walk alone makes a step of 3.4 degrees from pulse to pulse
    EXPECT_LT(residual.largest_rad, 8 * degree);
    if (!is_float()) return;

    // With the line, too, which nobody could find, the image is that of the echo without an error.
    std::vector<double> all_rad = found.record.phase_rad;
    for (std::size_t i = 0; i < all_rad.size(); ++i)
        all_rad[i] += residual.line(echo.acquisition.pulse_time_s(static_cast<double>(i)));
    const Image clean = image_less(*device, simulated_spotlight(spotlight_scene({})), std::vector<double>(pulses)),
                blurred = image_less(*device, echo, std::vector<double>(pulses)),
                image = image_less(*device, echo, all_rad);
    const auto highest = [](const Image& of) {
        return std::max_element(of.samples.begin(), of.samples.end(),
                                [](auto a, auto b) { return std::norm(a) < std::norm(b); }) -
               of.samples.begin();
    };
    EXPECT_EQ(highest(image), highest(clean));
    int points = 0;
    for (std::size_t i = 0; i < clean.samples.size(); ++i) {
        if (!(std::abs(clean.samples[i]) > 0.5f)) continue;  // parts of the nine points' peaks
        const std::complex<float> ratio = image.samples[i] / clean.samples[i];
        EXPECT_NEAR(20 * std::log10(std::abs(ratio)), 0, 0.1);
        EXPECT_NEAR(std::arg(ratio), 0, 2 * degree);
        ++points;
    }
    EXPECT_GE(points, 9);
    EXPECT_LT(20 * std::log10(std::abs(blurred.samples[static_cast<std::size_t>(highest(blurred))]) /
                              std::abs(clean.samples[static_cast<std::size_t>(highest(clean))])),
              -4);
}

/// The phase of what lies beside its pixel is straight over directions, not over pulses.
TEST_P(AutofocusOfSpotlights, JoinsPulsesOverGaps) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimator is the same on every device";
    Scene scene = spotlight_scene(smooth_and_walk);
    scene.lost_lines = 0.04;
    Scene clean = scene;
    clean.phase_error = {};
    constexpr std::int64_t first = 250, count = 30;
    const Echo whole = simulated_spotlight(scene), echo = with_gap(whole, first, count),
               in_focus = with_gap(simulated_spotlight(clean), first, count);
    EXPECT_EQ(phases_of(*device, in_focus).rms_rad, 0);
    const AutofocusReport found = phases_of(*device, echo);
    EXPECT_EQ(found.verdict, "phase error taken away");
    EXPECT_EQ(found.record.times_s, echo.acquisition.pulse_times_s);
    const std::vector<double> of_all = phases_rad(smooth_and_walk, pulses);
    std::vector<double> error_rad;
    for (const double sent_s : echo.acquisition.pulse_times_s)
        error_rad.push_back(
            of_all[static_cast<std::size_t>(std::lround((sent_s - whole.acquisition.pulse_time_s(0)) * scene.prf_hz))]);
    const Residual residual(echo, error_rad, found.record.phase_rad);
    EXPECT_LT(residual.rms_rad, 3 * degree);
    EXPECT_LT(residual.largest_rad, 12 * degree);
}

/// All zeros, not nearly: the image keeps its every bit.
TEST_P(AutofocusOfSpotlights, LeavesAnImageInFocusAsItIs) {
    for (const char* preset : {"spotlight", "sliding"}) {
        Scene scene = spotlight_scene({});
        FocusOptions options = on_plane();
        if (preset == std::string_view("sliding")) {
            if (!is_float()) continue;  // in double precision the whole scene takes a minute
            scene = preset_scene(preset);
            options.map = MapRequest{.projection = MapProjection::plane_of_scene(), .spacing_m = 0, .grid = {}};
        }
        scene.noise_db = -10;
        const AutofocusReport found = phases_of(*device, simulated_spotlight(scene), options);
        EXPECT_EQ(found.record.phase_rad, std::vector<double>(static_cast<std::size_t>(scene.lines)));
        expect_in(found.verdict, "in focus");
        EXPECT_LT(found.rounds.at(0).bend_rad, focused_bend_rad);
    }
}

TEST_P(AutofocusOfSpotlights, SaysWhereNoPointsTellIt) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimator is the same on every device";
    Scene scene = spotlight_scene(smooth_and_walk);
    scene.targets.emplace();
    scene.noise_db = 0;
    const Echo noise = simulated_spotlight(scene);
    const AutofocusReport in_noise = phases_of(*device, noise);
    EXPECT_EQ(in_noise.record.phase_rad, std::vector<double>(pulses)) << in_noise.verdict;
    expect_in(in_noise.verdict, "left as it is");
    Echo nothing = noise;
    std::fill(nothing.samples.begin(), nothing.samples.end(), std::byte{0});
    expect_in(phases_of(*device, nothing).verdict, "nothing stands out");
    // Three points tell it, but not twice.
    scene = spotlight_scene(smooth_and_walk);
    scene.targets->resize(3);
    const AutofocusReport of_three = phases_of(*device, simulated_spotlight(scene));
    EXPECT_EQ(of_three.rms_rad, 0) << of_three.verdict;
    EXPECT_EQ(of_three.verdict.find("in focus"), std::string::npos) << of_three.verdict;
}

/// Points at their own heights, which a DEM knows.
TEST_P(AutofocusOfSpotlights, LooksAtMapsWithHeights) {
    if (GetParam() == "cpu-double") GTEST_SKIP() << "the estimator is the same on every device";
    const HeightModel height_m = [](double latitude_deg, double longitude_deg) {
        return 250 + 4 * std::sin(3e3 * latitude_deg) * std::cos(2e3 * longitude_deg);
    };
    const Echo echo = simulated_spotlight(spotlight_scene(smooth_and_walk, height_m));
    FocusOptions options = on_plane();
    const Geographic middle = geographic(echo.acquisition.scene->plane.origin_m);
    const MapProjection utm = MapProjection::utm_at(middle);
    const MapPoint at = MapTransform(utm).of(middle);
    options.map->grid = grid_over(utm, {at.x - 65, at.y - 65}, {at.x + 65, at.y + 65}, 0.5, 0.5);
    options.terrain =
        std::make_shared<TerrainByFormula>(box_about({middle.latitude_deg, middle.longitude_deg, 0}, 0.1), height_m);
    const AutofocusReport found = phases_of(*device, echo, options);
    EXPECT_EQ(found.verdict, "phase error taken away");
    EXPECT_LT(Residual(echo, phases_rad(smooth_and_walk, pulses), found.record.phase_rad).rms_rad, 3 * degree);
}

}  // namespace
}  // namespace cornerturn
