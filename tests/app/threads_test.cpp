// SPDX-License-Identifier: Apache-2.0
// --threads as the system sees it: how many threads the program ever has.
#include <atomic>

#include "tests/app/image_program.h"

namespace cornerturn {
namespace {

/// On a machine that seems to have many cores.
class ThreadsTest : public ImageProgramTest {
protected:
    static constexpr int cores = 40, asked = 2;
    /// Of the program's own: the reader of the echo, who writes, the log's.
    static constexpr int besides = 12;

    ThreadsTest() { simulate_small(); }

    int most_threads(const Words& words) {
        Program program(path("streams"), words, [] { setenv("OMP_NUM_THREADS", std::to_string(cores).c_str(), 1); });
        std::atomic<bool> ended{false};
        int most = 0;
        std::thread counter([&, tasks = "/proc/" + std::to_string(program.process()) + "/task"] {
            while (!ended) {
                std::error_code gone;
                const std::filesystem::directory_iterator threads(tasks, gone);
                if (!gone) most = std::max(most, static_cast<int>(std::distance(begin(threads), end(threads))));
                std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
        });
        const int code = program.wait();
        ended = true;
        counter.join();
        EXPECT_EQ(code, 0) << program.err();
        return most;
    }
    void expect_as_asked(Words words) {
        SCOPED_TRACE(testing::PrintToString(words));
        words.insert(words.end(), {"--threads", std::to_string(asked)});
        EXPECT_LE(most_threads(words), asked + besides);
    }
};

TEST_F(ThreadsTest, AreAsManyAsWasAskedFor) {
    const Words focus{"focus", file("raw.h5"), "-o", file("slc.h5"), "--device", "cpu"};
    EXPECT_GE(most_threads(focus), cores - 1) << "without --threads, or this test proves nothing";
    for (const char* algorithm : {"rda", "csa", "omegak", "backprojection", "ffbp"}) {
        Words words = focus;
        words.insert(words.end(), {"--algorithm", algorithm, "--doppler-centroid", "0"});
        expect_as_asked(words);
    }
    expect_as_asked({"focus", file("raw.h5"), "--dry-run", "--device", "cpu"});
    expect_as_asked({"focus", file("raw.h5"), "-o", file("two.h5"), "--device", "cpu,cpu", "--block-rows", "150"});
    expect_as_asked({"verify", file("scene.yaml"), "--device", "cpu"});
    expect_as_asked({"compare", file("slc.h5"), file("two.h5")});
    expect_as_asked({"multilook", file("slc.h5"), "-o", file("looks.h5")});
    expect_as_asked({"simulate", file("scene.yaml"), "-o", file("again.h5")});
    std::filesystem::create_directory(file("raw"));
    std::filesystem::copy_file(file("raw.h5"), file("raw/a.h5"));
    expect_as_asked({"batch", file("raw"), "-o", file("out"), "--device", "cpu"});
}

TEST_F(ThreadsTest, OfEstimatesAreAsManyAsWasAskedFor) {
    succeed({"simulate", "spaceborne", "-o", file("noisy.h5"), "--lines", "1600", "--samples", "2048", "--noise", "-3",
             "-q"});
    expect_as_asked({"doppler", file("noisy.h5")});
    expect_as_asked({"focus", file("noisy.h5"), "-o", file("slc.h5"), "--device", "cpu", "--doppler-centroid", "data"});
}

}  // namespace
}  // namespace cornerturn
