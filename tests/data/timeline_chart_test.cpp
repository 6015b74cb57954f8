// SPDX-License-Identifier: Apache-2.0
#include "data/picture/timeline_chart.h"

#include "tests/support/texts.h"

#include <gtest/gtest.h>

#include <pugixml.hpp>

namespace cornerturn {
namespace {

const TimelineChart chart{.title = "Read & compute",
                          .subtitle = "a < b",
                          .wall_s = 0.4,
                          .lanes = {{"input", {{"open", 0, 0.1}, {"read <lines>", 0.1, 0.3}}},
                                    {"compute", {{"range", 0.2, 0.3}, {"range", 0.35, 0.4}}}}};

pugi::xml_document parsed(const TimelineChart& of) {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_string(timeline_svg(of).c_str());
    EXPECT_TRUE(result) << result.description();
    return document;
}

/// Bars alone have tooltips.
std::vector<pugi::xml_node> bars_of(const pugi::xml_document& svg) {
    std::vector<pugi::xml_node> bars;
    for (const pugi::xml_node rect : svg.child("svg").children("rect"))
        if (rect.child("title")) bars.push_back(rect);
    return bars;
}

TEST(TimelineChart, BarsLieWhereTheirTimesAre) {
    const pugi::xml_document svg = parsed(chart);
    const auto bars = bars_of(svg);
    ASSERT_EQ(bars.size(), 4U);
    const auto end = [](const pugi::xml_node& bar) {
        return bar.attribute("x").as_double() + bar.attribute("width").as_double();
    };
    EXPECT_NEAR(end(bars[0]), bars[1].attribute("x").as_double(), 0.02);  // one behind the other
    EXPECT_NEAR(end(bars[1]), end(bars[2]), 0.02);                        // end at once, in two lanes
    EXPECT_NE(bars[1].attribute("y").as_double(), bars[2].attribute("y").as_double());
    EXPECT_NEAR(bars[1].attribute("width").as_double(), 2 * bars[0].attribute("width").as_double(), 0.02);
    EXPECT_STREQ(bars[2].attribute("fill").value(), bars[3].attribute("fill").value());
    EXPECT_STREQ(bars[1].child("title").text().get(), "read <lines>: 100.000 to 300.000 ms (200.000 ms)");
}

TEST(TimelineChart, SaysWhichColourIsWhat) {
    const std::string svg = timeline_svg(chart);
    expect_in(svg, {"compute: range, 150.0 ms", "input: read &lt;lines&gt;, 200.0 ms", ">ms<"});
}

TEST(TimelineChart, NeedsNoNetwork) {
    const std::string svg = timeline_svg(chart), name = "http://www.w3.org/2000/svg";  // which nobody fetches
    EXPECT_EQ(svg.find("http"), svg.find(name));
    EXPECT_EQ(svg.rfind("http"), svg.find(name));
    EXPECT_EQ(svg.find("href"), std::string::npos);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
}

TEST(TimelineChart, NothingToDrawIsStillAPicture) {
    EXPECT_TRUE(bars_of(parsed({})).empty());
    EXPECT_EQ(timeline_svg({}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
