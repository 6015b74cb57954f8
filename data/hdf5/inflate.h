// SPDX-License-Identifier: Apache-2.0
// Undoing HDF5's standard filters on one chunk, so that many threads can do it at once: HDF5 itself filters on one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

enum class ChunkFilter { deflate, shuffle, fletcher32 };

/// How the chunks of a dataset are stored.
struct ChunkCoding {
    std::vector<ChunkFilter> filters;  ///< in the order of writing
    std::size_t element_bytes = 0;     ///< what shuffle works on
    std::size_t chunk_bytes = 0;       ///< of a decoded chunk
};

/// No byte of a deflated stream stands for more.
inline constexpr std::uint64_t greatest_deflate_ratio = 1032;

/// Decodes a stored chunk in place; bit i of skipped_filters set: filter i was left out for this chunk. Returns what is
/// wrong with it, or an empty text. Does not throw, so that it can run inside an OpenMP region.
std::string decode_chunk(const ChunkCoding& coding, std::uint32_t skipped_filters,
                         std::vector<std::byte>& bytes) noexcept;

/// The checksum of HDF5's Fletcher filter: Fletcher-32 over big-endian 16-bit words, an odd last byte being the high
/// half of a word.
std::uint32_t fletcher32(const std::byte* bytes, std::size_t count);

}  // namespace cornerturn
