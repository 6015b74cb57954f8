// SPDX-License-Identifier: Apache-2.0
#include "pipeline/echo/timeline.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace cornerturn {
namespace {

using namespace std::chrono_literals;

TEST(Timeline, LanesAreInTheOrderInWhichTheyBegan) {
    Timeline timeline;
    const auto start = Timeline::Clock::now();
    timeline.note("later", "work", start + 2s, start + 3s);
    timeline.note("sooner", "work", start + 1s, start + 5s);
    const auto lanes = timeline.lanes();
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(lanes[0].name, "sooner");
    EXPECT_NEAR(lanes[0].spans.at(0).end_s - lanes[0].spans.at(0).begin_s, 4, 1e-6);
    EXPECT_GE(lanes[1].spans.at(0).begin_s, 2);
}

TEST(Timeline, WhatGoesOnIsOneSpan) {
    Timeline timeline;
    const auto start = Timeline::Clock::now();
    for (int i = 0; i < 100; ++i) timeline.note("input", "read", start + 10s + i * 10ms, start + 10s + i * 10ms + 9ms);
    timeline.note("input", "read", start + 12s, start + 13s);  // after a gap that is seen
    timeline.note("input", "close", start + 13s, start + 14s);
    const auto spans = timeline.lanes().at(0).spans;
    ASSERT_EQ(spans.size(), 3U);
    EXPECT_NEAR(spans[0].end_s - spans[0].begin_s, 0.999, 1e-6);
    EXPECT_EQ(spans[2].name, "close");
}

TEST(Timeline, WhatAGpuHasDoneIsNotLaterThanNow) {
    Timeline timeline;
    const auto now = Timeline::Clock::now();
    timeline.note("copy", "lines", std::vector<BusySpan>{{now, now + 1h}});
    EXPECT_LE(timeline.lanes().at(0).spans.at(0).end_s, timeline.now_s());
}

TEST(Timeline, ThreadsMayNoteAtOnce) {
    Timeline timeline;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 4; ++i)
        threads.emplace_back([&timeline, i] {
            for (int k = 0; k < 100; ++k) const TimelineSpan span(&timeline, lane_of_device(lane::compute, i), "step");
        });
    for (std::thread& thread : threads) thread.join();
    const auto lanes = timeline.lanes();
    ASSERT_EQ(lanes.size(), 4U);
    for (const Timeline::Lane& lane : lanes)
        for (std::size_t i = 1; i < lane.spans.size(); ++i)
            EXPECT_GE(lane.spans[i].begin_s, lane.spans[i - 1].end_s) << lane.name;
}

TEST(Timeline, WithoutOneNothingIsNoted) { const TimelineSpan span(nullptr, "input", "read"); }

TEST(Timeline, TheLongestIsWhatTookMostInAll) {
    const std::vector<Timeline::Lane> lanes{{"a", {{"x", 0, 1}, {"y", 1, 2.5}, {"x", 3, 4}}}, {"b", {{"x", 2, 3.5}}}};
    const LongestWork longest = longest_work(lanes);
    EXPECT_EQ(longest.lane, "a");
    EXPECT_EQ(longest.name, "x");
    EXPECT_DOUBLE_EQ(longest.seconds, 2);
    EXPECT_DOUBLE_EQ(busy_s(lanes), 4);
    EXPECT_DOUBLE_EQ(busy_s(std::vector<Timeline::Lane>{{"a", {{"x", 1, 2}}}, {"b", {{"x", 3, 3.5}}}}), 1.5);
}

}  // namespace
}  // namespace cornerturn
