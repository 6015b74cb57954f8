// SPDX-License-Identifier: Apache-2.0
// --device with several, as users of the program meet it. Processors stand for GPUs.
#include <nlohmann/json.hpp>

#include "data/files/output_file.h"
#include "data/files/resume.h"
#include "data/nisar/rslc_reader.h"
#include "tests/app/json_schema.h"
#include "tests/app/program_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// Of two polarizations, each some azimuth blocks long where memory is short.
class SeveralDevices : public ProgramFixture {
protected:
    SeveralDevices() {
        setenv("XDG_CACHE_HOME", path("streams").c_str(), 1);
        succeed({"simulate", "spaceborne", "-o", file("raw.h5"), "--sample-type", "int8", "--noise", "0", "--lines",
                 "3001", "--samples", "1703"});
    }
    Words job(const std::string& devices, const std::string& output, const Words& more = {}) const {
        return with({"focus", file("raw.h5"), "-o", file(output), "--device", devices, "--threads", "1", "--max-memory",
                     "180M"},
                    more);
    }
    void expect_same_image(const std::string& name) const {
        EXPECT_TRUE(read_rslc(file(name)).samples == read_rslc(file("one.h5")).samples) << name;
    }
};

TEST_F(SeveralDevices, MakeTheImageOfOneAndTellWhoDidWhat) {
    succeed(job("cpu", "one.h5", {"--json", file("one.json")}));
    const auto one = nlohmann::json::parse(text_of("one.json"));
    const auto blocks = one["frames"][0]["plan"]["azimuth_blocks"].get<int>();
    ASSERT_GT(blocks, 3) << "or the scene is not what this test is for";
    ASSERT_EQ(one["devices"].size(), 1u);
    EXPECT_EQ(one["devices"][0]["blocks"], blocks);
    for (const std::string devices : {"cpu,cpu", "cpu,cpu,cpu"}) {
        const Outcome done = succeed(job(devices, "some.h5", {"--json", file("some.json")}));
        expect_in(done.err, "on " + devices);
        expect_same_image("some.h5");
        const auto report = nlohmann::json::parse(text_of("some.json"));
        EXPECT_EQ(breaches_of_schema(report, "focus"), "");
        EXPECT_EQ(report["device"]["name"], devices);
        EXPECT_EQ(report["frames"][0]["plan"]["azimuth_blocks"], blocks);
        EXPECT_GT(report["frames"][0]["plan"]["waiting_rows_bytes"], 0);
        int shared = 0;
        for (const auto& device : report["devices"]) {
            EXPECT_EQ(device["name"], "cpu");
            EXPECT_EQ(device["busy_s"] > 0, device["blocks"] > 0);
            EXPECT_FALSE(device.contains("lost"));
            shared += device["blocks"].get<int>();
        }
        EXPECT_EQ(shared, blocks);
    }
    const Outcome plan = succeed(job("cpu,cpu,cpu", "some.h5", {"--dry-run"}));
    expect_in(plan.out, "cpu,cpu,cpu share " + std::to_string(blocks) + " blocks of 1 image;");
    const Outcome whole = run({"focus", file("raw.h5"), "--device", "cpu,cpu", "--dry-run", "--max-memory", "4G"});
    expect_in(whole.out, "cpu,cpu hold the scene, which is one block, in parts");
}

/// Whose parts of a scene that is one block may be formed another way.
TEST_F(SeveralDevices, TwoGpusMakeTheImageOfOne) {
    const auto list = json_of({"devices", "--json"})["devices"];
    const auto gpus = std::count_if(list.begin(), list.end(), [](const nlohmann::json& device) {
        return device["name"].get<std::string>().starts_with("cuda");
    });
    if (gpus < 2) GTEST_SKIP() << "there are no two GPUs here";
    for (const std::string devices : {"cuda:0", "cuda:0,1"}) {
        succeed({"focus", file("raw.h5"), "-o", file(devices + ".h5"), "--device", devices});
    }
    const auto compared = json_of({"compare", file("cuda:0.h5"), file("cuda:0,1.h5"), "--json"});
    EXPECT_TRUE(compared["identical"] || compared["signal_to_error_db"] > 100) << compared;
}

TEST_F(SeveralDevices, GoOnWithAnImageThatOneBegan) {
    succeed(job("cpu", "one.h5"));
    {
        Program program(path("streams"), job("cpu,cpu", "slc.h5", {"--resume"}));
        ASSERT_TRUE(comes_true([&] {
            const auto state = read_resume_state(unfinished_name(file("slc.h5")));
            return state && state->rows > 0;
        }));
        program.send(SIGTERM);
        EXPECT_EQ(program.wait(), 143);
        expect_in(program.err(), "--resume");
    }
    const Outcome rest = succeed(job("cpu,cpu,cpu", "slc.h5", {"--resume"}));
    expect_in(rest.err, "going on with image 1 of 1");
    expect_same_image("slc.h5");
}

TEST_F(SeveralDevices, LeaveNothingWhenInterrupted) {
    Program program(path("streams"), job("cpu,cpu", "slc.h5"));
    ASSERT_TRUE(comes_true([&] { return left().size() > 1; }));
    program.send(SIGINT);
    EXPECT_EQ(program.wait(), 130) << program.err();
    EXPECT_EQ(left(), Words{"raw.h5"});
}

TEST_F(SeveralDevices, AreRefusedWhereOneIsTaken) {
    expect_bad_input({"verify", file("raw.h5"), "--device", "cpu,cpu"}, {"cpu,cpu", "takes one device"});
    expect_bad_input({"bench", "corner-turn", "--device", "cpu,cpu"}, {"takes one device"});
    expect_bad_input(job("cpu,cpu", "slc.h5", {"--dump-stages", file("stages")}),
                     {"--dump-stages", "takes one device"});
    expect_bad_input(job("cpu,cpu-double", "slc.h5"), {"cpu,cpu-double", "one kind"});
    expect_bad_input(job("cpu,", "slc.h5"), {"'cpu,'", "beside a comma"});
    EXPECT_EQ(left(), Words{"raw.h5"});
}

}  // namespace
}  // namespace cornerturn
