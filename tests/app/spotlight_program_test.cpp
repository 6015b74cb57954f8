// SPDX-License-Identifier: Apache-2.0
// Spotlights as users meet them: simulated as CPHD, focused, measured and proved.
#include "data/hdf5/hdf5_writer.h"
#include "tests/app/image_program.h"

namespace cornerturn {
namespace {

class SpotlightProgramTest : public ImageProgramTest {
protected:
    void simulate(const Words& more = {}) {
        succeed(with({"simulate", "spotlight", "-o", file("raw.cphd"), "--lines", "400", "-q"}, more));
    }
};

TEST_F(SpotlightProgramTest, TargetsLieWhereTheTruthSays) {
    simulate();
    const nlohmann::json facts = json_of({"info", file("raw.cphd"), "--json"});
    EXPECT_EQ(facts["product"], "raw echo (CPHD)");
    EXPECT_EQ(facts["known_targets"], 9);
    EXPECT_EQ(facts["spotlight"], true);
    const nlohmann::json geo = json_of({"info", file("raw.cphd"), "--geo", "--json"});
    double west = 180, east = -180, south = 90, north = -90;
    for (const auto& [name, corner] : geo["corners"].items()) {
        west = std::min(west, corner["longitude_deg"].get<double>());
        east = std::max(east, corner["longitude_deg"].get<double>());
        south = std::min(south, corner["latitude_deg"].get<double>());
        north = std::max(north, corner["latitude_deg"].get<double>());
    }
    EXPECT_NEAR(0.5 * (west + east), geo["middle"]["longitude_deg"].get<double>(), 0.1 * (east - west));
    EXPECT_NEAR(0.5 * (south + north), geo["middle"]["latitude_deg"].get<double>(), 0.1 * (north - south));
    EXPECT_GT(geo["incidence_middle_deg"].get<double>(), 10);
    EXPECT_LT(geo["incidence_middle_deg"].get<double>(), 80);
    for (const char* algorithm : {"auto", "ffbp"}) {
        succeed({"focus", file("raw.cphd"), "-o", file("map.h5"), "--algorithm", algorithm, "-q", "--device", "cpu"});
        const nlohmann::json map = json_of({"info", file("map.h5"), "--json"}),
                             points = json_of({"analyze", file("map.h5"), "--json"});
        EXPECT_EQ(map["projection"], "plane");
        ASSERT_EQ(points["targets"].size(), 9u);
        for (const auto& target : points["targets"]) {
            ASSERT_FALSE(target.contains("refused")) << target;
            EXPECT_LT(std::abs(target["error_m"]["x"].get<double>()), 0.01 * map["x_spacing_m"].get<double>());
            EXPECT_LT(std::abs(target["error_m"]["y"].get<double>()), 0.01 * map["y_spacing_m"].get<double>());
            EXPECT_LT(std::abs(target["phase_error_deg"].get<double>()), 0.1);
            EXPECT_LT(std::abs(target["magnitude_error_db"].get<double>()), 0.1);
        }
    }
    const Outcome table = run({"analyze", file("map.h5")});
    EXPECT_NE(table.out.find("point 9: against the truth"), std::string::npos) << table.out;
}

TEST_F(SpotlightProgramTest, IsProvedFromTheFileAndFromThePreset) {
    simulate({"--sample-type", "int16", "--noise", "-30"});
    const Outcome proved = succeed({"verify", file("raw.cphd"), "--device", "cpu", "-q"});
    for (const char* check : {"targets measured: 9 of 9", "position error along x", "phase error at the true places",
                              "amplitude error at the true places"})
        EXPECT_NE(proved.out.find(check), std::string::npos) << check;
    std::ofstream(file("scene.yaml")) << "preset: sliding\nlines: 1100\n";
    const Outcome sliding = succeed({"verify", file("scene.yaml"), "--device", "cpu", "-q", "--polarization", "VH"});
    EXPECT_EQ(sliding.out.find("amplitude error"), std::string::npos) << "no target is seen by all pulses";
}

/// A hillside of 11 %, 30 m above the plane of the scene in its middle; the second target lies a metre above it.
TEST_F(SpotlightProgramTest, IsProvedOverATerrain) {
    const double latitude_deg = 35.7346573, longitude_deg = -119.6463808, reach_deg = 0.02;
    h5::Writer dem(file("dem.h5"), 0);
    dem.numbers("/latitude", std::vector<double>{latitude_deg - reach_deg, latitude_deg + reach_deg});
    dem.numbers("/longitude", std::vector<double>{longitude_deg - reach_deg, longitude_deg + reach_deg});
    dem.table("/height", std::vector<float>{20, 20, 520, 520}, 2);
    dem.commit();
    std::ofstream(file("scene.yaml"))
        << "preset: spotlight\nlines: 400\ntargets:\n"
           "  - {latitude_deg: 35.7352573, longitude_deg: -119.6463808, height_m: 277.5}\n"
           "  - {latitude_deg: 35.7340573, longitude_deg: -119.6463808, height_m: 263.5}\n"
           "  - {latitude_deg: 35.7346573, longitude_deg: -119.6457808, height_m: 270}\n";
    const Outcome proved = succeed({"verify", file("scene.yaml"), "--dem", file("dem.h5"), "--device", "cpu", "-q"});
    expect_in(proved.out, "targets measured: 2 of 3");
    expect_in(proved.out, "target 2 is not judged: it lies 1 m above the ground that the map shows");
    expect_in(proved.out, "phase error at the true places");
}

/// They would change nothing.
TEST_F(SpotlightProgramTest, NumbersThatNobodyUsesAreRefused) {
    simulate();
    const Words focus{"focus", file("raw.cphd"), "-o", file("map.h5"), "--device", "cpu", "--dry-run", "-q"};
    expect_bad_input(with(focus, {"--doppler-centroid", "500"}), {"--doppler-centroid", "spotlight", "leave it out"});
    expect_bad_input(with(focus, {"--doppler-centroid", "data"}), {"--doppler-centroid", "leave it out"});
    expect_bad_input(with(focus, {"--velocity", "7000"}), {"--velocity", "geometry, as all pulses of a spotlight"});
    expect_bad_input(with(focus, {"--velocity", "data"}), {"--velocity", "leave it out"});
    expect_bad_input(with(focus, {"--azimuth-bandwidth", "300"}), {"--azimuth-bandwidth", "leave it out"});
    expect_bad_input(with(focus, {"--max-memory", "1M"}),
                     {"give more by --max-memory, sum fewer pulses by --lines A:B"});
    expect_bad_input(with(focus, {"--extent", "valid"}), {"--extent valid", "spotlight", "leave it out"});
}

/// A pixel of 0.39 m holds what is told across the line of sight.
TEST_F(SpotlightProgramTest, PixelsThatFoldTheSpectrumAreToldOf) {
    simulate();
    const Words focus{"focus", file("raw.cphd"), "-o", file("map.h5"), "--device", "cpu", "--dry-run", "--grid", "utm"};
    const Outcome coarse = succeed(with(focus, {"--spacing", "5"}));
    expect_in(coarse.err, "pixels of 5 x 5 m (x, y) are wider than the ");
    expect_in(coarse.err, "its spectrum folds");
    EXPECT_EQ(succeed(with(focus, {"--spacing", "0.2"})).err.find("folds"), std::string::npos);
    EXPECT_EQ(succeed(focus).err.find("folds"), std::string::npos);
}

TEST_F(SpotlightProgramTest, AllAlgorithmsAreProvedThatHold) {
    simulate();
    const Outcome proved =
        succeed({"verify", file("raw.cphd"), "--algorithm", "all", "--device", "cpu", "--json", "-q"});
    const nlohmann::json report = nlohmann::json::parse(proved.out, nullptr, false);
    EXPECT_EQ(report["algorithms"].size(), 2u) << "backprojection and ffbp";
    EXPECT_EQ(report["refused"].size(), 3u);
    EXPECT_TRUE(report["agreement"].empty()) << "on a map";
}

TEST_F(SpotlightProgramTest, AutofocusTakesAPhaseErrorOff) {
    simulate({"--phase-error", "quadratic:8"});
    const Words focus{"focus", file("raw.cphd"), "-o", file("map.h5"), "--device", "cpu", "--autofocus"};
    expect_bad_input(with(focus, {"entropy", "-q"}), {"--autofocus entropy", "spotlight", "use pga"});
    EXPECT_NE(succeed(with(focus, {"pga", "--dry-run", "-q"})).out.find("192 points are kept"), std::string::npos);
    const Outcome focused = succeed(with(focus, {"pga", "--json", file("map.json")}));
    expect_in(focused.err, "autofocus by phase gradient (PGA): phase error taken away");
    const nlohmann::json told = nlohmann::json::parse(text_of("map.json")).at("autofocus");
    EXPECT_EQ(told["phase_rad"].size(), 400u);
    EXPECT_GT(told["phase_largest_rad"], told["phase_rms_rad"]);
    EXPECT_EQ(told["lines_used"], 400);
    // What was put in has nothing straight, so that points stay where they were.
    const nlohmann::json points = json_of({"analyze", file("map.h5"), "--json"});
    ASSERT_EQ(points["targets"].size(), 9u);
    for (const auto& target : points["targets"]) {
        ASSERT_FALSE(target.contains("refused")) << target;
        EXPECT_LT(std::abs(target["error_m"]["y"].get<double>()), 0.02);
        EXPECT_LT(std::abs(target["magnitude_error_db"].get<double>()), 0.1);
    }
}

TEST_F(SpotlightProgramTest, IsOnAMapWithoutBeingAskedFor) {
    simulate();
    expect_bad_input({"focus", file("raw.cphd"), "-o", file("map.h5"), "--algorithm", "rda", "-q"},
                     {"error: the image of a spotlight is on a map: --algorithm rda", "backprojection or ffbp"});
}

TEST_F(SpotlightProgramTest, FewPulsesAreNoAperture) {
    ASSERT_EQ(run({"simulate", "spotlight", "-o", file("raw.cphd"), "--lines", "300", "-q"}).code, 0);
    expect_bad_input({"focus", file("raw.cphd"), "-o", file("a.h5"), "--lines", "0:1", "-q"},
                     {"1 pulses are no aperture", "16 at least", "--lines"});
    EXPECT_EQ(run({"focus", file("raw.cphd"), "-o", file("a.h5"), "--lines", "0:16", "-q"}).code, 0);
}

TEST_F(SpotlightProgramTest, SaysWhatFormatHoldsWhat) {
    expect_bad_input({"simulate", "spotlight", "-o", file("raw.h5")}, {"NISAR L0B", "-o RAW.cphd", "--format cphd"});
    expect_bad_input({"simulate", "spaceborne", "-o", file("raw.cphd")}, {"goes along", "--format l0b"});
    expect_bad_input({"simulate", "spotlight", "-o", file("raw.cphd"), "--format", "sicd"}, {"--format sicd", "cphd"});
    expect_bad_input({"simulate", "spotlight", "-o", file("raw.cphd"), "--transmit-gaps"}, {"transmit_gaps"});
    expect_bad_input({"simulate", "spotlight", "-o", file("raw.cphd"), "--samples", "1810"}, {"samples is 1810"});
    EXPECT_EQ(left(), Words{});
    succeed({"simulate", "sliding", "-o", file("raw.bin"), "--format", "cphd", "--lines", "50", "-q"});
    EXPECT_EQ(text_of("raw.bin").substr(0, 11), "CPHD/1.1.0\n");
    EXPECT_NE(run({"simulate", "sliding", "--print-scene"}).out.find("height_m: -"), std::string::npos);
}

}  // namespace
}  // namespace cornerturn
