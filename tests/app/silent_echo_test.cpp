// SPDX-License-Identifier: Apache-2.0
// Echoes of zeros: what cannot be told is said in words, without numbers that are none.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "data/nisar/l0b_writer.h"
#include "pipeline/proof/simulator.h"
#include "tests/app/json_schema.h"
#include "tests/app/program_fixture.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// With a target that the file knows, and no signal.
class SilentEcho : public ProgramFixture {
protected:
    SilentEcho() {
        Scene scene = small_airborne_scene(900, 700);
        scene.targets = {{BeamCentrePosition{450.3, 220.6}, 0.7, 40}};
        Echo echo = simulate(scene);
        std::fill(echo.samples.begin(), echo.samples.end(), std::byte{0});
        write_l0b(file("raw.h5"), echo);
        echo.acquisition.truth.clear();
        write_l0b(file("unknown.h5"), echo);
    }
    /// Runs without a number that is none in what it says, nor in its files.
    Outcome told(const Words& arguments, const Words& files = {}) {
        SCOPED_TRACE(testing::PrintToString(arguments));
        const Outcome outcome = succeed(arguments);
        for (const std::string& text : {outcome.out, outcome.err}) expect_numbers(text);
        for (const std::string& name : files) expect_numbers(text_of(name));
        return outcome;
    }
    static void expect_numbers(const std::string& text) {
        static const std::regex none("(^|[^a-z])-?(nan|inf)([^a-z]|$)", std::regex::icase);
        std::smatch found;
        EXPECT_FALSE(std::regex_search(text, found, none)) << found.prefix().str().substr(0, 400) << found.str();
    }
};

TEST_F(SilentEcho, ProvesNothing) {
    for (const Words& words : {Words{file("raw.h5")},
                               {file("raw.h5"), "--json"},
                               {file("raw.h5"), "--algorithm", "all"},
                               {file("unknown.h5"), "--algorithm", "backprojection"}})
        expect_bad_input(with({"verify", "--device", "cpu", "-q"}, words),
                         {"the echo holds no signal", "nothing to judge"});
}

TEST_F(SilentEcho, MakesImagesAndReportsOfNumbers) {
    for (const Words& more : {Words{"--algorithm", "rda"},
                              {"--algorithm", "csa"},
                              {"--algorithm", "omegak"},
                              {"--algorithm", "backprojection"},
                              {"--algorithm", "ffbp"},
                              {"--autofocus", "pga"},
                              {"--autofocus", "entropy"}}) {
        told(with({"focus", file("raw.h5"), "-o", file("slc.h5"), "--device", "cpu", "--png", file("slc.png"), "--json",
                   file("focus.json"), "--report", file("focus.html")},
                  more),
             {"focus.json", "focus.html"});
        EXPECT_EQ(breaches_of_schema(nlohmann::json::parse(text_of("focus.json")), "focus"), "");
    }
}

TEST_F(SilentEcho, IsMeasuredInWords) {
    const Outcome doppler =
        told({"doppler", file("unknown.h5"), "--png", file("doppler.png"), "--json", file("doppler.json")},
             {"doppler.json"});
    expect_in(doppler.out, "no answer: the echo holds no signal that neighbouring lines share");
    EXPECT_EQ(breaches_of_schema(nlohmann::json::parse(text_of("doppler.json")), "doppler"), "");
    succeed({"focus", file("raw.h5"), "-o", file("slc.h5"), "--device", "cpu"});
    expect_bad_input({"analyze", file("slc.h5")}, {"none of 1 targets can be measured", "zero"});
    const Outcome scene = told({"analyze", file("slc.h5"), "--scene", "--json", file("scene.json")}, {"scene.json"});
    expect_in(scene.out, "all dark");
    EXPECT_EQ(breaches_of_schema(nlohmann::json::parse(text_of("scene.json")), "analyze"), "");
    expect_bad_input({"compare", file("slc.h5"), file("slc.h5")}, {"is zero", "nothing to compare"});
    told({"quicklook", file("slc.h5"), "-o", file("slc.png")});
    told({"multilook", file("slc.h5"), "-o", file("looks.tif")});
}

}  // namespace
}  // namespace cornerturn
