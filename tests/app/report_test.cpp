// SPDX-License-Identifier: Apache-2.0
// What analyze and focus tell of a scene: text, JSON, pictures, and the page of a run.
#include "tests/app/image_program.h"

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
    for (const char* part : {"parameters and plan", "Range spectrum", "Azimuth spectrum", "Doppler centroid",
                             "Point targets against theory", "IRW px", "azimuth blocks", "busy", "sharpness"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(count(page, "data:image/png;base64,"), 2u) << "image and spectrum";
    EXPECT_EQ(count(page, "<svg "), 5u) << "busy, stages, two spectra, Doppler";
    EXPECT_EQ(count(page, "<svg "), count(page, "</svg>"));
    EXPECT_EQ(count(page, "http"), 5u) << "the name of SVG's language, not an address";
    EXPECT_EQ(count(page, "http://www.w3.org/2000/svg"), 5u);
    EXPECT_EQ(count(page, "<script"), 0u);
    EXPECT_EQ(left(), (Words{"raw.h5", "run.html", "slc.h5"}));
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
    const Outcome text = run({"analyze", file("slc.h5"), "--scene"});
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.out.find("equivalent looks"), std::string::npos) << text.out;
    expect_bad_input({"analyze", file("slc.h5"), "--spectrum", file("slc.h5")}, {"--spectrum", ".png"});
}

}  // namespace
}  // namespace cornerturn
