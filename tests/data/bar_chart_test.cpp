// SPDX-License-Identifier: Apache-2.0
#include "data/picture/bar_chart.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "kernels/errors.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

std::int64_t count(const std::string& text, const std::string& piece) {
    std::int64_t found = 0;
    for (auto at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++found;
    return found;
}

const BarChart chart{.title = "Turn & copy",
                     .subtitle = "a < b",
                     .unit = "GB/s",
                     .bars = {{"naive", 1000, "1000"}, {"copy", 4000, "4000"}, {"none", 0, "0"}}};

TEST(BarChart, BarsAreAsLongAsTheirValues) {
    const std::string svg = bar_chart_svg(chart);
    EXPECT_EQ(count(svg, "fill=\"#3b6ea5\""), 3);
    EXPECT_EQ(count(svg, "width=\"480.0\""), 1);  // the greatest takes all of the axis
    EXPECT_EQ(count(svg, "width=\"120.0\""), 1);
    EXPECT_EQ(count(svg, "width=\"0.0\""), 1);
}

TEST(BarChart, WordsCannotBreakTheFile) {
    const std::string svg = bar_chart_svg(chart);
    expect_in(svg, {"Turn &amp; copy", "a &lt; b"});
    EXPECT_EQ(count(svg, "<text"), count(svg, "</text>"));
}

TEST(BarChart, NothingToDrawIsStillAPicture) {
    const std::string svg = bar_chart_svg({});
    EXPECT_EQ(count(svg, "</svg>"), 1);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(BarChart, IsWrittenWhole) {
    const ScratchFolder folder;
    const std::string path = folder.file("chart.svg");
    write_bar_chart(path, chart);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ(text.str(), bar_chart_svg(chart));
    EXPECT_THROW(write_bar_chart("/nowhere/at/all.svg", chart), InputError);
}

}  // namespace
}  // namespace cornerturn
