// SPDX-License-Identifier: Apache-2.0
// The simulated echo against the signal model evaluated in long double, and the geometry that comes with it.
#include "pipeline/proof/simulator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/errors.h"
#include "kernels/math/hyperbola.h"
#include "pipeline/acquisition/doppler/doppler.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "tests/kernels/straight_echo.h"
#include "tests/pipeline/proof/few_lines.h"
#include "tests/support/stopped_job.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using Quad = long double;

template <class Part>
std::complex<double> sample_of(const Echo& echo, std::int64_t line, std::int64_t sample) {
    Part pair[2];
    std::memcpy(pair,
                echo.samples.data() + static_cast<std::size_t>(line * echo.acquisition.samples + sample) * sizeof(pair),
                sizeof(pair));
    return {static_cast<double>(pair[0]), static_cast<double>(pair[1])};
}

/// The model of the design, one sample, by the closed form of a straight flight in long double.
std::complex<Quad> model(const Acquisition& a, const Scene& scene, std::int64_t line, std::int64_t sample) {
    constexpr Quad pi = std::numbers::pi_v<Quad>;
    constexpr Quad c = 299792458.0L;
    std::complex<Quad> sum = 0;
    for (const PointTarget& target : a.truth) {
        const Quad since_sent = 2 * Quad(a.near_range_m) / c + Quad(sample) / Quad(scene.sample_rate_hz);
        const Quad sent = Quad(a.first_pulse_time_s) - Quad(target.zero_doppler_time_s) + Quad(line) / Quad(a.prf_hz);
        const auto delay = [&](Quad received) {
            return straight_delay_s(target.range_m, scene.velocity_m_s, received);
        };
        const Quad middle = sent + Quad(a.chirp.duration_s) / 2 + delay(sent + since_sent), step = 1e-4L;
        const Quad doppler = -Quad(a.carrier_hz) * (delay(middle + step) - delay(middle - step)) / (2 * step);
        if (std::abs(doppler - Quad(scene.doppler_centroid_hz)) > Quad(scene.azimuth_bandwidth_hz) / 2) continue;
        const Quad tau = delay(sent + since_sent), time = since_sent - tau;
        if (time < 0 || time >= Quad(a.chirp.duration_s)) continue;
        const Quad centred = time - Quad(a.chirp.duration_s) / 2;
        const Quad cycles = Quad(a.chirp.slope_hz_s) / 2 * centred * centred - Quad(a.carrier_hz) * tau;
        const Quad angle = 2 * pi * (cycles - std::round(cycles));
        sum += std::complex<Quad>(target.amplitude.real(), target.amplitude.imag()) *
               std::complex<Quad>(std::cos(angle), std::sin(angle));
    }
    return sum;
}

template <class Part>
double worst_difference(const Scene& scene) {
    const Echo echo = simulate(scene);
    double worst = 0;
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        for (std::int64_t sample = 0; sample < scene.samples; ++sample) {
            const std::complex<Quad> expected = model(echo.acquisition, scene, line, sample);
            const std::complex<double> found = sample_of<Part>(echo, line, sample);
            worst = std::max({worst, std::abs(found.real() - static_cast<double>(expected.real())),
                              std::abs(found.imag() - static_cast<double>(expected.imag()))});
        }
    }
    return worst;
}

TEST(Simulator, EverySampleIsTheModel) {
    // Stored as float (half an ulp of 2.4 is 1.2e-7); places in ECEF are rounded to 5e-10 m, 2e-7 rad of the two-way
    // path.
    Scene scene = few_lines();
    scene.targets->push_back({BeamCentrePosition{12.7, 160.9}, 1.1, -170});
    scene.targets->push_back({ZeroDopplerPosition{8100.0, 0.1}, 0.5, 90});
    EXPECT_LT(worst_difference<float>(scene), 4e-7);
}

TEST(Simulator, EverySampleIsTheModelUnderSquintAndFarAway) {
    // 3.5e7 cycles in double: 7e-9 cycles a rounding, below float's 6e-8; places in ECEF as above.
    Scene scene = preset_scene("squint");
    scene.lines = 24;
    scene.samples = 1500;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{11.3, 60.4}, 1, 25}};
    EXPECT_LT(worst_difference<float>(scene), 3e-7);
}

TEST(Simulator, ChirpBeginsAtTheLeadingEdgeAndLastsItsDuration) {
    Scene scene = few_lines();
    scene.doppler_centroid_hz = 0;
    scene.lines = 1;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{0, 100}, 1, 0}};  // 200 samples from sample 100
    Echo echo = simulate(scene);
    EXPECT_EQ(std::abs(sample_of<float>(echo, 0, 99)), 0);
    EXPECT_NEAR(std::abs(sample_of<float>(echo, 0, 100)), 1, 1e-6);
    EXPECT_NEAR(std::abs(sample_of<float>(echo, 0, 299)), 1, 1e-6);
    EXPECT_EQ(std::abs(sample_of<float>(echo, 0, 300)), 0);
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{0, 100.001}, 1, 0}};
    echo = simulate(scene);
    EXPECT_EQ(std::abs(sample_of<float>(echo, 0, 100)), 0);
    EXPECT_NEAR(std::abs(sample_of<float>(echo, 0, 300)), 1, 1e-6);
    EXPECT_EQ(std::abs(sample_of<float>(echo, 0, 301)), 0);
}

/// At zero Doppler the pulse's middle turns back where the antenna is nearest, and its delay is 2 R0 / sqrt(c^2 - V^2).
TEST(Simulator, PhaseAtClosestApproachIsThatOfTheRange) {
    Scene scene = few_lines();
    scene.doppler_centroid_hz = 0;
    scene.lines = 1;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{0, 50}, 1, 33}};
    const Echo echo = simulate(scene);
    const PointTarget& target = echo.acquisition.truth.at(0);
    EXPECT_NEAR(target.range_m, scene.near_range_m + 50 * scene.range_spacing_m(), 1e-8);
    EXPECT_NEAR(target.zero_doppler_time_s, 3600 + 0.5 * scene.chirp_duration_s + target.range_m / speed_of_light_m_s,
                1e-9);
    // The middle of the chirp has no phase of its own: sample 50 + 100.
    const double expected =
        std::remainder(33 * std::numbers::pi / 180 - 4 * std::numbers::pi * target.range_m / scene.wavelength_m(),
                       2 * std::numbers::pi);
    EXPECT_NEAR(std::remainder(std::arg(sample_of<float>(echo, 0, 150)) - expected, 2 * std::numbers::pi), 0,
                1e-6);  // 3e6 rad in double: 5e-10, float 1e-7
}

/// Doppler frequency of what a straight flight sends at a time before closest approach, from the closed form.
double straight_doppler_hz(const Scene& scene, const PointTarget& target, Quad sent_s) {
    const auto delay = [&](Quad received) { return straight_delay_s(target.range_m, scene.velocity_m_s, received); };
    Quad received = sent_s;
    for (int round = 0; round < 6; ++round) received = sent_s + delay(received);
    return static_cast<double>(-Quad(scene.carrier_hz) * (delay(received + 1e-4L) - delay(received - 1e-4L)) / 2e-4L);
}

TEST(Simulator, LinesInTheBeamAreThoseOfTheDopplerBand) {
    Scene scene = preset_scene("airborne");
    scene.near_range_m = 8000;
    scene.samples = 600;
    scene.chirp_duration_s = 1e-6;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{1500.3, 100.4}, 1, 0}};
    const Echo echo = simulate(scene);
    const PointTarget& target = echo.acquisition.truth.at(0);
    std::vector<std::int64_t> seen;
    for (std::int64_t line = 0; line < scene.lines; ++line)
        for (std::int64_t sample = 0; sample < scene.samples; ++sample)
            if (std::abs(sample_of<float>(echo, line, sample)) > 0.5) {
                seen.push_back(line);
                break;
            }
    ASSERT_FALSE(seen.empty());
    const auto doppler_hz = [&](double line) {
        return straight_doppler_hz(
            scene, target, Quad(3600) + line / Quad(scene.prf_hz) + Quad(0.5e-6) - Quad(target.zero_doppler_time_s));
    };
    EXPECT_NEAR(doppler_hz(1500.3), 60, 1e-4);
    EXPECT_NEAR(target.beam_centre_time_s, 3600 + 1500.3 / 400, 1e-8);
    EXPECT_LT(doppler_hz(static_cast<double>(seen.front())), 60 + 75);
    EXPECT_GT(doppler_hz(static_cast<double>(seen.front() - 1)), 60 + 75);
    EXPECT_GT(doppler_hz(static_cast<double>(seen.back())), 60 - 75);
    EXPECT_LT(doppler_hz(static_cast<double>(seen.back() + 1)), 60 - 75);
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), seen.back() - seen.front() + 1);
    // What they light of Doppler: half a line more on either side.
    ASSERT_TRUE(target.illuminated_band_hz);
    EXPECT_NEAR(target.illuminated_band_hz->high_hz, doppler_hz(static_cast<double>(seen.front()) - 0.5), 1e-4);
    EXPECT_NEAR(target.illuminated_band_hz->low_hz, doppler_hz(static_cast<double>(seen.back()) + 0.5), 1e-4);
}

TEST(Simulator, SquintMovesZeroDopplerTimeFarFromTheBeamCentre) {
    const Scene scene = preset_scene("squint");
    const PointTarget target = locate(scene, {BeamCentrePosition{2000, 1000}, 1, 0});
    const double offset_s = target.beam_centre_time_s - target.zero_doppler_time_s;
    EXPECT_NEAR(target.beam_centre_time_s, 3600 + 2000 / 1256.98, 1e-9);
    EXPECT_NEAR(offset_s, 3.9, 0.05);  // the figure of the RADARSAT-1 scene
    const double delay_s = 2 * (scene.near_range_m + 1000 * scene.range_spacing_m()) / speed_of_light_m_s;
    EXPECT_NEAR(static_cast<double>(straight_delay_s(target.range_m, scene.velocity_m_s, offset_s + delay_s)) - delay_s,
                0, 1e-16);
    EXPECT_NEAR(straight_doppler_hz(scene, target, offset_s + 0.5 * scene.chirp_duration_s), -6900, 1e-5);
    const PointTarget again =
        locate(scene, {ZeroDopplerPosition{target.range_m, target.zero_doppler_time_s - 3600}, 1, 0});
    EXPECT_NEAR(again.beam_centre_time_s, target.beam_centre_time_s, 1e-9);
}

TEST(Simulator, IntegersAreTheModelRoundedToTheNearestLevel) {
    Scene scene = few_lines();
    scene.targets->push_back({BeamCentrePosition{12.7, 160.9}, 1.1, -170});
    for (const SampleFormat format : {SampleFormat::int8, SampleFormat::int16}) {
        scene.sample_type = format;
        // Half a level, and 3e-7 of 100 or 25000 for the rounding of places.
        if (format == SampleFormat::int8)
            EXPECT_LT(worst_difference<std::int8_t>(scene), 0.5 + 3e-5);
        else
            EXPECT_LT(worst_difference<std::int16_t>(scene), 0.5 + 8e-3);
        EXPECT_EQ(samples_at_full_scale(simulate(scene)), 0);
    }
}

TEST(Simulator, IntegerScaleIsKnown) {
    Scene scene = few_lines();
    scene.sample_type = SampleFormat::int8;
    EXPECT_NEAR(amplitude_scale(scene), 100 / 0.8, 1e-9);  // one target of 0.8 reaches 100 levels
    scene.targets->push_back({BeamCentrePosition{30, 150}, 0.2, 0});
    EXPECT_NEAR(amplitude_scale(scene), 100 / 1.0, 1e-9);  // overlapping: 0.8 + 0.2
    const Acquisition acquisition = describe(scene);
    EXPECT_NEAR(std::abs(acquisition.truth.at(0).amplitude), 80, 1e-9);
    EXPECT_NEAR(std::arg(acquisition.truth.at(0).amplitude), 25 * std::numbers::pi / 180, 1e-12);
    scene.sample_type = SampleFormat::complex64;
    EXPECT_EQ(amplitude_scale(scene), 1);
}

TEST(Simulator, ClippedNoiseIsCounted) {
    Echo echo;
    echo.acquisition.format = SampleFormat::int8;
    for (const int part : {127, 0, -127, 5, 126, -126}) echo.samples.push_back(static_cast<std::byte>(part));
    EXPECT_EQ(samples_at_full_scale(echo), 2);
}

TEST(Simulator, NoiseHasThePowerAskedForAndIsCircular) {
    Scene scene = few_lines();
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = -7;
    const Echo echo = simulate(scene);
    double power = 0;
    std::complex<double> mean = 0, square = 0, neighbour = 0, next_line = 0;
    const double count = static_cast<double>(scene.lines * scene.samples);
    for (std::int64_t line = 0; line < scene.lines; ++line) {
        for (std::int64_t sample = 0; sample < scene.samples; ++sample) {
            const std::complex<double> value = sample_of<float>(echo, line, sample);
            power += std::norm(value) / count;
            mean += value / count;
            square += value * value / count;
            if (sample > 0) neighbour += value * std::conj(sample_of<float>(echo, line, sample - 1)) / count;
            if (line > 0) next_line += value * std::conj(sample_of<float>(echo, line - 1, sample)) / count;
        }
    }
    // |value|^2 is exponential: its mean over 25600 samples scatters by 1/160 of itself; five of those. The others
    // likewise.
    const double expected = std::pow(10, -0.7);
    EXPECT_NEAR(power, expected, 5 * expected / 160);
    EXPECT_LT(std::abs(mean), 5 * std::sqrt(expected) / 160);
    EXPECT_LT(std::abs(square), 5 * std::numbers::sqrt2 * expected / 160);
    EXPECT_LT(std::abs(neighbour), 5 * expected / 160);
    EXPECT_LT(std::abs(next_line), 5 * expected / 160);
}

TEST(Simulator, ResultDependsOnTheSeedAndNotOnTheThreads) {
    Scene scene = few_lines();
    scene.lines = 300;
    scene.noise_db = -10;
    for (const SampleFormat format : {SampleFormat::complex64, SampleFormat::int8}) {
        scene.sample_type = format;
        scene.seed = 7;
        const Echo one = simulate(scene, {}, 1);
        EXPECT_EQ(one.samples, simulate(scene, {}, 2).samples);
        EXPECT_EQ(one.samples, simulate(scene, {}, 5).samples);
        scene.seed = 8;
        EXPECT_NE(one.samples, simulate(scene, {}, 1).samples);
    }
}

TEST(Simulator, ReportsProgressAndStopsOnRequest) {
    Scene scene = few_lines();
    scene.lines = 300;
    std::vector<double> fractions;
    simulate(scene, [&](std::string_view, double fraction) { fractions.push_back(fraction); });
    ASSERT_GE(fractions.size(), 3u);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1);
    {
        const StoppedJob stopped;
        EXPECT_THROW(simulate(scene), Interrupted);
    }
}

TEST(Simulator, DescribesTheWholeAcquisition) {
    for (const std::string& name : preset_names()) {
        SCOPED_TRACE(name);
        const Scene scene = preset_scene(name);
        if (scene.spotlight()) continue;  // no strip: spotlight_pulses_test
        const Acquisition acquisition = describe(scene);
        EXPECT_EQ(acquisition.lines, scene.lines);
        EXPECT_EQ(acquisition.samples, scene.samples);
        EXPECT_EQ(acquisition.truth.size(), 9u);
        if (scene.on_orbit())
            EXPECT_FALSE(acquisition.effective_velocity_m_s);
        else {
            EXPECT_EQ(acquisition.doppler_centroid_hz, scene.doppler_centroid_hz);
            EXPECT_EQ(acquisition.effective_velocity_m_s, scene.velocity_m_s);
        }
        EXPECT_EQ(acquisition.azimuth_bandwidth_hz, scene.azimuth_bandwidth_hz);
        EXPECT_NEAR(acquisition.sample_rate_hz(), scene.sample_rate_hz, 1e-6);
        const std::vector<double>& times = acquisition.orbit.value().time_s;
        ASSERT_GE(times.size(), scene.on_orbit() ? 8u : 12u);
        for (std::size_t i = 1; i < times.size(); ++i) EXPECT_EQ(times[i] - times[i - 1], times[1] - times[0]);
        EXPECT_LT(times[2], acquisition.first_pulse_time_s);
        EXPECT_GT(times[times.size() - 3], acquisition.pulse_time_s(static_cast<double>(scene.lines - 1)));
        EXPECT_LE(acquisition.attitude.value().time_s.front(), acquisition.first_pulse_time_s);
        for (const PointTarget& target : acquisition.truth) {
            EXPECT_LT(times[2], target.zero_doppler_time_s);
            EXPECT_GT(times[times.size() - 3], target.zero_doppler_time_s);
        }
    }
}

TEST(Simulator, OrbitAndAttitudeAgreeWithTheRadar) {
    for (const LookSide side : {LookSide::right, LookSide::left}) {
        for (const std::string& name : preset_names()) {
            SCOPED_TRACE(name);
            Scene scene = preset_scene(name);
            if (scene.spotlight()) continue;
            scene.look_side = side;
            const Acquisition acquisition = describe(scene);
            // Boresight, flight direction and range history as the rest of the program reads them from orbit and
            // attitude.
            const Attitude& attitude = acquisition.attitude.value();
            const double time_s = attitude.time_s.at(attitude.time_s.size() / 2);
            const auto axis = [&](const Vec3& of) {
                return rotate(attitude.quaternions.at(attitude.time_s.size() / 2), of);
            };
            const StateVector state = interpolate(acquisition.orbit.value(), time_s);
            const Vec3 boresight = axis({0, 0, 1}), right = cross(state.velocity_m_s, state.position_m);
            EXPECT_NEAR(norm(boresight), 1, 1e-12);
            EXPECT_LT(dot(axis({0, 1, 0}), state.velocity_m_s),
                      -0.9 * norm(state.velocity_m_s));      // y runs against the flight
            EXPECT_LT(dot(boresight, state.position_m), 0);  // down
            EXPECT_GT(dot(boresight, right) * (side == LookSide::right ? 1 : -1), 0);
            EXPECT_EQ(dot(axis({1, 0, 0}), state.position_m) > 0, side == LookSide::right);  // x = y x z
            if (!scene.on_orbit()) {
                EXPECT_NEAR(dot(boresight, state.velocity_m_s) * 2 / scene.wavelength_m(), scene.doppler_centroid_hz,
                            1e-6);
                EXPECT_NEAR(predicted_doppler_centroid_hz(acquisition).value(), scene.doppler_centroid_hz,
                            0.1);  // to the nearest PRF
            }
            for (const double part : {0.05, 0.5, 0.95}) {
                if (scene.on_orbit()) continue;
                const double range_m =
                    acquisition.range_m(part * 4096) *
                    migration_factor(scene.doppler_centroid_hz, scene.velocity_m_s, scene.wavelength_m());
                const double velocity = effective_velocity(acquisition, range_m, scene.doppler_centroid_hz, 1.0,
                                                           acquisition.pulse_time_s(2000));
                EXPECT_NEAR(velocity / scene.velocity_m_s, 1, 1e-9);  // a straight flight, exact up to rounding of R^2
            }
        }
    }
}

/// Whatever lines are asked for at once, noise included.
TEST(Simulator, GivesTheSameSamplesLineByLine) {
    for (const SampleFormat format : {SampleFormat::int8, SampleFormat::complex64}) {
        Scene scene = preset_scene("airborne");
        scene.lines = 700;
        scene.samples = 1500;
        scene.azimuth_bandwidth_hz = 40;
        scene.targets = {{SceneTarget{BeamCentrePosition{350, 100}, 1.0, 0.0}}};
        scene.noise_db = 3;
        scene.sample_type = format;
        const Echo whole = simulate(scene);
        SimulatedEcho source(scene, {}, 2);
        EXPECT_EQ(source.acquisition(), whole.acquisition);
        const std::size_t line_bytes = 1500 * bytes_per_sample(format);
        std::vector<std::byte> lines(whole.samples.size());
        for (std::int64_t first = 0; first < 700; first += 131) {
            const std::int64_t count = std::min<std::int64_t>(131, 700 - first);
            source.read(first, count,
                        std::span(lines).subspan(static_cast<std::size_t>(first) * line_bytes,
                                                 static_cast<std::size_t>(count) * line_bytes));
        }
        EXPECT_TRUE(lines == whole.samples);
        EXPECT_EQ(source.at_full_scale(), samples_at_full_scale(whole));
    }
}

}  // namespace
}  // namespace cornerturn
