// SPDX-License-Identifier: Apache-2.0
// Orbits, places and beams of simulated scenes, and that the echo is the signal model on a curved orbit too.
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/acquisition/doppler/doppler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/device/device.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/exact_pixels.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/phasor.h"

namespace cornerturn {
namespace {

const std::vector<std::string> orbiting = {"nisar", "radarsat", "sentinel", "wide", "xfine"};

/// Some pulses of an unsteered antenna, and a hill.
Scene hill_scene() {
    Scene scene = preset_scene("radarsat");
    scene.lines = 900;
    scene.samples = 1800;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{450.3, 220.6}, 0.7, 40, 1500.0}};
    return scene;
}

TEST(Geodesy, GoesThereAndBack) {
    for (const Geodetic place : {Geodetic{0, 0, 0}, Geodetic{45, 90, 100}, Geodetic{-89.999, -179, 9000},
                                 Geodetic{60, 10, 800e3}, Geodetic{90, 0, 5}}) {
        const Geodetic again = to_geodetic(to_ecef(place));
        EXPECT_NEAR(again.latitude_deg, place.latitude_deg, 1e-12);
        EXPECT_NEAR(again.height_m, place.height_m, 3e-9);
    }
    EXPECT_LT(norm(to_ecef({0, 90, 100}) - Vec3{0, 6378237, 0}), 1e-8);
    EXPECT_LT(norm(to_ecef({-90, 0, 10}) - Vec3{0, 0, -6356762.314245179}), 1e-8);
}

TEST(Geodesy, PlacesLieWhereTheyAreAskedFor) {
    const Vec3 antenna = to_ecef({40, -60, 700e3}), along = unit(cross(antenna, Vec3{0.3, -0.5, 0.8}));
    for (const LookSide side : {LookSide::left, LookSide::right}) {
        for (const double height_m : {-100.0, 0.0, 2500.0}) {
            for (const double sine : {-0.03, 0.0, 0.2}) {
                const Vec3 place = place_at(antenna, along, 950e3, sine, height_m, side), look = place - antenna;
                EXPECT_NEAR(norm(look), 950e3, 1e-8);
                EXPECT_NEAR(dot(look, along) / 950e3, sine, 1e-14);
                EXPECT_NEAR(to_geodetic(place).height_m, height_m, 3e-9);
                EXPECT_GT(dot(cross(look, along), antenna) * (side == LookSide::right ? 1 : -1), 0);
            }
        }
    }
    EXPECT_NEAR(norm(place_at(antenna, along, 10e3, 0, 0, LookSide::left) - antenna), 10e3, 1e-8) << "above the ground";
    EXPECT_NEAR(norm(place_at(antenna, along, 50e6, 0, 0, LookSide::left) - antenna), 50e6, 1e-6) << "beyond the Earth";
}

TEST(Trajectory, AKeplerOrbitIsAnEllipseInSpace) {
    const KeplerOrbit kepler{.altitude_m = 700e3,
                             .eccentricity = 0.01,
                             .inclination_deg = 98,
                             .node_deg = 40,
                             .perigee_deg = 20,
                             .latitude_argument_deg = -30};
    const Trajectory track = kepler_track(kepler, 3600);
    const double axis_m = wgs84_equatorial_radius_m + 700e3, gravitation = 3.986004418e14;
    for (double t = 3600; t < 9600; t += 500) {
        const StateVector state = track(t);
        const Vec3 moved = (1 / 0.2) * (track(t + 0.1).position_m - track(t - 0.1).position_m);
        EXPECT_LT(norm(moved - state.velocity_m_s), 2e-5) << t;  // r w^3 h^2 / 6 = 1.4e-5 m/s
        const Vec3 inertial = inertial_velocity_m_s(state), momentum = cross(state.position_m, inertial);
        EXPECT_NEAR(0.5 * dot(inertial, inertial) - gravitation / norm(state.position_m), -gravitation / (2 * axis_m),
                    1e-6);
        EXPECT_NEAR(momentum[2] / norm(momentum), std::cos(98 * std::numbers::pi / 180), 1e-13);
        EXPECT_NEAR(norm(momentum), std::sqrt(gravitation * axis_m * (1 - 1e-4)), 1e-3);
    }
    const Vec3 start = track(3600).position_m;
    EXPECT_NEAR(start[2] / norm(start), std::sin(-30 * std::numbers::pi / 180) * std::sin(98 * std::numbers::pi / 180),
                1e-14);
    EXPECT_NEAR(norm(start), axis_m * (1 - 1e-4) / (1 + 0.01 * std::cos(50 * std::numbers::pi / 180)), 1e-6);
}

TEST(SceneGeometry, TheFileHoldsOrbitAndAttitudeOfTheEcho) {
    for (const std::string& name : orbiting) {
        SCOPED_TRACE(name);
        const Scene scene = preset_scene(name);
        const SceneGeometry geometry(scene);
        const Acquisition acquisition = describe(scene);
        for (double line = -2000; line < static_cast<double>(scene.lines) + 2000; line += 777) {
            const double time_s = acquisition.pulse_time_s(line);
            const StateVector read = interpolate(*acquisition.orbit, time_s), exact = geometry.radar().track()(time_s);
            EXPECT_LT(norm(read.position_m - exact.position_m), 1e-7);
            EXPECT_LT(norm(read.velocity_m_s - exact.velocity_m_s), 1e-8);
        }
        // The plane across -y of the quaternions, between two of them, has the Doppler frequency of the beam centre.
        const Attitude& attitude = *acquisition.attitude;
        for (const double sample : {0.0, 0.5, 1.0}) {
            const double line = 0.4 * static_cast<double>(scene.lines);
            const Vec3 place = geometry.place_in_beam({line, sample * static_cast<double>(scene.samples)}, 0);
            const StateVector state = geometry.radar().halfway(line, place);
            const double time_s =
                acquisition.pulse_time_s(line) + 0.5 * (scene.chirp_duration_s + geometry.radar().delay_s(line, place));
            const auto next =
                std::upper_bound(attitude.time_s.begin(), attitude.time_s.end(), time_s) - attitude.time_s.begin();
            const double share = time_s - attitude.time_s[static_cast<std::size_t>(next - 1)];
            const auto &a = attitude.quaternions[static_cast<std::size_t>(next - 1)],
                       &b = attitude.quaternions[static_cast<std::size_t>(next)];
            const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
            std::array<double, 4> q{};
            double length = 0;
            for (std::size_t k = 0; k < 4; ++k) q[k] = (1 - share) * a[k] + sign * share * b[k], length += q[k] * q[k];
            for (double& part : q) part /= std::sqrt(length);
            const Vec3 look = unit(place - state.position_m), axis = rotate(q, {0, -1, 0});
            EXPECT_GT(dot(axis, state.velocity_m_s), 0);
            EXPECT_NEAR(2 / scene.wavelength_m() * norm(state.velocity_m_s) * dot(look, axis), 0, 0.02);
            if (scene.beam.steering == Steering::zero_doppler) {
                EXPECT_NEAR(geometry.beam_centre_hz(line, place), 0, 1e-6);
            }
        }
    }
    const Scene radarsat = preset_scene("radarsat");
    EXPECT_NEAR(predicted_doppler_centroid_hz(describe(radarsat)).value(), -7000, 100);
}

TEST(SceneGeometry, FindsTargetsFromAnyOfTheirPlaces) {
    for (const std::string& name : preset_names()) {
        SCOPED_TRACE(name);
        const Scene scene = preset_scene(name);
        if (scene.spotlight()) continue;  // it passes over nothing
        const SceneGeometry geometry(scene);
        SceneTarget target{BeamCentrePosition{1000.3, 300.7}, 1, 0, 50.0};
        const LocatedTarget beam = geometry.locate(target);
        EXPECT_NEAR(geometry.edge(1000.3, beam.place_m), 300.7, 1e-5);
        EXPECT_NEAR(geometry.radar().doppler_hz(1000.3, beam.place_m), geometry.beam_centre_hz(1000.3, beam.place_m),
                    2e-3);
        EXPECT_NEAR(beam.truth.beam_centre_time_s, scene.first_pulse_time_s + 1000.3 / scene.prf_hz, 2e-6);
        const StateVector nearest = geometry.radar().track()(beam.truth.zero_doppler_time_s);
        EXPECT_NEAR(norm(nearest.position_m - beam.place_m), beam.truth.range_m, 1e-8);
        EXPECT_NEAR(dot(nearest.position_m - beam.place_m, unit(nearest.velocity_m_s)), 0, 1e-7);
        EXPECT_LT(beam.illuminated.first, 1000.3);
        EXPECT_GT(beam.illuminated.last, 1000.3);
        const auto same = [&](const PointTarget& truth) {
            EXPECT_NEAR(truth.range_m, beam.truth.range_m, 1e-6);
            EXPECT_NEAR(truth.zero_doppler_time_s, beam.truth.zero_doppler_time_s, 1e-9);
        };
        target.position =
            ZeroDopplerPosition{beam.truth.range_m, beam.truth.zero_doppler_time_s - scene.first_pulse_time_s};
        same(geometry.locate(target).truth);
        if (!scene.on_orbit())
            continue;  // the ground below a straight flight over the equator is none that other flights know
        const Geodetic ground = to_geodetic(beam.place_m);
        EXPECT_NEAR(ground.height_m, 50, 1e-8);
        target.position = GroundPosition{ground.latitude_deg, ground.longitude_deg};
        same(geometry.locate(target).truth);
    }
}

/// The signal model once more, for one sample: tau of its time of reception by fixed point, positions by the orbit of
/// the file.
TEST(SceneGeometry, EchoesOfCurvedOrbitsAreTheModel) {
    using Quad = long double;
    const Scene scene = hill_scene();
    const Echo echo = simulate(scene);
    const Acquisition& a = echo.acquisition;
    const PointTarget& target = a.truth.front();
    const Vec3 place = SceneGeometry(scene).locate(scene.targets->front()).place_m;
    EXPECT_NEAR(to_geodetic(place).height_m, 1500, 1e-8);
    const auto distance = [&](Quad time_s) -> Quad {
        // About a near state vector in double, beyond it by its velocity and acceleration: seconds since the epoch have
        // too few digits.
        const double near_s = static_cast<double>(std::round(time_s * 1000) / 1000);
        const StateVector state = interpolate(*a.orbit, near_s);
        const Vec3 acceleration =
            interpolate(*a.orbit, near_s + 0.5).velocity_m_s - interpolate(*a.orbit, near_s - 0.5).velocity_m_s;
        const Quad d = time_s - near_s;
        Quad sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const Quad x = state.position_m[k] + d * (state.velocity_m_s[k] + 0.5L * d * acceleration[k]) - place[k];
            sum += x * x;
        }
        return std::sqrt(sum);
    };
    double worst = 0;
    int compared = 0;
    for (std::int64_t line = 150; line < 750; line += 37) {
        for (std::int64_t sample = 0; sample < scene.samples; sample += 7) {
            float stored[2];
            std::memcpy(stored,
                        echo.samples.data() + static_cast<std::size_t>(line * scene.samples + sample) * sizeof stored,
                        sizeof stored);
            const Quad sent = Quad(a.first_pulse_time_s) + line / Quad(a.prf_hz), c = speed_of_light_m_s;
            const Quad since = 2 * Quad(a.near_range_m) / c + sample / Quad(scene.sample_rate_hz);
            Quad tau = since;
            for (int round = 0; round < 6; ++round) tau = (distance(sent + since - tau) + distance(sent + since)) / c;
            const Quad u = since - tau - Quad(a.chirp.duration_s) / 2;
            const bool inside =
                std::abs(u)<Quad(a.chirp.duration_s) / 2 - 1e-12L, outside = std::abs(u)> Quad(a.chirp.duration_s) / 2 +
                1e-12L;
            if (!inside && !outside) continue;
            const Quad cycles = Quad(a.chirp.slope_hz_s) / 2 * u * u - Quad(a.carrier_hz) * tau;
            const Quad angle = 2 * std::numbers::pi_v<Quad> * (cycles - std::round(cycles));
            const std::complex<double> model = inside ? std::polar(1.0, static_cast<double>(angle)) : 0.0;
            worst = std::max(worst, std::abs(std::complex<double>(stored[0], stored[1]) - target.amplitude * model));
            compared += inside;
        }
    }
    EXPECT_GT(compared, 2000);
    EXPECT_LT(worst, 2e-6);  // radians: 1e-9 m of the orbit's rounding each way are 2e-7, the written orbit 1e-8 m
}

TEST(SceneGeometry, BackProjectionFindsTheTruthFromTheFile) {
    const Scene scene = hill_scene();
    const Echo echo = simulate(scene);
    const PointTarget& target = echo.acquisition.truth.front();
    const RadarGeometry geometry = recorded_geometry(echo.acquisition, 0);
    std::vector<ClosestApproach> pixels;
    for (int i = -1; i <= 1; ++i)
        for (int k = -1; k <= 1; ++k)
            pixels.push_back({target.zero_doppler_time_s + 0.05 * i / scene.prf_hz,
                              target.range_m + 0.05 * k * scene.range_spacing_m()});
    const BackprojectionChip chip =
        backprojection_chip(echo.acquisition, geometry, pixels, target.height_m, target.illuminated_band_hz.value());
    EXPECT_TRUE(fully_recorded(chip, chip.pixels[4]));
    const auto device = open_device("cpu", 2);
    Matrix matrix = device->allocate(SampleFormat::complex64, scene.lines, scene.samples);
    device->upload(echo.samples, matrix);
    const auto values = device->backproject(matrix, {}, chip);
    const std::complex<double> expected =
        target.amplitude * phasor(-std::fmod(2 * target.range_m / scene.wavelength_m(), 1.0));
    EXPECT_NEAR(std::abs(values[4] / expected), 1, 1e-5);
    EXPECT_NEAR(std::arg(values[4] / expected), 0, 1e-5);
    for (std::size_t i = 0; i < 9; ++i)
        if (i != 4) {
            EXPECT_LT(std::abs(values[i]), std::abs(values[4])) << i;
        }
    // On the ground below, the same pixel is another place: 30 degrees of phase a decimetre.
    const auto ground = device->backproject(
        matrix, {}, backprojection_chip(echo.acquisition, geometry, pixels, 0, target.illuminated_band_hz.value()));
    EXPECT_GT(std::abs(std::arg(ground[4] / expected)), 0.1);
}

TEST(SceneGeometry, AnEchoWithoutOrbitIsFlownStraight) {
    Scene scene = preset_scene("airborne");
    scene.lines = 900;
    scene.samples = 1500;
    scene.near_range_m = 8000;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{450.3, 220.6}, 0.7, 40}};
    Echo echo = simulate(scene);
    echo.acquisition.orbit.reset();
    echo.acquisition.attitude.reset();
    const PointTarget& target = echo.acquisition.truth.front();
    const BackprojectionChip chip =
        backprojection_chip(echo.acquisition, recorded_geometry(echo.acquisition, scene.velocity_m_s),
                            {{target.zero_doppler_time_s, target.range_m}}, 0, target.illuminated_band_hz.value());
    EXPECT_TRUE(fully_recorded(chip, chip.pixels[0]));
    const auto device = open_device("cpu", 2);
    Matrix matrix = device->allocate(SampleFormat::complex64, scene.lines, scene.samples);
    device->upload(echo.samples, matrix);
    const std::complex<double> expected =
        target.amplitude * phasor(-std::fmod(2 * target.range_m / scene.wavelength_m(), 1.0));
    EXPECT_LT(std::abs(device->backproject(matrix, {}, chip)[0] - expected), 1e-5);
}

TEST(Simulator, PolarizationsDifferInNoise) {
    Scene scene = hill_scene();
    scene.polarizations = {"VV", "VH"};
    const auto line_of = [&](SimulatedEcho echo) {
        std::vector<std::complex<float>> line(static_cast<std::size_t>(scene.samples));
        echo.read(450, 1, std::as_writable_bytes(std::span(line)));
        return line;
    };
    const SimulatedEcho whole(scene);
    EXPECT_EQ(whole.acquisition().polarization, "VV");
    EXPECT_EQ(whole.other_polarization(1).acquisition().polarization, "VH");
    EXPECT_EQ(line_of(whole), line_of(whole.other_polarization(1)));
    scene.targets = std::vector<SceneTarget>{};
    scene.noise_db = 0;
    const SimulatedEcho noisy(scene);
    EXPECT_GT(std::abs(line_of(noisy)[3] - line_of(noisy.other_polarization(1))[3]), 1e-3);
}

/// An image by back-projection alone: neither it nor the theory of its responses knows of a chain.
TEST(ExactPixels, BackProjectionsResponseIsThatOfTheTrueSupport) {
    Scene scene = hill_scene();
    scene.chirp_duration_s /= 3;
    scene.chirp_slope_hz_s *= 2;  // 0.62 of the sampling rate: what its spectrum spills over does not wrap
    scene.lines = 600;            // of an aperture of 690: the record ends
    scene.samples = 900;
    scene.targets->at(0).position = BeamCentrePosition{350.3, 220.6};
    const Echo echo = simulate(scene);
    const PointTarget& target = echo.acquisition.truth.front();
    constexpr std::int64_t side = 84;
    Image image;
    image.acquisition = echo.acquisition;
    const double dt = 1 / scene.prf_hz, dr = scene.range_spacing_m();
    image.grid = {side, side, target.zero_doppler_time_s - 41.6 * dt, dt, target.range_m - 42.3 * dr, dr};
    image.processing.doppler_centroid_hz =
        predicted_doppler_centroid_hz(echo.acquisition).value() + 20;  // whatever a chain takes it for
    image.processing.effective_velocity_m_s = {6000};
    image.processing.range_bandwidth_hz = echo.acquisition.chirp.bandwidth_hz();
    image.processing.azimuth_bandwidth_hz = scene.prf_hz;
    std::vector<ClosestApproach> pixels;
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column)
            pixels.push_back({image.grid.time_s(row), image.grid.range_m(column)});
    const auto device = open_device("cpu", 2);
    Matrix matrix = device->allocate(SampleFormat::complex64, scene.lines, scene.samples);
    device->upload(echo.samples, matrix);
    const DopplerBand everything{target.illuminated_band_hz->low_hz - 100, target.illuminated_band_hz->high_hz + 100};
    const BackprojectionChip chip = backprojection_chip(echo.acquisition, recorded_geometry(echo.acquisition, 0),
                                                        pixels, target.height_m, everything);
    for (const auto& value : device->backproject(matrix, {}, chip)) image.samples.emplace_back(value);

    const PointAnalysis point = analyze_point(image, known_targets(image).front());
    ASSERT_EQ(point.refused, "");
    // The spectra have the ripples of chirps of 250 and of 500 cycles.
    EXPECT_NEAR(*point.range.position_error_px, 0, 2e-3);
    EXPECT_NEAR(*point.azimuth.position_error_px, 0, 2e-3);
    EXPECT_NEAR(*point.phase_error_deg, 0, 0.2);
    EXPECT_NEAR(point.range.measured.irw_px / point.range.theory.irw_px, 1, 0.006);
    EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.003);
    EXPECT_NEAR(
        point.azimuth.theory.irw_px * (target.illuminated_band_hz->high_hz - target.illuminated_band_hz->low_hz) * dt,
        0.886, 0.002);
}

TEST(ExactPixels, TheApparentVelocityOfAStraightFlightIsItsOwn) {
    const Acquisition acquisition = describe(preset_scene("squint"));
    const RadarGeometry geometry = recorded_geometry(acquisition, 0);
    for (const PointTarget& target : acquisition.truth)
        EXPECT_NEAR(apparent_velocity_m_s(geometry, {target.zero_doppler_time_s, target.range_m}, 0, -6900), 7062,
                    0.05);
    // On an orbit that of the ground track counts too: sqrt(7.59 x 6.8) km/s or so.
    const Acquisition sentinel = describe(preset_scene("sentinel"));
    const PointTarget& target = sentinel.truth.at(4);
    EXPECT_NEAR(
        apparent_velocity_m_s(recorded_geometry(sentinel, 0), {target.zero_doppler_time_s, target.range_m}, 0, 0),
        7174.06, 0.05);
}

/// R^2 = R0^2 + V^2 t^2: dR / dR0 = R0 / R, the cosine of the squint.
TEST(ExactPixels, RangesUnderSquintGrowByItsCosineWithTheClosest) {
    const Acquisition acquisition = describe(preset_scene("squint"));
    const double sine = 0.5 * acquisition.wavelength_m() * 6900 / 7062;
    for (const PointTarget& target : acquisition.truth)
        EXPECT_NEAR(range_over_closest(recorded_geometry(acquisition, 0), {target.zero_doppler_time_s, target.range_m},
                                       0, -6900),
                    std::sqrt(1 - sine * sine), 1e-6);
}

/// Along an orbit what a point's range frequencies are about follows from how ranges change where the beam sees it, not
/// from velocities of zero Doppler: at 18 degrees 9 of 73 MHz apart, which misread points by 0.03 px and 8 % of width
/// (draw 1628).
TEST(PointAnalysis, RangeFrequenciesOfOrbitsAreThoseUnderSquint) {
    Scene scene = squinted_scene(-18, 512, 600);
    scene.targets = {{SceneTarget{BeamCentrePosition{250.3, 200.4}, 1.0, 0.0}}};
    const Acquisition acquisition = describe(scene);
    const PointTarget& target = acquisition.truth.front();
    Image image;
    image.acquisition = acquisition;
    image.grid = {
        100, 100, target.zero_doppler_time_s, 1 / acquisition.prf_hz, target.range_m, acquisition.range_spacing_m};
    image.processing.doppler_centroid_hz =
        0.5 * (target.illuminated_band_hz->low_hz + target.illuminated_band_hz->high_hz);
    image.processing.effective_velocity_m_s = {7000};
    image.processing.range_bandwidth_hz = acquisition.chirp.bandwidth_hz();
    image.processing.azimuth_bandwidth_hz = scene.prf_hz;
    const ResponseSupport support = target_support(image, analysis_target(target));
    // Of two places 10 m apart, seen by the pulse of the beam's centre: the simulator's delays.
    const SceneGeometry geometry(scene);
    const auto range_m = [&](double closest_m) {
        const LocatedTarget there = geometry.locate(
            {ZeroDopplerPosition{closest_m, target.zero_doppler_time_s - scene.first_pulse_time_s}, 1, 0, 0});
        return 0.5 * speed_of_light_m_s * geometry.radar().delay_s(250.3, there.place_m);
    };
    const double growth = (range_m(target.range_m + 5) - range_m(target.range_m - 5)) / 10;
    EXPECT_NEAR(support.image_range_frequency_hz(0, support.centre_hz()), acquisition.carrier_hz * (growth - 1),
                0.02 * acquisition.chirp.bandwidth_hz());
}

/// Energy of a pulse's samples in every line that sees it.
TEST(Simulator, ClutterHasThePowerAskedFor) {
    Scene scene = hill_scene();
    scene.lines = 200;
    scene.targets = std::vector<SceneTarget>{};
    scene.clutter = {{.first_line = 0,
                      .last_line = 199,
                      .first_sample = 100,
                      .last_sample = 300,
                      .scatterers = 500,
                      .power_db = -3}};
    const auto energy = [](const Echo& echo) {
        double sum = 0;
        const auto* parts = reinterpret_cast<const float*>(echo.samples.data());
        for (std::size_t i = 0; i < echo.samples.size() / sizeof(float); ++i) sum += double(parts[i]) * parts[i];
        return sum;
    };
    const Echo echo = simulate(scene);
    EXPECT_TRUE(echo.acquisition.truth.empty());
    // All 200 lines see every scatterer (apertures of 690 lines), 1349 samples each; a sum of 500 exponentials scatters
    // by 1/22.
    EXPECT_NEAR(energy(echo) / (500 * std::pow(10, -0.3) * 200 * 1349), 1, 0.25);
    EXPECT_EQ(simulate(scene, {}, 1).samples, echo.samples);
    scene.seed = 2;
    EXPECT_NE(simulate(scene).samples, echo.samples);
}

}  // namespace
}  // namespace cornerturn
