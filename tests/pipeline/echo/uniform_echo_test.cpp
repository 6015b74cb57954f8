// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pipeline/echo/azimuth_band.h"
#include "pipeline/echo/pulse_phase.h"
#include "pipeline/estimate/data_parameters.h"
#include "pipeline/plan/view_choice.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/even_lines.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

using FloatSamples = std::vector<Complex<float>>;

FloatSamples lines_of(EchoSource& echo, std::int64_t first, std::int64_t lines) {
    FloatSamples samples(static_cast<std::size_t>(lines * echo.acquisition().samples));
    echo.read(first, lines, std::as_writable_bytes(std::span(samples)));
    return samples;
}
FloatSamples lines_of(EchoSource& echo) { return lines_of(echo, 0, echo.acquisition().lines); }

double squared_magnitude(Complex<float> z) {
    return static_cast<double>(z.re) * z.re + static_cast<double>(z.im) * z.im;
}

double likeness_db(const FloatSamples& truth, const FloatSamples& found) {
    double signal = 0, error = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        signal += squared_magnitude(truth[i]);
        error += squared_magnitude({truth[i].re - found[i].re, truth[i].im - found[i].im});
    }
    return 10 * std::log10(signal / error);
}

/// A target in the beam's centre at the middle line, which it is illuminated around for some 400 lines. The beam leaves
/// a fifth of the PRF as margin.
Scene scene_with_margin() {
    Scene scene = small_scene(1024, 400);
    scene.prf_hz = 216;
    scene.near_range_m = 12000;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{512, 100}, 1, 0, 0}};
    return scene;
}

/// Where the beam comes and goes its edges are sharp, and no band-limited signal: lines well between these.
FloatSamples well_lit(const FloatSamples& lines) {
    const std::int64_t samples = static_cast<std::int64_t>(lines.size()) / 1024, first = 512 - 150, end = 512 + 150;
    return {lines.begin() + first * samples, lines.begin() + end * samples};
}

TEST(PulsePhaseTest, GoesOffAndOnAgain) {
    const Echo echo = simulate(small_scene(600, 700));
    const PulsePhase pulse(echo.acquisition);
    EchoInMemory source(echo);
    const FloatSamples line = lines_of(source, 300, 1);
    LineBuffer<float> buffer(pulse.length());
    std::fill_n(buffer.data(), pulse.length(), Complex<float>{0, 0});
    std::copy(line.begin(), line.end(), buffer.data());
    pulse.off(buffer.data());
    const auto largest = [](const Complex<float>* from, std::int64_t count) {
        double peak = 0;
        for (std::int64_t i = 0; i < count; ++i) peak = std::max(peak, squared_magnitude(from[i]));
        return std::sqrt(peak);
    };
    EXPECT_GT(largest(buffer.data(), pulse.length()), 3 * largest(line.data(), 700));  // compressed
    pulse.on(buffer.data());
    EXPECT_GT(likeness_db(line, FloatSamples(buffer.data(), buffer.data() + 700)), 120);
}

TEST(UniformEchoTest, LeavesEvenPulsesAlone) {
    const Echo echo = simulate(scene_with_margin());
    EchoInMemory source(echo);
    EXPECT_EQ(on_uniform_times(source, {}, on_cpu()), nullptr);
}

TEST(UniformEchoTest, UndoesDither) {
    Scene scene = scene_with_margin();
    SimulatedEcho even(scene);
    scene.dither = 0.06;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    ASSERT_NE(uniform, nullptr);
    EXPECT_EQ(uniform->acquisition().lines, scene.lines);
    EXPECT_FALSE(uniform->acquisition().uneven());
    EXPECT_DOUBLE_EQ(uniform->acquisition().prf_hz, scene.prf_hz);
    EXPECT_TRUE(uniform->acquisition().decoding.valid_samples.empty());
    const FloatSamples truth = lines_of(even);
    EXPECT_LT(likeness_db(well_lit(truth), well_lit(lines_of(dithered))), 32);
    EXPECT_GT(likeness_db(well_lit(truth), well_lit(lines_of(*uniform))), 60);
}

TEST(UniformEchoTest, FillsInLostLinesAndLeavesTheOthers) {
    Scene scene = scene_with_margin();
    SimulatedEcho even(scene);
    scene.lost_lines = 0.01;
    SimulatedEcho lossy(scene);
    ASSERT_LT(lossy.acquisition().lines, scene.lines);
    const auto uniform = on_uniform_times(lossy, {}, on_cpu());
    EXPECT_EQ(uniform->acquisition().lines, scene.lines);
    const FloatSamples truth = lines_of(even), found = lines_of(*uniform), recorded = lines_of(lossy);
    EXPECT_GT(likeness_db(well_lit(truth), well_lit(found)), 30);
    for (std::int64_t line = 0; line < lossy.acquisition().lines; ++line) {
        const double place = even.acquisition().line_at(lossy.acquisition().pulse_time_s(static_cast<double>(line)));
        const auto* from = recorded.data() + line * scene.samples;
        EXPECT_EQ(std::memcmp(from, found.data() + std::lround(place) * scene.samples,
                              static_cast<std::size_t>(scene.samples) * sizeof *from),
                  0)
            << line;
    }
}

TEST(UniformEchoTest, GivesTheSameLinesInAnyPieces) {
    Scene scene = scene_with_margin();
    scene.dither = 0.06;
    scene.lost_lines = 0.02;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    const FloatSamples whole = lines_of(*uniform);
    for (const auto& [first, lines] :
         {std::pair{0, 100}, std::pair{100, 7}, std::pair{107, 300}, std::pair{50, 20}, std::pair{1023, 1}}) {
        const FloatSamples part = lines_of(*uniform, first, lines);
        EXPECT_EQ(std::memcmp(part.data(), whole.data() + first * scene.samples, part.size() * sizeof part[0]), 0)
            << first;
    }
}

/// Pulses leave as ever, but some lines are not in the record.
Echo without_lines(const Echo& echo, std::int64_t first, std::int64_t end) {
    Echo lossy{echo.acquisition, {}};
    lossy.acquisition.lines -= end - first;
    const std::size_t line_bytes = echo.samples.size() / static_cast<std::size_t>(echo.acquisition.lines);
    for (std::int64_t line = 0; line < echo.acquisition.lines; ++line) {
        if (line >= first && line < end) continue;
        lossy.acquisition.pulse_times_s.push_back(echo.acquisition.pulse_time_s(static_cast<double>(line)));
        const auto from =
            echo.samples.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(line) * line_bytes);
        lossy.samples.insert(lossy.samples.end(), from, from + static_cast<std::ptrdiff_t>(line_bytes));
    }
    return lossy;
}

TEST(UniformEchoTest, LeavesAGapWhereTheOtherPulsesTellTooLittle) {
    const Echo echo = simulate(scene_with_margin());
    for (const std::int64_t lost : {1, 2}) {
        const Echo lossy = without_lines(echo, 100, 100 + lost);
        EchoInMemory source(lossy);
        const auto uniform = on_uniform_times(source, {}, on_cpu());
        const EchoDecoding& decoding = uniform->acquisition().decoding;
        ASSERT_EQ(decoding.valid_samples.empty(), lost == 1);
        if (lost == 1) continue;
        for (std::int64_t line = 0; line < 1024; ++line)
            EXPECT_EQ(decoding.valid_samples[static_cast<std::size_t>(line)].last, line >= 100 && line < 102 ? 0 : 400)
                << line;
    }
}

/// The beam of a burst sweeps on: the band over which a target is lit is a part of what lines hold.
TEST(UniformEchoTest, LeavesGapsInBurstsWhoseBeamFillsThePrf) {
    Echo lossy = without_lines(simulate(scene_with_margin()), 100, 101);
    lossy.acquisition.burst = Burst{.swath = "IW2", .number = 0, .row_spacing_s = 1 / lossy.acquisition.prf_hz};
    lossy.acquisition.azimuth_bandwidth_hz = 0.25 * lossy.acquisition.prf_hz;
    EchoInMemory source(lossy);
    const auto uniform = on_uniform_times(source, {}, on_cpu());
    const EchoDecoding& decoding = uniform->acquisition().decoding;
    ASSERT_FALSE(decoding.valid_samples.empty());
    for (std::int64_t line = 0; line < 1024; ++line)
        EXPECT_EQ(decoding.valid_samples[static_cast<std::size_t>(line)].last, line == 100 ? 0 : 400) << line;
}

TEST(UniformEchoTest, DoesNotFillInEverySecondLine) {
    const Echo echo = simulate(scene_with_margin());
    Echo half = echo;
    half.acquisition.decoding.intervals_per_line = 1;
    for (std::int64_t line = 0; line < 1024; ++line) {
        half.acquisition.pulse_times_s.push_back(echo.acquisition.pulse_time_s(static_cast<double>(line)));
        half.acquisition.decoding.valid_samples.push_back({0, line % 2 == 0 ? 400 : 0});
    }
    EchoInMemory source(half);
    const auto uniform = on_uniform_times(source, {}, on_cpu());
    ASSERT_FALSE(uniform->acquisition().decoding.valid_samples.empty());
    for (std::int64_t line = 1; line < 1024; line += 2)
        EXPECT_EQ(uniform->acquisition().decoding.valid_samples[static_cast<std::size_t>(line)].last, 0);
}

TEST(UniformEchoTest, FillsWhatTransmissionsOfDitheredPulsesHide) {
    Scene scene = scene_with_margin();
    scene.near_range_m =
        speed_of_light_m_s / 2 / scene.prf_hz - 200;  // one interval behind a pulse the next one leaves
    scene.samples = 600;
    scene.transmit_gaps = true;
    SimulatedEcho even(scene);
    const auto& gaps = even.acquisition().decoding;
    ASSERT_EQ(gaps.intervals_per_line, 2);
    // 200 m are 133.4 samples; guards of 1 us on either side of a pulse of 2 us
    EXPECT_EQ(gaps.valid_samples[20], (Interval{0, 34}));
    EXPECT_EQ(gaps.valid_samples[21], (Interval{434, 600}));

    scene.dither = 0.0008;  // 370 samples, so that every second pulse or so holds what another hides
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    const EchoDecoding& filled = uniform->acquisition().decoding;
    // Of what one pulse hides its neighbours tell enough; of what several in a row hide they do not.
    const auto held = [](const EchoDecoding& decoding) {
        std::int64_t sum = 0;
        for (const Interval& i : decoding.valid_samples) sum += i.last - i.first;
        return sum;
    };
    EXPECT_GT(held(filled), held(dithered.acquisition().decoding));
}

TEST(UniformEchoTest, KeepsTheAmbiguityOfASquintedBeam) {
    Scene scene = scene_with_margin();
    scene.doppler_centroid_hz = 1500;  // seven times the PRF: 6 % of an interval are 0.4 of a cycle
    SimulatedEcho even(scene);
    scene.dither = 0.06;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    const FloatSamples truth = lines_of(even);
    EXPECT_LT(likeness_db(well_lit(truth), well_lit(lines_of(dithered))), 10);
    EXPECT_GT(likeness_db(well_lit(truth), well_lit(lines_of(*uniform))), 55);
}

/// L band at 28 degrees of squint with a chirp of 72 MHz: at its ends the beam lies elsewhere, by 3 % of the centroid
/// up and down.
Scene scene_with_wide_chirp() {
    Scene scene = scene_with_margin();
    scene.carrier_hz = 1.2e9;
    scene.near_range_m = 1500;
    scene.azimuth_bandwidth_hz = 130;
    scene.doppler_centroid_hz = 450;
    return scene;
}

double likeness_of_dithered_db(Scene scene) {
    SimulatedEcho even(scene);
    scene.dither = 0.1;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    return likeness_db(well_lit(lines_of(even)), well_lit(lines_of(*uniform)));
}

/// The PRF leaves 43 Hz to either side.
TEST(UniformEchoTest, HoldsTheEndsOfAWideChirpUnderSquint) {
    // 38.1 dB where the carrier's band alone is interpolated, 40.9 with half of what the chirp widens it by.
    EXPECT_GT(likeness_of_dithered_db(scene_with_wide_chirp()), 39.5);
}

/// From twenty times as fast and four hundred times as far: the same apertures, but the chirp's ends lie 270 Hz to
/// either side of the carrier's band, by more than the PRF.
TEST(UniformEchoTest, HoldsAChirpWhoseEndsLieAPrfAside) {
    Scene scene = scene_with_wide_chirp();
    scene.velocity_m_s *= 20;
    scene.near_range_m *= 400;
    scene.doppler_centroid_hz *= 20;
    scene.sample_rate_hz = 200e6;
    scene.samples = 6000;
    scene.targets->front() = {BeamCentrePosition{512, 2900}, 1, 0, 0};
    // 11.2 dB where raw lines are interpolated. The rest, as much within the chirp's band as beside it, is what its
    // sharp ends alias.
    EXPECT_GT(likeness_of_dithered_db(scene), 28);
}

/// Lines that are moved go round, in pieces as in one.
TEST(UniformEchoTest, MovesLinesTheSameInAnyPieces) {
    Scene scene = scene_with_wide_chirp();
    scene.doppler_centroid_hz *= 1.5;
    scene.dither = 0.1;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    const FloatSamples whole = lines_of(*uniform);
    for (const auto& [first, lines] : {std::pair{0, 100}, std::pair{100, 7}, std::pair{50, 20}, std::pair{1023, 1}}) {
        const FloatSamples part = lines_of(*uniform, first, lines);
        EXPECT_EQ(std::memcmp(part.data(), whole.data() + first * scene.samples, part.size() * sizeof part[0]), 0)
            << first;
    }
}

TEST(UniformEchoTest, FindsTheBeamInDitheredData) {
    Scene scene = scene_with_margin();
    for (double line = 20; line < 1024; line += 37)
        scene.targets->push_back({BeamCentrePosition{line, 2 * std::fmod(line, 53)}, 1, 0, 0});
    scene.dither = 0.05;
    SimulatedEcho dithered(scene);
    EXPECT_NEAR(azimuth_band(dithered, constant_doppler(dithered.acquisition(), 0), 1), 180.0 / 216, 0.06);
}

/// Nothing of the interpolation is in the back-projection: it sums up the pulses where they left.
TEST(UniformEchoTest, IsRightByBackprojectionOfThePulsesAsTheyLeft) {
    Scene scene = preset_scene("radarsat");
    scene.lines = 2600;
    scene.samples = 1900;
    scene.dither = 0.06;
    scene.lost_lines = 0.01;
    SimulatedEcho dithered(scene);
    const auto device = open_device("cpu");
    const ReferenceOutcome outcome = verified(*device, dithered, {}, 0);
    int of_places = 0;
    for (const ReferenceCheck& check : outcome.checks)
        if (check.name.find("position") != std::string::npos || check.name.find("phase") != std::string::npos ||
            check.name.find("distance") != std::string::npos) {
            EXPECT_TRUE(check.passed()) << check.name << " " << check.value;
            ++of_places;
        }
    EXPECT_EQ(of_places, 6) << "or checks have other names";
}

/// Why back-projection, too, takes even lines: a weight for each pulse cannot make up for what uneven steps leave far
/// from a target, where the products of echo and model turn quickly (docs/theory.md).
TEST(UniformEchoTest, IsNearerToEvenPulsesThanTheirSumAtTheirOwnTimes) {
    Scene scene = scene_with_margin();
    SimulatedEcho even(scene);
    scene.dither = 0.06;
    SimulatedEcho dithered(scene);
    const auto uniform = on_uniform_times(dithered, {}, on_cpu());
    const auto device = open_device("cpu");
    const auto image_of = [&](EchoSource& echo) {
        EchoSource* const frame = &echo;
        ImageInMemory sink;
        focus_frames(*device, std::span(&frame, 1), by("backprojection"), sink);
        return std::move(sink.image.samples);
    };
    const auto truth = image_of(even);
    const double of_uniform_db = signal_to_error_db(image_of(*uniform), truth),
                 at_own_times_db = signal_to_error_db(image_of(dithered), truth);
    EXPECT_GT(of_uniform_db, 40);
    EXPECT_LT(at_own_times_db, 30);
}

/// At the heights that targets have, and a number of the file as the level of what attitude has: lines are interpolated
/// about it.
TEST(UniformEchoTest, TakesTheCentroidThatTheImageWillHave) {
    Scene scene = squinted_scene(0.6, 400, 900);
    scene.targets.emplace();
    scene.noise_db = 0;
    scene.height_m = 3000;
    const Acquisition acquisition = describe(scene);
    FocusOptions options;
    options.height_m = 3000;
    const auto device = open_device("cpu");
    const auto expect_same = [&](const Acquisition& known) {
        const std::optional<DopplerSurface> before_hz = doppler_before_data(known, options);
        ASSERT_TRUE(before_hz);
        const DopplerSurface chosen_hz = set_up_focus(*device, known, options).doppler.surface_hz;
        for (const double sample : {0.0, 899.0}) {
            const double time_s = known.pulse_time_s(0), range_m = known.range_m(sample);
            EXPECT_NEAR((*before_hz)(time_s, range_m), chosen_hz(time_s, range_m), 1e-6);
        }
    };
    Acquisition numbered = acquisition;
    numbered.doppler_of_pixels_hz.reset();
    numbered.doppler_centroid_hz = predicted_doppler_centroid_hz(acquisition, 3000.0);
    expect_same(numbered);
    const DopplerSurface of_number_hz = *doppler_before_data(numbered, options);
    const double time_s = acquisition.pulse_time_s(200), near_m = acquisition.range_m(0);
    EXPECT_GT(std::abs(of_number_hz(time_s, near_m) - *numbered.doppler_centroid_hz), 20)
        << "or the scene is not what this test is for";

    options.doppler_from = ParameterSource::orbit;
    expect_same(numbered);
    const DopplerSurface high_hz = *doppler_before_data(numbered, options);
    options.height_m = 0;
    EXPECT_GT(std::abs((*doppler_before_data(numbered, options))(time_s, near_m) - high_hz(time_s, near_m)), 5);

    options.doppler_from = ParameterSource::data;
    EXPECT_TRUE(doppler_before_data(numbered, options)) << "attitude tells it roughly";
    numbered.attitude.reset();
    EXPECT_FALSE(doppler_before_data(numbered, options));
}

/// Uneven steps in time turn phases by the whole frequency, multiples of the PRF included.
TEST(UniformEchoTest, SaysWhereTheMultipleOfThePrfIsAGuess) {
    Scene scene = scene_with_margin();
    scene.dither = 0.05;
    Echo known = simulate(scene), unknown = known;
    unknown.acquisition = data_alone(std::move(unknown.acquisition));
    unknown.acquisition.orbit.reset();
    for (const bool guess : {false, true}) {
        EchoInMemory source(guess ? unknown : known);
        std::vector<std::string> warnings;
        EXPECT_NE(on_uniform_times(source, {}, on_cpu(0), &warnings), nullptr);
        EXPECT_EQ(warnings.size(), guess ? 1u : 0u);
    }
}

}  // namespace
}  // namespace cornerturn
