// SPDX-License-Identifier: Apache-2.0
// Chunks deflated and inflated again, without a file.
#include "data/hdf5/inflate.h"

#include <gtest/gtest.h>

#include "data/hdf5/deflate.h"

namespace cornerturn {
namespace {

/// That no coding makes much smaller.
std::vector<std::byte> counting_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i * 7 >> 3);
    return bytes;
}

ChunkCoding shuffled_and_deflated(std::size_t chunk_bytes) {
    return {.filters = {ChunkFilter::shuffle, ChunkFilter::deflate}, .element_bytes = 4, .chunk_bytes = chunk_bytes};
}

TEST(InflateTest, GivesBackWhatEveryLevelDeflated) {
    const std::vector<std::byte> chunk = counting_bytes(4000);
    for (int level = 1; level <= 9; ++level) {
        std::vector<std::byte> bytes = deflate_chunk(chunk, 4, level);
        EXPECT_LT(bytes.size(), chunk.size()) << level;
        EXPECT_EQ(decode_chunk(shuffled_and_deflated(4000), 0, bytes), "") << level;
        EXPECT_EQ(bytes, chunk) << level;
    }
}

TEST(InflateTest, NamesTheWrongSizeOfAChunk) {
    const std::vector<std::byte> stored = deflate_chunk(counting_bytes(400), 4, 4);
    std::vector<std::byte> bytes = stored;
    EXPECT_EQ(decode_chunk(shuffled_and_deflated(800), 0, bytes), "it inflates to 400 bytes instead of 800");
    bytes = stored;
    EXPECT_EQ(decode_chunk(shuffled_and_deflated(200), 0, bytes), "it inflates to more than 200 bytes");
}

TEST(InflateTest, NamesDataThatAreCutOff) {
    std::vector<std::byte> bytes = deflate_chunk(counting_bytes(400), 4, 4);
    bytes.resize(bytes.size() / 2);
    EXPECT_EQ(decode_chunk(shuffled_and_deflated(400), 0, bytes), "its compressed data are corrupt");
}

}  // namespace
}  // namespace cornerturn
