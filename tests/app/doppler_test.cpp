// SPDX-License-Identifier: Apache-2.0
// `doppler` and `focus --velocity data` as users meet them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/app/json_schema.h"
#include "tests/app/program_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class DopplerVerb : public ProgramFixture {
protected:
    nlohmann::json found_in(const std::string& file) {
        const Outcome outcome = succeed({"doppler", file, "--json", "-"});
        return nlohmann::json::parse(outcome.out);
    }
    void simulate() {
        std::ofstream(path("scene.yaml"))
            << "preset: airborne\nlines: 1536\nsamples: 1536\ndoppler_centroid_hz: 900\nnoise_db: 0\ntargets: []\n"
               "clutter: [{first_line: -400, last_line: 1900, first_sample: -900, last_sample: 1536, "
               "scatterers: 600, power_db: 0}]\n";
        succeed({"simulate", path("scene.yaml"), "-o", path("raw.h5")});
    }
    std::optional<std::string> measured(const char* name) {
        const char* folder = std::getenv("CORNERTURN_SHARED_DATA");
        const std::string file = folder ? std::string(folder) + "/radarsat1/" + name : "";
        return folder && std::filesystem::exists(file) ? std::optional(file) : std::nullopt;
    }
};

TEST_F(DopplerVerb, TableJsonAndPictureSayTheSame) {
    simulate();
    const Outcome table =
        succeed({"doppler", path("raw.h5"), "--json", path("found.json"), "--png", path("found.png")});
    expect_in(table.out, "+2 PRF");
    EXPECT_TRUE(std::filesystem::exists(path("found.png")));
    std::ifstream file(path("found.json"));
    const nlohmann::json json = nlohmann::json::parse(file);
    EXPECT_EQ(breaches_of_schema(json, "doppler"), "");
    EXPECT_EQ(json, found_in(path("raw.h5")));
    EXPECT_NEAR(json["data"]["centroid_hz"].get<double>(), 900, 10);
    EXPECT_TRUE(json["data"]["certain"].get<bool>());
    EXPECT_NEAR(json["geometry"]["centroid_hz"].get<double>(), 900, 10);
    EXPECT_NEAR(json["effective_velocity"]["data"]["m_s"].get<double>(), 120, 0.3);
    EXPECT_NEAR(json["effective_velocity"]["orbit"]["m_s"].get<double>(), 120, 0.1);
}

TEST_F(DopplerVerb, BadInputIsOneLine) {
    simulate();
    for (const Program::Words& words : {Program::Words{"doppler", path("missing.h5")},
                                        {"doppler", path("raw.h5"), "--json", path("no/such/folder.json")},
                                        {"doppler", path("raw.h5"), "--png", path("a.png"), "--json=" + path("a.png")},
                                        {"doppler", path("raw.h5"), "--png", path("raw.h5")},
                                        {"doppler", path("raw.h5"), "--polarization", "VV"},
                                        {"focus", path("raw.h5"), "-o", path("slc.h5"), "--velocity", "fast"}}) {
        SCOPED_TRACE(testing::PrintToString(words));
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

/// 100 MHz hold the chirp's 72 MHz, but not the 145 MHz that squint makes of it; the data tell that there is a squint.
TEST_F(DopplerVerb, FocusResamplesTheEchoByTheCentroidOfTheData) {
    std::ofstream(path("scene.yaml"))
        << "carrier_hz: 9.65e9\nprf_hz: 400\nsample_rate_hz: 100e6\nnear_range_m: 3000\nlines: 1403\nsamples: 431\n"
           "chirp_slope_hz_s: 36e12\nchirp_duration_s: 2e-6\nvelocity_m_s: 120\nazimuth_bandwidth_hz: 180\n"
           "doppler_centroid_hz: 1370\nsample_type: int16\ntargets: [{line: 501.7, sample: 100.4, amplitude: 20}, "
           "{line: 801.2, sample: 230.9, amplitude: 20}]\n";
    succeed({"simulate", path("scene.yaml"), "-o", path("raw.h5")});
    const Program::Words focus{"focus", path("raw.h5"), "-o", path("slc.h5"), "--doppler-centroid", "data", "--json"};
    Program::Words dry_run{"focus", path("raw.h5"), "--doppler-centroid", "data", "--dry-run", "--json"};
    const Outcome planned = run(dry_run), made = run(focus);
    ASSERT_EQ(planned.code, 0) << planned.err;
    ASSERT_EQ(made.code, 0) << made.err;
    const auto plan = nlohmann::json::parse(planned.out), report = nlohmann::json::parse(made.out);
    EXPECT_EQ(breaches_of_schema(report, "focus"), "");
    expect_in(report["warnings"].dump(), "resampled from 100 to 162.5 MHz");
    EXPECT_EQ(plan["warnings"], report["warnings"]);
    const auto &of_plan = plan["frames"][0]["plan"], &of_image = report["frames"][0]["plan"];
    EXPECT_EQ(of_image["doppler_source"].get<std::string>().substr(0, 9), "estimated");
    EXPECT_NEAR(of_image["doppler_centroid_hz"].get<double>(), 1370, 20);
    for (const char* key : {"doppler_source", "doppler_centroid_hz", "image"}) EXPECT_EQ(of_plan[key], of_image[key]);
    expect_in(report["frames"][0]["stages"].dump(), "data_estimates");
}

TEST_F(DopplerVerb, FocusTakesTheVelocityOfTheData) {
    simulate();
    const Outcome outcome = succeed({"focus", path("raw.h5"), "--velocity", "data", "--dry-run"});
    expect_in(outcome.out, "(data: 1");
}

/// The README of the data: some -6966 to -6993 Hz at ambiguity -6, 7062 m/s.
TEST_F(DopplerVerb, MeasuredEchoesTellTheirAmbiguityAndVelocity) {
    for (const char* name : {"english_bay.h5", "vancouver.h5"}) {
        const auto file = measured(name);
        if (!file) GTEST_SKIP() << "no radarsat1 folder in $CORNERTURN_SHARED_DATA";
        const nlohmann::json json = found_in(*file);
        EXPECT_NEAR(json["data"]["centroid_hz"].get<double>(), -6980, 60) << name;
        EXPECT_TRUE(json["data"]["certain"].get<bool>()) << name;
        EXPECT_NEAR(json["effective_velocity"]["data"]["m_s"].get<double>(), 7062, 15) << name;
        EXPECT_LT(json["effective_velocity"]["data"]["error_m_s"].get<double>(), 5) << name;
    }
}

/// The file says 7062 m/s, the echo 7067 +- 2: by a quadratic phase that sharpens the image. At 7067 m/s nothing is
/// sure to.
TEST_F(DopplerVerb, AutofocusFindsTheVelocityOfAMeasuredEchoAndLeavesItAtThat) {
    const auto file = measured("english_bay.h5");
    if (!file) GTEST_SKIP() << "no radarsat1 folder in $CORNERTURN_SHARED_DATA";
    for (const char* method : {"pga", "entropy"}) {
        const auto said = [&](const char* velocity_m_s) {
            return run({"focus", *file, "-o", path("slc.h5"), "--device", "cpu", "--velocity", velocity_m_s,
                        "--autofocus", method})
                .err;
        };
        expect_in(said("7062"), "phase error taken away");
        expect_in(said("7067"), "left as it is");
    }
}

}  // namespace
}  // namespace cornerturn
