// SPDX-License-Identifier: Apache-2.0
// Images on maps: points at their coordinates, with their own phases, over level ground and over a terrain; and of a
// track that is no orbit.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/device/device.h"
#include "kernels/errors.h"
#include "kernels/math/two_way_delay.h"
#include "pipeline/acquisition/ground/map_projection.h"
#include "pipeline/formers/map_sampling.h"
#include "pipeline/measure/map_points.h"
#include "pipeline/measure/point_analysis.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/plan/focus_setup.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/pipeline/terrain_by_formula.h"
#include "tests/support/phasor.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class OnMap : public EveryDevice {
protected:
    void SetUp() override {
        EveryDevice::SetUp();
        if (device && !is_float()) GTEST_SKIP() << "the precision matters little here";
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, OnMap, every_device(), device_name);

constexpr double phase_deg = 40;

/// Two targets in a narrow band, from the orbit; at 0.6 degrees of yaw some -10 kHz.
Scene scene_of_two(double yaw_deg, double height_m) {
    Scene scene = squinted_scene(yaw_deg, 500, 480);
    scene.azimuth_bandwidth_hz = 250;
    scene.height_m = height_m;
    scene.targets = {{SceneTarget{BeamCentrePosition{240.3, 40.2}, 2.0, phase_deg},
                      SceneTarget{BeamCentrePosition{262.8, 71.7}, 1.0, -70}}};
    return scene;
}

FocusOptions map_options() {
    FocusOptions options = by("backprojection");
    options.azimuth_bandwidth_hz = 200;
    options.map = MapRequest{.projection = {}, .spacing_m = 5, .grid = {}};
    return options;
}

MapPoint on_map(const MapProjection& projection, const Vec3& place_m) {
    const Geodetic place = to_geodetic(place_m);
    return MapTransform(projection).of({place.longitude_deg, place.latitude_deg, 0});
}

/// Of so many pixels each way, about a point that lies off the centre of one by parts of a pixel.
MapGrid grid_about(const MapProjection& projection, const MapPoint& middle, double x_step, double y_step,
                   std::int64_t pixels, double off_x, double off_y) {
    const double half = static_cast<double>(pixels / 2);
    return {.projection = projection,
            .rows = pixels,
            .columns = pixels,
            .first_x = middle.x - (half + off_x) * x_step,
            .x_step = x_step,
            .first_y = middle.y + (half + off_y) * y_step,
            .y_step = -y_step};
}

TEST_P(OnMap, PointsLieAtTheirCoordinates) {
    for (const double yaw_deg : {0.0, 0.6}) {
        const double height_m = 300;
        const Scene scene = scene_of_two(yaw_deg, height_m);
        const Echo echo = simulate(scene);
        FocusOptions options = map_options();
        options.height_m = height_m;
        const Vec3 place_m = SceneGeometry(scene).locate(scene.targets->front()).place_m;
        const MapProjection utm =
            MapProjection::utm_at({to_geodetic(place_m).longitude_deg, to_geodetic(place_m).latitude_deg, 0});
        for (const auto& [projection, x_step, y_step] :
             {std::tuple{utm, 5.0, 6.0}, std::tuple{MapProjection::geographic(), 5e-5, 5e-5}}) {
            const MapPoint truth = on_map(projection, place_m);
            options.map->grid = grid_about(projection, truth, x_step, y_step, 101, 0.3, -0.4);
            const FocusResult result = focus(*device, echo, options);
            ASSERT_TRUE(result.image.map);
            const MapPointAnalysis point = analyze_map_point(result.image, {truth});
            ASSERT_EQ(point.refused, "");
            EXPECT_LT(std::abs(point.found.x - truth.x) / x_step, 0.005) << projection.name();
            EXPECT_LT(std::abs(point.found.y - truth.y) / y_step, 0.005) << projection.name();
            EXPECT_NEAR(20 * std::log10(point.magnitude / 2), 0, 0.1);
        }
    }
}

/// Lines that run straight between cells move points by parts of their width, which are many pixels where these are
/// fine: up to 0.037 px with four cells for each sample.
TEST_P(OnMap, FinePixelsShowPointsInTheirPlaces) {
    Scene scene = squinted_scene(0, 700, 700);
    scene.carrier_hz = 9.65e9;  // a beam that hardly migrates, of a chirp that fills 0.72 of the sample rate
    scene.sample_rate_hz = 100e6;
    scene.chirp_slope_hz_s = 36e12;
    scene.chirp_duration_s = 2e-6;
    scene.azimuth_bandwidth_hz = 500;
    scene.targets = {{SceneTarget{BeamCentrePosition{350.3, 250.2}, 1.0, phase_deg}}};
    const Echo echo = simulate(scene);
    FocusOptions options = map_options();
    options.azimuth_bandwidth_hz.reset();
    const Vec3 place_m = SceneGeometry(scene).locate(scene.targets->front()).place_m;
    const MapProjection utm =
        MapProjection::utm_at({to_geodetic(place_m).longitude_deg, to_geodetic(place_m).latitude_deg, 0});
    const MapPoint truth = on_map(utm, place_m);
    for (const auto& [off_x, off_y] : {std::pair{0.3, -0.4}, std::pair{-0.2, 0.1}}) {
        options.map->grid = grid_about(utm, truth, 1, 1, 301, off_x, off_y);
        const MapPointAnalysis point = analyze_map_point(focus(*device, echo, options).image, {truth});
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.found.x - truth.x), 0.005);
        EXPECT_LT(std::abs(point.found.y - truth.y), 0.005);
    }
}

/// Of the pixel whose centre a target has.
std::complex<float> middle_pixel(const Image& image) {
    return image.samples[static_cast<std::size_t>(image.grid.rows / 2 * image.grid.columns + image.grid.columns / 2)];
}

/// With the carrier of its closest range a pixel of the map is what the image on the zero-Doppler grid has at that
/// place.
TEST_P(OnMap, PixelsAreThoseOfTheZeroDopplerImageFlattened) {
    const Scene scene = scene_of_two(0.6, 0);
    const Echo echo = simulate(scene);
    FocusOptions options = map_options();
    const SceneGeometry geometry(scene);
    const LocatedTarget target = geometry.locate(scene.targets->front());
    const MapProjection utm =
        MapProjection::utm_at({to_geodetic(target.place_m).longitude_deg, to_geodetic(target.place_m).latitude_deg, 0});
    options.map->grid = grid_about(utm, on_map(utm, target.place_m), 7, 7, 41, 0, 0);
    const Image on_map = focus(*device, echo, options).image;
    EXPECT_NEAR(std::arg(middle_pixel(on_map)) * 180 / std::numbers::pi, phase_deg, 0.5);

    options.map.reset();
    const Image image = focus(*device, echo, options).image;
    const PixelPosition there = pixel_position(image.grid, target.truth.range_m, target.truth.zero_doppler_time_s);
    const ResponseSupport support = target_support(image, known_targets(image).front());
    const PointChip chip(image, support, place_chip(image, support, there).shape.value(), there);
    const double wavelength_m = scene.wavelength_m();
    double most = 0;
    for (std::int64_t row = 16; row <= 24; ++row)
        for (std::int64_t column = 16; column <= 24; ++column) {
            const Geographic place = MapTransform(utm).at(
                {on_map.map->x(static_cast<double>(column)), on_map.map->y(static_cast<double>(row))});
            const ClosestApproach pass = geometry.radar().closest_approach(
                to_ecef({place.latitude_deg, place.longitude_deg, 0}), target.truth.zero_doppler_time_s);
            const PixelPosition at = pixel_position(image.grid, pass.range_m, pass.time_s);
            const std::vector<double> at_row{at.row}, at_column{at.column};
            const std::complex<double> flattened =
                chip.at(at_row, at_column)(0, 0) * phasor(chip.carrier_cycles(at) + 2 * pass.range_m / wavelength_m);
            most = std::max(
                most, std::abs(flattened -
                               std::complex<double>(
                                   on_map.samples[static_cast<std::size_t>(row * on_map.grid.columns + column)])));
        }
    EXPECT_LT(most, 0.01 * 2) << "of a peak of 2: 40 dB, which interpolation between pixels of the other grid takes";
}

/// On slopes with waves that no smooth surface through them follows. Between cells heights are straight: 0.1 mm off
/// here, a degree.
TEST_P(OnMap, FollowsATerrain) {
    Scene scene = scene_of_two(0.6, 0);
    const Geodetic middle = to_geodetic(SceneGeometry(scene).place_in_beam({240, 40}, 0));
    const HeightModel height_m = [=](double latitude_deg, double longitude_deg) {
        return 700 + 3000 * (latitude_deg - middle.latitude_deg) +
               4 * std::sin(350 * (longitude_deg - middle.longitude_deg)) +
               3 * std::cos(350 * (latitude_deg - middle.latitude_deg));
    };
    for (SceneTarget& target : *scene.targets) {
        target.height_m = 700;
        for (int round = 0; round < 12; ++round) {
            const Geodetic place = to_geodetic(SceneGeometry(scene).locate(target).place_m);
            target.height_m = height_m(place.latitude_deg, place.longitude_deg);
        }
    }
    Echo echo = simulate(scene);
    echo.acquisition.doppler_of_pixels_hz.reset();  // which is that of the ellipsoid; attitude tells that of the slope
    FocusOptions options = map_options();
    options.terrain = std::make_shared<TerrainByFormula>(box_about(middle, 1), height_m);
    const MapProjection utm = MapProjection::utm_at({middle.longitude_deg, middle.latitude_deg, 0});
    MapGrid strip =
        grid_about(utm, on_map(utm, SceneGeometry(scene).locate(scene.targets->front()).place_m), 5, 5, 151, 0.2, 0.3);
    strip.first_x -= 200 * strip.x_step;
    strip.columns += 400;
    options.map->grid = strip;
    const FocusResult result = focus(*device, echo, options);
    const Image& image = result.image;
    double relief_m = 0;
    for (std::size_t i = 0; i < scene.targets->size(); ++i) {
        const Vec3 place_m = SceneGeometry(scene).locate((*scene.targets)[i]).place_m;
        const MapPoint truth = on_map(image.map->projection, place_m);
        relief_m = std::max(relief_m, std::abs(result.report.setup.image.map->ground->relief_m(truth)));
        const MapPointAnalysis point = analyze_map_point(image, {truth});
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.east_m), 0.02 * 5);
        EXPECT_LT(std::abs(point.north_m), 0.02 * 5);
    }
    const Vec3 place_m = SceneGeometry(scene).locate(scene.targets->front()).place_m;
    const MapPoint truth = on_map(image.map->projection, place_m);
    options.map->grid = grid_about(image.map->projection, truth, 5, 5, 101, 0, 0);
    EXPECT_NEAR(std::arg(middle_pixel(focus(*device, echo, options).image)) * 180 / std::numbers::pi, phase_deg, 3);
    EXPECT_GT(relief_m, 1) << "or the smooth surface would do";

    options.terrain = nullptr;
    options.height_m = *scene.targets->front().height_m + 20;
    const MapPointAnalysis level = analyze_map_point(focus(*device, echo, options).image, {truth});
    EXPECT_GT(std::hypot(level.east_m, level.north_m), 5) << "or heights would not matter";
}

/// The map holds the covered ground and no more of it than pixels are made of; what is not covered is zero.
TEST_P(OnMap, CoversWhatTheEchoDoes) {
    const Scene scene = scene_of_two(0, 0);
    FocusOptions options = map_options();
    options.map->spacing_m = 40;
    const Echo echo = simulate(scene);
    const FocusResult result = focus(*device, echo, options);
    const ImagePlan& plan = result.report.setup.image;
    const ImageGrid& seen = plan.map->seen;
    double pixels = 0, cells = 0;
    for (const Interval& rows : plan.coverage.beam_rows) pixels += rows.last - rows.first;
    options.map.reset();
    for (const Interval& rows : set_up_focus(*device, echo.acquisition, options).image.coverage.beam_rows)
        cells += rows.last - rows.first;
    const auto view = ground_view(interpolate(*result.image.acquisition.orbit, seen.time_s(0)),
                                  seen.range_m(0.5 * static_cast<double>(seen.columns)), LookSide::right, 0);
    const double cell_m2 = view->ground_track_velocity_m_s * seen.time_spacing_s * seen.range_spacing_m /
                           std::sin(view->incidence_deg * std::numbers::pi / 180);
    EXPECT_NEAR(pixels * 40 * 40 / (cells * cell_m2), 1, 0.03);
    EXPECT_EQ(result.image.samples.front(), std::complex<float>(0))
        << "a corner of a map that is turned against the track";
    EXPECT_NEAR(std::remainder(result.image.map->x(0) - 20, 40), 0, 1e-6);
    for (const Interval& rows : plan.coverage.beam_rows)
        EXPECT_LT(rows.first, rows.last);  // the map ends where the scene does
}

TEST_P(OnMap, BlocksMakeTheSameImage) {
    const Scene scene = scene_of_two(0.6, 0);
    const Echo echo = simulate(scene);
    FocusOptions options = map_options();
    options.map->spacing_m = 15;
    const Image whole = focus(*device, echo, options).image;
    options.memory.block_rows = 37;
    const FocusResult blocks = focus(*device, echo, options);
    EXPECT_GT(blocks.report.setup.memory.blocks.size(), 3u);
    Samples got(blocks.image.samples.begin(), blocks.image.samples.end()),
        expected(whole.samples.begin(), whole.samples.end());
    EXPECT_LT(relative_error(got, expected), 2e-5) << "both hold 100 dB";
}

/// Fineness and weights of lines go by the middle of the map: that of some rows may lie beyond a threshold.
TEST(MapRows, AreSampledAsTheWholeMap) {
    const Acquisition acquisition = describe(scene_of_two(0.6, 0));
    const auto cpu = open_device("cpu");
    const ImagePlan map = set_up_focus(*cpu, acquisition, map_options()).image;
    ASSERT_GT(map.grid.rows, 40);
    const ImagePlan rows = rows_of(map, map.grid.rows - 8, 8, acquisition.lines, true);
    EXPECT_EQ(rows.map->grid.rows, 8);
    EXPECT_EQ(widest_points_px(acquisition, rows), widest_points_px(acquisition, map));
}

/// An arc of 1.4 degrees about the origin with waves in it, and what it sees of some points of a level plane.
struct FreeScene {
    static constexpr double radius_m = 2400, height_m = 1800, plane_m = 3, spacing_m = 0.3;
    Echo echo;
    struct Point {
        MapPoint place;
        double amplitude, phase_deg;
    };
    std::vector<Point> points{{{0.11, -0.27}, 1.0, 30.0}, {{41.3, 22.2}, 2.0, -100.0}, {{-38.4, 47.9}, 0.5, 170.0}};

    FreeScene() {
        Acquisition& a = echo.acquisition;
        a.lines = 601;
        a.samples = 900;
        a.epoch = "2026-01-01T00:00:00";
        a.prf_hz = 100;
        a.carrier_hz = 9.6e9;
        a.range_spacing_m = c_m_s / (2 * 150e6);
        a.near_range_m = std::hypot(radius_m, height_m) - 120;
        a.chirp = {.slope_hz_s = 120e6 / 4e-6, .duration_s = 4e-6};
        a.local_track.emplace();
        for (int i = -2; i < 604; ++i) {
            const double t = i / a.prf_hz, angle = 0.004 * (t - 3), wave = 2 * std::numbers::pi * 0.5 * t;
            const double r = radius_m + 0.8 * std::sin(wave), speed = 0.8 * std::numbers::pi * std::cos(wave);
            a.local_track->time_s.push_back(t);
            a.local_track->position_m.push_back(
                {r * std::cos(angle), r * std::sin(angle), height_m + 2 * std::cos(wave)});
            a.local_track->velocity_m_s.push_back({speed * std::cos(angle) - 0.004 * r * std::sin(angle),
                                                   speed * std::sin(angle) + 0.004 * r * std::cos(angle),
                                                   -2 * std::numbers::pi * std::sin(wave)});
        }
        record();
    }

    void record() {
        const Acquisition& a = echo.acquisition;
        const PulseTiming timing{a.carrier_hz, a.chirp.slope_hz_s, a.chirp.duration_s, 2 * a.near_range_m / c_m_s,
                                 a.sample_rate_hz()};
        std::vector<std::complex<float>> samples(static_cast<std::size_t>(a.lines * a.samples));
        for (std::int64_t line = 0; line < a.lines; ++line) {
            // State vectors themselves, and half their acceleration from the neighbours.
            const Orbit& track = *a.local_track;
            const auto i = static_cast<std::size_t>(line + 2);
            const Vec3 p = track.position_m[i], v = track.velocity_m_s[i], next = track.velocity_m_s[i + 1],
                       last = track.velocity_m_s[i - 1];
            const double quarter = 0.25 * a.prf_hz;
            const PulsePath path{
                {p[0], p[1], p[2]},
                {v[0], v[1], v[2]},
                {quarter * (next[0] - last[0]), quarter * (next[1] - last[1]), quarter * (next[2] - last[2])}};
            for (const Point& point : points) {
                const PulseEcho pulse = pulse_echo(timing, path, {point.place.x, point.place.y, plane_m});
                const std::complex<double> amplitude =
                    std::polar(point.amplitude, point.phase_deg * std::numbers::pi / 180);
                const IndexRange held = recorded(pulse.samples, a.samples);
                for (std::int64_t k = held.first; k < held.last; ++k) {
                    const Complex<double> value = pulse.at(k);
                    samples[static_cast<std::size_t>(line * a.samples + k)] +=
                        std::complex<float>(amplitude * std::complex<double>(value.re, value.im));
                }
            }
        }
        echo.samples.resize(samples.size() * sizeof(samples[0]));
        std::memcpy(echo.samples.data(), samples.data(), echo.samples.size());
    }
};

TEST_P(OnMap, TakesAnyTrackInAFrameOfItsOwn) {
    const FreeScene scene;
    FocusOptions options = by("backprojection");
    options.height_m = FreeScene::plane_m;
    options.map = MapRequest{.projection = MapProjection::local(), .spacing_m = FreeScene::spacing_m, .grid = {}};
    const FocusResult result = focus(*device, scene.echo, options);
    const Image& image = result.image;
    EXPECT_TRUE(image.map->projection.is_local());
    for (const FreeScene::Point& truth : scene.points) {
        const MapPointAnalysis point = analyze_map_point(image, {truth.place});
        ASSERT_EQ(point.refused, "");
        EXPECT_LT(std::abs(point.east_m), 0.02 * FreeScene::spacing_m);
        EXPECT_LT(std::abs(point.north_m), 0.02 * FreeScene::spacing_m);
        EXPECT_NEAR(20 * std::log10(point.magnitude / truth.amplitude), 0, 0.2);
    }
    options.map->grid = grid_about(MapProjection::local(), scene.points[1].place, 0.3, 0.3, 65, 0, 0);
    EXPECT_NEAR(std::arg(middle_pixel(focus(*device, scene.echo, options).image)) * 180 / std::numbers::pi,
                scene.points[1].phase_deg, 2);
}

TEST(MapRefusals, NameTheOption) {
    const auto device = open_device("cpu", 1);
    const auto refusal = [&](const Echo& echo, const FocusOptions& options) {
        return error_of([&] { set_up_focus(*device, echo.acquisition, options); });
    };
    const auto expect = [](const std::string& text, const char* part) { expect_in(text, part); };
    Echo orbit{describe(scene_of_two(0, 0)), {}}, straight{describe(small_scene(700, 700)), {}};
    straight.acquisition.orbit.reset();
    FreeScene free;
    FocusOptions options = map_options();
    options.algorithm = "rda";
    expect(refusal(orbit, options), "--algorithm rda makes images on the zero-Doppler grid only");
    options = map_options();
    options.map->projection = MapProjection::local();
    expect(refusal(orbit, options), "--grid local: the file has no positions");
    options.map->projection = MapProjection{3413};
    options.map->spacing_m = 1e-3;
    expect(refusal(orbit, options), "give a larger --spacing");
    options.map->projection = MapProjection{32633};
    options.map->spacing_m = 1e9;
    expect(refusal(orbit, options), "lies nowhere on the Earth");
    options = map_options();
    options.map->grid = MapGrid{{32633}, 10, 10, 500000, 10, 5800000, -10};
    expect(refusal(orbit, options), "is covered by the echo");
    expect(refusal(straight, map_options()), "so nothing says where on a map the scene lies");
    options = map_options();
    options.azimuth_bandwidth_hz.reset();
    expect(refusal(free.echo, options), "use --grid local");
    options.map->projection = MapProjection::local();
    options.azimuth_window = Window::parse("hamming");
    expect(refusal(free.echo, options), "--azimuth-window: there is no band");
    options = {};
    expect(refusal(free.echo, options), "give --grid local");
    free.echo.acquisition.near_range_m += 400;
    options.algorithm = "auto";
    options.map = MapRequest{.projection = MapProjection::local(), .spacing_m = 0.5, .grid = {}};
    expect(refusal(free.echo, options), "give the bounds of the image by --grid FILE");
}

}  // namespace
}  // namespace cornerturn
