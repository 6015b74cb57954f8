// SPDX-License-Identifier: Apache-2.0
// Lines that others have compressed, summed at any points: against ideal interpolation in double precision.
#include "pipeline/run/back_project.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "kernels/errors.h"
#include "tests/kernels/every_device.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

constexpr std::int64_t lines_there = 61, samples_there = 200;

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

/// Three quarters of the band are filled, and lines fade out before their ends, so that a sum over all samples
/// interpolates them.
std::vector<std::complex<float>> band_limited_lines() {
    std::minstd_rand random(5);
    std::uniform_real_distribution<double> place(50, samples_there - 50);
    std::normal_distribution<double> normal;
    std::vector<std::complex<float>> lines(static_cast<std::size_t>(lines_there * samples_there));
    for (int point = 0; point < 12; ++point) {
        const double at = place(random);
        for (std::int64_t line = 0; line < lines_there; ++line) {
            const std::complex<double> amplitude(normal(random), normal(random));
            for (std::int64_t k = 0; k < samples_there; ++k) {
                const double x = static_cast<double>(k) - at;
                lines[static_cast<std::size_t>(line * samples_there + k)] +=
                    std::complex<float>(amplitude * sinc(0.75 * x) * std::exp(-0.005 * x * x));
            }
        }
    }
    return lines;
}

/// An antenna that sways, above x = 0.
CompressedLines lines_of(const std::vector<std::complex<float>>& values) {
    CompressedLines lines{.lines = lines_there,
                          .samples = samples_there,
                          .values = values,
                          .carrier_hz = 9.6e9,
                          .near_range_m = 3000,
                          .range_spacing_m = 1,
                          .paths = {}};
    for (std::int64_t line = 0; line < lines_there; ++line) {
        const double y = static_cast<double>(line) - 30;
        lines.paths.push_back(
            {.start = {0.1 * std::cos(y), y, 2000 + 0.3 * std::sin(y)}, .velocity_s = {}, .curve_s2 = {}});
    }
    return lines;
}

std::complex<double> expected_at(const CompressedLines& lines, const Place& place) {
    std::complex<double> sum = 0;
    for (std::int64_t line = 0; line < lines.lines; ++line) {
        const double range_m = distance_m(lines.paths[static_cast<std::size_t>(line)].start, place);
        const double cell = (range_m - lines.near_range_m) / lines.range_spacing_m;
        std::complex<double> value = 0;
        for (std::int64_t k = 0; k < lines.samples; ++k)
            value += sinc(cell - static_cast<double>(k)) *
                     std::complex<double>(lines.values[static_cast<std::size_t>(line * lines.samples + k)]);
        sum += value * std::polar(1.0, 4 * std::numbers::pi * lines.carrier_hz / c_m_s * range_m);
    }
    return sum;
}

PointGrid level_points(std::int64_t rows, std::int64_t columns) {
    PointGrid points{.rows = rows, .columns = columns, .places = {}};
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            points.places.push_back(
                {2330 + 1.3 * static_cast<double>(row), -12 + 0.7 * static_cast<double>(column), 0});
    return points;
}

class BackProject : public EveryDevice {
protected:
    double signal_to_error_db(const PointGrid& points, const BackProjectOptions& options) {
        const CompressedLines lines = lines_of(values_);
        std::vector<std::complex<float>> sums(points.places.size());
        back_project(*device, lines, points, options, sums);
        double signal = 0, error = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::complex<double> expected = expected_at(lines, points.places[i]);
            signal += std::norm(expected);
            error += std::norm(expected - std::complex<double>(sums[i]));
        }
        return 10 * std::log10(signal / error);
    }
    const std::vector<std::complex<float>> values_ = band_limited_lines();
};
INSTANTIATE_TEST_SUITE_P(Devices, BackProject, every_device(), device_name);

// Straight between cells, whose droop is made up for, the images of a band b of the cell rate are b^2 below it: 12 dB
// for twice as many cells.
TEST_P(BackProject, IsTheMoreExactTheFinerTheCells) {
    for (const auto& [cells, least_db] :
         {std::pair(4, 42.0), std::pair(8, 54.0), std::pair(16, 66.0), std::pair(24, 73.0), std::pair(32, 77.0)})
        for (const bool periodic : {true, false})
            EXPECT_GT(signal_to_error_db(level_points(23, 17), {.oversampling = cells, .periodic = periodic}), least_db)
                << cells << (periodic ? " periodic" : " cut");
}

// A frequency at the very edge of the band fills its line without end. Of samples that go round its sign is known: half
// the rate counts as negative.
TEST_P(BackProject, KnowsTheEdgesOfTheBandOfPeriodicLines) {
    std::vector<std::complex<float>> values(static_cast<std::size_t>(lines_there * samples_there));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 1 : -1;  // an even number in each line
    const CompressedLines lines = lines_of(values);
    const PointGrid points = level_points(23, 17);
    std::vector<std::complex<float>> sums(points.places.size());
    back_project(*device, lines, points, {}, sums);
    double signal = 0, error = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::complex<double> expected = 0;
        for (const PulsePath& path : lines.paths) {
            const double range_m = distance_m(path.start, points.places[i]);
            const double cell = (range_m - lines.near_range_m) / lines.range_spacing_m;
            expected +=
                std::polar(1.0, 4 * std::numbers::pi * lines.carrier_hz / c_m_s * range_m - std::numbers::pi * cell);
        }
        signal += std::norm(expected);
        error += std::norm(expected - std::complex<double>(sums[i]));
    }
    // Images of 1/47^4 and 1/49^4, 63.7 dB below it, but for how the few lines happen to add.
    EXPECT_GT(10 * std::log10(signal / error), 61.5);
}

// Few sums, which may be weak beside the lines that they are of.
TEST_P(BackProject, TakesGridsOfAnyShape) {
    for (const auto& [rows, columns] : {std::pair(1, 1), std::pair(1, 31), std::pair(37, 1), std::pair(2, 3)})
        EXPECT_GT(signal_to_error_db(level_points(rows, columns), {}), 50) << rows << " x " << columns;
}

// Where it was at the moment of a pulse its distance has no direction: those sums are no numbers, and none of the
// places in memory that they would be read from may be asked for. The lines of the points beside them are zero there.
TEST_P(BackProject, ReadsNothingAtThePlacesOfTheAntenna) {
    constexpr std::int64_t many =
        200;  // some blocks of lines; those of a smooth track, so that points are summed together
    const std::vector<std::complex<float>> values(static_cast<std::size_t>(many * samples_there), 1);
    CompressedLines lines = lines_of(values);
    lines.lines = many;
    lines.paths.clear();
    for (std::int64_t line = 0; line < many; ++line)
        lines.paths.push_back({.start = {0, 0.2 * static_cast<double>(line), 500}, .velocity_s = {}, .curve_s2 = {}});
    for (const std::int64_t columns : {1, 21}) {
        PointGrid points{.rows = many, .columns = columns, .places = {}};
        for (const PulsePath& path : lines.paths)
            for (std::int64_t column = 0; column < columns; ++column)
                points.places.push_back({2 * static_cast<double>(column), path.start.y_m, path.start.z_m});
        std::vector<std::complex<float>> sums(points.places.size());
        back_project(*device, lines, points, {}, sums);
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (i % static_cast<std::size_t>(columns) == 0)
                EXPECT_FALSE(std::isfinite(std::abs(sums[i]))) << i;
            else
                EXPECT_EQ(sums[i], std::complex<float>(0)) << i;
    }
}

TEST_P(BackProject, TakesPointsThatLieAnywhere) {
    PointGrid points = level_points(23, 17);
    std::minstd_rand random(7);
    std::shuffle(points.places.begin(), points.places.end(), random);
    EXPECT_GT(signal_to_error_db(points, {}), 66);
}

TEST_P(BackProject, SeesOnePointThatLiesApart) {
    PointGrid points = level_points(40, 40);
    points.places[40 * 21 + 13].z_m += 3;
    const CompressedLines lines = lines_of(values_);
    std::vector<std::complex<float>> sums(points.places.size());
    back_project(*device, lines, points, {.oversampling = 32}, sums);
    const std::complex<double> expected = expected_at(lines, points.places[40 * 21 + 13]);
    EXPECT_LT(std::abs(std::complex<double>(sums[40 * 21 + 13]) - expected), 2e-3 * std::abs(expected));
}

TEST_P(BackProject, RefusesWhatDoesNotFitTogether) {
    const PointGrid points = level_points(2, 2);
    std::vector<std::complex<float>> sums(4);
    CompressedLines lines = lines_of(values_);
    EXPECT_THROW(back_project(*device, lines, points, {.oversampling = 0}, sums), InputError);
    EXPECT_THROW(back_project(*device, lines, {}, {}, {}), InputError);
    lines.paths.pop_back();
    EXPECT_THROW(back_project(*device, lines, points, {}, sums), InputError);
}

TEST_P(BackProject, StopsOnRequest) {
    const StoppedJob stopped;
    std::vector<std::complex<float>> sums(4);
    EXPECT_THROW(back_project(*device, lines_of(values_), level_points(2, 2), {}, sums), Interrupted);
}

}  // namespace
}  // namespace cornerturn
