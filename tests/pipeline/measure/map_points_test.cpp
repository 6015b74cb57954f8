// SPDX-License-Identifier: Apache-2.0
// Points of images on maps, made directly from their spectra.
#include "pipeline/measure/map_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "pipeline/acquisition/geometry.h"
#include "pipeline/measure/map_targets.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

/// At (row, column), in pixels.
struct Scatterer {
    double row, column;
    std::complex<double> amplitude;
};

/// A spotlight of 300 MHz at 9.65 GHz that sees points over nine degrees, as its plane shows them: in steps of 0.39 m
/// away from the antenna and 0.078 m along the track.
std::complex<double> image_at(double row, double column, const std::vector<Scatterer>& scatterers) {
    constexpr int steps = 40;
    std::complex<double> sum = 0;
    for (int i = 0; i < steps; ++i)
        for (int k = 0; k < steps; ++k) {
            const double frequency_hz = 9.65e9 + 3e8 * ((i + 0.5) / steps - 0.5),
                         angle_rad = std::numbers::pi / 20 * ((k + 0.5) / steps - 0.5),
                         cycles_m = 2 * frequency_hz / speed_of_light_m_s * 0.563;
            for (const Scatterer& point : scatterers)
                sum += point.amplitude * std::polar(1.0, 2 * std::numbers::pi * cycles_m *
                                                             (0.078 * std::sin(angle_rad) * (row - point.row) +
                                                              0.39 * std::cos(angle_rad) * (column - point.column)));
        }
    return sum / static_cast<double>(steps * steps);
}

Image empty_map(std::int64_t rows, std::int64_t columns) {
    Image image;
    image.grid.rows = rows;
    image.grid.columns = columns;
    image.map = MapGrid{.projection = MapProjection::local(),
                        .rows = rows,
                        .columns = columns,
                        .first_x = 0,
                        .x_step = 0.39,
                        .first_y = 0,
                        .y_step = -0.078};
    return image;
}

/// What lies beside a point turns its phase over pixels, as bent ground would. Taken for that, it moved the ends of the
/// chip beyond the sampling, and points of simulated dwells of nine degrees by up to 0.044 pixels.
TEST(MapPoint, IsFoundBesideAnother) {
    const std::vector<Scatterer> scatterers{{40.067, 40.304, 1}, {36.701, 39.937, std::polar(0.5434, 3.1396)}};
    Image image = empty_map(80, 80);
    for (std::int64_t row = 0; row < 80; ++row)
        for (std::int64_t column = 0; column < 80; ++column)
            image.samples.push_back(
                std::complex<float>(image_at(static_cast<double>(row), static_cast<double>(column), scatterers)));
    const MapPointAnalysis point = analyze_map_point(image, {image.map->at(40.067, 40.304)});
    ASSERT_EQ(point.refused, "");
    const auto magnitude = [&](double down, double across) {
        return std::abs(image_at(point.row + down, point.column + across, scatterers));
    };
    // Of the parabola through three values of the image itself.
    constexpr double step = 0.02;
    const auto summit = [&](double before, double here, double behind) {
        return 0.5 * step * (before - behind) / (before - 2 * here + behind);
    };
    EXPECT_NEAR(summit(magnitude(-step, 0), magnitude(0, 0), magnitude(step, 0)), 0, 0.002);
    EXPECT_NEAR(summit(magnitude(0, -step), magnitude(0, 0), magnitude(0, step)), 0, 0.002);
    EXPECT_NEAR(point.magnitude / magnitude(0, 0), 1, 1e-3);
}

/// Over the antimeridian a map counts on, while places have longitudes up to 180 degrees.
TEST(MapTargets, AreCountedAsTheMapCounts) {
    Image image;
    image.map = MapGrid{.projection = MapProjection::geographic(),
                        .rows = 100,
                        .columns = 200,
                        .first_x = 179.99,
                        .x_step = 1e-4,
                        .first_y = 12.01,
                        .y_step = -1e-4};
    PointTarget truth;
    truth.place_m = to_ecef({.latitude_deg = 12.005, .longitude_deg = -179.995, .height_m = 0});
    image.acquisition.truth.push_back(truth);
    const std::vector<MapTarget> targets = known_map_targets(image);
    ASSERT_EQ(targets.size(), 1U);
    EXPECT_NEAR(targets.front().place.x, 180.005, 1e-9);
    EXPECT_NEAR(counted_on(*image.map, {-180.005, 12}).x, 179.995, 1e-9);
    image.map->projection = MapProjection::local();
    EXPECT_EQ(counted_on(*image.map, {-180.005, 12}).x, -180.005);
}

}  // namespace
}  // namespace cornerturn
