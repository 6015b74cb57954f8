// SPDX-License-Identifier: Apache-2.0
// Images on maps as users meet them.
#include "data/map_grid_file.h"
#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class MapProgramTest : public ImageProgramTest {
protected:
    /// A narrow band keeps the sums small.
    Words focus(const std::string& out, const Words& options) const {
        Words words{"focus",          file("raw.h5"),        "-o",  file(out), "--algorithm",
                    "backprojection", "--azimuth-bandwidth", "300", "-q"};
        words.insert(words.end(), options.begin(), options.end());
        return words;
    }
    void simulate_raw() {
        succeed({"simulate", "spaceborne", "-o", file("raw.h5"), "--lines", "1000", "--samples", "2000", "-q"});
    }
};

TEST_F(MapProgramTest, FocusesAndTellsOfAMap) {
    simulate_raw();
    succeed(focus("map.h5", {"--grid", "utm", "--spacing", "6", "--png", file("map.png"), "--report", file("a.html")}));
    const nlohmann::json facts = json_of({"info", file("map.h5"), "--json"}),
                         geo = json_of({"info", file("map.h5"), "--geo", "--json"});
    EXPECT_EQ(facts["projection"].get<std::string>().substr(0, 7), "EPSG:32");
    EXPECT_EQ(facts["x_spacing"], 6);
    EXPECT_NEAR(facts["east"].get<double>() - facts["west"].get<double>(), 6 * facts["columns"].get<double>(), 1e-6);
    EXPECT_GT(geo["corners"]["upper_left"]["latitude_deg"], geo["corners"]["lower_left"]["latitude_deg"]);
    EXPECT_LT(geo["corners"]["upper_left"]["longitude_deg"], geo["corners"]["upper_right"]["longitude_deg"]);

    const nlohmann::json points = json_of({"analyze", file("map.h5"), "--json"});
    ASSERT_EQ(points["targets"].size(), 9u);
    int measured = 0;
    for (const auto& target : points["targets"]) {
        if (target.contains("refused")) continue;
        ++measured;
        EXPECT_LT(std::abs(target["error_m"]["x"].get<double>()), 0.02 * 6);
        EXPECT_LT(std::abs(target["error_m"]["y"].get<double>()), 0.02 * 6);
    }
    EXPECT_GE(measured, 5);
    succeed({"quicklook", file("map.h5"), "-o", file("again.png"), "-q"});
    EXPECT_EQ(text_of("again.png"), text_of("map.png"));
    succeed({"quicklook", file("map.h5"), "-o", file("placed.png"), "--place", "-q"});
    expect_in(text_of("placed.kml"), "<href>placed.png</href>");
    const std::string png = text_of("placed.png");  // its width: four bytes, the highest first, behind 16
    std::int64_t width = 0;
    for (std::size_t i = 16; i < 20; ++i) width = 256 * width + static_cast<unsigned char>(png.at(i));
    EXPECT_NEAR(std::stod(text_of("placed.pgw")) * static_cast<double>(width), 6 * facts["columns"].get<double>(), 12);
    expect_in(text_of("a.html"), {"Point targets on the map", "Place on the Earth", "<polygon"});
    const nlohmann::json itself = json_of({"compare", file("map.h5"), file("map.h5"), "--json"});
    EXPECT_EQ(breaches_of_schema(itself, "compare"), "");
    EXPECT_TRUE(itself["on_maps"] && itself["identical"]);
    succeed({"multilook", file("map.h5"), "-o", file("looks.tif"), "--looks", "2x2"});
    const MapGrid grid = read_map_grid(file("map.h5")), looks = read_map_grid(file("looks.tif"));
    EXPECT_EQ(looks.rows, grid.rows / 2);
    EXPECT_NEAR(looks.x_step, 12, 1e-12);
    EXPECT_NEAR(looks.first_x, grid.x(0.5), 1e-6);
    EXPECT_NEAR(looks.first_y, grid.y(0.5), 1e-6);
    expect_bad_input({"multilook", file("map.h5"), "-o", file("a.h5")}, {"a.h5", "map", ".tif"});
    expect_bad_input({"multilook", file("map.h5"), "-o", file("a.tif"), "--looks", "auto"}, {"--looks auto", "3x3"});
    expect_bad_input({"multilook", file("map.h5"), "-o", file("a.tif"), "--domain", "frequency"}, {"--domain"});
    expect_bad_input({"analyze", file("map.h5"), "--spectrum", file("a.png")}, {"--spectrum", "image on a map"});
    expect_bad_input({"analyze", file("map.h5"), "--target", "1,2"},
                     {"none of 1 targets can be measured", "x 1, y 2", "outside of the image"});

    // The grid of a map, for another image.
    succeed(focus("same.h5", {"--grid", file("map.h5"), "--range-window", "hamming"}));
    const nlohmann::json same = json_of({"info", file("same.h5"), "--json"});
    for (const char* fact : {"rows", "columns", "west", "north", "projection"})
        EXPECT_EQ(same[fact], facts[fact]) << fact;
}

TEST_F(MapProgramTest, SaysWhatIsWrong) {
    simulate_raw();
    expect_bad_input(focus("a.h5", {"--spacing", "5"}), {"--spacing 5", "--grid"});
    expect_bad_input(focus("a.h5", {"--grid", "utm"}), {"--grid utm", "--spacing METRES"});
    expect_bad_input(focus("a.h5", {"--grid", "utm", "--spacing", "0"}), {"--spacing 0", "above 0"});
    expect_bad_input(focus("a.h5", {"--grid", "mercator", "--spacing", "5"}), {"mercator", "utm:33n"});
    expect_bad_input(focus("a.h5", {"--grid", "none.yaml", "--spacing", "5"}), {"none.yaml", "no such file"});
    expect_bad_input(focus("a.h5", {"--grid", "local", "--spacing", "5"}), {"--grid local", "no positions"});
    expect_bad_input(focus("a.h5", {"--grid", "utm", "--spacing", "5", "--resume"}), {"--resume", "--grid"});
    expect_bad_input(
        {"focus", file("raw.h5"), "-o", file("a.h5"), "--grid", "utm", "--spacing", "5", "-q", "--algorithm", "rda"},
        {"--algorithm rda", "backprojection"});
    EXPECT_EQ(left(), (Words{"raw.h5"}));
}

TEST_F(MapProgramTest, SaysWhatItWouldDo) {
    simulate_raw();
    const Outcome plan = succeed(focus("a.h5", {"--grid", "geographic", "--spacing", "10", "--dry-run"}));
    expect_in(plan.out, {"map ", "EPSG:4326", "above the ellipsoid", "pixel pulses"});
}

}  // namespace
}  // namespace cornerturn
