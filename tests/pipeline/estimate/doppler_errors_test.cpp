// SPDX-License-Identifier: Apache-2.0
// Whether errors that are stated of a Doppler centroid hold: on scenes drawn at random, from 3 points to 3000, over
// clutter of -10 to 20 dB above noise, with and without dark parts, in short echoes in which half the targets are seen
// by a part of the beam.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "kernels/host/line_fft.h"
#include "kernels/math/frequency.h"
#include "kernels/math/hyperbola.h"
#include "kernels/math/phasor.h"
#include "pipeline/echo/sampled_lines.h"
#include "pipeline/estimate/data_parameters.h"
#include "pipeline/estimate/line_doppler.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/data_estimates.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"

namespace cornerturn {
namespace {

class Draw {
public:
    explicit Draw(unsigned seed) : random_(seed) {}
    double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
    double by_ratio(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
    bool one_in(int cases) { return random_() % static_cast<unsigned>(cases) == 0; }
    Complex<float> gaussian() { return {normal_(random_), normal_(random_)}; }

private:
    std::mt19937 random_;
    std::normal_distribution<float> normal_{0, static_cast<float>(std::sqrt(0.5))};
};

struct DrawnEcho {
    Echo echo;
    double truth_hz = 0;  ///< in the middle of the scene
    std::string what;
};

/// What part of the scene clutter fills: all, or not a stretch of the lines that the beam's centre sees, or of samples.
struct DarkPart {
    std::int64_t first_line = 0, last_line = 0, first_sample = 0, last_sample = 0;
    bool holds(std::int64_t line, std::int64_t sample) const {
        return line >= first_line && line < last_line && sample >= first_sample && sample < last_sample;
    }
};

DarkPart drawn_dark_part(const Acquisition& a, Draw& draw) {
    if (!draw.one_in(2)) return {};
    const auto part = [&](std::int64_t all) {
        return static_cast<std::int64_t>(draw.between(0.2, 0.8) * static_cast<double>(all));
    };
    const bool low = draw.one_in(2);
    if (draw.one_in(2)) {
        const std::int64_t edge = part(a.lines);
        return {low ? -a.lines : edge, low ? edge : 2 * a.lines, 0, a.samples};
    }
    const std::int64_t edge = part(a.samples);
    return {-a.lines, 2 * a.lines, low ? 0 : edge, low ? edge : a.samples};
}

/// Ground without end: scatterers in each line and sample, which the beam sees with a quadratic phase over its band
/// about the centroid of the sample. They do not migrate: their echoes are as even over range as chirps would be.
void add_clutter(Echo& echo, const DopplerSurface& centroid_hz, double beam_hz, double amplitude, const DarkPart& dark,
                 Draw& draw) {
    const Acquisition& a = echo.acquisition;
    const std::int64_t length = 2 * a.lines, before = a.lines / 2;
    const LineFft<float> forward(length, FftDirection::forward), inverse(length, FftDirection::inverse);
    LineBuffer<float> column(length);
    auto* samples = reinterpret_cast<Complex<float>*>(echo.samples.data());
    const VelocityProfile velocity_m_s =
        orbit_velocity(a, centroid_hz(a.pulse_time_s(0.5 * static_cast<double>(a.lines)), a.range_m(0)));
    const auto scale = static_cast<float>(amplitude / (static_cast<double>(length) * std::sqrt(beam_hz / a.prf_hz)));
    for (std::int64_t sample = 0; sample < a.samples; ++sample) {
        const double range_m = a.range_m(static_cast<double>(sample) - 0.5 * a.chirp_samples()),
                     centre_hz = centroid_hz(a.pulse_time_s(0.5 * static_cast<double>(a.lines)), range_m),
                     factor = migration_factor(centre_hz, velocity_m_s(range_m), a.wavelength_m()),
                     rate_hz_s =
                         azimuth_fm_rate_hz_s(factor * range_m, factor, velocity_m_s(range_m), a.wavelength_m());
        for (std::int64_t i = 0; i < length; ++i)
            column.data()[i] = dark.holds(i - before, sample) ? Complex<float>{0, 0} : draw.gaussian();
        forward(column.data());
        for (std::int64_t bin = 0; bin < length; ++bin) {
            const double off_hz = azimuth_frequency_hz(bin, length, a.prf_hz, centre_hz) - centre_hz;
            const bool lit = std::abs(off_hz) < beam_hz / 2;
            const auto phase = unit_phasor<float>(0.5 * off_hz * off_hz / rate_hz_s);
            column.data()[bin] = lit ? column.data()[bin] * phase : Complex<float>{0, 0};
        }
        inverse(column.data());
        for (std::int64_t line = 0; line < a.lines; ++line) {
            Complex<float>& to = samples[line * a.samples + sample];
            to = to + scale * column.data()[line + before];
        }
    }
}

Scene aircraft_scene(Draw& draw) {
    Scene scene = small_scene(static_cast<std::int64_t>(draw.between(700, 1500)),
                              static_cast<std::int64_t>(draw.between(450, 900)));
    scene.azimuth_bandwidth_hz = draw.between(0.5, 0.85) * scene.prf_hz;
    scene.near_range_m = draw.between(2500, 4000);
    scene.doppler_centroid_hz = draw.between(-2, 2) * scene.prf_hz;
    return scene;
}

Scene satellite_scene(Draw& draw) {
    Scene scene = squinted_scene(draw.between(-0.6, 0.6), static_cast<std::int64_t>(draw.between(1400, 2200)),
                                 static_cast<std::int64_t>(draw.between(420, 800)));
    scene.sample_rate_hz = 12e6;
    scene.chirp_slope_hz_s = -1e12;
    scene.chirp_duration_s = 10e-6;
    return scene;
}

DrawnEcho drawn(unsigned seed) {
    Draw draw(seed);
    const bool satellite = draw.one_in(3);
    Scene scene = satellite ? satellite_scene(draw) : aircraft_scene(draw);
    const auto points = static_cast<int>(std::round(draw.by_ratio(3, satellite ? 500 : 3000)));
    const double clutter_db = draw.between(-10, 20), point_db = draw.between(-10, 20);
    scene.noise_db = 0;
    scene.seed = seed;
    scene.targets.emplace();
    const double chirp = scene.chirp_duration_s * scene.sample_rate_hz;
    for (int i = 0; i < points; ++i)
        scene.targets->push_back({BeamCentrePosition{draw.between(0, static_cast<double>(scene.lines)),
                                                     draw.between(0, static_cast<double>(scene.samples) - chirp)},
                                  std::pow(10, 0.05 * (point_db + draw.between(-10, 0))), draw.between(0, 360)});
    DrawnEcho made;
    made.echo = simulate(scene);
    Acquisition& a = made.echo.acquisition;
    const DopplerSurface truth_hz =
        satellite ? predicted_doppler(a).value() : constant_doppler(a, scene.doppler_centroid_hz);
    made.truth_hz = in_the_middle_hz(a, truth_hz);
    const DarkPart dark = drawn_dark_part(a, draw);
    add_clutter(made.echo, truth_hz, scene.azimuth_bandwidth_hz, std::pow(10, 0.05 * clutter_db), dark, draw);
    made.what = fmt::format("{}: {} x {}, {} points of {:.0f} dB, clutter of {:.0f} dB{}",
                            satellite ? "satellite" : "aircraft", a.lines, a.samples, points, point_db, clutter_db,
                            dark.last_line == 0                                       ? ""
                            : dark.last_sample == a.samples && dark.first_sample == 0 ? ", dark lines"
                                                                                      : ", dark samples");
    a = data_alone(std::move(a));
    return made;
}

double off_hz(double found_hz, double truth_hz, double prf_hz) {
    const double off = found_hz - truth_hz;
    return off - prf_hz * std::round(off / prf_hz);
}

/// CORNERTURN_DOPPLER_SCENES asks for more of them (scripts/doppler-errors).
TEST(DopplerErrors, HoldOnScenesOfAllKinds) {
    const char* wanted = std::getenv("CORNERTURN_DOPPLER_SCENES");
    const int scenes = wanted ? std::atoi(wanted) : 6;
    int held = 0, held_by_echo = 0;
    for (int i = 0; i < scenes; ++i) {
        const DrawnEcho made = drawn(static_cast<unsigned>(1000 + i));
        const double prf_hz = made.echo.acquisition.prf_hz;
        EchoInMemory source(made.echo);
        const DataParameters found = find_parameters(source, on_cpu());
        const double off = off_hz(found.doppler.centroid_hz, made.truth_hz, prf_hz);
        held += std::abs(off) <= 3 * found.error_hz;
        // As where there is no image: an echo that is too long for it.
        const DopplerChoice by_echo = choose_doppler(made.echo.acquisition, {}, ParameterSource::automatic,
                                                     [&] { return estimate_doppler(sample_lines(source)); });
        const double off_by_echo = off_hz(by_echo.centroid_hz, made.truth_hz, prf_hz);
        std::fflush(stdout);
        held_by_echo += by_echo.error_hz && std::abs(off_by_echo) <= 3 * *by_echo.error_hz;
        fmt::print("{:4} {}: {:+.2f} +- {:.2f} Hz by {}, {:+.2f} +- {:.2f} Hz by the echo, PRF {:.0f}{}{}\n", 1000 + i,
                   made.what, off, found.error_hz, found.estimate.whole_beam ? "image" : "echo", off_by_echo,
                   by_echo.error_hz.value_or(-1), prf_hz, std::abs(off) > 3 * found.error_hz ? " OUTSIDE" : "",
                   std::abs(off_by_echo) > 3 * by_echo.error_hz.value_or(-1) ? " ECHO OUTSIDE" : "");
    }
    fmt::print("{} of {} within three deviations; by the echo alone {}\n", held, scenes, held_by_echo);
    EXPECT_GE(held, std::floor(0.95 * scenes));
    EXPECT_GE(held_by_echo, std::floor(0.95 * scenes));
}

}  // namespace
}  // namespace cornerturn
