// SPDX-License-Identifier: Apache-2.0
// --lines, --time and --bbox, from file to file.
#include <gtest/gtest.h>

#include "app/verbs/part_options.h"
#include "data/nisar/l0b_reader.h"
#include "data/nisar/rslc_reader.h"
#include "tests/app/image_program.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

TEST(PartOptions, AreSpansAndBoxes) {
    const std::string epoch = "2026-01-02T03:00:00";
    const auto lines = [&](const char* text) { return *part_request({.lines = text}, epoch).lines; };
    using Lines = AskedSpan<std::int64_t>;
    EXPECT_EQ(lines("20:600"), (Lines{20, 600}));
    EXPECT_EQ(lines("20:"), (Lines{20, {}}));
    EXPECT_EQ(lines(":-5"), (Lines{{}, -5}));
    const auto times = [&](const char* text) { return *part_request({.time = text}, epoch).time_s; };
    using Times = AskedSpan<double>;
    EXPECT_EQ(times("3600.5:3601"), (Times{3600.5, 3601}));
    EXPECT_EQ(times(":3601"), (Times{{}, 3601}));
    EXPECT_EQ(times("2026-01-02T03:00:01.5:2026-01-02T03:01:00"), (Times{1.5, 60}));
    EXPECT_EQ(times("2026-01-02T03:00:01:"), (Times{1, {}}));
    const GeographicBox box = *part_request({.box = "-31.5,10,-30,11"}, epoch).box;
    EXPECT_EQ(box.west_deg, -31.5);
    EXPECT_EQ(box.north_deg, 11);
    EXPECT_EQ(part_request({.box = "179,10,-179,11"}, epoch).box->east_deg, 181);
}

class PartProgram : public ImageProgramTest {};

TEST_F(PartProgram, MakesAPartOfTheImage) {
    simulate_small();
    const auto focus = [&](const std::string& image, const Words& part) {
        succeed(
            with({"focus", file("raw.h5"), "-o", file(image), "--device", "cpu", "-q", "--algorithm", "rda"}, part));
        return read_rslc(file(image));
    };
    const Image whole = focus("whole.h5", {}), part = focus("part.h5", {"--lines", "200:-150"});
    ASSERT_EQ(part.grid.rows, 70);
    ASSERT_EQ(part.acquisition.truth.size(), 1u);
    const std::int64_t first = std::lround((part.grid.first_time_s - whole.grid.first_time_s) * 400);
    EXPECT_EQ(first, 200);
    double largest = 0;
    for (std::size_t i = 0; i < part.samples.size(); ++i)
        largest = std::max<double>(
            largest,
            std::abs(part.samples[i] - whole.samples[i + static_cast<std::size_t>(first * whole.grid.columns)]));
    EXPECT_LT(largest, 2e-4) << "of an amplitude of 2";
}

TEST_F(PartProgram, TakesLinesForOtherVerbs) {
    simulate_small();
    const std::string raw = file("raw.h5");
    EXPECT_EQ(json_of({"info", raw, "--lines", "20:120", "--json"}).at("lines"), 100);
    succeed({"convert", raw, "-o", file("few.h5"), "--lines", "-120:", "-q"});
    std::vector<std::string> warnings;
    const Echo all = read_l0b(raw, {}, warnings), few = read_l0b(file("few.h5"), {}, warnings);
    ASSERT_EQ(few.acquisition.lines, 120);
    EXPECT_NEAR(few.acquisition.first_pulse_time_s, all.acquisition.pulse_time_s(300), 1e-9);
    EXPECT_TRUE(std::equal(few.samples.begin(), few.samples.end(), all.samples.end() - std::ssize(few.samples)));
    succeed({"verify", raw, "--lines", "60:360", "--device", "cpu", "-q"});
    succeed({"doppler", raw, "--time", ":3600.9", "-q"});
}

TEST_F(PartProgram, RefusesWhatHoldsNothing) {
    simulate_small();
    const std::string raw = file("raw.h5");
    const auto refused = [&](const std::string& option, const Words& words) {
        expect_bad_input({"focus", raw, "-o", file("slc.h5"), "--device", "cpu", option, "-q"}, words);
    };
    refused("--lines=20", {"--lines 20", "FIRST:LAST"});
    refused("--lines=420:", {"lines 0 to 419"});
    refused("--time=7:6", {"--time 7:6", "before it begins"});
    refused("--time=7:8", {"--time 7:8", "3600."});
    refused("--bbox=1,2,3", {"--bbox 1,2,3", "WEST,SOUTH,EAST,NORTH"});
    refused("--bbox=1,4,3,2", {"southern one first"});
    refused("--bbox=1,2,3,4", {"--bbox 1,2,3,4", "(west, south, east, north)"});
    expect_bad_input({"info", raw, "--lines", "9:9"}, {"holds no line"});
    EXPECT_EQ(left(), (Words{"raw.h5", "scene.yaml"}));
}

}  // namespace
}  // namespace cornerturn
