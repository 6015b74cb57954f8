// SPDX-License-Identifier: Apache-2.0
// Errors of navigation: positions that wander by 2 cm leave points blurred, and the phases that autofocus finds in the
// image of any algorithm make them narrow again.
#include <gtest/gtest.h>

#include <random>

#include "pipeline/acquisition/track/navigation.h"
#include "pipeline/echo/phased_echo.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/autofocus.h"
#include "pipeline/run/reference_echo.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

constexpr double walk_m = 0.02;  // of each coordinate from the first pulse to the last, root mean square

/// Three apertures of an aircraft that sways, with points all over.
Scene flight_scene() {
    Scene scene = preset_scene("aircraft");
    scene.lines = 1300;
    scene.samples = 450;
    scene.noise_db = -10;
    scene.targets.emplace();
    std::mt19937 random(4);
    std::uniform_real_distribution<double> even(0, 1);
    for (int i = 0; i < 26; ++i)
        scene.targets->push_back({BeamCentrePosition{(i + even(random)) * 50, 40 + 80 * even(random)},
                                  0.5 + 0.5 * even(random), 360 * even(random)});
    return scene;
}

/// Positions of the echo's track, twice a second, off by a random walk.
NavigationTrack wandering(const Acquisition& echo) {
    constexpr double step_s = 0.5;
    const double first_s = echo.pulse_time_s(0), last_s = echo.last_pulse_time_s(), beyond_s = 4;
    NavigationTrack track{.name = "walk"};
    std::mt19937 random(11);
    std::normal_distribution<double> normal(0, walk_m * std::sqrt(step_s / (last_s - first_s)));
    Vec3 off_m{};
    for (double time_s = first_s - beyond_s; time_s <= last_s + beyond_s; time_s += step_s) {
        off_m = off_m + Vec3{normal(random), normal(random), normal(random)};
        track.time_s.push_back(time_s);
        track.position.push_back(interpolate(*echo.orbit, time_s).position_m + off_m);
    }
    return track;
}

Image focused(Device& device, EchoSource& echo, const FocusOptions& options) {
    EchoSource* const frame = &echo;
    ImageInMemory sink;
    focus_frames(device, std::span(&frame, 1), options, sink);
    return std::move(sink.image);
}

/// Of those that have no neighbour and are covered fully in an image along the true track.
struct Widths {
    double mean = 0, worst = 0;
    int points = 0;
};
Widths widths(const Image& image, const Image& clean) {
    Widths sum;
    const std::vector<AnalysisTarget> targets = known_targets(clean);
    for (const AnalysisTarget& target : targets) {
        const PointAnalysis was = analyze_point(clean, target), is = analyze_point(image, target);
        if (!was.refused.empty() || !is.refused.empty() || !was.fully_covered) continue;
        if (std::abs(was.azimuth.measured.irw_px / was.azimuth.theory.irw_px - 1) > 0.01) continue;
        const double wider = is.azimuth.measured.irw_px / was.azimuth.measured.irw_px;
        sum.mean += wider, sum.worst = std::max(sum.worst, wider), ++sum.points;
    }
    sum.mean /= sum.points;
    return sum;
}

struct TrackErrorCase {
    const char* name;
    const char* algorithm;
    Autofocus method;
};
void PrintTo(const TrackErrorCase& c, std::ostream* stream) { *stream << c.name; }

class TrackErrors : public testing::TestWithParam<TrackErrorCase> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, TrackErrors,
                         testing::Values(TrackErrorCase{"compensated", "rda", Autofocus::phase_gradient},
                                         TrackErrorCase{"compensated_entropy", "rda", Autofocus::minimum_entropy},
                                         TrackErrorCase{"summed", "backprojection", Autofocus::phase_gradient}),
                         [](const auto& test) { return std::string(test.param.name); });

/// Lines by motion compensation, and images of pulses as they were sent: 2 cm are 1.3 cycles of X band.
TEST_P(TrackErrors, OfTwoCentimetresAreFoundInTheImage) {
    const auto device = open_device("cpu");
    FocusOptions options = by(GetParam().algorithm);
    Echo echo = simulate(flight_scene());
    EchoInMemory flown(echo);
    const auto flown_lines = on_reference_track(flown, options, on_cpu());
    const Image clean = focused(*device, *flown_lines, options);

    std::vector<std::string> remarks;
    echo.acquisition = along_track(echo.acquisition, wandering(echo.acquisition), {}, 0, remarks);
    EchoInMemory wandered(echo);
    const auto wandered_lines = on_reference_track(wandered, options, on_cpu());
    EchoSource& source = *wandered_lines;
    const Widths blurred = widths(focused(*device, source, options), clean);
    EXPECT_GT(blurred.points, 5);
    EXPECT_GT(blurred.worst, 1.2);

    options.autofocus = GetParam().method;
    const AutofocusReport found = find_line_phases(*device, source, options, 2);
    EXPECT_EQ(found.verdict, "phase error taken away");
    options.autofocus = Autofocus::none;
    PhasedEcho phased(source, found.record.phase_rad);
    const Widths left = widths(focused(*device, phased, options), clean);
    EXPECT_EQ(left.points, blurred.points);
    EXPECT_NEAR(left.mean, 1, 0.005);  // what the program allows itself is 0.01
    EXPECT_LT(left.worst, 1.01);
}

}  // namespace
}  // namespace cornerturn
