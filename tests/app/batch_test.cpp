// SPDX-License-Identifier: Apache-2.0
// batch as its users meet it: many scenes, one of them bad, gone on with.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <sstream>

#include "data/files/output_file.h"
#include "data/files/resume.h"
#include "data/nisar/rslc_reader.h"
#include "tests/app/batch_fixture.h"
#include "tests/support/sentinel1_slice.h"

namespace cornerturn {
namespace {

using nlohmann::json;

TEST_F(BatchTest, OneBadSceneStopsNoOther) {
    simulate("a", 1), simulate("b", 2);
    write("raw/bad.h5", "no HDF5 at all");
    write("jobs.yaml",
          "options: {azimuth-window: hamming}\n"
          "scenes:\n"
          "  - raw/a.h5\n"
          "  - raw/bad.h5\n"
          "  - raw/none.h5\n"
          "  - {input: raw/b.h5, output: b2.h5, options: {range-window: 'kaiser:2.5', png: '{name}.png', report: "
          "'{name}.json'}}\n");
    const Outcome outcome = run(batch("jobs.yaml"));
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.out.find("4 scenes in"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("2 done, 2 failed"), std::string::npos) << outcome.out;
    EXPECT_EQ(images(), (Words{"a.h5", "b2.h5", "b2.json", "b2.png"}));

    const json bad = status("bad"), b = status("b2");
    EXPECT_EQ(bad.at("state"), "failed");
    EXPECT_EQ(bad.at("exit_code"), 2);
    EXPECT_NE(bad.at("error").get<std::string>().find("bad.h5"), std::string::npos);
    EXPECT_EQ(status("none").at("exit_code"), 2);
    EXPECT_EQ(b.at("state"), "done");
    EXPECT_EQ(b.at("exit_code"), 0);
    EXPECT_EQ(b.at("parameters").at("--range-window"), "kaiser:2.5");
    EXPECT_EQ(b.at("parameters").at("--azimuth-window"), "hamming") << "of all scenes";
    EXPECT_EQ(b.at("input").at("sha256"), sum("raw/b.h5"));
    ASSERT_EQ(b.at("products").size(), 3u);
    EXPECT_EQ(b.at("products")[0].at("path"), "b2.h5");
    EXPECT_EQ(b.at("products")[0].at("sha256"), sum("out/b2.h5"));
    EXPECT_EQ(b.at("products")[0].at("bytes"), std::filesystem::file_size(file("out/b2.h5")));
    EXPECT_EQ(b.at("products")[1].at("sha256"), sum("out/b2.png"));

    ASSERT_EQ(run({"focus", file("raw/b.h5"), "-o", file("b.h5"), "--device", "cpu", "--threads", "1",
                   "--azimuth-window", "hamming", "--range-window", "kaiser:2.5", "--report", file("b.json")})
                  .code,
              0);
    EXPECT_EQ(json::parse(text_of("b.json")).at("products")[0].at("sha256"), sum("b.h5"));
    EXPECT_TRUE(read_rslc(file("b.h5")).samples == read_rslc(file("out/b2.h5")).samples) << "the same as focus makes";
}

TEST_F(BatchTest, TakesTheRawFilesOfAFolder) {
    simulate("a", 1), simulate("b", 2);
    write("raw/torn.h5", "no HDF5 at all");
    write("raw/notes.txt", "none either");
    const Outcome outcome = run(batch("raw", {"--azimuth-window", "hamming", "--log-format", "json"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(images(), (Words{"a.h5", "b.h5"}));
    EXPECT_EQ(status("a").at("parameters").at("--azimuth-window"), "hamming");
    bool of_b = false, left_out = false;
    std::istringstream lines(outcome.err);
    for (std::string line; std::getline(lines, line);) {
        const json entry = json::parse(line);
        EXPECT_TRUE(entry.contains("time") && entry.contains("level")) << line;
        of_b = of_b || entry.value("scene", "") == "b";
        left_out = left_out || entry.at("message").get<std::string>().find("torn.h5") != std::string::npos;
    }
    EXPECT_TRUE(of_b && left_out) << outcome.err;
}

TEST_F(BatchTest, TakesRawEchoOfEveryFormatFromAFolder) {
    ASSERT_EQ(run({"simulate", "spotlight", "-o", file("raw/a.cphd"), "--lines", "300", "-q"}).code, 0);
    simulate("a");
    write("raw/notes.txt", "nothing of this");
    std::filesystem::create_directory(file("raw/b.SAFE"));
    const std::string slice = Sentinel1Slice{.swaths = {2}, .samples = 220}.file();
    write("raw/b.SAFE/s1.dat", slice);
    const Outcome made = run(batch("raw", {"--resume"}));
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(images(), (Words{"a.cphd.h5", "a.h5", "b-IW2-0.h5", "b-IW2-1.h5"})) << made.err;
    EXPECT_EQ(status("b-IW2-1")["input"]["bytes"], slice.size()) << "of the files in the folder";
    EXPECT_NE(run(batch("raw", {"--resume"})).err.find("b-IW2-1: is done already"), std::string::npos);
    write("raw/b.SAFE/s1.dat", slice + slice.substr(0, 1000));
    const Outcome again = run(batch("raw", {"--resume"}));
    EXPECT_NE(again.err.find("b-IW2-0: is made again: the input has changed"), std::string::npos) << again.err;
    EXPECT_NE(again.err.find("a: is done already"), std::string::npos) << again.err;
    // The folder by itself, and in a jobs file.
    const Outcome alone = run({"batch", file("raw/b.SAFE/"), "-o", file("alone"), "--device", "cpu", "--burst", "1"});
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_TRUE(std::filesystem::exists(file("alone/b-IW2-1.h5")));
    write("jobs.yaml", "scenes: [{input: raw/b.SAFE, options: {swath: IW2, burst: 0}}]\n");
    const Outcome listed = run({"batch", file("jobs.yaml"), "-o", file("listed"), "--device", "cpu"});
    EXPECT_EQ(listed.code, 0) << listed.err;
    EXPECT_TRUE(std::filesystem::exists(file("listed/b.h5")));
}

TEST_F(BatchTest, ResumesWhatIsNotDoneOrHasChanged) {
    for (int seed = 1; seed <= 3; ++seed) simulate(std::string(1, static_cast<char>('a' + seed - 1)), seed);
    write("raw/bad.h5", "no HDF5 at all");
    write("jobs.yaml", "scenes: [raw/a.h5, raw/b.h5, raw/bad.h5, raw/c.h5]\n");
    EXPECT_EQ(run(batch("jobs.yaml")).code, 1);
    const std::string first = sum("out/a.h5");

    simulate("bad", 4);
    json again = resumed("jobs.yaml");
    EXPECT_TRUE(done_before(again, "a") && done_before(again, "b") && done_before(again, "c"));
    EXPECT_FALSE(done_before(again, "bad"));
    EXPECT_EQ(again.at("done"), 4);

    std::filesystem::last_write_time(file("raw/a.h5"),
                                     std::filesystem::file_time_type::clock::now());  // touched, but the same
    std::filesystem::remove(file("out/b.status.json"));                               // the image knows as well
    simulate("c", 5);
    again = resumed("jobs.yaml");
    EXPECT_TRUE(done_before(again, "a") && done_before(again, "b"));
    EXPECT_FALSE(done_before(again, "c"));
    EXPECT_EQ(status("b").at("state"), "done");
    EXPECT_EQ(status("b").at("products")[0].at("sha256"), sum("out/b.h5"));

    write("jobs.yaml", "scenes: [{input: raw/a.h5, options: {azimuth-window: hamming}}, raw/b.h5]\n");
    again = resumed("jobs.yaml");
    EXPECT_FALSE(done_before(again, "a"));
    EXPECT_TRUE(done_before(again, "b"));
    EXPECT_NE(sum("out/a.h5"), first);

    std::filesystem::remove(file("out/b.h5"));
    EXPECT_FALSE(done_before(resumed("jobs.yaml"), "b"));
    const json without = json_of(batch("jobs.yaml", {"--json"}));
    EXPECT_FALSE(done_before(without, "a") || done_before(without, "b")) << "without --resume all is made";
}

/// From now on the system refuses this process the locks that scenes are taken by, as a file system without any does.
void lose_locks() {
    constexpr auto call = offsetof(seccomp_data, nr), command = offsetof(seccomp_data, args) + sizeof(std::uint64_t);
    static_assert(std::endian::native == std::endian::little, "the lower half of an argument comes first");
    std::array filter{sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, call),
                      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
                      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, command),
                      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_OFD_SETLK, 0, 1),
                      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
                      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{.len = filter.size(), .filter = filter.data()};
    constexpr int not_allowed = 99;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(not_allowed);
}

TEST_F(BatchTest, DoesAllScenesWithAWordWhereThereAreNoLocks) {
    if (run({"--version"}, lose_locks).code == 99) GTEST_SKIP() << "calls to the system cannot be refused here";
    simulate("a", 1), simulate("b", 2);
    const Outcome outcome = run(batch("raw"), lose_locks), locked = run(batch("raw"));
    const std::string warning = "cannot be locked (No locks available): another run in this folder may take the same";
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(": 2 done\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.err.find(warning), std::string::npos) << outcome.err;
    EXPECT_EQ(locked.err.find("cannot be locked"), std::string::npos) << locked.err;
    EXPECT_EQ(images(), (Words{"a.h5", "b.h5"}));
}

TEST_F(BatchTest, RefusesBadJobsInOneLine) {
    simulate("a");
    const auto refused = [&](const std::string& jobs, const Words& words, const std::string& device = "cpu") {
        write("jobs.yaml", jobs);
        expect_bad_input(batch("jobs.yaml", {}, device), words);
    };
    refused("scenes: [raw/a.h5, other/a.h5]\n", {"scenes[1]", "scenes[0]", "output"});
    refused("scenes: [{input: raw/a.h5, options: {azimut-window: none}}]\n", {"scenes[0]", "--azimut-window"});
    refused("scenes: [{input: raw/a.h5, options: {azimuth-window: round}}]\n", {"scenes[0]", "round"});
    refused("scenes: [{input: raw/a.h5, options: {compress: 11}}]\n", {"scenes[0]", "--compress", "11"});
    refused("scenes: [{input: raw/a.h5, output: sub/a.h5}]\n", {"sub/a.h5"});
    refused("scenes: [raw/]\n", {"scenes[0]", "raw/", "no name"});
    refused("scenes: [{input: raw/a.h5, output: .h5}]\n", {"scenes[0]", ".h5", "no name"});
    refused("scenes: []\n", {"empty list"});
    refused("\x89HDF\r\n\x1a\n", {"is HDF5", "expected a jobs file (YAML) or a folder of raw files"});
    refused("options: hamming\nscenes: [raw/a.h5]\n", {"options", "mapping"});
    refused("scene: [raw/a.h5]\n", {"unknown key 'scene'", "line 1"});
    refused("scenes: [raw/a.h5, raw/b.h5]\noptions: {png: same.png}\n", {"same.png", "{name}"});
    refused("scenes: [raw/a.h5]\n", {"banana"}, "banana");
    refused("scenes: [raw/a.h5]\n", {"cpu comes twice"}, "cpu,cpu");
    expect_bad_input({"batch", file("raw"), "-o", file("raw")}, {"among the raw files"});
    expect_bad_input({"batch", file("none.yaml"), "-o", file("out")}, {"none.yaml"});
}

TEST_F(BatchTest, TakesTheEnvironmentWhereTheCommandLineSaysNothing) {
    simulate("a");
    write("jobs.yaml", "scenes: [raw/a.h5]\n");
    setenv("CORNERTURN_DEVICE", "banana", 1);
    const Outcome refused = run({"batch", file("jobs.yaml"), "-o", file("out")}), accepted = run(batch("jobs.yaml"));
    unsetenv("CORNERTURN_DEVICE");
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("banana"), std::string::npos);
    EXPECT_EQ(accepted.code, 0) << accepted.err;
    EXPECT_NE(run({"batch", "--help"}).out.find("CORNERTURN_DEVICE"), std::string::npos);
}

/// A device that cannot be opened leaves its share to the others.
TEST_F(BatchTest, OneDeviceDoesWhatAnotherCannot) {
    simulate("a", 1), simulate("b", 2);
    const Outcome outcome = run(batch("raw", {}, "cuda:77,cpu"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("cuda:77"), std::string::npos) << outcome.err;
    EXPECT_EQ(images(), (Words{"a.h5", "b.h5"}));
}

/// Two that compute at once, in one process.
TEST_F(BatchTest, SeveralDevicesShareTheScenes) {
    for (int seed = 1; seed <= 6; ++seed) simulate(fmt::format("s{}", seed), seed);
    const json result = json_of(batch("raw", {"--json"}, "cpu,cpu-double"));
    EXPECT_EQ(result.at("done"), 6);
    std::map<std::string, int> made;
    for (const json& scene : result.at("scenes")) ++made[scene.at("device").get<std::string>()];
    EXPECT_TRUE(made["cpu"] > 0 && made["cpu-double"] > 0) << result.dump(2);
    EXPECT_EQ(json_of(batch("raw", {"--resume", "--json"})).at("done"), 6) << "another device is no other work";
}

TEST_F(BatchTest, ScenesAtOnceAreMadeAsOneAfterTheOther) {
    for (int seed = 1; seed <= 3; ++seed) simulate(fmt::format("s{}", seed), seed);
    const auto sums = [&](const char* at_once) {
        EXPECT_EQ(json_of(batch("raw", {"--at-once", at_once, "--json"})).at("done"), 3);
        return std::vector{sum("out/s1.h5"), sum("out/s2.h5"), sum("out/s3.h5")};
    };
    EXPECT_EQ(sums("3"), sums("1"));
}

TEST_F(BatchTest, RunsThatShareAFolderShareTheWork) {
    for (int seed = 1; seed <= 4; ++seed) simulate(fmt::format("s{}", seed), seed);
    std::filesystem::create_directory(path("other"));
    Program one(path("streams"), batch("raw", {"--resume", "--json"})),
        other(path("other"), batch("raw", {"--resume", "--json"}));
    EXPECT_EQ(one.wait(), 0) << one.err();
    EXPECT_EQ(other.wait(), 0) << other.err();
    const json a = json::parse(one.out()), b = json::parse(other.out());
    for (const std::string name : {"s1", "s2", "s3", "s4"}) {
        const auto made_by = [&](const json& result) {
            const json scene = scene_in(result, name);
            return !scene.at("done_before").get<bool>() && !scene.at("elsewhere").get<bool>();
        };
        EXPECT_NE(made_by(a), made_by(b)) << name << " is made once";
        EXPECT_EQ(status(name).at("state"), "done");
    }
}

/// By azimuth blocks, where a scene asks for it, but only with what it was begun with.
TEST_F(BatchTest, GoesOnWithinASceneThatIsKept) {
    ASSERT_EQ(run({"simulate", "spaceborne", "-o", file("raw/a.h5"), "--sample-type", "int8", "--noise", "0", "--lines",
                   "4000", "--samples", "1700"})
                  .code,
              0);
    const auto jobs = [&](const std::string& window) {
        write("jobs.yaml", "scenes: [{input: raw/a.h5, options: {resume: true, max-memory: 180M, azimuth-window: " +
                               window + "}}]\n");
    };
    const auto kill_once_rows_are_noted = [&] {
        Program program(path("streams"), batch("jobs.yaml", {"--resume"}));
        ASSERT_TRUE(comes_true([&] {
            const auto noted = read_resume_state(unfinished_name(file("out/a.h5")));
            return noted && noted->rows > 0;
        }));
        program.send(SIGKILL);
        program.wait();
    };
    jobs("hamming");
    kill_once_rows_are_noted();
    const Outcome gone_on = run(batch("jobs.yaml", {"--resume"}));
    EXPECT_EQ(gone_on.code, 0) << gone_on.err;
    EXPECT_NE(gone_on.err.find("going on with image"), std::string::npos) << gone_on.err;
    std::filesystem::remove_all(file("out"));

    kill_once_rows_are_noted();
    jobs("none");
    const Outcome afresh = run(batch("jobs.yaml", {"--resume"}));
    EXPECT_EQ(afresh.code, 0) << afresh.err;
    EXPECT_EQ(afresh.err.find("going on with image"), std::string::npos) << afresh.err;
    EXPECT_EQ(images(), Words{"a.h5"});
}

}  // namespace
}  // namespace cornerturn
