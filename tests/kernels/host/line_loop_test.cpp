// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/line_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

namespace cornerturn {
namespace {

TEST(LineLoop, VisitsEveryLineOnce) {
    std::vector<std::atomic<int>> visits(100);
    for_each_line(100, 3, [&](std::int64_t line) { ++visits[static_cast<std::size_t>(line)]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
}

/// Bodies that allocate may fail: that must not end the program.
TEST(LineLoop, PassesOnWhatABodyThrows) {
    for (const int threads : {1, 3})
        EXPECT_THROW(for_each_line(100, threads,
                                   [](std::int64_t line) {
                                       if (line == 40) throw std::bad_alloc();
                                   }),
                     std::bad_alloc);
}

TEST(LineLoop, EndsWithTheFirstFailure) {
    int visited = 0;
    EXPECT_THROW(for_each_line(1000, 1,
                               [&](std::int64_t) {
                                   ++visited;
                                   throw std::runtime_error("full");
                               }),
                 std::runtime_error);
    EXPECT_EQ(visited, 1);
}

}  // namespace
}  // namespace cornerturn
