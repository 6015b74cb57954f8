// SPDX-License-Identifier: Apache-2.0
// A block's steps are made once for those who plan memory, count costs and form it; anew where anything differs.
#include "pipeline/plan/block_formation.h"

#include <gtest/gtest.h>

#include "kernels/device/device.h"
#include "kernels/steps/steps.h"
#include "pipeline/plan/memory_plan.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

int formed = 0, made = 0;  // formations, lists of steps

/// One corner turn, as long as the transform.
Formation counted(const Acquisition& echo, const ImagePlan& image) {
    ++formed;
    return {.image = image,
            .algorithm = {.least = image.least,
                          .steps =
                              [lines = echo.lines](const FftLengths& fft) {
                                  ++made;
                                  return Steps{{"turn", "range", "line", CornerTurn{lines, fft.range}}};
                              }},
            .notes = {}};
}

class BlockFormationTest : public testing::Test {
protected:
    void SetUp() override { formed = made = 0; }

    const Former former_{.name = "counted", .title = "counted", .holds_for = "", .form = counted};
    const Acquisition echo_ = describe(one_target());
    const ImagePlan image_ = plan_image(echo_, parameters_of(echo_));
    const AzimuthBlock whole_{.first_row = 0, .rows = image_.grid.rows, .first_line = 0, .lines = 700, .at_edge = true};
};

TEST_F(BlockFormationTest, MakesTheStepsOfEachLengthOnce) {
    const auto formation = formation_of(former_, echo_, image_, whole_);
    const FftLengths fft{512, 1024};
    for (int asked = 0; asked < 3; ++asked)
        EXPECT_EQ(std::get<CornerTurn>(formation->algorithm().steps(fft).front().work).columns, 512);
    EXPECT_EQ(std::get<CornerTurn>(formation->algorithm().steps({1024, 1024}).front().work).columns, 1024);
    EXPECT_EQ(made, 2);
}

TEST_F(BlockFormationTest, ServesNothingButTheSame) {
    const auto formation = formation_of(former_, echo_, image_, whole_);
    EXPECT_EQ(formation_of(former_, echo_, image_, whole_, formation), formation);
    Acquisition other_echo = echo_;
    other_echo.first_pulse_time_s += 1;
    ImagePlan other_image = image_;
    other_image.parameters.interpolation_taps = 8;
    AzimuthBlock other_block = whole_;
    other_block.rows -= 1;
    const Former other_former{.name = "other", .title = "other", .holds_for = "", .form = counted};
    EXPECT_NE(formation_of(former_, other_echo, image_, whole_, formation), formation);
    EXPECT_NE(formation_of(former_, echo_, other_image, whole_, formation), formation);
    EXPECT_NE(formation_of(former_, echo_, image_, other_block, formation), formation);
    EXPECT_NE(formation_of(other_former, echo_, image_, whole_, formation), formation);
    EXPECT_EQ(formed, 5);
}

TEST_F(BlockFormationTest, OfTheLargestBlockIsMadeOnceForMemoryAndCost) {
    const auto device = open_device("cpu");
    const MemoryPlan plan = plan_memory(*device, echo_, image_, former_, {}, {});
    EXPECT_EQ(plan.blocks.size(), 1u);
    EXPECT_EQ(formed, 1);
    EXPECT_EQ(made, 1);
    ASSERT_TRUE(plan.largest);
    EXPECT_EQ(formation_of(former_, echo_, image_, plan.blocks.front(), plan.largest), plan.largest);
}

}  // namespace
}  // namespace cornerturn
