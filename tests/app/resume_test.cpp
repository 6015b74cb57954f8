// SPDX-License-Identifier: Apache-2.0
// focus --resume as its users meet it: killed, interrupted, gone on with.
#include "data/files/resume.h"

#include <algorithm>

#include "data/files/output_file.h"
#include "data/hdf5/hdf5_writer.h"
#include "data/nisar/rslc_reader.h"
#include "tests/app/program.h"
#include "tests/app/three_frames.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using Words = Program::Words;

/// A scene that goes through in five azimuth blocks.
class ResumedProgram : public ProductTest {
protected:
    ResumedProgram() {
        std::filesystem::create_directory(path("streams"));
        setenv("OMP_WAIT_POLICY", "passive", 1);
        setenv("XDG_CACHE_HOME", path("streams").c_str(), 1);
        simulate("spaceborne");
        EXPECT_EQ(run(job("whole.h5", {"--png", path("whole.png")}, false)), 0) << err_;
    }

    void simulate(const std::string& preset) {
        EXPECT_EQ(run({"simulate", preset, "-o", path("raw.h5"), "--sample-type", "int8", "--noise", "0", "--lines",
                       "3001", "--samples", "1703"}),
                  0)
            << err_;
    }
    Words job(const std::string& output, const Words& more = {}, bool resume = true) const {
        Words words{"focus", path("raw.h5"), "-o",           path(output), "--device", "cpu", "--threads",
                    "1",     "-v",           "--max-memory", "180M"};
        if (resume) words.emplace_back("--resume");
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    int run(const Words& arguments) {
        Program program(path("streams"), arguments);
        const int code = program.wait();
        err_ = program.err();
        return code;
    }
    std::optional<ResumeState> noted(const std::string& output) const {
        return read_resume_state(unfinished_name(path(output)));
    }
    /// Ends a run once so many rows are noted.
    void break_off(const Words& arguments, std::int64_t rows, int signal, int code) {
        Program program(path("streams"), arguments);
        ASSERT_TRUE(comes_true([&] {
            const auto state = noted("slc.h5");
            return state && state->rows >= rows;
        }));
        program.send(signal);
        EXPECT_EQ(program.wait(), code);
        err_ = program.err();
        EXPECT_FALSE(std::filesystem::exists(path("slc.h5")));
    }
    std::string bytes(const std::string& name) const {
        std::ifstream in(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void expect_whole() const {
        EXPECT_TRUE(read_rslc(path("slc.h5")).samples == read_rslc(path("whole.h5")).samples);
        const auto names = left();
        EXPECT_TRUE(std::none_of(names.begin(), names.end(), [](const std::string& n) { return n.starts_with("."); }))
            << "nothing is left";
    }
    bool says(const std::string& words) const { return err_.find(words) != std::string::npos; }

    std::string err_;
};

TEST_F(ResumedProgram, GoesOnAfterAKill) {
    for (const std::string compression : {"0", "1"}) {
        const Words arguments = job("slc.h5", {"--compress", compression, "--png", path("slc.png")});
        break_off(arguments, 1, SIGKILL, -SIGKILL);
        const auto first = noted("slc.h5");
        ASSERT_TRUE(first);
        break_off(arguments, first->rows + 1, SIGKILL, -SIGKILL);
        EXPECT_EQ(run(arguments), 0) << err_;
        EXPECT_TRUE(says("going on with image 1 of 1 at row ")) << err_;
        EXPECT_FALSE(says("at row 0")) << err_;
        expect_whole();
        EXPECT_EQ(bytes("slc.png"), bytes("whole.png"));
        std::filesystem::remove(path("slc.h5"));
    }
}

TEST_F(ResumedProgram, GoesOnAfterAnInterruption) {
    break_off(job("slc.h5"), 1, SIGINT, 130);
    EXPECT_TRUE(says("interrupted; ") && says("is not finished") && says("--resume")) << err_;
    EXPECT_EQ(run(job("slc.h5")), 0) << err_;
    expect_whole();
}

/// Which are asked once more, and do not say quite what the file says.
TEST_F(ResumedProgram, GoesOnWithWhatTheDataSay) {
    simulate("squint");
    EXPECT_EQ(run(job("whole.h5", {}, false)), 0) << err_;
    const auto by_file = read_rslc(path("whole.h5")).samples;
    const Words by_data{"--doppler-centroid", "data"};
    EXPECT_EQ(run(job("whole.h5", by_data, false)), 0) << err_;
    EXPECT_FALSE(read_rslc(path("whole.h5")).samples == by_file) << "or this test proves nothing";
    break_off(job("slc.h5", by_data), 1, SIGKILL, -SIGKILL);
    EXPECT_EQ(run(job("slc.h5", by_data)), 0) << err_;
    EXPECT_TRUE(says("going on with image 1 of 1 at row ")) << err_;
    EXPECT_FALSE(says("at row 0")) << err_;
    expect_whole();
}

TEST_F(ResumedProgram, LeavesNothingWhereItWasNotAskedTo) {
    EXPECT_EQ(run(job("slc.h5")), 0) << err_;
    expect_whole();
    EXPECT_EQ(run(job("slc.h5", {}, false)), 0) << err_;
    expect_whole();
}

TEST_F(ResumedProgram, RefusesAnotherRun) {
    break_off(job("slc.h5"), 1, SIGKILL, -SIGKILL);
    const auto refused = [&](const Words& more, const std::string& words) {
        EXPECT_EQ(run(job("slc.h5", more)), 2);
        EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
        EXPECT_TRUE(says(words) && says("was") && says("remove")) << err_;
    };
    refused({"--azimuth-window", "hamming"}, "--azimuth-window was none and is hamming");
    refused({"--compress", "1"}, "--compress was 0 and is 1");
    refused({"--rcmc-taps", "8"}, "--rcmc-taps");
    refused({"--height", "250"}, "--height");
    {
        h5::Writer dem(path("dem.h5"), 0);
        dem.numbers("/latitude", std::vector<double>{40, 50});
        dem.numbers("/longitude", std::vector<double>{10, 20});
        dem.table("/height", std::vector<float>(4, 100), 2);
        dem.commit();
    }
    refused({"--dem", path("dem.h5")}, "--dem was not given and is");
    refused({"--doppler-centroid", "100"}, "--doppler-centroid was auto and is 100");
    std::filesystem::last_write_time(path("raw.h5"), std::filesystem::file_time_type::clock::now());
    refused({}, "the input's time of change");
    EXPECT_TRUE(noted("slc.h5")) << "refusing costs nothing";
}

/// Memory is another one every day: blocks are those of the first run.
TEST_F(ResumedProgram, KeepsItsBlocks) {
    break_off(job("slc.h5"), 1, SIGKILL, -SIGKILL);
    Words arguments = job("slc.h5");
    *std::find(arguments.begin(), arguments.end(), "180M") = "600M";
    EXPECT_EQ(run(arguments), 0) << err_;
    EXPECT_TRUE(says("going on")) << err_;
    expect_whole();
}

TEST_F(ResumedProgram, StartsAfreshWhereTheFileIsTorn) {
    const std::string unfinished = unfinished_name(path("slc.h5"));
    break_off(job("slc.h5"), 1, SIGKILL, -SIGKILL);
    std::filesystem::resize_file(unfinished, 5000);
    EXPECT_EQ(run(job("slc.h5")), 0) << err_;
    EXPECT_TRUE(says("starting afresh")) << err_;
    expect_whole();
    std::filesystem::remove(path("slc.h5"));
    break_off(job("slc.h5"), 1, SIGKILL, -SIGKILL);
    std::filesystem::remove(state_name(unfinished));
    EXPECT_EQ(run(job("slc.h5")), 0) << err_;
    EXPECT_TRUE(says("starting afresh")) << err_;
    expect_whole();
}

}  // namespace
}  // namespace cornerturn
