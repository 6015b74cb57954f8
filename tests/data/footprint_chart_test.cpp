// SPDX-License-Identifier: Apache-2.0
#include "data/picture/footprint_chart.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/texts.h"

namespace cornerturn {
namespace {

FootprintChart square(double longitude_deg, double latitude_deg, double side_deg) {
    FootprintChart chart{.title = "a < b", .subtitle = "", .outline = {}, .marks = {}, .view = {}};
    for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}, {0, 0}})
        chart.outline.push_back({longitude_deg + x * side_deg, latitude_deg + y * side_deg, 0});
    return chart;
}

/// Corners of the outline in the picture.
std::vector<std::pair<double, double>> corners(const std::string& svg) {
    const std::string before = "<polygon points=\"";
    const auto from = svg.find(before) + before.size();
    std::string text = svg.substr(from, svg.find('"', from) - from);
    for (char& c : text)
        if (c == ',') c = ' ';
    std::istringstream numbers(text);
    std::vector<std::pair<double, double>> found;
    for (double x, y; numbers >> x >> y;) found.push_back({x, y});
    return found;
}

TEST(FootprintChart, AMetreIsAsLongAlongAParallelAsAlongAMeridian) {
    const auto found = corners(footprint_svg(square(10, 59.5, 1)));
    ASSERT_EQ(found.size(), 5u);
    const DegreeSize degree_m = degree_size(60);
    const double across = found[1].first - found[0].first, down = found[0].second - found[2].second;
    EXPECT_GT(across, 0) << "east to the right";
    EXPECT_GT(down, 0) << "north upwards";
    EXPECT_NEAR(across / down, degree_m.longitude_m / degree_m.latitude_m, 1e-3);
}

TEST(FootprintChart, NamesDegreesAndALength) {
    const std::string svg = footprint_svg(square(-123.2, -0.1, 0.2));
    expect_in(svg, {"a &lt; b", "123.10° W", "0.10° N", "0.10° S", ">0.00°<", " km</text>"});
    EXPECT_EQ(svg.find("look"), std::string::npos) << "nothing told how it was looked at";
}

TEST(FootprintChart, GoesOnBeyond180Degrees) {
    FootprintChart jumps = square(179.5, 10, 1), goes_on = jumps;
    jumps.outline[1].longitude_deg -= 360, jumps.outline[2].longitude_deg -= 360;
    jumps.marks = goes_on.marks = {{"7", {-179.9, 10.5, 0}}};
    EXPECT_EQ(footprint_svg(jumps), footprint_svg(goes_on));
    expect_in(footprint_svg(jumps), {"179.8° E", "179.8° W", ">7</text>", "<circle"});
}

TEST(FootprintChart, LeavesOutMarksBesideTheMap) {
    FootprintChart chart = square(10, 50, 0.01);
    chart.marks = {{"far", {10, 51, 0}}};
    EXPECT_EQ(footprint_svg(chart).find("<circle"), std::string::npos);
}

TEST(FootprintChart, ShowsFlightAndLook) {
    FootprintChart chart = square(10, 50, 0.01);
    chart.view = {.heading_deg = 0, .look_side = LookSide::left};
    const std::string left = footprint_svg(chart);
    chart.view = {.heading_deg = 180, .look_side = LookSide::right};
    const std::string back = footprint_svg(chart);
    expect_in(left, {">flight</text>", ">look</text>"});
    const auto look = [](const std::string& svg) { return svg.substr(svg.rfind("<text")); };
    EXPECT_EQ(look(left), look(back)) << "both look west";
}

TEST(FootprintChart, IsATitleWithoutAnOutline) {
    FootprintChart chart = square(10, 50, 0.01);
    chart.outline.clear();
    const std::string svg = footprint_svg(chart);
    expect_in(svg, {"a &lt; b", "</svg>"});
    EXPECT_EQ(svg.find("<polygon"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
