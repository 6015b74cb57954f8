// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/side_by_side.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace cornerturn {
namespace {

TEST(SideBySide, ResultsComeInOrderWhateverTheirType) {
    const auto made = side_by_side(100, [](std::size_t i) { return std::make_unique<std::size_t>(i * i); });
    ASSERT_EQ(made.size(), 100u);
    for (std::size_t i = 0; i < made.size(); ++i) EXPECT_EQ(*made[i], i * i);
    EXPECT_TRUE(side_by_side(0, [](std::size_t i) { return i; }).empty());
}

TEST(SideBySide, PassesOnWhatOneThrows) {
    EXPECT_THROW(side_by_side(10,
                              [](std::size_t i) {
                                  if (i == 7) throw std::runtime_error("no seventh");
                                  return i;
                              }),
                 std::runtime_error);
}

}  // namespace
}  // namespace cornerturn
