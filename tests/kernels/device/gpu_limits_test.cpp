// SPDX-License-Identifier: Apache-2.0
// What fits a GPU, and how a large one is made to act as a small one.
#include "kernels/device/ways/gpu_limits.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "kernels/cuda/runtime/growing_memory.h"
#include "kernels/errors.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// A variable of the environment; as it was when this goes.
class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value, 1);
    }
    ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(GpuLimits, TheEnvironmentLowersThem) {
    const GpuLimits whole;
    const Environment shared("CORNERTURN_SHARED_MEMORY_KIB", "99"), cache("CORNERTURN_L2_KIB", "6144");
    const GpuLimits lowered = lowered_by_environment(whole);
    EXPECT_EQ(lowered.shared_bytes, 101'376);
    EXPECT_EQ(lowered.cache_bytes, 6 << 20);
    EXPECT_EQ(lowered.multiprocessors, whole.multiprocessors);
}

TEST(GpuLimits, TheEnvironmentRaisesNone) {
    const Environment shared("CORNERTURN_SHARED_MEMORY_KIB", "4000000000000000000"), cache("CORNERTURN_L2_KIB", "");
    EXPECT_EQ(lowered_by_environment(GpuLimits{}), GpuLimits{});
}

TEST(GpuLimits, WhatIsNoNumberOfKibibytesIsRefused) {
    for (const char* value : {"99K", "-1", "47", "1e2", " 64"}) {
        const Environment shared("CORNERTURN_SHARED_MEMORY_KIB", value);
        expect_refused([&] { lowered_by_environment({}); }, value);
    }
}

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

TEST(GpuLimits, BatchesStayInTheCacheAndFillTheMultiprocessors) {
    const GpuLimits h100, l4{101'376, 48 * mebibyte, 58}, a10{101'376, 6 * mebibyte, 72};
    EXPECT_EQ(h100.batch_bytes(65536), 32 * mebibyte);
    EXPECT_EQ(l4.batch_bytes(65536), 32 * mebibyte);
    EXPECT_EQ(a10.batch_bytes(8192), 4 * mebibyte) << "512 lines";
    EXPECT_EQ(a10.batch_bytes(65536), 144 * 65536) << "two lines for each multiprocessor, cached or not";
    EXPECT_EQ(a10.batch_bytes(mebibyte), 32 * mebibyte) << "no more memory than elsewhere";

    EXPECT_EQ(h100.lane_bytes(32768 * 8, 16), 12 * mebibyte);
    EXPECT_EQ(a10.lane_bytes(65536 * 8, 16), 9 * 65536 * 8) << "blocks for all multiprocessors";
    EXPECT_EQ(a10.lane_bytes(1024, 8), 6 * mebibyte / 4);
}

TEST(GpuLimits, NothingIsFetchedSoFarAheadThatItIsGoneAgain) {
    const GpuLimits h100, t4{65'536, 4 * mebibyte, 40};
    EXPECT_EQ(h100.blocks_ahead(132, 128 << 10), 132u);
    EXPECT_EQ(t4.blocks_ahead(40, 64 << 10), 32u);
    EXPECT_EQ(t4.blocks_ahead(40, 0), 40u);
}

TEST(GrowingMemory, StaysWhatItWasWhereItCannotGrow) {
    int allocated = 0;
    const auto allocate = [&](std::size_t bytes) {
        if (bytes > 1000) throw MemoryError("no such memory");
        ++allocated;
        return std::make_shared<char[]>(bytes);
    };
    GrowingMemory memory;
    memory.grow(100, allocate);
    void* const first = memory.get();
    EXPECT_THROW(memory.grow(2000, allocate), MemoryError);
    EXPECT_EQ(memory.get(), first) << "where earlier plans work";
    EXPECT_EQ(memory.bytes(), 100u);
    memory.grow(50, allocate);
    EXPECT_EQ(allocated, 1) << "50 bytes are there";
    const GrowingMemory kept = memory;
    memory.grow(500, allocate);
    EXPECT_EQ(memory.bytes(), 500u);
    EXPECT_EQ(kept.get(), first);
}

}  // namespace
}  // namespace cornerturn
