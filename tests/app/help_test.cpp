// SPDX-License-Identifier: Apache-2.0
// What the program says of itself: help that fits a screen, mistyped words, completion of shells, the manual page.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tests/app/program_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class HelpTest : public ProgramFixture {
protected:
    static Words lines_of(const std::string& text) {
        std::istringstream in(text);
        Words lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return lines;
    }
    /// What bash would offer behind these words; the last one may be empty.
    std::string offered(const Words& words) {
        std::ofstream(file("completion")) << run({"completion", "bash"}).out;
        std::string script = "source " + file("completion") + "; COMP_WORDS=(";
        for (const std::string& word : words) script += "'" + word + "' ";
        script += "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; _cornerturn; echo \"${COMPREPLY[*]}\" > " +
                  file("offered");
        EXPECT_EQ(std::system(("bash -c '" + escaped(script) + "'").c_str()), 0);
        std::ifstream in(file("offered"));
        return {std::istreambuf_iterator<char>(in), {}};
    }

private:
    static std::string escaped(const std::string& text) {
        std::string result;
        for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return result;
    }
};

TEST_F(HelpTest, FitsAScreen) {
    constexpr std::size_t lines = 58, columns = 120;  // footers hold examples that cannot be wrapped
    for (const char* verb :
         {"focus", "batch", "verify", "simulate", "analyze", "compare", "doppler", "info", "multilook", "quicklook"}) {
        SCOPED_TRACE(verb);
        const Words help = lines_of(run({verb, "--help"}).out);
        EXPECT_LE(help.size(), lines);
        for (const std::string& line : help)
            if (line.starts_with(std::string(30, ' '))) {
                EXPECT_LE(line.size(), columns) << line;
            }
    }
}

TEST_F(HelpTest, NamesRareOptionsAndExplainsThemWhenAsked) {
    const std::string brief = run({"focus", "--help"}).out, full = run({"focus", "--help-all"}).out;
    expect_in(brief, "--rcmc-taps");
    EXPECT_EQ(brief.find("Interpolation taps"), std::string::npos);
    expect_in(full, "Interpolation taps");
    EXPECT_GT(full.size(), 2 * brief.size());
}

TEST_F(HelpTest, OffersTheNearestWord) {
    expect_bad_input({"focuss"}, {"focuss", "did you mean focus?"});
    expect_bad_input({"analyse"}, {"did you mean analyze?"});
    expect_bad_input({"bench", "corner-trun"}, {"did you mean corner-turn?"});
    expect_bad_input({"focus", "raw.h5", "--azimut-window=hamming"}, {"did you mean --azimuth-window?"});
    EXPECT_EQ(run({"banana"}).err.find("did you mean"), std::string::npos);
}

TEST_F(HelpTest, RefusesAnInputThatCannotBeReadBeforeADeviceIsOpened) {
    // Beside the one line of error, "computing on ..." would be another.
    expect_bad_input({"focus", file("none.h5"), "-o", file("slc.h5")}, {"none.h5", "No such file"});
    const std::string damaged = file("damaged.h5");
    std::ofstream(damaged) << "no echo at all";
    for (const Words& job :
         {Words{"focus", damaged, "-o", file("slc.h5")}, Words{"verify", damaged}, Words{"analyze", damaged}}) {
        expect_bad_input(with(job, {"--device", "cuda:99"}), {"damaged.h5"});
    }
    expect_bad_input({"verify", "squint", "--polarization", "XY", "--device", "cuda:99"}, {"XY"});
}

TEST_F(HelpTest, CompletesVerbsAndOptionsInBash) {
    EXPECT_EQ(offered({"cornerturn", "foc"}), "focus\n");
    EXPECT_EQ(offered({"cornerturn", "bench", "corner"}), "corner-turn\n");
    EXPECT_EQ(offered({"cornerturn", "focus", "raw.h5", "--azimuth-w"}), "--azimuth-window\n");
    EXPECT_EQ(offered({"cornerturn", "info", "--azimuth-w"}), "\n");
}

TEST_F(HelpTest, KnowsOtherShellsAndTheManual) {
    expect_in(run({"completion", "zsh"}).out, "#compdef cornerturn");
    expect_in(run({"completion", "fish"}).out, "-l azimuth-window -r");
    const std::string manual = run({"completion", "man"}).out;
    expect_in(manual, {".TH CORNERTURN 1", ".SS cornerturn bench corner\\-turn", ".B \\-\\-rcmc\\-taps"});
    expect_bad_input({"completion", "tcsh"}, {"tcsh"});
}

}  // namespace
}  // namespace cornerturn
