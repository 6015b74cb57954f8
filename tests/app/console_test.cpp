// SPDX-License-Identifier: Apache-2.0
// What is said on standard error, whatever a file holds.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/app/program_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

using ConsoleTest = ProgramFixture;

TEST_F(ConsoleTest, WordsOfAFileAreNoCommandsToTheTerminal) {
    std::ofstream(file("scene.yaml")) << "caf\xc3\xa9\x1b[31m\xff: 1\n";
    const Outcome outcome = run({"simulate", file("scene.yaml"), "--print-scene"});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, "caf\xc3\xa9\\x1b[31m\\xff");
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(ConsoleTest, AFileWhoseNameHasTwoLinesIsNamedInOne) {
    std::ofstream(file("two\nlines.h5")) << "no echo";
    const Outcome outcome = run({"info", file("two\nlines.h5")});
    EXPECT_EQ(outcome.code, 2);
    expect_in(outcome.err, "two\\x0alines.h5: ");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

/// Looks that fly another way than the recording is long leave no row of an image.
TEST_F(ConsoleTest, AnEchoTooShortForLooksIsNoInternalError) {
    std::ofstream(file("scene.yaml"))
        << "{lines: 64, samples: 160, carrier_hz: 9650000000, prf_hz: 400, sample_rate_hz: 100000000, near_range_m: "
           "3000, chirp_slope_hz_s: 36000000000000, chirp_duration_s: 3e-7, azimuth_bandwidth_hz: 180, velocity_m_s: "
           "120, doppler_centroid_hz: 0, targets: [{line: 30, sample: 60}]}";
    succeed({"simulate", file("scene.yaml"), "-o", file("raw.h5")});
    succeed({"doppler", file("raw.h5")});
}

}  // namespace
}  // namespace cornerturn
