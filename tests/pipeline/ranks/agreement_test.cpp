// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/agreement.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include "kernels/errors.h"
#include "pipeline/ranks/launch.h"
#include "pipeline/ranks/plain_data.h"
#include "tests/pipeline/ranks/thread_ranks.h"

namespace cornerturn {
namespace {

TEST(Agreement, BytesOfTheFirstReachAllAndThoseOfAllTheFirst) {
    on_ranks(5, [](Ranks& ranks) {
        const auto told = from_first(
            ranks, ranks.leads() ? (PlainWriter() << std::string("plan") << 7.5).take() : std::vector<std::byte>{});
        std::string text;
        double number = 0;
        PlainReader(told) >> text >> number;
        EXPECT_EQ(text, "plan");
        EXPECT_EQ(number, 7.5);
        const auto all = to_first(ranks, (PlainWriter() << ranks.rank()).take());
        ASSERT_EQ(all.size(), ranks.leads() ? 5u : 0u);
        for (std::size_t i = 0; i < all.size(); ++i) {
            int rank = -1;
            PlainReader(all[i]) >> rank;
            EXPECT_EQ(rank, static_cast<int>(i));
        }
    });
}

template <class Error>
void expect_all_throw(const std::function<void(int rank)>& work, const std::string& text) {
    std::atomic<int> thrown{0};
    on_ranks(4, [&](Ranks& ranks) {
        try {
            together(ranks, [&] { work(ranks.rank()); });
        } catch (const Error& error) {
            EXPECT_EQ(std::string(error.what()), text);
            EXPECT_NE(dynamic_cast<const Agreed*>(&error), nullptr);
            ++thrown;
        }
    });
    EXPECT_EQ(thrown, 4);
}

TEST(Agreement, WhatOneThrowsAllThrow) {
    on_ranks(3, [](Ranks& ranks) { EXPECT_NO_THROW(together(ranks, [] {})); });
    expect_all_throw<InputError>([](int) { throw InputError("raw.h5: no such file"); }, "raw.h5: no such file");
    expect_all_throw<DeviceError>(
        [](int rank) {
            if (rank == 2) throw DeviceError("disk full");
        },
        "rank 2 (here): disk full");
    expect_all_throw<std::runtime_error>(
        [](int rank) {
            if (rank == 3) throw std::out_of_range("broken");
        },
        "rank 3 (here): broken");
}

/// Other ranks are interrupted because one failed: that one is heard.
TEST(Agreement, AnInterruptionIsNoReasonBesideAnother) {
    expect_all_throw<DeviceError>(
        [](int rank) {
            if (rank == 2) throw DeviceError("lost");
            throw Interrupted();
        },
        "rank 2 (here): lost");
    expect_all_throw<Interrupted>([](int) { throw Interrupted("slc.h5 is not finished"); },
                                  "interrupted; slc.h5 is not finished");
}

TEST(Agreement, MessagesThatAreCutShortAreNoticed) {
    const auto bytes = (PlainWriter() << std::vector<double>{1, 2, 3}).take();
    std::vector<double> values;
    EXPECT_THROW(PlainReader(std::span(bytes).first(20)) >> values, std::logic_error);
    PlainReader(bytes) >> values;
    EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
}

TEST(Launch, IsReadFromTheEnvironment) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE", "PMIX_RANK"})
        unsetenv(name);
    EXPECT_TRUE(launch_from_environment().alone());
    setenv("PMI_RANK", "2", 1);
    EXPECT_TRUE(launch_from_environment().alone()) << "of how many is not said";
    setenv("PMI_SIZE", "3", 1);
    EXPECT_EQ(launch_from_environment().rank, 2);
    EXPECT_EQ(launch_from_environment().size, 3);
    setenv("PMI_SIZE", "three", 1);
    EXPECT_TRUE(launch_from_environment().alone());
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
}

}  // namespace
}  // namespace cornerturn
