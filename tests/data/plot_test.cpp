// SPDX-License-Identifier: Apache-2.0
#include "data/picture/plot.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cornerturn {
namespace {

constexpr Colour red{200, 30, 30};

/// Rows of a column of pixels that have a colour.
std::vector<std::int64_t> rows_of(const Picture& picture, std::int64_t x, const Colour& colour) {
    std::vector<std::int64_t> rows;
    for (std::int64_t y = 0; y < picture.height; ++y)
        if (std::equal(colour.begin(), colour.end(), picture.pixel(x, y))) rows.push_back(y);
    return rows;
}

TEST(Plot, ALineGoesFromOneCornerToTheOther) {
    const Picture picture =
        plot_picture({{.title = "t", .x_name = "x", .y_name = "y", .series = {{"", red, true, {{0, -1}, {10, 1}}}}}});
    const auto early = rows_of(picture, 120, red), late = rows_of(picture, 700, red);
    ASSERT_FALSE(early.empty());
    ASSERT_FALSE(late.empty());
    EXPECT_GT(early.front(), late.back() + 150) << "values rise upwards";
}

TEST(Plot, PlotsLieBelowEachOtherAndNothingIsDrawnOfWhatIsNoNumber) {
    const PlotSeries nothing{"", red, false, {{0, NAN}, {NAN, 1}, {1, INFINITY}}};
    const Picture picture =
        plot_picture({{.title = "", .x_name = "", .y_name = "", .series = {nothing}},
                      {.title = "", .x_name = "", .y_name = "", .series = {{"", red, false, {{5, 5}}}}}});
    EXPECT_EQ(picture.height, 600);
    std::int64_t drawn = 0;
    for (std::int64_t x = 0; x < picture.width; ++x)
        for (const std::int64_t y : rows_of(picture, x, red)) {
            EXPECT_GE(y, 300);
            ++drawn;
        }
    EXPECT_EQ(drawn, 9) << "a cross of five by five pixels";
}

}  // namespace
}  // namespace cornerturn
