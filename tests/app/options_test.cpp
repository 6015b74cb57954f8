// SPDX-License-Identifier: Apache-2.0
// Options that mean the same in every verb: where JSON goes, what takes which values, what is refused.
#include <gtest/gtest.h>

#include "app/common_options.h"
#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"

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
        const Outcome beside = run(with_file);
        EXPECT_EQ(beside.code, 0) << beside.err;
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
    for (const Words& words : {Words{"focus", raw, "-o", "-"},
                               {"focus", raw, "-o", file("slc.h5"), "--png", "-"},
                               {"doppler", raw, "--png", "-"},
                               {"simulate", "airborne", "-o", "-"}})
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
            Words words = verb;
            words.insert(words.end(), {"--threads", count});
            expect_bad_input(words, {"--threads"});
        }
}

}  // namespace
}  // namespace cornerturn
