// SPDX-License-Identifier: Apache-2.0
// The bench of back-projection on a small scene.
#include "app/bench/backprojection_bench.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

BackprojectionRequest small_request() {
    return {.scene = {.rows = 40, .columns = 33, .lines = 50, .aperture_deg = 0.01},
            .signal_to_error_db = {87, 100},
            .repeat = 1,
            .threads = 1};
}

TEST(BackprojectionBench, TimesWhatIsRight) {
    const auto device = open_device("cpu", 1);
    const BackprojectionBench bench = measure_backprojection(*device, small_request(), {});
    EXPECT_TRUE(bench.wrong.empty());
    ASSERT_EQ(bench.steps.size(), 2u);
    EXPECT_GT(bench.steps[1].gpixel_lines_per_s, 0);
    EXPECT_GE(bench.steps[1].seen_db, 97);
    EXPECT_GE(bench.steps[1].of_points_db, 97);
}

TEST(BackprojectionBench, SaysWhatIsWorseThanAskedFor) {
    const auto device = open_device("cpu", 1);
    BackprojectionRequest request = small_request();
    request.signal_to_error_db = {300};
    const BackprojectionBench bench = measure_backprojection(*device, request, {});
    EXPECT_EQ(bench.wrong.size(), 1u);
    EXPECT_TRUE(bench.steps.empty());
}

TEST(BackprojectionBench, NeedsMemory) {
    const auto device = open_device("cpu", 1);
    BackprojectionRequest request = small_request();
    request.scene.rows = request.scene.columns = 1 << 17;
    request.scene.lines = 1 << 17;
    request.scene.pixel_m = 50;
    EXPECT_THROW(measure_backprojection(*device, request, {}), InputError);
}

}  // namespace
}  // namespace cornerturn
