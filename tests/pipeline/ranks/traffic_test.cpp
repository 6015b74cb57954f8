// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/traffic.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "kernels/errors.h"
#include "tests/pipeline/ranks/thread_ranks.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

std::shared_ptr<std::byte> memory_of(std::size_t bytes, int filled_with = 0) {
    std::shared_ptr<std::byte> memory(new std::byte[bytes], std::default_delete<std::byte[]>());
    std::memset(memory.get(), filled_with, bytes);
    return memory;
}

class TrafficTest : public testing::Test {};

/// Of many sizes, those that are cut and those that are none included.
TEST_F(TrafficTest, MessagesArriveInOrder) {
    constexpr std::size_t sizes[] = {1,  0,  1000, (std::size_t{8} << 20) + 5, 8, 64, 65,
                                     66, 67, 68,   std::size_t{20} << 20};
    for (const int ranks : {1, 2, 3}) {
        std::atomic<int> wrong{0};
        on_ranks(ranks, [&](Ranks& own) {
            Traffic traffic(own);
            std::vector<std::shared_ptr<std::byte>> came;
            std::vector<Traffic::Ticket> tickets;
            for (int other = 0; other < ranks; ++other)
                for (std::size_t i = 0; i < std::size(sizes) && other != own.rank(); ++i) {
                    const int mark = 16 * own.rank() + static_cast<int>(i);
                    tickets.push_back(traffic.send(other, memory_of(sizes[i], mark), sizes[i]));
                    came.push_back(memory_of(sizes[i], 255));
                    tickets.push_back(traffic.receive(other, came.back(), sizes[i]));
                }
            traffic.wait(tickets);
            std::size_t next = 0;
            for (int other = 0; other < ranks; ++other)
                for (std::size_t i = 0; i < std::size(sizes) && other != own.rank(); ++i, ++next)
                    for (std::size_t at = 0; at < sizes[i]; at += 64)
                        wrong += came[next].get()[at] != static_cast<std::byte>(16 * other + static_cast<int>(i));
            EXPECT_NO_THROW(traffic.finish());
        });
        EXPECT_EQ(wrong, 0) << ranks;
    }
}

/// What they have sent to each other before they hear of it is taken, and nobody waits for ever.
TEST_F(TrafficTest, OneThatGivesUpStopsAll) {
    std::atomic<int> stopped{0}, told{0};
    on_ranks(3, [&](Ranks& own) {
        Traffic traffic(own, [&] { ++told; });
        std::vector<Traffic::Ticket> tickets;
        constexpr std::size_t bytes = 1 << 20;
        try {
            for (int i = 0; i < 20; ++i)
                for (int other = 0; other < 3; ++other)
                    if (other != own.rank()) tickets.push_back(traffic.send(other, memory_of(bytes), bytes));
            if (own.rank() == 2) throw DeviceError("lost");
            for (int i = 0; i < 20; ++i) tickets.push_back(traffic.receive(2, memory_of(bytes), bytes));
            traffic.wait(tickets);
        } catch (const DeviceError&) {
            traffic.give_up();
            ++stopped;
        } catch (const Interrupted&) {
            EXPECT_THROW(traffic.finish(), Interrupted);
            ++stopped;
        }
    });
    EXPECT_EQ(stopped, 3);
    EXPECT_GE(told, 2) << "those that were stopped";
}

TEST_F(TrafficTest, WhatGoesAwayUnfinishedGivesUp) {
    std::atomic<int> stopped{0};
    on_ranks(2, [&](Ranks& own) {
        Traffic traffic(own);
        if (own.leads()) return;
        EXPECT_THROW(traffic.wait(std::vector{traffic.receive(0, memory_of(8), 8)}), Interrupted);
        ++stopped;
    });
    EXPECT_EQ(stopped, 1);
}

TEST_F(TrafficTest, RanksThatDisagreeOnWhatComesAreTold) {
    std::atomic<int> told{0};
    on_ranks(2, [&](Ranks& own) {
        Traffic traffic(own);
        try {
            if (own.leads()) traffic.receive(1, memory_of(8), 8);
            traffic.finish();
        } catch (const std::logic_error& error) {
            EXPECT_STREQ(error.what(), "1 messages were asked for of rank 1 (here), but it sends 0");
            ++told;
        } catch (const Interrupted&) {
            EXPECT_FALSE(own.leads()) << "it has heard of rank 0, or was done before";
        }
    });
    EXPECT_EQ(told, 1);
}

TEST_F(TrafficTest, ARequestToStopEndsWaiting) {
    std::atomic<int> stopped{0};
    on_ranks(2, [&](Ranks& own) {
        Traffic traffic(own);
        const auto wait = [&] { traffic.wait(std::vector{traffic.receive(1 - own.rank(), memory_of(8), 8)}); };
        if (own.leads()) stop_job();
        EXPECT_THROW(wait(), Interrupted);
        ++stopped;
    });
    EXPECT_EQ(stopped, 2);
}

}  // namespace
}  // namespace cornerturn
