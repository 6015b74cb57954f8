// SPDX-License-Identifier: Apache-2.0
// cornerturn under mpirun (CORNERTURN_MPIRUN) as its users meet it, if the build has MPI.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "app/verbs/focus_ranks.h"
#include "data/nisar/rslc_reader.h"
#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"
#include "tests/app/program_fixture.h"
#include "tests/app/three_frames.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class RanksProgram : public ProgramFixture {
protected:
    RanksProgram() {
        setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
        setenv("XDG_CACHE_HOME", path("streams").c_str(), 1);
    }
    void SetUp() override {
        if (!CORNERTURN_HAVE_MPI) GTEST_SKIP() << "this build has no MPI: configure with -DCORNERTURN_MPI=ON";
        program_ = CORNERTURN_MPIRUN;
    }

    static Words on_ranks(int ranks, const Words& arguments) {
        Words words{"--allow-run-as-root", "--oversubscribe", "-n", std::to_string(ranks), built_program()};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return words;
    }
    /// Options of `focus`: small, on one thread a rank, always the same blocks.
    Words focus(const std::string& output, const Words& more = {}) const {
        Words words{"focus", file("raw.h5"), "-o", file(output),   "--device",
                    "cpu",   "--threads",    "1",  "--block-rows", "301"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// Likewise, of a frame that several ranks hold in parts.
    Words in_one_block(const std::string& output, const Words& more = {}) const {
        Words words = focus(output, more);
        *(std::find(words.begin(), words.end(), "--block-rows") + 1) = "1000000";
        return words;
    }
    void simulate(const std::string& lines) {
        const Outcome made = run(on_ranks(1, {"simulate", "spaceborne", "-o", file("raw.h5"), "--sample-type", "int8",
                                              "--noise", "0", "--lines", lines, "--samples", "1700"}));
        ASSERT_EQ(made.code, 0) << made.err;
    }
    std::string bytes(const std::string& name) const {
        std::ifstream in(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Lines that begin so: mpirun has words of its own where a job fails.
    static Words lines_of(const std::string& text, const std::string& beginning) {
        std::istringstream lines(text);
        Words found;
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with(beginning)) found.push_back(line);
        return found;
    }
    /// mpirun gives those that it ends a second or two each time, which those that have done nothing need not.
    static Words without_patience(Words words) {
        words.insert(words.begin(), {"--mca", "odls_base_sigkill_timeout", "0"});
        return words;
    }
    void expect_refused(int ranks, const Words& arguments, const std::string& words) {
        const Outcome outcome = run(without_patience(on_ranks(ranks, arguments)));
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        const Words lines = lines_of(outcome.err, "error: ");
        ASSERT_EQ(lines.size(), 1u) << outcome.err;
        expect_in(lines[0], words);
        EXPECT_EQ(outcome.out, "");
    }
};

TEST_F(RanksProgram, AnyNumberMakesTheSameFile) {
    simulate("2003");
    ASSERT_EQ(run(on_ranks(1, focus("one.h5", {"--png", file("one.png")}))).code, 0);
    for (const int ranks : {2, 3, 7}) {
        const Outcome outcome =
            run(on_ranks(ranks, focus("many.h5", {"--png", file("many.png"), "--json", file("many.json")})));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_TRUE(bytes("many.h5") == bytes("one.h5")) << ranks;
        EXPECT_TRUE(bytes("many.png") == bytes("one.png")) << ranks;
        const auto report = nlohmann::json::parse(bytes("many.json"));
        EXPECT_EQ(report["job"]["ranks"].size(), static_cast<std::size_t>(ranks));
        expect_in(outcome.err, std::to_string(ranks) + " ranks");
    }
    EXPECT_EQ(left(), (Words{"many.h5", "many.json", "many.png", "one.h5", "one.png", "raw.h5"}));
}

/// Rows go to rank 0, which writes the one file.
TEST_F(RanksProgram, OneBlockGoesInParts) {
    simulate("2003");
    const auto words = [&](const std::string& output) {
        return in_one_block(output, {"--png", file("slc.png"), "--json", file("slc.json")});
    };
    ASSERT_EQ(run(on_ranks(1, words("one.h5"))).code, 0);
    const auto one = read_rslc(file("one.h5")).samples;
    for (const int ranks : {2, 3}) {
        const Outcome outcome = run(on_ranks(ranks, words("many.h5")));
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_GE(signal_to_error_db(read_rslc(file("many.h5")).samples, one), 120) << ranks;
        const auto report = nlohmann::json::parse(bytes("slc.json"));
        EXPECT_EQ(report["frames"][0]["plan"]["devices_per_block"], ranks);
        EXPECT_EQ(report["frames"][0]["plan"]["azimuth_blocks"], 1);
        for (const auto& rank : report["job"]["ranks"]) EXPECT_EQ(rank["blocks"], 1);
        ASSERT_EQ(run(on_ranks(ranks, words("again.h5"))).code, 0);
        EXPECT_TRUE(bytes("again.h5") == bytes("many.h5")) << ranks;
    }
    Words plan = words("slc.h5");
    plan.push_back("--dry-run");
    const Outcome told = run(on_ranks(3, plan));
    expect_in(told.out, "3 ranks               they hold the scene, which is one block, in parts");
    EXPECT_EQ(left(), (Words{"again.h5", "many.h5", "one.h5", "raw.h5", "slc.json", "slc.png"}));
}

/// By which all ranks resample their lines alike.
TEST_F(RanksProgram, RankZeroAsksTheDataForAll) {
    ASSERT_EQ(
        run(on_ranks(1, {"simulate", "squint", "-o", file("raw.h5"), "--lines", "2003", "--samples", "1700"})).code, 0);
    const Words from_data{"--doppler-centroid", "data"};
    ASSERT_EQ(run(on_ranks(1, focus("one.h5", from_data))).code, 0);
    const Outcome outcome = run(on_ranks(3, focus("many.h5", from_data)));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(bytes("many.h5") == bytes("one.h5"));
}

/// Frames of different widths, compressed, with phases found on the way.
TEST_F(RanksProgram, FramesAreShared) {
    write_three_frames(file("raw.h5"));
    for (const Words& more : {Words{"--compress", "1"}, Words{"--autofocus", "entropy"}}) {
        Words options{"--frequency", "all", "--polarization", "all"};
        if (more[0] == "--autofocus") options = {"--polarization", "all"};
        options.insert(options.end(), more.begin(), more.end());
        const Outcome alone = run(on_ranks(1, focus("one.h5", options)));
        ASSERT_EQ(alone.code, 0) << alone.err;
        for (const int ranks : {2, 3}) {
            const Outcome outcome = run(on_ranks(ranks, focus("many.h5", options)));
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_TRUE(bytes("many.h5") == bytes("one.h5")) << ranks << more[0];
        }
    }
}

TEST_F(RanksProgram, BadInputIsToldOnce) {
    expect_refused(3, focus("slc.h5"), "raw.h5");
    simulate("1001");
    expect_refused(2, focus("slc.h5", {"--range-window", "round"}), "round");
    expect_refused(2, focus("slc.h5", {"--wndow"}), "--wndow: there is no such");
    expect_refused(2, focus("slc.h5", {"--dump-stages", file("stages")}), "--dump-stages");
    expect_refused(2, {"focus", file("raw.h5"), "-o", file("slc.h5"), "--device", "cpu,cpu"},
                   "--device cpu,cpu: names several");
    expect_refused(2, {"info", file("raw.h5")}, "info: is no work for 2 ranks");
    EXPECT_EQ(left(), Words{"raw.h5"});
    const Outcome plan = run(on_ranks(2, focus("slc.h5", {"--dry-run"})));
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(plan.out.find("echo  "), plan.out.rfind("echo  ")) << plan.out;
    expect_in(plan.out, "echo  ");
}

/// The others, which end first, must not keep rank 0 from speaking.
TEST_F(RanksProgram, BadInputIsToldByARankThatBeginsLate) {
    for (const Words& arguments : {Words{"focus", "--wndow"}, Words{"info", file("raw.h5")}}) {
        Words words = without_patience(on_ranks(2, arguments));
        const auto program = std::find(words.begin(), words.end(), built_program());
        words.insert(program, {"/bin/sh", "-c", R"([ "$OMPI_COMM_WORLD_RANK" = 1 ] || sleep 1; exec "$0" "$@")"});
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_EQ(lines_of(outcome.err, "error: ").size(), 1u) << outcome.err;
    }
}

/// A limit of file sizes takes the part of a disk that is full: rank 0 cannot write, and the others end with it.
TEST_F(RanksProgram, AnErrorOfTheSystemEndsAllWithThree) {
    simulate("2003");
    const Outcome outcome = run(on_ranks(3, focus("slc.h5", {"--log-format", "json"})), [] {
        const rlimit limit{16 << 20, 16 << 20};  // MPI has files of its own, of some MiB
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    Words told = lines_of(outcome.err, "{");
    std::erase_if(told, [](const std::string& line) { return nlohmann::json::parse(line)["level"] != "error"; });
    ASSERT_EQ(told.size(), 1u) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(told[0])["rank"], 0);
    expect_in(told[0], "ulimit -f");
    EXPECT_EQ(left(), Words{"raw.h5"});
}

class BuildWithoutMpi : public ProgramFixture {
protected:
    BuildWithoutMpi() { setenv("OMPI_COMM_WORLD_SIZE", "2", 1); }
    ~BuildWithoutMpi() override {
        for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}) unsetenv(name);
    }
    Outcome run_as(int rank, const Words& arguments) {
        setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank).c_str(), 1);
        return run(arguments);
    }
};

TEST_F(BuildWithoutMpi, RefusesRanksInOneLine) {
    if (CORNERTURN_HAVE_MPI) GTEST_SKIP() << "this build has MPI";
    for (const Words& arguments :
         {Words{"focus", file("raw.h5"), "-o", file("slc.h5")}, Words{"focus", "--nonsense"}, Words{"devices"}}) {
        const Outcome first = run_as(0, arguments), second = run_as(1, arguments);
        EXPECT_EQ(first.code, 2);
        EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
        EXPECT_EQ(second.code, 0) << "its failure would end rank 0";
        EXPECT_EQ(second.err + second.out, "");
        EXPECT_EQ(first.err.find("-DCORNERTURN_MPI=ON") != std::string::npos, arguments.size() > 2) << first.err;
    }
    EXPECT_EQ(run_as(1, {"--version"}).out, "") << "is told once";
    EXPECT_NE(run_as(0, {"--version"}).out, "");
}

TEST(DeviceOfRank, IsTheNextGpuOfTheMachine) {
    const auto named = [](const char* name, int rank, int size, int gpus) {
        const RankDevice device = device_of_rank(name, rank, size, gpus);
        return fmt::format("{} shared by {}", device.name, device.sharing);
    };
    EXPECT_EQ(named("cuda", 5, 8, 4), "cuda:1 shared by 2");
    EXPECT_EQ(named("auto", 2, 3, 2), "cuda:0 shared by 2");
    EXPECT_EQ(named("auto", 1, 4, 0), "cpu shared by 4");
    EXPECT_EQ(named("cuda", 0, 2, 0), "cuda shared by 2") << "which says what is missing when it is opened";
    EXPECT_EQ(named("cuda:1", 0, 2, 4), "cuda:1 shared by 2");
    EXPECT_EQ(named("cpu", 1, 2, 4), "cpu shared by 2");
}

class KilledRank : public RanksProgram {
protected:
    /// The processes of the ranks, which are children of mpirun.
    static std::vector<pid_t> ranks_below(pid_t launcher) {
        std::vector<pid_t> found;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
            const std::string name = entry.path().filename();
            if (name.find_first_not_of("0123456789") != std::string::npos) continue;
            std::ifstream stat(entry.path() / "stat");
            std::string text;
            std::getline(stat, text);
            const std::size_t behind = text.rfind(')');  // of the command's name
            if (behind == std::string::npos) continue;
            std::istringstream rest(text.substr(behind + 1));
            char state = 0;
            pid_t parent = 0;
            rest >> state >> parent;
            if (parent == launcher && text.find("cornerturn") != std::string::npos)
                found.push_back(static_cast<pid_t>(std::stol(name)));
        }
        return found;
    }

    /// Kills a rank of three so many times at random moments, the seed of which is told: nothing under the final name,
    /// and what was kept is gone on with by two.
    void kill_and_go_on(const Words& job, const std::function<bool(const std::vector<std::complex<float>>&)>& is_right,
                        int times) {
        std::mt19937 random(20261122);
        int killed = 0;
        for (int i = 0; killed < times && i < 4 * times; ++i) {
            std::filesystem::remove(file("slc.h5"));
            {
                Program program(path("streams"), on_ranks(3, job), {}, program_);
                ASSERT_TRUE(comes_true([&] { return ranks_below(program.process()).size() == 3; }));
                std::this_thread::sleep_for(std::chrono::milliseconds(random() % 600));
                const auto ranks = ranks_below(program.process());
                if (!ranks.empty()) ::kill(ranks[random() % ranks.size()], SIGKILL);
                const int code = program.wait();
                if (code == 0) continue;  // it was over before
                ++killed;
            }
            if (!std::filesystem::exists(file("slc.h5"))) {  // else it was killed when all was written
                const Outcome outcome = run(on_ranks(2, job));
                EXPECT_EQ(outcome.code, 0) << outcome.err;
            }
            EXPECT_TRUE(is_right(read_rslc(file("slc.h5")).samples)) << "killed for the time " << i;
        }
        EXPECT_GT(killed, 0);
        const Words names = left();
        EXPECT_TRUE(std::none_of(names.begin(), names.end(), [](const std::string& n) { return n.starts_with("."); }))
            << testing::PrintToString(names);
    }
};

TEST_F(KilledRank, EndsTheJobWhichIsGoneOnWith) {
    simulate("2501");
    ASSERT_EQ(run(on_ranks(1, focus("one.h5"))).code, 0);
    // Of a file that was kept other parts lie at other places.
    const auto one = read_rslc(file("one.h5")).samples;
    kill_and_go_on(
        focus("slc.h5", {"--resume"}), [&](const auto& image) { return image == one; }, 3);
}

TEST_F(KilledRank, EndsTheJobOfOneFrameInParts) {
    simulate("2501");
    ASSERT_EQ(run(on_ranks(1, in_one_block("one.h5"))).code, 0);
    const auto one = read_rslc(file("one.h5")).samples;
    kill_and_go_on(
        in_one_block("slc.h5", {"--resume"}), [&](const auto& image) { return signal_to_error_db(image, one) >= 120; },
        3);
}

/// mpirun passes it on as SIGTERM, and gives a second.
TEST_F(KilledRank, TidiesUpAfterAnInterruption) {
    simulate("4001");
    for (const bool in_parts : {false, true}) {
        const auto job = [&](const std::string& output) {
            return on_ranks(3, in_parts ? in_one_block(output) : focus(output));
        };
        ASSERT_EQ(run(job("whole.h5")).code, 0);
        for (const int signal : {SIGINT, SIGTERM}) {
            Program program(path("streams"), job("slc.h5"), {}, program_);
            ASSERT_TRUE(comes_true([&] {
                const Words names = left();
                return std::any_of(names.begin(), names.end(),
                                   [](const std::string& n) { return n.find("partial") != std::string::npos; });
            })) << program.err();
            program.send(signal);
            EXPECT_NE(program.wait(), 0);
            if (std::filesystem::exists(file("slc.h5"))) {  // the signal came when all was written
                EXPECT_TRUE(bytes("slc.h5") == bytes("whole.h5"));
                std::filesystem::remove(file("slc.h5"));
            }
            EXPECT_EQ(left(), (Words{"raw.h5", "whole.h5"}));
        }
    }
}

}  // namespace
}  // namespace cornerturn
