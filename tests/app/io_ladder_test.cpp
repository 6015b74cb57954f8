// SPDX-License-Identifier: Apache-2.0
// The bench of input and output checks before it times, and cleans up behind it.
#include "app/io_ladder.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "tests/data/product_fixture.h"

namespace cornerturn {
namespace {

using IoBench = ProductTest;

TEST_F(IoBench, TimesEveryWayBesidePlainCalls) {
    const auto device = open_device("cpu", 2);
    const IoRequest request{.lines = 700, .samples = 3000, .repeat = 3, .folder = path("")};
    const IoLadder ladder = measure_io(*device, request, {});
    EXPECT_TRUE(ladder.wrong.empty()) << ladder.wrong.front();
    std::vector<std::string> names;
    for (const IoStep& step : ladder.steps) {
        names.push_back(step.name);
        EXPECT_GT(step.median_ms, 0) << step.name;
        EXPECT_GT(step.plain_ms, 0) << step.name;
        EXPECT_GE(step.bytes, 700 * 3000 * 2) << step.name;
        EXPECT_NEAR(step.ratio() * step.gbytes_per_s(), step.plain_gbytes_per_s(), 1e-9 * step.plain_gbytes_per_s()) << step.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"read", "upload", "host to host", "download", "write", "file to file"}));
    EXPECT_GT(ladder.steps.back().sustained_ms, 0);
    EXPECT_TRUE(left().empty()) << "its files are gone";
}

TEST_F(IoBench, RefusesWhatCannotBe) {
    const auto device = open_device("cpu", 1);
    const auto words = [&](IoRequest request) { measure_io(*device, request, {}); };
    expect_refused([&] { words({.lines = 700, .samples = 3000, .repeat = 1, .folder = path("none/such")}); }, {"--folder", "none/such"});
    expect_refused([&] { words({.lines = 16000000, .samples = 16000000, .repeat = 1, .folder = path("")}); }, {"bench io", "16000000"});
    EXPECT_TRUE(left().empty());
}

}  // namespace
}  // namespace cornerturn
