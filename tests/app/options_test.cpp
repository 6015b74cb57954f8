// SPDX-License-Identifier: Apache-2.0
// Options that mean the same in every verb: where JSON goes, what takes which values, what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/common_options.h"
#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

TEST(JsonWords, TakeAValueOnlyWhereItCanBeNoOther) {
    EXPECT_EQ(with_json_values({"info", "--json", "raw.h5"}), (Words{"info", "--json=-", "raw.h5"}));
    EXPECT_EQ(with_json_values({"info", "raw.h5", "--json"}), (Words{"info", "raw.h5", "--json=-"}));
    EXPECT_EQ(with_json_values({"info", "--json", "-", "raw.h5"}), (Words{"info", "--json=-", "raw.h5"}));
    EXPECT_EQ(with_json_values({"info", "--json", "a.json", "raw.h5"}), (Words{"info", "--json=a.json", "raw.h5"}));
    EXPECT_EQ(with_json_values({"info", "--json=a.txt", "raw.h5"}), (Words{"info", "--json=a.txt", "raw.h5"}));
    EXPECT_EQ(with_json_values({"info", "--json", "--geo"}), (Words{"info", "--json=-", "--geo"}));
    EXPECT_EQ(with_json_values({"info", "--", "--json"}), (Words{"info", "--", "--json"}));
}

class OptionsTest : public ImageProgramTest {
protected:
    /// Expects the report to come to standard output in place of the text, and into a file beside it, alike for what is
    /// at `key`.
    void expect_both_ways(Words words, const std::string& schema, const std::string& key) {
        SCOPED_TRACE(testing::PrintToString(words));
        const std::string text = run(words).out;
        EXPECT_EQ(text.find("schema_version"), std::string::npos) << text;
        Words with_file = words;
        with_file.insert(with_file.begin() + 1, {"--json", file("report.json")});
        const Outcome beside = succeed(with_file);
        EXPECT_EQ(beside.out.substr(0, 9), text.substr(0, 9)) << "text as without";
        words.insert(words.begin() + 1, "--json");
        const json printed = json_of(words), written = json::parse(text_of("report.json"));
        for (const json& report : {printed, written}) EXPECT_EQ(breaches_of_schema(report, schema), "");
        EXPECT_EQ(printed.at(key), written.at(key));
    }
};

TEST_F(OptionsTest, JsonGoesWhereItIsSentInEveryVerb) {
    simulate_small();
    const std::string raw = file("raw.h5"), slc = file("slc.h5");
    expect_both_ways({"focus", raw, "-o", slc, "--device", "cpu", "-q"}, "focus", "output");
    expect_both_ways({"info", raw}, "info", "lines");
    expect_both_ways({"info", slc}, "info", "rows");
    expect_both_ways({"analyze", slc, "--device", "cpu"}, "analyze", "targets");
    expect_both_ways({"compare", slc, slc}, "compare", "samples");
    expect_both_ways({"verify", raw, "--device", "cpu", "-q"}, "verify", "passed");
    expect_both_ways({"devices"}, "devices", "cuda_status");
    expect_both_ways({"batch", raw.substr(0, raw.rfind('/')), "-o", file("out"), "--device", "cpu", "-q"}, "batch",
                     "done");
}

TEST_F(OptionsTest, JsonThatCannotBeWrittenIsRefusedBeforeAnyWork) {
    simulate_small();
    const std::string none = "--json=" + file("none/a.json"), raw = file("raw.h5");
    for (const Words& words : {Words{"focus", raw, "-o", file("slc.h5"), none},
                               {"info", raw, none},
                               {"doppler", raw, none},
                               {"verify", raw, none},
                               {"devices", none},
                               {"bench", "corner-turn", "--size", "8", none},
                               {"bench", "exchange", "--size", "8", "--device", "cpu,cpu", none},
                               {"bench", "backprojection", "--size", "8", none}})
        expect_bad_input(words, {"none/a.json"});
    expect_bad_input({"info", raw, "--json=" + raw}, {"same file"});
    expect_bad_input({"doppler", raw, "--json", "found.txt"}, {"found.txt", "--json=FILE"});
    EXPECT_EQ(left(), (Words{"raw.h5", "scene.yaml"}));
}

TEST_F(OptionsTest, NoFileIsCalledAsStandardOutputIs) {
    simulate_small();
    const std::string raw = file("raw.h5");
    for (const Words& words : {Words{"focus", raw, "-o", "-"}, {"simulate", "airborne", "-o", "-"}})
        expect_bad_input(words, {"-: only --json writes to standard output"});
}

TEST_F(OptionsTest, AScenesReportIsAFileOfItsOwn) {
    simulate_small();
    std::ofstream(file("jobs.yaml"))
        << "scenes: [{input: raw.h5, options: {json: '{name}.json', doppler-centroid: 0}}]\n";
    std::ofstream(file("bad.yaml")) << "scenes: [{input: raw.h5, options: {json: '-'}}]\n";
    const std::string out = file("out");
    const json batch = json_of({"batch", file("jobs.yaml"), "-o", out, "--device", "cpu", "-q", "--json"});
    EXPECT_EQ(batch["done"], 1);
    EXPECT_EQ(breaches_of_schema(json::parse(text_of("out/raw.json")), "focus"), "");
    expect_bad_input({"batch", file("bad.yaml"), "-o", out}, {"bad.yaml", "{name}.json"});
    expect_bad_input({"batch", file("jobs.yaml"), "-o", out, "--json", file("out/raw.json")}, {"raw.json"});
}

TEST_F(OptionsTest, WhatIsNoNumberIsToldWhatIsWanted) {
    const Words simulate{"simulate", "airborne", "-o", file("raw.h5")};
    for (const char* lines : {"nan", "1.5", "1e3", "many"})
        expect_bad_input(with(simulate, {"--lines", lines}), {fmt::format("--lines: {}: not a whole number", lines)});
    expect_bad_input(with(simulate, {"--noise", "loud"}), {"--noise: loud: not a number"});
    expect_bad_input(with(simulate, {"--seed", "99999999999999999999"}), {"99999999999999999999: not a whole number"});
    EXPECT_EQ(left(), Words{});
}

TEST_F(OptionsTest, WholeNumbersAreDecimal) {
    for (const char* seed : {"10", "010", "+10"}) {
        SCOPED_TRACE(seed);
        expect_in(succeed({"simulate", "airborne", "--print-scene", "--seed", seed}).out, {"\nseed: 10\n"});
    }
}

TEST_F(OptionsTest, NoValueIsEmptyOrAnotherOption) {
    simulate_small();
    const Words focus{"focus", file("raw.h5"), "--device", "cpu"};
    for (const char* option : {"--png", "--report", "--dump-stages", "--grid", "--frequency", "--polarization"}) {
        expect_bad_input(with(focus, {"-o", file("slc.h5"), option, ""}), {option});
        expect_bad_input(with(focus, {"-o", file("slc.h5"), option, "--json"}), {option});
    }
    expect_bad_input(with(focus, {"--dry-run", "-o", "-q"}), {"--output", "-q is an option"});
    expect_bad_input({"simulate", file("scene.yaml"), "-o", file("b.h5"), "--sample-type", ""}, {"--sample-type"});
    expect_bad_input({"simulate", "airborne", "-o", file("b.h5"), "--lines", ""}, {"--lines: the value is empty"});
    expect_bad_input({"focus", file("a.h5"), "-o", file("b.h5"), "--velocity", "7000", "--velocity", "data"},
                     {"error: --velocity: is given 2 times, and takes one value; leave the others out"});
    expect_bad_input({"focus", file("a.h5"), "-o", file("b.h5"), "--descalloping", "--device", "cpu"},
                     {"--descalloping: takes a value, and --device is an option"});
    expect_bad_input({"analyze", file("raw.h5"), "--beam-bandwidth="}, {"--beam-bandwidth"});
    expect_bad_input(with(focus, {"-o", file("slc.h5"), "--algorithm", "rda", "--force=x"}),
                     {R"(error: --force: "x" is neither true nor false; leave the value or the option out)"});
    std::ofstream(file("jobs.yaml")) << "scenes: [{input: raw.h5, options: {png: ''}}]\n";
    expect_bad_input({"batch", file("jobs.yaml"), "-o", file("out")}, {"jobs.yaml", "--png"});
    EXPECT_EQ(left(), (Words{"jobs.yaml", "out", "raw.h5", "scene.yaml"}));
    succeed(with(focus, {"-o", file("slc.h5"), "--height", "-5", "-q"}));
}

TEST_F(OptionsTest, WhatWouldChangeNothingIsRefused) {
    simulate_small();
    const std::string raw = file("raw.h5"), slc = file("slc.h5"), scene = file("scene.yaml");
    succeed({"focus", raw, "-o", slc, "--device", "cpu", "-q"});
    for (const char* algorithm : {"csa", "backprojection", "ffbp"})
        expect_bad_input({"focus", raw, "-o", file("b.h5"), "--algorithm", algorithm, "--rcmc-taps", "8"},
                         {"--rcmc-taps 8", algorithm});
    for (const char* algorithm : {"rda", "csa", "omegak", "backprojection"})
        expect_bad_input({"focus", raw, "-o", file("b.h5"), "--algorithm", algorithm, "--error-db", "-50"},
                         {"--error-db -50", algorithm});
    expect_bad_input({"quicklook", slc, "-o", file("q.png"), "--looks", "2x2", "--max-size", "10"}, {"--max-size 10"});
    succeed({"quicklook", slc, "-o", file("q.png"), "--looks", "auto", "--max-size", "10", "-q"});
    expect_bad_input({"simulate", scene, "-o", file("b.h5"), "--print-scene"}, {"--print-scene"});
    expect_bad_input({"simulate", scene, "-o", file("b.h5"), "--phase-error", "sine:1,sine:2"}, {"sine comes twice"});
    expect_bad_input({"simulate", scene, "-o", file("b.h5"), "--turbulence", "light"},
                     {"--turbulence light", "no flight", "drone"});
}

TEST_F(OptionsTest, TurbulenceOfAFlight) {
    const auto printed = [&](const Words& more) { return run(with({"simulate", "drone", "--print-scene"}, more)).out; };
    expect_in(printed({"--turbulence", "light@3"}), "turbulence: {gust_m_s: 0.77, autopilot_hz: 0.3, seed: 3}");
    expect_in(printed({"--turbulence", "0.5"}), "turbulence: {gust_m_s: 0.5, autopilot_hz: 0.3, seed: 11}");
    EXPECT_EQ(printed({"--turbulence", "0"}).find("turbulence"), std::string::npos);
    const auto refused = [&](const char* value, const Words& words) {
        expect_bad_input({"simulate", "drone", "-o", file("d.h5"), "--turbulence", value}, words);
    };
    refused("heavy", {"'heavy' is unknown", "light, moderate, severe"});
    refused("light@2.5", {"--turbulence light@2.5", "whole number"});
    refused("light@x", {"--turbulence", "x"});
    refused("99", {"gust_m_s is 99", "0 to 10"});
}

TEST_F(OptionsTest, LimitsThatAnyOrNoImageMeetsAreNone) {
    simulate_small();
    const std::string raw = file("raw.h5");
    for (const char* limit : {"--require-coherence=2", "--require-coherence=-1", "--require-amplitude-correlation=1.1",
                              "--require-registration=-1", "--require-registration=nan"})
        expect_bad_input({"compare", raw, raw, limit}, {"--require"});
    for (const char* wrong : {"--accuracy=nan", "--carrier=nan", "--range=inf", "--turned=nan"})
        expect_bad_input({"bench", "backprojection", "--size", "16", "--device", "cpu", wrong},
                         {"expected a number from"});
    expect_bad_input({"bench", "pipeline", "--size", "256", "--device", "cpu", "--chain", "fused"}, {"--chain fused"});
}

TEST_F(OptionsTest, PicturesAreCalledWhatTheyAre) {
    simulate_small();
    const std::string raw = file("raw.h5");
    expect_bad_input({"focus", raw, "-o", file("slc.h5"), "--png", file("slc.jpg")}, {"--png", "slc.jpg", ".png"});
    expect_bad_input({"quicklook", raw, "-o", file("slc.jpg")}, {"slc.jpg", ".png"});
    expect_bad_input({"doppler", raw, "--png", "-"}, {"--png", ".png"});
    expect_bad_input({"doppler", raw, "--png", raw}, {"raw.h5", ".png"});
    expect_bad_input({"analyze", raw, "--spectrum", file("s.tif")}, {"s.tif", ".png"});
}

TEST_F(OptionsTest, ThreadsHaveOneLimit) {
    const std::string in = file("in.h5"), out = file("out.h5");
    for (const Words& verb : {Words{"focus", in, "-o", out},
                              {"batch", in, "-o", out},
                              {"simulate", in, "-o", out},
                              {"verify", in},
                              {"compare", in, in},
                              {"doppler", in},
                              {"multilook", in, "-o", out}})
        for (const char* count : {"-1", "4097", "999999", "1.5", "many", ""}) {
            expect_bad_input(with(verb, {"--threads", count}), {"--threads"});
        }
}

}  // namespace
}  // namespace cornerturn
