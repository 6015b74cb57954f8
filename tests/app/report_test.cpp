// SPDX-License-Identifier: Apache-2.0
// What analyze and focus tell of a scene: text, JSON, pictures, and the page of a run.
#include <algorithm>
#include <map>
#include <set>

#include "tests/app/image_program.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class ReportTest : public ImageProgramTest {
protected:
    static std::size_t count(const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    }
};

TEST_F(ReportTest, APageHoldsAllOfARun) {
    make_image({"--report", file("run.html")});
    const std::string page = text_of("run.html");
    expect_in(page, {"parameters and plan", "Range spectrum", "Azimuth spectrum", "Doppler centroid",
                     "Point targets against theory", "IRW px", "azimuth blocks", "busy", "sharpness",
                     "What ran beside what", "the longest was", "Place on the Earth", "Phases of targets"});
    EXPECT_EQ(count(page, "data:image/png;base64,"), 3u) << "image, spectrum and responses";
    EXPECT_EQ(count(page, "<svg "), 9u)
        << "busy, what ran when, stages, footprint, two spectra, Doppler, places and phases of targets";
    EXPECT_EQ(count(page, "<svg "), count(page, "</svg>"));
    EXPECT_EQ(count(page, "http"), 9u) << "the name of SVG's language, not an address";
    EXPECT_EQ(count(page, "http://www.w3.org/2000/svg"), 9u);
    EXPECT_EQ(count(page, "<script"), 0u);
    EXPECT_EQ(left(), (Words{"raw.h5", "run.html", "slc.h5"}));
}

TEST_F(ReportTest, APageTellsOfOtherFormats) {
    make_image();
    for (const char* name : {"a.tif", "a.nitf", "a.slc"}) {
        succeed({"focus", file("raw.h5"), "-o", file(name), "--report", file("run.html"), "-q"});
        expect_in(text_of("run.html"), {name, "Place on the Earth", "Azimuth spectrum", "Doppler centroid"});
    }
}

/// All that is told lies within the job, and no lane does two things at once.
void expect_sound(const nlohmann::json& timeline, const std::set<std::string>& names) {
    const double wall_s = timeline["wall_s"];
    std::set<std::string> seen;
    double longest_s = 0;
    for (const nlohmann::json& lane : timeline["lanes"]) {
        seen.insert(lane["name"]);
        double until_s = 0;
        std::map<std::string, double> sums_s;
        for (const nlohmann::json& span : lane["spans"]) {
            const double begin_s = span["begin_s"], end_s = span["end_s"];
            EXPECT_LE(until_s, begin_s) << lane;
            EXPECT_LE(begin_s, end_s) << lane;
            sums_s[span["name"]] += end_s - begin_s;
            until_s = end_s;
        }
        EXPECT_LE(until_s, wall_s) << lane;
        for (const auto& [name, seconds] : sums_s) longest_s = std::max(longest_s, seconds);
    }
    EXPECT_NEAR(timeline["longest"]["seconds"], longest_s, 1e-9);
    EXPECT_LE(timeline["busy_s"], wall_s);
    EXPECT_GE(timeline["busy_s"].get<double>(), 0.5 * wall_s) << "most of a job is noted";
    EXPECT_EQ(seen, names);
}

TEST_F(ReportTest, ATimelineTellsWhatRanWhen) {
    make_image({"--json", file("run.json"), "--device", "cpu", "--compress", "1"});
    expect_sound(nlohmann::json::parse(text_of("run.json"))["timeline"],
                 {"device set-up", "input", "plan", "compute", "output", "deflate"});
}

TEST_F(ReportTest, DevicesThatShareAFrameHaveLanesOfTheirOwn) {
    make_image({"--json", file("run.json"), "--device", "cpu,cpu"});
    expect_sound(nlohmann::json::parse(text_of("run.json"))["timeline"],
                 {"device set-up", "input", "plan", "compute", "compute 2", "gather rows", "output"});
}

TEST_F(ReportTest, DevicesThatShareBlocksHaveLanesOfTheirOwn) {
    succeed({"simulate", "spaceborne", "-o", file("raw.h5"), "--sample-type", "int8", "--lines", "3001", "--samples",
             "1703", "-q"});
    const nlohmann::json json = json_of({"focus", file("raw.h5"), "-o", file("slc.h5"), "-q", "--device", "cpu,cpu",
                                         "--threads", "1", "--max-memory", "180M", "--json"});
    ASSERT_GT(json["frames"][0]["plan"]["azimuth_blocks"], 1);
    expect_sound(json["timeline"],
                 {"device set-up", "input", "input 2", "plan", "plan 2", "compute", "compute 2", "output"});
}

TEST_F(ReportTest, AReportIsAPageOrJsonByItsName) {
    make_image({"--report", file("run.json")});
    const nlohmann::json json = nlohmann::json::parse(text_of("run.json"));
    EXPECT_TRUE(json.contains("frames"));
    EXPECT_TRUE(json.contains("job"));
    expect_bad_input({"focus", file("raw.h5"), "-o", file("b.h5"), "--report", file("none/run.html")},
                     {"none/run.html"});
    for (const char* name : {"-", "run", "run.txt", "run.json.gz"})
        expect_bad_input({"focus", file("raw.h5"), "-o", file("b.h5"), "--report", name}, {"--report", ".html"});
}

TEST_F(ReportTest, AnalyzeTellsOfTheSceneOnRequest) {
    make_image();
    const nlohmann::json points = json_of({"analyze", file("slc.h5"), "--json"});
    EXPECT_FALSE(points.contains("scene"));
    EXPECT_TRUE(points["targets"][0].contains("azimuth_ambiguities"));
    const nlohmann::json scene =
        json_of({"analyze", file("slc.h5"), "--json", "--scene", "--spectrum", file("s.png")})["scene"];
    EXPECT_GT(scene["sharpness"], 2);
    EXPECT_GT(scene["entropy"], 0);
    EXPECT_EQ(text_of("s.png").substr(1, 3), "PNG");
    const Outcome text = succeed({"analyze", file("slc.h5"), "--scene"});
    expect_in(text.out, "equivalent looks");
    expect_bad_input({"analyze", file("slc.h5"), "--spectrum", file("slc.h5")}, {"--spectrum", ".png"});
}

}  // namespace
}  // namespace cornerturn
