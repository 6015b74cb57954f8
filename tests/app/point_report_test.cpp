// SPDX-License-Identifier: Apache-2.0
// The table and the JSON of point targets say what was measured, theory and the difference, each in its place.
#include "app/verbs/point_report.h"
#include "tests/support/texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace cornerturn {
namespace {

Image windowed_image() {
    Image image;
    image.processing.range_bandwidth_hz = 30e6;
    image.processing.azimuth_bandwidth_hz = 1250;
    image.processing.doppler_centroid_hz = -6900;
    image.processing.azimuth_window = Window::parse("hamming");
    return image;
}

PointAnalysis measured_point() {
    PointAnalysis point;
    point.target = {.range_m = 5000.5, .time_s = 2.25, .amplitude = {}};
    point.row = 12.5;
    point.column = 34.25;
    point.range_m = 5000.75;
    point.time_s = 2.2500125;
    point.magnitude = 4;
    point.phase_deg = -17.125;
    point.range = {.position_error_px = 0.0625,
                   .measured = {.irw_px = 1.1, .irw_m = 2.75, .pslr_db = -13, .islr_db = -10},
                   .theory = {.irw_px = 1.0, .irw_m = 2.5, .pslr_db = -13.5, .islr_db = -9.75},
                   .cut = {},
                   .theory_cut = {}};
    point.azimuth = {.position_error_px = -0.125,
                     .measured = {.irw_px = 1.5, .irw_m = 6, .pslr_db = -40, .islr_db = -30},
                     .theory = {.irw_px = 1.5, .irw_m = 6, .pslr_db = -42, .islr_db = -31},
                     .cut = {},
                     .theory_cut = {}};
    return point;
}

/// Words of a text, so that widths of columns do not matter.
std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

bool has_words(const std::string& text, const std::string& sought) {
    const auto words = words_of(text), part = words_of(sought);
    return std::search(words.begin(), words.end(), part.begin(), part.end()) != words.end();
}

TEST(PointReport, TableHoldsMeasuredTheoryAndDifference) {
    const std::string table = point_table(windowed_image(), {measured_point()});
    EXPECT_TRUE(has_words(table, "range 30 MHz (none), azimuth 1250 Hz (hamming), Doppler centroid -6900 Hz")) << table;
    EXPECT_TRUE(has_words(
        table, "1 range 5000.7500 m +0.0625 | 1.1000 1.0000 +10.00 2.7500 | -13.00 -13.50 +0.50 | -10.00 -9.75 -0.25"))
        << table;
    EXPECT_TRUE(has_words(
        table, "azimuth 2.2500125 s -0.1250 | 1.5000 1.5000 +0.00 6.0000 | -40.00 -42.00 +2.00 | -30.00 -31.00 +1.00"))
        << table;
    EXPECT_TRUE(has_words(table, "peak magnitude 4, phase -17.125 deg")) << table;
    EXPECT_EQ(table.find("against the truth"), std::string::npos) << table;
    EXPECT_EQ(table.find("outside the area"), std::string::npos) << table;
}

TEST(PointReport, TableSaysWhatIsKnownOfAPointAndWhatIsNot) {
    Image image = windowed_image();
    image.acquisition.azimuth_bandwidth_hz = 1005;
    PointAnalysis point = measured_point();
    point.range.position_error_px.reset();
    point.phase_error_deg = 1.5;
    point.magnitude_error_db = -0.25;
    point.fully_covered = false;
    PointAnalysis refused = measured_point();
    refused.refused = "outside the image";
    const std::string table = point_table(image, {point, refused});
    EXPECT_TRUE(has_words(table, "(hamming), beam 1005 Hz, Doppler")) << table;
    EXPECT_TRUE(has_words(table, "range 5000.7500 m - | 1.1000")) << table;
    EXPECT_TRUE(has_words(table, "phase -17.125 deg; against the truth -0.250 dB, +1.500 deg; outside the area"))
        << table;
    EXPECT_TRUE(has_words(table, "2 not measured: 5000.500 m, 2.250000 s is outside the image")) << table;
}

TEST(PointReport, JsonHoldsTheSame) {
    Image image = windowed_image();
    image.acquisition.azimuth_bandwidth_hz = 1005;
    PointAnalysis refused = measured_point();
    refused.refused = "outside the image";
    const nlohmann::json json = points_json(image, {measured_point(), refused});
    EXPECT_EQ(json["azimuth_window"], "hamming");
    EXPECT_EQ(json["beam_bandwidth_hz"], 1005);
    const nlohmann::json& point = json["targets"][0];
    EXPECT_EQ(point["target"], (nlohmann::json{{"range_m", 5000.5}, {"zero_doppler_time_s", 2.25}, {"exact", true}}));
    EXPECT_EQ(point["peak"], (nlohmann::json{{"row", 12.5},
                                             {"column", 34.25},
                                             {"range_m", 5000.75},
                                             {"zero_doppler_time_s", 2.2500125},
                                             {"magnitude", 4.0},
                                             {"phase_deg", -17.125}}));
    EXPECT_EQ(point["range"]["position_error_px"], 0.0625);
    EXPECT_EQ(point["azimuth"]["measured"],
              (nlohmann::json{{"irw_px", 1.5}, {"irw_m", 6.0}, {"pslr_db", -40.0}, {"islr_db", -30.0}}));
    EXPECT_EQ(point["azimuth"]["theory"]["pslr_db"], -42);
    EXPECT_TRUE(point["fully_covered"]);
    EXPECT_EQ(json["targets"][1]["refused"], "outside the image");
    EXPECT_FALSE(json["targets"][1].contains("peak"));
}

}  // namespace
}  // namespace cornerturn
