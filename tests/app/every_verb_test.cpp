// SPDX-License-Identifier: Apache-2.0
// Every verb run as a program: exit codes 0, 1 and 2, JSON as docs/schemas says, plans that do nothing, a
// measured scene in focus.

#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"
#include "tests/app/three_frames.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using nlohmann::json;

class EveryVerb : public ImageProgramTest {
protected:
    void focus(const std::string& output, const Words& more = {}) {
        expect_code(0, with({"focus", file("raw.h5"), "-o", file(output), "--device", "cpu", "-q"}, more));
    }
    Outcome expect_code(int code, const Words& arguments) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
        return outcome;
    }
    void expect_schema(const json& report, const std::string& schema) {
        EXPECT_EQ(breaches_of_schema(report, schema), "") << report.dump(2);
    }
    json file_of(const std::string& name, const std::string& schema) {
        json report = json::parse(text_of(name), nullptr, false);
        expect_schema(report, schema);
        return report;
    }
    json output_of(const Words& arguments, const std::string& schema, int code = 0) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        json report = json::parse(expect_code(code, arguments).out, nullptr, false);
        expect_schema(report, schema);
        return report;
    }
};

TEST_F(EveryVerb, SchemasRefuseWhatTheyDoNotSay) {
    const json right{
        {"schema_version", 1},
        {"cuda_status", ""},
        {"devices", {{{"name", "cpu"}, {"description", ""}, {"memory_bytes", 2}, {"memory_free_bytes", 1}}}}};
    expect_schema(right, "devices");
    for (const auto spoil : {+[](json& j) { j.erase("cuda_status"); }, +[](json& j) { j.erase("schema_version"); },
                             +[](json& j) { j["more"] = 1; }, +[](json& j) { j["devices"] = json::array(); },
                             +[](json& j) { j["devices"][0]["memory_bytes"] = nullptr; },
                             +[](json& j) { j["devices"][0]["memory_bytes"] = "2"; },
                             +[](json& j) { j["devices"][0]["memory_free_bytes"] = -1; }}) {
        json wrong = right;
        spoil(wrong);
        EXPECT_NE(breaches_of_schema(wrong, "devices"), "") << wrong;
    }
}

TEST_F(EveryVerb, ReportsOfFocusFollowTheirSchema) {
    simulate_small();
    focus("slc.h5", {"--json", file("one.json")});
    EXPECT_EQ(file_of("one.json", "focus")["frames"][0]["plan"]["algorithm"], "rda");
    for (const char* algorithm : {"csa", "omegak", "backprojection", "ffbp"}) {
        focus("slc.h5", {"--json", file("one.json"), "--algorithm", algorithm});
        EXPECT_EQ(file_of("one.json", "focus")["frames"][0]["plan"]["algorithm"], algorithm);
    }
    focus("slc.h5", {"--json", file("one.json"), "--autofocus", "entropy", "--azimuth-window", "hamming"});
    EXPECT_EQ(file_of("one.json", "focus")["autofocus"]["phase_rad"].size(), 420u);
    write_three_frames(file("three.h5"));
    expect_code(0, {"focus", file("three.h5"), "-o", file("three_slc.h5"), "--device", "cpu", "--frequency", "all",
                    "--polarization", "all", "--json", file("three.json"), "-q"});
    EXPECT_EQ(file_of("three.json", "focus")["frames"].size(), 3u);
}

TEST_F(EveryVerb, FactsFollowTheirSchemas) {
    simulate_small();
    focus("slc.h5");
    focus("csa.h5", {"--algorithm", "csa"});
    EXPECT_EQ(output_of({"info", file("raw.h5"), "--json"}, "info")["lines"], 420);
    EXPECT_EQ(output_of({"info", file("slc.h5"), "--json"}, "info")["algorithm"], "rda");
    const json points = output_of({"analyze", file("slc.h5"), "--device", "cpu", "--json", "--scene"}, "analyze");
    ASSERT_EQ(points["targets"].size(), 1u);
    EXPECT_LT(std::abs(points["targets"][0]["range"]["position_error_px"].get<double>()), 0.01);
    EXPECT_TRUE(points.contains("scene"));
    const json& place = points["targets"][0]["target"];
    const std::string known = place["range_m"].dump() + "," + place["zero_doppler_time_s"].dump();
    const json two = output_of(
        {"analyze", file("slc.h5"), "--device", "cpu", "--json", "--target", known, "--target", "1,1"}, "analyze");
    EXPECT_TRUE(two["targets"][0].contains("peak"));
    EXPECT_TRUE(two["targets"][1].contains("refused")) << "far outside";
    EXPECT_TRUE(output_of({"compare", file("slc.h5"), file("csa.h5"), "--json"}, "compare")["passed"]);
    const json same = output_of({"compare", file("slc.h5"), file("slc.h5"), "--json"}, "compare");
    EXPECT_TRUE(same["signal_to_error_db"].is_null()) << "not finite: JSON has no number for it";
    EXPECT_TRUE(same["identical"]);
    expect_code(0, {"verify", file("raw.h5"), "--device", "cpu", "--json", file("verify.json"), "-q"});
    EXPECT_TRUE(file_of("verify.json", "verify")["passed"]);
    EXPECT_EQ(output_of({"devices", "--json"}, "devices")["devices"][0]["name"], "cpu");
}

TEST_F(EveryVerb, TakesImagesOfEveryFormat) {
    simulate_small();
    focus("slc.h5");
    const json target = output_of({"analyze", file("slc.h5"), "--device", "cpu", "--json"}, "analyze")["targets"][0];
    const std::string range_m = target["target"]["range_m"].dump();
    for (const char* name : {"a.tif", "a.slc"}) {
        SCOPED_TRACE(name);
        succeed({"convert", file("slc.h5"), "-o", file(name)});
        const json facts = output_of({"info", file(name), "--json"}, "info");
        EXPECT_EQ(facts["algorithm"], "rda");
        EXPECT_FALSE(facts.contains("known_targets")) << "there is no place for them";
        const std::string time_s = target["target"]["zero_doppler_time_s"].dump();
        const json found =
            output_of({"analyze", file(name), "--device", "cpu", "--json", "--target", range_m + "," + time_s},
                      "analyze")["targets"][0];
        for (const char* axis : {"range", "azimuth"}) {
            EXPECT_NEAR(found[axis]["position_error_px"].get<double>(), target[axis]["position_error_px"].get<double>(),
                        1e-3);
            EXPECT_NEAR(found[axis]["measured"]["irw_px"].get<double>(),
                        target[axis]["measured"]["irw_px"].get<double>(), 1e-3);
        }
        EXPECT_TRUE(output_of({"compare", file("slc.h5"), file(name), "--json"}, "compare")["identical"]);
        succeed({"quicklook", file(name), "-o", file("a.png")});
        succeed({"multilook", file(name), "-o", file("looks.h5"), "--looks", "2x2", "--domain", "frequency"});
    }
    std::ofstream(file("a.slc.hdr")) << "ENVI\nsamples = 400\nlines = 10\nbands = 1\ndata type = 6\n";
    const json facts = output_of({"info", file("a.slc"), "--json"}, "info");
    EXPECT_EQ(facts["product"], "complex image (ENVI)");
    EXPECT_TRUE(facts.contains("axes"));
    succeed({"quicklook", file("a.slc"), "-o", file("a.png")});
    succeed({"multilook", file("a.slc"), "-o", file("b.tif"), "--looks", "auto"});
    expect_bad_input({"info", file("a.slc"), "--geo"}, {"a.slc", "slant ranges"});
    expect_bad_input({"analyze", file("a.slc")}, {"a.slc", "slant ranges", "analyze"});
    expect_bad_input({"compare", file("slc.h5"), file("a.slc")}, {"a.slc", "slant ranges", "compare"});
    expect_bad_input({"convert", file("a.slc"), "-o", file("b.tif")}, {"a.slc", "slant ranges", "convert"});
    expect_bad_input({"multilook", file("a.slc"), "-o", file("b.h5")}, {"a.slc", "slant ranges"});
    expect_bad_input({"info", file("b.tif")}, {"b.tif", "real numbers", "complex"});
}

/// Presets with fewer lines and samples: the algorithm that is chosen for them passes every check.
TEST_F(EveryVerb, VerifiesThePresetsThatAreHard) {
    const auto algorithm_for = [&](const std::string& scene) {
        std::ofstream(file("scene.yaml")) << scene;
        const json report = output_of({"verify", file("scene.yaml"), "--device", "cpu", "--json"}, "verify");
        EXPECT_TRUE(report["passed"]) << scene;
        EXPECT_EQ(report["algorithms"].size(), 1u);
        return report["algorithms"][0]["algorithm"].get<std::string>();
    };
    // The centroid changes over the swath by more than the PRF leaves beside the beam.
    EXPECT_EQ(algorithm_for("preset: wide\nlines: 1300\n"), "omegak");
    // A beam of 40 degrees, with one target: nine in fewer samples would lie in each other's sidelobes.
    EXPECT_EQ(algorithm_for("preset: pband\nlines: 4800\nsamples: 720\n"
                            "targets: [{line: 2390.3, sample: 230.6, phase_deg: 50}]\n"),
              "omegak");
    algorithm_for("preset: drone\nlines: 900\nsamples: 900\n");  // in gusts
}

TEST_F(EveryVerb, FactsOfMapsFollowTheirSchemas) {
    expect_code(0, {"simulate", "radarsat", "-o", file("raw.h5"), "--sample-type", "int8", "--lines", "1000",
                    "--samples", "2000", "-q"});
    focus("map.h5", {"--algorithm", "backprojection", "--grid", "utm", "--spacing", "40", "--json", file("map.json")});
    EXPECT_EQ(file_of("map.json", "focus")["frames"][0]["plan"]["image"]["x_spacing"], 40);
    EXPECT_EQ(output_of({"info", file("map.h5"), "--json"}, "info")["x_spacing"], 40);
    for (const char* name : {"raw.h5", "map.h5"})
        EXPECT_TRUE(output_of({"info", file(name), "--geo", "--json"}, "info").contains("corners")) << name;
    EXPECT_TRUE(output_of({"analyze", file("map.h5"), "--device", "cpu", "--json"}, "analyze").contains("projection"));
}

TEST_F(EveryVerb, BatchesFollowTheirSchemasAndEndWithOneWhereASceneFails) {
    simulate_small();
    focus("slc.h5");
    std::ofstream(file("jobs.yaml")) << "scenes: [raw.h5, {input: slc.h5, output: no.h5}]\n";
    const json result =
        output_of({"batch", file("jobs.yaml"), "-o", file("out"), "--device", "cpu", "--json", "-q"}, "batch", 1);
    EXPECT_EQ(result["done"], 1);
    EXPECT_EQ(result["failed"], 1);
    EXPECT_EQ(file_of("out/raw.status.json", "batch-status")["state"], "done");
    EXPECT_EQ(file_of("out/no.status.json", "batch-status")["exit_code"], 2);
}

TEST_F(EveryVerb, BenchesFollowTheirSchema) {
    const Words small{"--json", "--repeat", "1", "--threads", "1", "-q"};
    output_of({"bench", "job", "--size", "512", "--scenes", "2", "--repeat", "1", "--device", "cpu", "--folder",
               file(""), "--json", "-q"},
              "bench");
    for (const Words& bench : {Words{"corner-turn", "--size", "64", "--device", "cpu"},
                               {"matrix-product", "--size", "32", "--device", "cpu"},
                               {"matrix-product", "--a", "21x10", "--b", "10x5", "--device", "cpu"},
                               {"pipeline", "--size", "256", "--device", "cpu"},
                               {"pipeline", "--size", "256", "--device", "cpu,cpu"},
                               {"io", "--lines", "300", "--samples", "1400", "--device", "cpu"},
                               {"io", "--lines", "300", "--samples", "1400", "--device", "cpu,cpu"},
                               {"exchange", "--size", "64", "--device", "cpu,cpu"},
                               {"backprojection", "--size", "32", "--lines", "64", "--device", "cpu"}}) {
        Words words = with(with({"bench"}, bench), small);
        output_of(words, "bench");
        if (bench.front() != "corner-turn" && bench.front() != "matrix-product") continue;
        // The table for people.
        std::erase(words, "--json");
        const Outcome table = succeed(words);
        expect_in(table.out, "median of 1");
    }
    expect_bad_input({"bench", "matrix-product", "--a", "21x10", "--b", "11x5", "--device", "cpu"},
                     {"21 x 10 times 11 x 5", "do not fit together"});
    expect_bad_input({"bench", "matrix-product", "--a", "21", "--b", "10x5", "--device", "cpu"},
                     {"--a 21", "ROWSxCOLS"});
    expect_bad_input({"bench", "matrix-product", "--a", "0x10", "--b", "10x5", "--device", "cpu"},
                     {"--a 0x10", "from 1"});
}

TEST_F(EveryVerb, EndsWithOneWhereACheckFails) {
    simulate_small();
    focus("slc.h5");
    focus("csa.h5", {"--algorithm", "csa"});
    const json limits = output_of(
        {"compare", file("slc.h5"), file("csa.h5"), "--json", "--require-signal-to-error", "200"}, "compare", 1);
    EXPECT_FALSE(limits["passed"]);
    EXPECT_FALSE(limits["checks"][0]["passed"]);
    Editor(file("raw.h5")).change("/science/LSAR/RRSD/swaths/frequencyA/txH/chirpSlope", -36e12);  // a lie
    expect_in(expect_code(1, {"verify", file("raw.h5"), "--device", "cpu", "--json", file("verify.json")}).out, "FAIL");
    EXPECT_FALSE(file_of("verify.json", "verify")["passed"]);
}

TEST_F(EveryVerb, EndsWithTwoWhereTheInputIsNotThere) {
    const std::string none = file("none.h5"), out = file("out.h5");
    for (const Words& words : {Words{"focus", none, "-o", out},
                               {"batch", none, "-o", file("out")},
                               {"simulate", none, "-o", out},
                               {"analyze", none},
                               {"verify", none},
                               {"compare", none, none},
                               {"doppler", none},
                               {"info", none},
                               {"multilook", none, "-o", out},
                               {"quicklook", none, "-o", file("out.png")}})
        expect_bad_input(words, words[0] == "batch" || words[0] == "simulate" || words[0] == "verify"
                                    ? Words{"none.h5"}
                                    : Words{"none.h5", "No such file"});
    expect_bad_input({"completion", "tcsh"}, {"tcsh"});
    expect_bad_input({"devices", "cuda"}, {"cuda"});
    EXPECT_EQ(left(), Words{"out"}) << "the folder of batch";
}

TEST_F(EveryVerb, PlansDoNothing) {
    simulate_small();
    const Words plan{"focus",    file("raw.h5"),   "-o",       file("slc.h5"), "--png",    file("slc.png"),
                     "--report", file("slc.html"), "--device", "cpu",          "--dry-run"};
    const Outcome outcome = expect_code(0, plan);
    expect_in(outcome.out,
              {"echo", "Doppler centroid", "algorithm", "FFT lengths", "memory", "420 lines x 400 samples"});
    EXPECT_EQ(left(), (Words{"raw.h5", "scene.yaml"}));
    const json planned = output_of(with(plan, {"--json"}), "focus");
    EXPECT_EQ(planned["frames"][0]["echo"]["lines"], 420);
    EXPECT_FALSE(planned.contains("products"));
    EXPECT_EQ(left(), (Words{"raw.h5", "scene.yaml"}));
    expect_bad_input(with(plan, {"--max-memory", "1M"}), {"needs", "--max-memory"});
}

/// RADARSAT-1, English Bay: ships on the sea. Sharpness is mean(p^2) / mean(p)^2 of the pixels' power p.
TEST_F(EveryVerb, FocusesAMeasuredSceneToItsSharpness) {
    const auto echo = shared_file("radarsat1/english_bay.h5");
    if (!echo) GTEST_SKIP() << "shared data are not here";
    const auto sharpness = [&](const Words& more) {
        expect_code(0, with({"focus", *echo, "-o", file("bay.h5"), "--device", "cpu", "--range-window", "kaiser:2.5",
                             "--azimuth-window", "kaiser:2.5", "-q"},
                            more));
        return output_of({"analyze", file("bay.h5"), "--device", "cpu", "--scene", "--peaks", "1", "--json", "-q"},
                         "analyze")["scene"]["sharpness"]
            .get<double>();
    };
    const double focused = sharpness({});
    EXPECT_NEAR(focused, 8017, 80) << "of docs/tutorial.md; one per cent";
    EXPECT_LT(sharpness({"--velocity", "7000"}), 0.3 * focused);
}

}  // namespace
}  // namespace cornerturn
