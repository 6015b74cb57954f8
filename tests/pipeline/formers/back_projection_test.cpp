// SPDX-License-Identifier: Apache-2.0
// Simulated point targets through back-projection, measured against theory: straight flight, and orbits whose curvature
// shows.
#include "pipeline/formers/back_projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/errors.h"
#include "pipeline/formers/back_projection_passes.h"
#include "pipeline/formers/pixel_mesh.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "pipeline/verify/reference_stage.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/on_cpu.h"
#include "tests/support/phasor.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Few pixels, as each costs its pulses: an aperture of some 130 lines, processed with what the beam's sharp edges
/// spill over.
Scene narrow_beam() {
    Scene scene = small_scene(330, 330);
    scene.azimuth_bandwidth_hz = 100;
    scene.targets = {{SceneTarget{BeamCentrePosition{165.3, 60.4}, 2.0, 40.0}}};
    return scene;
}

FormerParameters narrow(const Acquisition& acquisition, double bandwidth_hz) {
    FormerParameters parameters = parameters_of(acquisition);
    parameters.azimuth_bandwidth_hz = bandwidth_hz;
    return parameters;
}

constexpr double processed_hz = 150;

/// The limits of exact orbits: position within 1/500 px, phase within 0.3 degrees; the widths of pulses of a
/// time-bandwidth product of 144 and of such a short aperture are theirs within half a per cent.
void expect_narrow_band_focused(const Image& image) {
    for (const auto& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.range.position_error_px.value()), 0.002);
        EXPECT_LT(std::abs(point.azimuth.position_error_px.value()), 0.002);
        EXPECT_NEAR(point.range.measured.irw_px / point.range.theory.irw_px, 1, 0.005);
        EXPECT_NEAR(point.azimuth.measured.irw_px / point.azimuth.theory.irw_px, 1, 0.005);
        EXPECT_LT(std::abs(point.phase_error_deg.value()), 0.3);
        EXPECT_NEAR(point.magnitude_error_db.value(), 0, 0.1);
    }
}

class BackProjection : public EveryDevice {
protected:
    void SetUp() override {
        EveryDevice::SetUp();
        if (device && !is_float()) GTEST_SKIP() << "the precision matters little here";
    }
    void focus_and_expect(const Scene& scene) {
        const Echo echo = simulate(scene);
        expect_narrow_band_focused(focus_by("backprojection", *device, echo, narrow(echo.acquisition, processed_hz)));
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, BackProjection, every_device(), device_name);

TEST_P(BackProjection, FocusesBroadside) { focus_and_expect(narrow_beam()); }

/// Where a track turns too much for one, sums go on with the weights of a band.
TEST(BackProjectionWindow, HoldsNumbersWhereARangeHistoryDoesNot) {
    const Acquisition acquisition = describe(narrow_beam());
    const FormerParameters parameters = narrow(acquisition, processed_hz);
    ImagePlan image = plan_image(acquisition, parameters);
    const DopplerWindow known = doppler_window(image);
    const DelayedTrack nowhere(std::make_shared<StraightTrack>(parameters.velocity),
                               [](double, double) { return NAN; });
    const double range_m = image.swath.middle_m();
    image.histories.middle = RangeHistory(nowhere, acquisition.carrier_hz, 0, [](double, double) { return 0; },
                                          {range_m - 10, range_m + 10, 90});
    const DopplerWindow window = doppler_window(image);
    ASSERT_EQ(window.weight.size(), known.weight.size());
    for (std::size_t i = 0; i < window.weight.size(); ++i) EXPECT_NEAR(window.weight[i], known.weight[i], 0.01);
}

/// Where there is none in mid-image either, no grid follows.
TEST(RangeHistories, AreRefusedByNameWhereATrackTurnsTooMuch) {
    const Acquisition acquisition = describe(narrow_beam());
    const FormerParameters parameters = narrow(acquisition, processed_hz);
    const ViewingGeometry nowhere(
        std::make_shared<DelayedTrack>(std::make_shared<StraightTrack>(parameters.velocity),
                                       [](double, double) { return NAN; }),
        [](double, double) { return 0; }, acquisition.carrier_hz);
    expect_refused([&] { plan_image(acquisition, parameters, nowhere); }, "range histories: at slant ranges of ");
}

TEST_P(BackProjection, FocusesADownChirp) {
    Scene scene = narrow_beam();
    scene.chirp_slope_hz_s = -scene.chirp_slope_hz_s;
    focus_and_expect(scene);
}

TEST_P(BackProjection, FocusesAnAmbiguousDopplerOfEitherSign) {
    for (double doppler_hz : {-930.0, 870.0}) {
        Scene scene = narrow_beam();
        scene.doppler_centroid_hz = doppler_hz;
        focus_and_expect(scene);
    }
}

TEST_P(BackProjection, WindowsGiveTheirOwnResponse) {
    const Echo echo = simulate(narrow_beam());
    FormerParameters parameters = narrow(echo.acquisition, 80);
    parameters.range_window = parameters.azimuth_window = Window::parse("kaiser:2.5");
    const Image image = focus_by("backprojection", *device, echo, parameters);
    const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
    for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
        EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, 0.02);
        EXPECT_NEAR(axis.measured.pslr_db, axis.theory.pslr_db, 0.5);
    }
}

/// Its edges lie at Doppler frequencies that grow with range frequency: 4 % of them here, which theory has to know of.
TEST_P(BackProjection, WeighsPulses) {
    Scene scene = narrow_beam();
    scene.doppler_centroid_hz = -930;
    const Echo echo = simulate(scene);
    const Image image = focus_by("backprojection", *device, echo, narrow(echo.acquisition, 80));
    const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
    EXPECT_NEAR(point.range.measured.irw_px / point.range.theory.irw_px, 1, 0.005);
    Image other = image;
    other.processing.algorithm = "rda";
    const PointAnalysis of_other = analyze_point(other, known_targets(image).at(0));
    EXPECT_GT(std::abs(of_other.range.measured.irw_px / of_other.range.theory.irw_px - 1), 0.01)
        << "or it does not matter";
}

TEST_P(BackProjection, TakesThePhasesOfLines) {
    Echo echo = simulate(narrow_beam());
    for (std::int64_t line = 0; line < echo.acquisition.lines; ++line) {
        const double cycles = 0.31 * static_cast<double>(line * line % 17);
        echo.acquisition.line_phase_cycles.push_back(-cycles);
        auto* samples = reinterpret_cast<std::complex<float>*>(echo.samples.data()) + line * echo.acquisition.samples;
        const std::complex<float> turn(phasor(cycles));
        for (std::int64_t sample = 0; sample < echo.acquisition.samples; ++sample) samples[sample] *= turn;
    }
    expect_narrow_band_focused(focus_by("backprojection", *device, echo, narrow(echo.acquisition, processed_hz)));
}

/// Against itself in double precision, time-domain back-projection straight from the echo, and theory: with a chirp
/// that leaves a quarter of the sample rate, and one that fills nearly all of it.
TEST_P(BackProjection, PassesTheReferenceStage) {
    FocusOptions options = by("backprojection");
    Scene scene = small_scene(460, 500);
    scene.chirp_duration_s = 4e-6;
    scene.targets = {{SceneTarget{BeamCentrePosition{230.3, 50.4}, 2.0, 40.0}}};
    for (const double slope_hz_s : {18e12, 23.2e12}) {
        scene.chirp_slope_hz_s = slope_hz_s;
        const ReferenceOutcome outcome = verified(*device, simulate(scene), options, 2);
        for (const ReferenceCheck& check : outcome.checks)
            EXPECT_TRUE(check.passed()) << check.name << ' ' << check.value << ' ' << check.limit;
        EXPECT_GE(outcome.checks.size(), 14u);
    }
}

TEST_P(BackProjection, RefusesAVelocityThatVariesInStraightFlight) {
    const Echo echo = simulate(narrow_beam());
    FormerParameters parameters = parameters_of(echo.acquisition);
    parameters.velocity = VelocityProfile(2900, 3300, 4, [](double at) { return 120.0 * (1 + 1e-6 * (at - 3000)); });
    EXPECT_THROW(focus_by("backprojection", *device, echo, parameters), InputError);
}

/// -10 kHz, in a narrow band.
Scene squinted() {
    Scene scene = squinted_scene(0.6, 500, 480);
    scene.azimuth_bandwidth_hz = 250;
    scene.targets = {{SceneTarget{BeamCentrePosition{240.3, 40.2}, 2.0, 30.0}}};
    return scene;
}

/// A window over lines and one over frequencies differ under squint: these 400 Hz cut nothing of the beam.
FocusResult focused(Device& device, const Echo& echo, const char* algorithm, double bandwidth_hz = 400,
                    std::int64_t block_rows = 0) {
    FocusOptions options = by(algorithm);
    options.azimuth_bandwidth_hz = bandwidth_hz;
    if (block_rows > 0) options.memory.block_rows = block_rows;
    return focus(device, echo, options);
}

TEST_P(BackProjection, FollowsAnOrbitUnderSquint) {
    const FocusResult result = focused(*device, simulate(squinted()), "backprojection");
    EXPECT_EQ(result.report.setup.velocity_source, "orbit");
    EXPECT_LT(result.report.setup.doppler.centroid_hz, -9000);
    EXPECT_EQ(result.report.setup.memory.blocks.size(), 1u)
        << "each row follows its own history: nothing but memory cuts the scene";
    expect_narrow_band_focused(result.image);
}

TEST_P(BackProjection, BlocksGiveTheSameImage) {
    const Echo echo = simulate(squinted());
    const FocusResult whole = focused(*device, echo, "backprojection", 100),
                      cut = focused(*device, echo, "backprojection", 100, whole.image.grid.rows / 2 + 1);
    ASSERT_EQ(cut.report.setup.memory.blocks.size(), 2u);
    double signal = 0, error = 0;
    for (std::size_t i = 0; i < whole.image.samples.size(); ++i) {
        signal += std::norm(std::complex<double>(whole.image.samples[i]));
        error += std::norm(std::complex<double>(whole.image.samples[i]) - std::complex<double>(cut.image.samples[i]));
    }
    // The nodes of their meshes lie elsewhere: 1e-5 cycles, 84 dB; and lines at the end of the window, where a block
    // begins, weigh nothing.
    EXPECT_GT(10 * std::log10(signal / error), 80);
}

/// The same numbers as range-Doppler has: grid, phase and gain, in clutter too.
TEST_P(BackProjection, AgreesWithRangeDoppler) {
    Scene scene = squinted();
    scene.clutter = {{.first_line = 100, .last_line = 400, .first_sample = 0, .last_sample = 95, .scatterers = 400}};
    const Echo echo = simulate(scene);
    const Image ours = focused(*device, echo, "backprojection").image, theirs = focused(*device, echo, "rda").image;
    ASSERT_EQ(ours.grid, theirs.grid);
    EXPECT_EQ(ours.valid_columns, theirs.valid_columns);
    std::complex<double> cross = 0;
    double of_ours = 0, of_theirs = 0;
    for (std::int64_t row = 0; row < ours.grid.rows; ++row)
        for (std::int64_t column = 0; column < ours.grid.columns; ++column) {
            if (!ours.valid(row, {static_cast<std::int32_t>(column), static_cast<std::int32_t>(column + 1)})) continue;
            const auto i = static_cast<std::size_t>(row * ours.grid.columns + column);
            const std::complex<double> a = ours.samples[i], b = theirs.samples[i];
            cross += a * std::conj(b), of_ours += std::norm(a), of_theirs += std::norm(b);
        }
    ASSERT_GT(of_ours, 0);
    EXPECT_GT(std::abs(cross) / std::sqrt(of_ours * of_theirs), 0.998);
    EXPECT_NEAR(std::arg(cross) * 180 / std::numbers::pi, 0, 0.3);
    EXPECT_NEAR(of_ours / of_theirs, 1, 0.005);
}

/// An echo that is late by this and that: the pixel's sum looks for it when it comes, with its phase, all over the
/// aperture.
TEST(PixelMesh, SeesLateEchoesWhenTheyCome) {
    const Echo echo = simulate(squinted());
    const Acquisition& acquisition = echo.acquisition;
    FormerParameters parameters;
    parameters.doppler_centroid_hz = -10300;
    parameters.velocity = VelocityProfile(7100);
    parameters.azimuth_bandwidth_hz = 200;
    const auto added_m = [](double time_s, double range_m) {
        return 3.1 + 2e-4 * (range_m - 930e3) + 0.1 * (time_s - 3600);
    };
    const ViewingGeometry late(
        std::make_shared<DelayedTrack>(
            std::make_shared<OrbitTrack>(*acquisition.orbit, acquisition.identification.look_side, 0.0), added_m),
        [](double, double) { return -10300.0; }, acquisition.carrier_hz);
    const ImagePlan plan = plan_image(acquisition, parameters, late);
    const PixelMesh mesh = pixel_mesh(acquisition, plan);
    const double first_cell_s =
        accumulation(acquisition, plan, {.cells = cells_per_sample(acquisition)}).timing.first_cell_s;
    for (int i = 0; i < 50; ++i) {
        const double row = static_cast<double>(i * 7919 % plan.grid.rows),
                     column = static_cast<double>(i * 104729 % plan.grid.columns);
        const double time_s = plan.grid.time_s(row), range_m = plan.grid.range_m(column);
        const PixelNode found = view_of(mesh).at(row, column);
        const BeamCentre beam = late.beam_centre(time_s, range_m);
        const DelayHistory delay_s = late.track().delay_history(time_s, range_m);
        for (const double offset_s : {-0.06, 0.0, 0.06}) {
            const double at_s = beam.time_s + offset_s,
                         seen_s = sent_delay_s(late.track().pulse_path(time_s + at_s), 0, found.place);
            const double read_s = seen_s + 2 * acquisition.near_range_m / speed_of_light_m_s - first_cell_s;
            EXPECT_NEAR(read_s, delay_s(at_s), 1e-4 / acquisition.carrier_hz);
            const double cycles = acquisition.carrier_hz * (seen_s - delay_s(at_s)) + found.phase_cycles;
            EXPECT_NEAR(cycles, -2 * range_m / acquisition.wavelength_m() - 0.5 * 10300 * acquisition.chirp.duration_s,
                        1e-4);
        }
    }
}

/// Between the nodes, over a terrain with a slope of a wavelength in a few pixels.
TEST(PixelMesh, HoldsPlacesPhasesAndCentroids) {
    const Echo echo = simulate(squinted());
    const Acquisition& acquisition = echo.acquisition;
    FormerParameters parameters;
    parameters.doppler_centroid_hz = -10300;
    parameters.velocity = VelocityProfile(7100);
    parameters.azimuth_bandwidth_hz = 200;
    const auto track_over = [&](const SceneHeight& height_m) {
        return std::make_shared<OrbitTrack>(*acquisition.orbit, acquisition.identification.look_side, height_m);
    };
    const ViewingGeometry flat(
        track_over(0.0),
        [](double time_s, double range_m) { return -10300 + 9 * (time_s - 3600) + 1e-3 * (range_m - 930e3); },
        acquisition.carrier_hz);
    const ImagePlan plan = plan_image(acquisition, parameters, flat);
    const ImageGrid& grid = plan.grid;
    const PixelSpan span{grid.time_s(0), grid.time_s(static_cast<double>(grid.rows)), grid.range_m(0),
                         grid.range_m(static_cast<double>(grid.columns))};
    const auto rough = [&](double base_m) {
        std::vector<ChebyshevSeries> heights;
        for (const double range_m : chebyshev_points(span.from_m, span.to_m, 6)) {
            std::vector<double> of_times;
            for (const double time_s : chebyshev_points(span.from_s, span.to_s, 9))
                of_times.push_back(base_m + 90 * std::sin(9 * (time_s - span.from_s)) + 0.2 * (range_m - span.from_m));
            heights.push_back(ChebyshevSeries::through(span.from_s, span.to_s, of_times));
        }
        return SceneHeight(span, ChebyshevSurface(span.from_m, span.to_m, heights));
    };
    const ViewingGeometry over_terrain(
        track_over(rough(800)), [](double, double) { return -10300.0; }, acquisition.carrier_hz);
    const struct {
        const ViewingGeometry& geometry;
        std::shared_ptr<OrbitTrack> higher;
    } scenes[] = {{flat, track_over(25.0)}, {over_terrain, track_over(rough(825))}};
    for (const auto& [geometry, higher_track] : scenes) {
        ImagePlan seen = plan;
        seen.geometry.shared = std::make_shared<ViewingGeometry>(geometry);
        const PixelMesh mesh = pixel_mesh(acquisition, seen);
        EXPECT_LT(mesh.rows * mesh.columns, grid.rows * grid.columns / 20) << "or it is hardly one";
        for (int i = 0; i < 300; ++i) {
            const double row = static_cast<double>(i * 7919 % grid.rows),
                         column = static_cast<double>(i * 104729 % grid.columns);
            const double time_s = grid.time_s(row), range_m = grid.range_m(column);
            const PixelNode found = view_of(mesh).at(row, column);
            const BeamCentre beam = geometry.beam_centre(time_s, range_m);
            const Track& track = geometry.track();
            const Place antenna = track.pulse_path(time_s + beam.time_s).start, exact = track.place(time_s, range_m);
            EXPECT_LT(2 * std::abs(distance_m(antenna, found.place) - distance_m(antenna, exact)) /
                          acquisition.wavelength_m(),
                      2 * largest_mesh_error_cycles)
                << row << ", " << column;
            const Place higher = higher_track->place(time_s, range_m);
            EXPECT_LT(distance_m(raised(found, 25), higher), 0.05) << "of 25 m";
            EXPECT_NEAR(found.centroid_hz, beam.centroid_hz, 0.05);
            EXPECT_NEAR(found.gain * acquisition.prf_hz * 200, beam.rate_hz_s, 1e-3 * beam.rate_hz_s);
            EXPECT_NEAR(found.phase_cycles,
                        -2 * range_m / acquisition.wavelength_m() - 0.5 * 10300 * acquisition.chirp.duration_s, 1e-6);
        }
    }
}

}  // namespace
}  // namespace cornerturn
