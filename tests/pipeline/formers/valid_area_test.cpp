// SPDX-License-Identifier: Apache-2.0
#include "pipeline/formers/valid_area.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// 200 lines of 400 samples with one gap, which later lines have elsewhere.
Acquisition with_gap(std::int32_t first, std::int32_t last, std::int32_t later = 0, std::int64_t from_line = 200) {
    Acquisition acquisition;
    acquisition.lines = 200;
    acquisition.samples = 400;
    acquisition.decoding.intervals_per_line = 2;
    for (std::int64_t line = 0; line < 200; ++line) {
        const std::int32_t moved = line >= from_line ? later : 0;
        acquisition.decoding.valid_samples.push_back({0, first + moved});
        acquisition.decoding.valid_samples.push_back({last + moved, 400});
    }
    return acquisition;
}

/// Columns that look 10 lines either way, and need 50 samples from their own on.
std::vector<ColumnNeed> needs() {
    std::vector<ColumnNeed> columns;
    for (std::int32_t column = 0; column < 336; ++column)
        columns.push_back({.first_line = -10,
                           .last_line = 10,
                           .first_sample = static_cast<double>(column),
                           .last_sample = column + 50.0,
                           .rows = {10, 90}});
    return columns;
}

TEST(ValidAreaTest, AGapTakesThePixelsWhoseChirpsItTouches) {
    const ValidColumns valid = columns_between_gaps(with_gap(200, 230), needs(), 100);
    ASSERT_EQ(valid.intervals_per_row, 2);
    // up to 150, from 230 on, to whole sixteens inside
    for (const int row : {10, 50, 89}) {
        EXPECT_EQ(valid.intervals[static_cast<std::size_t>(2 * row)], (Interval{0, 144})) << row;
        EXPECT_EQ(valid.intervals[static_cast<std::size_t>(2 * row + 1)], (Interval{240, 336})) << row;
    }
    for (const int row : {9, 90}) EXPECT_EQ(valid.intervals[static_cast<std::size_t>(2 * row)], Interval{}) << row;
}

TEST(ValidAreaTest, AGapThatMovesTakesBothPlacesWithinAnAperture) {
    const ValidColumns valid = columns_between_gaps(with_gap(200, 230, 64, 50), needs(), 100);
    const auto first_of = [&](int row) {
        return valid.intervals[static_cast<std::size_t>(row * valid.intervals_per_row)];
    };
    const auto second_of = [&](int row) {
        return valid.intervals[static_cast<std::size_t>(row * valid.intervals_per_row + 1)];
    };
    EXPECT_EQ(first_of(39), (Interval{0, 144}));
    EXPECT_EQ(second_of(39), (Interval{240, 336}));
    EXPECT_EQ(first_of(45), (Interval{0, 144}));
    EXPECT_EQ(second_of(45), (Interval{304, 336}));
    EXPECT_EQ(first_of(60), (Interval{0, 208}));
    EXPECT_EQ(second_of(60), (Interval{304, 336}));
}

TEST(ValidAreaTest, FewMissingLinesDoNotMatter) {
    Acquisition acquisition = with_gap(400, 400);
    std::vector<ColumnNeed> columns = needs();
    for (ColumnNeed& need : columns) need.first_line = -60, need.last_line = 60, need.rows = {60, 140};
    const auto lose = [&](std::int64_t line) {
        acquisition.decoding.valid_samples[static_cast<std::size_t>(2 * line)] =
            acquisition.decoding.valid_samples[static_cast<std::size_t>(2 * line + 1)] = {};
    };
    lose(100);
    EXPECT_EQ(columns_between_gaps(acquisition, columns, 200).intervals[100], (Interval{0, 336}));
    lose(101), lose(102);
    EXPECT_EQ(columns_between_gaps(acquisition, columns, 200).intervals[100], Interval{});
}

/// What is called valid does not depend on what lies in the gaps; much of what is not does.
TEST(ValidAreaTest, ValidPixelsAreMadeOfEchoAlone) {
    for (const double centroid_hz : {0.0, 900.0})
        for (const ImageExtent extent : {ImageExtent::full, ImageExtent::valid}) {
            Scene scene = small_scene(1400, 1400);
            scene.doppler_centroid_hz = centroid_hz;
            scene.targets = std::vector<SceneTarget>{};
            scene.noise_db = 0;
            Echo whole = simulate(scene), torn = whole;
            torn.acquisition.decoding.intervals_per_line = 2;
            for (std::int64_t line = 0; line < scene.lines; ++line) {
                torn.acquisition.decoding.valid_samples.push_back({0, line < 700 ? 700 : 680});
                torn.acquisition.decoding.valid_samples.push_back({line < 700 ? 760 : 740, 1400});
            }
            const auto device = open_device("cpu");
            FocusOptions options;
            options.extent = extent;
            const Image expected = focus(*device, whole, options).image, found = focus(*device, torn, options).image;
            ASSERT_EQ(found.grid, expected.grid);
            ASSERT_EQ(found.intervals_per_row, 2);
            double power[2]{}, error[2]{};
            std::int64_t valid_pixels = 0;
            for (std::int64_t row = 0; row < found.grid.rows; ++row)
                for (std::int32_t column = 0; column < found.grid.columns; ++column) {
                    const bool valid = found.valid(row, {column, column + 1});
                    if (!expected.valid(row, {column, column + 1})) {
                        EXPECT_FALSE(valid);
                        continue;
                    }
                    const auto at = static_cast<std::size_t>(row * found.grid.columns + column);
                    power[valid] += std::norm(expected.samples[at]);
                    error[valid] += std::norm(expected.samples[at] - found.samples[at]);
                    valid_pixels += valid;
                }
            EXPECT_GT(valid_pixels, found.grid.rows * found.grid.columns / 10);
            EXPECT_LT(10 * std::log10(error[true] / power[true]), -30) << centroid_hz;
            EXPECT_GT(10 * std::log10(error[false] / power[false]), -8) << centroid_hz;
        }
}

}  // namespace
}  // namespace cornerturn
