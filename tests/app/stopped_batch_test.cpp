// SPDX-License-Identifier: Apache-2.0
// batch that is killed or asked to stop, and goes on.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include "tests/app/batch_fixture.h"

namespace cornerturn {
namespace {

using nlohmann::json;

class StoppedBatch : public BatchTest {
protected:
    StoppedBatch() {
        for (int seed = 1; seed <= 4; ++seed) simulate(fmt::format("s{}", seed), seed);
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(run(batch("raw")).code, 0);
        whole_run_ = std::chrono::steady_clock::now() - begin;
        for (const std::string& name : images()) sums_.emplace_back(name, sum("out/" + name));
        std::filesystem::remove_all(file("out"));
    }
    bool is(const std::string& scene, const std::string& state) const {
        const json now = status(scene);
        return now.is_object() && now.at("state") == state;
    }
    /// Every file has its whole bytes, and there is no other.
    void expect_whole() {
        Words names;
        for (const auto& [name, whole] : sums_) {
            names.push_back(name);
            EXPECT_EQ(sum("out/" + name), whole) << name;
        }
        EXPECT_EQ(images(), names);
    }
    /// None is there that is not whole, under its name.
    void expect_nothing_half_written() const {
        for (const auto& [name, whole] : sums_) {
            if (!std::filesystem::exists(file("out/" + name))) continue;
            EXPECT_EQ(sum("out/" + name), whole) << name;
        }
    }

    std::vector<std::pair<std::string, std::string>> sums_;
    std::chrono::duration<double> whole_run_{};
};

TEST_F(StoppedBatch, GoesOnAfterKillsAtAnyMoment) {
    for (const double moment :
         {0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6}) {  // of the time that all takes; each goes on behind the last
        SCOPED_TRACE(moment);
        Program program(path("streams"), batch("raw", {"--resume"}));
        std::this_thread::sleep_for(moment * whole_run_);
        program.send(SIGKILL);
        program.wait();
        if (std::filesystem::exists(file("out"))) expect_nothing_half_written();
    }
    const json result = resumed("raw");
    EXPECT_EQ(result.at("done"), 4);
    expect_whole();
}

TEST_F(StoppedBatch, KeepsWhatIsDoneWhenKilledInAScene) {
    Program program(path("streams"), batch("raw"));
    ASSERT_TRUE(comes_true([&] { return is("s2", "running"); }));
    program.send(SIGKILL);
    EXPECT_EQ(program.wait(), -SIGKILL);
    const json result = resumed("raw");
    EXPECT_TRUE(done_before(result, "s1"));
    EXPECT_FALSE(done_before(result, "s4"));
    expect_whole();
}

TEST_F(StoppedBatch, EndsCleanlyOnRequest) {
    for (const int signal : {SIGINT, SIGTERM}) {
        SCOPED_TRACE(strsignal(signal));
        Program program(path("streams"), batch("raw"));
        ASSERT_TRUE(comes_true([&] { return is("s1", "running"); }));
        program.send(signal);
        EXPECT_EQ(program.wait(), 128 + signal) << program.err();
        EXPECT_NE(program.err().find("--resume"), std::string::npos) << program.err();
        expect_nothing_half_written();
        const Words left = images();
        EXPECT_TRUE(std::none_of(left.begin(), left.end(), [](const std::string& n) { return n.starts_with("."); }))
            << "nothing is left";
        EXPECT_TRUE(is("s4", "pending"));
        const json stopped = status("s1");
        if (stopped.at("state") != "done") {
            EXPECT_EQ(stopped.at("state"), "interrupted");
            EXPECT_EQ(stopped.at("exit_code"), 128 + signal);
        }
        EXPECT_EQ(resumed("raw").at("done"), 4);
        expect_whole();
        std::filesystem::remove_all(file("out"));
    }
}

}  // namespace
}  // namespace cornerturn
