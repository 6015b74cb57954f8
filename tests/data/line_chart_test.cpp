// SPDX-License-Identifier: Apache-2.0
#include "data/picture/line_chart.h"

#include "tests/support/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(LineChartPicture, ALineGoesFromOneCornerToTheOther) {
    const Picture picture = line_chart_picture(
        {{.title = "t", .x_title = "x", .y_title = "y", .curves = {{"", {0, 10}, {-1, 1}, true, red}}}});
    const auto early = rows_of(picture, 120, red), late = rows_of(picture, 700, red);
    ASSERT_FALSE(early.empty());
    ASSERT_FALSE(late.empty());
    EXPECT_GT(early.front(), late.back() + 150) << "values rise upwards";
}

TEST(LineChartPicture, ChartsLieBelowEachOtherAndNothingIsDrawnOfWhatIsNoNumber) {
    const LineChart::Curve nothing{"", {0, NAN, 1}, {NAN, 1, INFINITY}, false, red};
    const Picture picture =
        line_chart_picture({{.title = "", .x_title = "", .y_title = "", .curves = {nothing}},
                            {.title = "", .x_title = "", .y_title = "", .curves = {{"", {5}, {5}, false, red}}}});
    EXPECT_EQ(picture.height, 600);
    std::int64_t drawn = 0;
    for (std::int64_t x = 0; x < picture.width; ++x)
        for (const std::int64_t y : rows_of(picture, x, red)) {
            EXPECT_GE(y, 300);
            ++drawn;
        }
    EXPECT_EQ(drawn, 9) << "a cross of five by five pixels";
}

TEST(LineChart, CurvesSpanTheAxes) {
    const std::string svg =
        line_chart_svg({.title = "t<", .x_title = "x", .y_title = "y", .curves = {{"one", {0, 5, 10}, {-1, 1, -1}}}});
    expect_in(svg, {"t&lt;", "points=\"78.0,252.0 409.0,44.0 740.0,252.0 \""});
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LineChart, FlatEmptyAndBrokenCurvesAreDrawn) {
    const double nan = std::nan("");
    using Curves = std::vector<LineChart::Curve>;
    for (const Curves& curves : {Curves{{"flat", {1, 2}, {-6900, -6900}}}, Curves{},
                                 Curves{{"a", {1, 2, 3}, {1, nan, 3}}, {"b", {nan}, {nan}}}}) {
        const LineChart chart{.title = "t", .x_title = "x", .y_title = "y", .curves = curves};
        const std::string svg = line_chart_svg(chart);
        EXPECT_TRUE(svg.ends_with("</svg>\n"));
        EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
        EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
        EXPECT_LT(svg.size(), 20000u);
    }
}

}  // namespace
}  // namespace cornerturn
