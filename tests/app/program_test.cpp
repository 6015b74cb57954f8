// SPDX-License-Identifier: Apache-2.0
// The program as its users meet it: exit codes, what it says, what it leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/hdf5/hdf5_writer.h"
#include "kernels/host/line_fft.h"
#include "tests/app/program_fixture.h"
#include "tests/app/three_frames.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using Words = Program::Words;

class ProgramTest : public ProgramFixture {
protected:
    bool half_written(const std::string& name) const {
        const Words there = left();
        return std::any_of(there.begin(), there.end(),
                           [&](const std::string& n) { return n.starts_with("." + name + ".partial-"); });
    }
    /// Every verb that the manual tells of, those below others too; and none at all.
    std::vector<Words> verbs() {
        std::vector<Words> verbs{{}};
        std::istringstream manual(run({"completion", "man"}).out);
        const std::string heading = ".SS cornerturn ";
        for (std::string line; std::getline(manual, line);) {
            if (!line.starts_with(heading)) continue;
            std::erase(line, '\\');
            std::istringstream words(line.substr(heading.size()));
            verbs.emplace_back(std::istream_iterator<std::string>(words), std::istream_iterator<std::string>());
        }
        return verbs;
    }
    void simulate(const std::string& name, int lines, int samples) {
        succeed({"simulate", "spaceborne", "-o", file(name), "--sample-type", "int8", "--lines", std::to_string(lines),
                 "--samples", std::to_string(samples)});
    }
};

TEST_F(ProgramTest, HelpsWithEveryVerb) {
    EXPECT_EQ(verbs().size(), 22u) << "with those of bench; a new one is to be counted";
    for (Words verb : verbs()) {
        SCOPED_TRACE(testing::PrintToString(verb));
        verb.push_back("--help");
        const Outcome outcome = succeed(verb);
        expect_in(outcome.out, "Example");
        EXPECT_EQ(outcome.err, "");
    }
    expect_in(run({"--help"}).out, "Exit codes: 0 success");
    succeed({"--version"});
    expect_in(run({"--version"}).out, fft_library());
}

TEST_F(ProgramTest, NeedsTheFolderForTemporaryFilesOnlyWhereItUsesIt) {
    const auto no_folder = [] { setenv("TMPDIR", "/no/such/folder", 1); };
    for (Words verb : verbs()) {
        verb.push_back("--help");
        succeed(verb, no_folder);
    }
    succeed({"devices"}, no_folder);
    const Outcome outcome = run({"bench", "io", "--size", "256", "--device", "cpu"}, no_folder);
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, "--folder");
    // Its echo, as a file has it, is written first.
    const Outcome spotlight = run({"verify", "spotlight", "--device", "cpu"}, no_folder);
    EXPECT_EQ(spotlight.code, 2);
    expect_in(spotlight.err, {"error: /no/such/folder: ", "simulated echo", "set TMPDIR"});
}

TEST_F(ProgramTest, RefusesWrongUsageInOneLine) {
    simulate("raw.h5", 1100, 2600);
    expect_bad_input({}, {"--help"});
    expect_bad_input({"defocus"}, {"defocus"});
    for (Words verb : verbs()) {
        verb.insert(verb.end(), {"--banana"});
        expect_bad_input(verb, {"--banana"});
    }
    expect_bad_input(focus_words({}), {"no output"});
    expect_bad_input({"focus", file("raw.h5"), "-o", file("slc.h5"), "--device", "banana"}, {"banana"});
    expect_bad_input(focus_words("slc.h5", {"--compress", "10"}), {"--compress", "10", "0", "9"});
    expect_bad_input(focus_words("slc.h5", {"--compress", "zip"}), {"--compress", "zip"});
    expect_bad_input({"analyze", file("raw.h5")}, {"raw echo"});
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu", "--max-memory", "much"}, {"--max-memory", "much"});
    expect_bad_input({"verify", file("none.h5")}, {"none.h5", "cannot be read", "raw echo"});
    expect_bad_input({"verify", "spacebrone"}, {"spacebrone", "neither a file nor a preset", "spaceborne"});
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu", "--max-memory", "130M"},
                     {"needs", "--max-memory", "for the program itself"});
    EXPECT_EQ(left(), Words{"raw.h5"});
}

TEST_F(ProgramTest, DoesTheWholeJob) {
    simulate("raw.h5", 1100, 2600);
    const Outcome focused = succeed(focus_words("slc.h5", {"--png", file("slc.png"), "--report", file("slc.json")}));
    EXPECT_EQ(focused.out, "") << "results only; the summary is none";
    EXPECT_EQ(left(), (Words{"raw.h5", "slc.h5", "slc.json", "slc.png"}));
    EXPECT_TRUE(nlohmann::json::parse(text_of("slc.json")).is_object());
    const Outcome verified = succeed({"verify", file("raw.h5"), "--device", "cpu", "--json", file("verify.json")});
    expect_in(verified.out, "PASS");
    EXPECT_EQ(verified.out.find("FAIL"), std::string::npos) << verified.out;
    EXPECT_TRUE(json_of({"info", file("slc.h5"), "--json"}).contains("rows"));
}

/// Raw file and image lie at the same place, but for what the image keeps of the edges.
TEST_F(ProgramTest, SaysWhereOnTheEarthFilesLie) {
    succeed({"simulate", "sentinel", "-o", file("raw.h5"), "--sample-type", "int8", "--lines", "2200", "--samples",
             "2600"});
    succeed(focus_words("slc.h5", {}));
    const nlohmann::json raw = json_of({"info", file("raw.h5"), "--geo", "--json"}),
                         image = json_of({"info", file("slc.h5"), "--geo", "--json"});
    EXPECT_EQ(raw["look_side"], image["look_side"]);
    EXPECT_NEAR(raw["heading_deg"].get<double>(), image["heading_deg"].get<double>(), 1e-4);
    EXPECT_NEAR(raw["incidence_near_deg"].get<double>(), image["incidence_near_deg"].get<double>(), 0.01);
    EXPECT_LT(image["incidence_near_deg"], image["incidence_middle_deg"]);
    EXPECT_LT(image["incidence_middle_deg"], image["incidence_far_deg"]);
    for (const char* corner : {"first_near", "first_far", "last_near", "last_far"})
        for (const char* angle :
             {"latitude_deg", "longitude_deg"})  // 1e-4 degrees are 11 m: a line is 5 m, R0/c + T/2 as far again
            EXPECT_NEAR(raw["corners"][corner][angle].get<double>(), image["corners"][corner][angle].get<double>(),
                        2e-4)
                << corner;
    const Outcome lines = run({"info", file("slc.h5"), "--geo"});
    expect_in(lines.out, {"corners first_near", "incidence_far_deg", "azimuth_spacing_m", "heading_deg"});
}

TEST_F(ProgramTest, WithoutAnOrbitNothingIsSaidOfPlaces) {
    simulate("raw.h5", 1100, 2600);
    Editor(file("raw.h5")).remove("/science/LSAR/RRSD/lowRateTelemetry/orbit");
    expect_bad_input({"info", file("raw.h5"), "--geo"}, {"raw.h5", "no orbit", "--geo"});
}

TEST_F(ProgramTest, TheSameWorkAtTheSameTimeGivesTheSameFile) {
    simulate("raw.h5", 1100, 2600);
    const auto bytes_of = [&](const std::string& name, const char* epoch) {
        succeed(focus_words(name, {}), [&] { setenv("SOURCE_DATE_EPOCH", epoch, 1); });
        return text_of(name);
    };
    const std::string first = bytes_of("a.h5", "1000000000");
    EXPECT_TRUE(first == bytes_of("b.h5", "1000000000"));
    expect_in(first, "2001-09-09T01:46:40");
    const Outcome refused = run(focus_words("c.h5", {}), [] { setenv("SOURCE_DATE_EPOCH", "tomorrow", 1); });
    EXPECT_EQ(refused.code, 2);
    expect_in(refused.err, "SOURCE_DATE_EPOCH");
}

TEST_F(ProgramTest, ChoosesOneOfSeveralImagesWithEveryVerb) {
    write_three_frames(file("raw.h5"));
    const nlohmann::json there = json_of({"info", file("raw.h5"), "--polarization", "HV", "--json"});
    EXPECT_EQ(there["polarization"], "HV");
    EXPECT_EQ(there["polarizations"], nlohmann::json::parse(R"({"A": ["HH", "HV"], "B": ["HH"]})"));
    succeed(focus_words("slc.h5", {"--frequency", "all", "--polarization", "all", "--png", file("of.png")}));
    const auto picture = [&](const Words& choice) {
        succeed(with({"quicklook", file("slc.h5"), "-o", file("chosen.png")}, choice));
        return text_of("chosen.png");
    };
    EXPECT_NE(text_of("of-A-HH.png"), text_of("of-A-HV.png"));
    EXPECT_EQ(picture({}), text_of("of-A-HH.png")) << "the first there is";
    EXPECT_EQ(picture({"--polarization", "hv"}), text_of("of-A-HV.png"));
    EXPECT_EQ(picture({"--frequency", "B"}), text_of("of-B-HH.png"));
    succeed({"verify", file("raw.h5"), "--device", "cpu", "--velocity", "200", "--polarization", "HV", "--json",
             file("verify.json")});
    EXPECT_EQ(nlohmann::json::parse(text_of("verify.json")).at("algorithms").at(0).at("polarization"), "HV");

    expect_bad_input({"quicklook", file("slc.h5"), "-o", file("x.png"), "--polarization", "VV"},
                     {"no polarization VV", "HH, HV"});
    expect_bad_input({"analyze", file("slc.h5"), "--device", "cpu", "--frequency", "B", "--polarization", "HV"},
                     {"no polarization HV", "HH"});
    expect_bad_input({"analyze", file("slc.h5"), "--device", "cpu", "--frequency", "C"}, {"no frequency C", "A, B"});
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu", "--polarization", "VV"},
                     {"no polarization VV", "HH, HV"});
    expect_bad_input({"verify", "spaceborne", "--device", "cpu", "--polarization", "VV"},
                     {"no polarization VV", "it has HH"});
}

/// A job whose image takes a while to be written.
class InterruptedProgram : public ProgramTest {
protected:
    InterruptedProgram() { simulate("raw.h5", 1500, 4000); }
    Words job() const { return focus_words("slc.h5", {"--threads", "1"}); }
    void expect_stopped(Program& program, int signal = SIGINT) const {
        EXPECT_EQ(program.wait(), 128 + signal);
        EXPECT_EQ(left(), Words{"raw.h5"});
    }
};

TEST_F(InterruptedProgram, LeavesNothingBehind) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        SCOPED_TRACE(strsignal(signal));
        Program program(path("streams"), job());
        ASSERT_TRUE(comes_true([&] { return half_written("slc.h5"); }));
        program.send(signal);
        expect_stopped(program, signal);
        expect_in(program.err(), "interrupted; nothing was written");
    }
}

TEST_F(InterruptedProgram, SaysThatTheStagesAreThereAllTheSame) {
    Program program(path("streams"), with(job(), {"--dump-stages", file("stages")}));
    ASSERT_TRUE(comes_true([&] { return half_written("slc.h5") && std::filesystem::exists(file("stages")); }));
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 130);
    EXPECT_EQ(left(), (Words{"raw.h5", "stages"}));
    expect_in(program.err(), "no image was written; the stages");
}

TEST_F(InterruptedProgram, LeavesNothingBehindWhenAskedTwice) {
    for (const auto pause : {0, 100, 300, 1000, 3000, 10000}) {
        SCOPED_TRACE(pause);
        Program program(path("streams"), job());
        ASSERT_TRUE(comes_true([&] { return half_written("slc.h5"); }));
        program.send(SIGINT);
        std::this_thread::sleep_for(std::chrono::microseconds(pause));
        program.send(SIGINT);
        expect_stopped(program);
    }
}

TEST_F(InterruptedProgram, GoesOnUnderNohup) {
    Program program(path("streams"), job(), [] { std::signal(SIGHUP, SIG_IGN); });
    ASSERT_TRUE(comes_true([&] { return half_written("slc.h5"); }));
    program.send(SIGHUP);
    EXPECT_EQ(program.wait(), 0) << program.err();
    EXPECT_EQ(left(), (Words{"raw.h5", "slc.h5"}));
}

TEST_F(InterruptedProgram, SaysThatTheImageIsThereAllTheSame) {
    const Words arguments = with(job(), {"--report", file("slc.json"), "--measure-rates"});
    for (int attempt = 0; attempt < 20; ++attempt) {  // until the signal comes while rates are measured for the report
        std::filesystem::remove(file("slc.h5"));
        std::filesystem::remove(file("slc.json"));
        Program program(path("streams"), arguments);
        ASSERT_TRUE(comes_true([&] { return std::filesystem::exists(file("slc.h5")); }));
        program.send(SIGINT);
        if (program.wait() == 0) continue;
        EXPECT_EQ(left(), (Words{"raw.h5", "slc.h5"}));
        expect_in(program.err(), "slc.h5 was written");
        EXPECT_EQ(program.err().find("nothing was written"), std::string::npos) << program.err();
        return;
    }
    FAIL() << "never interrupted in time";
}

TEST_F(ProgramTest, CentroidsMayVaryOverRange) {
    simulate("raw.h5", 1600, 2048);
    const auto planned = [&](const std::string& centroid) {
        return run(focus_words({"--dry-run", "--doppler-centroid", centroid}));
    };
    expect_in(planned("-6900,-20.5,1e-2@988647").out, "Doppler centroid      -70");
    EXPECT_EQ(planned("-6900,0,0").code, 0);
    for (const std::string wrong : {"", ",", "-6900,", "-6900,1,1,1,1", "-6900,a", "-6900@", "-6900@-5", "@9e5"})
        expect_bad_input(focus_words({"--dry-run", "--doppler-centroid=" + wrong}), {"--doppler-centroid"});
}

TEST_F(ProgramTest, DelaysAreCheckedAndTold) {
    simulate("raw.h5", 1600, 2048);
    const Words plan = focus_words({"--dry-run"});
    const Outcome planned = run(with(plan, {"--range-delay", "-12.5"}));
    expect_in(planned.out, "-12.5 m of the instrument, troposphere none");
    expect_in(run(with(plan, {"--range-delay", "nisar-a"})).out, "57.125 m of the instrument");
    expect_in(run(with(plan, {"--range-delay", "nisar-b"})).out, "19.65 m of the instrument");
    expect_bad_input(with(plan, {"--range-delay", "nisar-c"}), {"--range-delay nisar-c", "nisar-a, nisar-b"});
    expect_bad_input(with(plan, {"--range-delay", "1e9"}), {"--range-delay 1e9", "10000 m"});
    expect_bad_input(with(plan, {"--troposphere", "wet"}), {"--troposphere wet", "auto, none, standard"});
    expect_bad_input(with(plan, {"--troposphere", "standard", "--velocity", "7062"}), {"--troposphere", "orbit"});
    expect_bad_input(with(plan, {"--range-delay", "3", "--algorithm", "csa"}), {"csa", "--range-delay"});
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu", "--range-delay", "3"}, {"--range-delay", "verify"});
}

TEST_F(ProgramTest, AutofocusIsToldAndRefusedByName) {
    succeed({"simulate", "spaceborne", "-o", file("raw.h5"), "--lines", "1100", "--samples", "2600", "--phase-error",
             "quadratic:6,sine:2@3,walk:1@4"});
    const Outcome planned = run(focus_words({"--dry-run", "--autofocus", "pga"}));
    expect_in(planned.out, "phase gradient (PGA); before the image itself");
    const Outcome focused = succeed(focus_words("slc.h5", {"--autofocus", "pga", "--report", file("slc.json")}));
    expect_in(focused.err, "autofocus by phase gradient (PGA): phase error taken away");
    const nlohmann::json report = nlohmann::json::parse(text_of("slc.json")).at("autofocus");
    EXPECT_EQ(report.at("method"), "pga");
    EXPECT_EQ(report.at("phase_rad").size(), 1100u);
    EXPECT_LT(report.at("residual_rms_rad"), 0.1);
    const Outcome quiet = succeed(focus_words("slc.h5", {"--autofocus", "entropy", "-q"}));
    EXPECT_EQ(quiet.out + quiet.err, "");
    const Words focus = focus_words("slc.h5", {"--autofocus"});
    expect_bad_input(with(focus, {"sharp"}), {"autofocus sharp", "none, pga or entropy"});
    expect_bad_input(with(focus, {"pga", "--resume"}), {"--resume", "--autofocus"});
    expect_bad_input(with(focus, {"pga", "--precision", "half-middle"}),
                     {"--precision half-middle", "--autofocus", "full"});
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu", "--autofocus", "pga"}, {"--autofocus", "verify"});
    for (const char* wrong : {"cubic:1", "sine:1@x", "walk:1@-2", "quadratic"})
        expect_bad_input({"simulate", "spaceborne", "-o", file("other.h5"), "--phase-error", wrong}, {"--phase-error"});
}

/// PROJ itself would print a line for each map that it looks for.
TEST_F(ProgramTest, AMissingListOfMapsIsToldInOneLine) {
    succeed({"simulate", "radarsat", "-o", file("raw.h5"), "--lines", "1600", "--samples", "2048"});
    for (const char* name : {"PROJ_DATA", "PROJ_LIB"}) setenv(name, path("nowhere").c_str(), 1);
    const Outcome named = run(focus_words("map.h5", {"--grid", "epsg:3413", "--spacing", "50", "--dry-run"})),
                  utm = run(focus_words("map.h5", {"--grid", "utm", "--spacing", "50", "--dry-run", "-q"}));
    for (const char* name : {"PROJ_DATA", "PROJ_LIB"}) unsetenv(name);
    EXPECT_EQ(named.code, 2);
    expect_in(named.err, "map EPSG:3413: PROJ finds no proj.db");
    EXPECT_EQ(named.err.find("Cannot find"), std::string::npos) << named.err;
    EXPECT_EQ(utm.code, 0) << utm.err;
    EXPECT_EQ(utm.err.find("Cannot find"), std::string::npos) << utm.err;
}

TEST_F(ProgramTest, ElevationModelsGoWithTheirScene) {
    succeed({"simulate", "radarsat", "-o", file("raw.h5"), "--lines", "1600", "--samples", "2048"});
    const auto write_dem = [&](const std::string& name, double south_deg, double north_deg) {
        h5::Writer dem(file(name), 0);
        dem.numbers("/latitude", std::vector<double>{south_deg, north_deg});
        dem.numbers("/longitude", std::vector<double>{-179, 179});
        dem.table("/height", std::vector<float>(4, 321), 2);
        dem.commit();
        return file(name);
    };
    const std::string earth = write_dem("earth.h5", -89, 89), elsewhere = write_dem("south.h5", -89, -80);
    const Words plan = focus_words({"--dry-run", "--dem"});
    expect_bad_input(with(plan, {earth, "--height", "100"}), {"--height 100", "--dem", "leave one"});
    expect_bad_input(with(plan, {elsewhere}), {"south.h5: covers latitudes -93.5", "the scene lies", "--height"});
    expect_bad_input(with(plan, {earth, "--velocity", "7000"}), {"earth.h5", "--velocity", "leave --dem out"});
    expect_bad_input(with(plan, {file("raw.h5")}), {"/height", "is missing"});
    const Outcome planned = succeed(with(plan, {earth}));
    expect_in(planned.out, "321 to 321 m above the ellipsoid, a smooth surface through");
    succeed(focus_words("slc.h5", {"--dem", earth}));
    EXPECT_NEAR(json_of({"info", file("slc.h5"), "--json"})["scene_height_m"].get<double>(), 321, 1e-3);
    EXPECT_NEAR(json_of({"info", file("slc.h5"), "--geo", "--json"})["middle"]["height_m"].get<double>(), 321, 0.01);
}

}  // namespace
}  // namespace cornerturn
