// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/inflate.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>

namespace cornerturn {
namespace {

std::string inflate_chunk(std::vector<std::byte>& bytes, std::size_t decoded_bytes) {
    std::vector<std::byte> out(decoded_bytes);
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflater(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    if (!inflater) throw std::bad_alloc();
    std::size_t length = 0;
    const libdeflate_result result =
        libdeflate_zlib_decompress(inflater.get(), bytes.data(), bytes.size(), out.data(), out.size(), &length);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) return fmt::format("it inflates to more than {} bytes", decoded_bytes);
    if (result != LIBDEFLATE_SUCCESS) return "its compressed data are corrupt";
    if (length != decoded_bytes) return fmt::format("it inflates to {} bytes instead of {}", length, decoded_bytes);
    bytes.swap(out);
    return {};
}

/// Byte j of element i lies at j * count + i; bytes beyond the last whole element were not moved.
template <std::size_t element>
void unshuffle_elements(const std::byte* in, std::byte* out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < element; ++j) out[i * element + j] = in[j * count + i];
}

void unshuffle_chunk(std::vector<std::byte>& bytes, std::size_t element) {
    const std::size_t count = element > 1 ? bytes.size() / element : 0;
    if (count < 2) return;
    std::vector<std::byte> out(bytes.size());
    switch (element) {
        case 2: unshuffle_elements<2>(bytes.data(), out.data(), count); break;
        case 4: unshuffle_elements<4>(bytes.data(), out.data(), count); break;
        case 8: unshuffle_elements<8>(bytes.data(), out.data(), count); break;
        case 16: unshuffle_elements<16>(bytes.data(), out.data(), count); break;
        default:
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < element; ++j) out[i * element + j] = bytes[j * count + i];
    }
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(count * element), bytes.end(),
              out.begin() + static_cast<std::ptrdiff_t>(count * element));
    bytes.swap(out);
}

std::string check_and_strip_checksum(std::vector<std::byte>& bytes) {
    if (bytes.size() < 4) return "it is too short for its checksum";
    const std::size_t length = bytes.size() - 4;
    const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[length + i]); };
    const std::uint32_t stored = at(0) | (at(1) << 8) | (at(2) << 16) | (at(3) << 24);
    const std::uint32_t computed = fletcher32(bytes.data(), length);
    // HDF5 before 1.6.3 swapped the bytes of each half on little-endian machines; HDF5 accepts both, and so do we.
    const std::uint32_t swapped = ((computed & 0x00ff00ffu) << 8) | ((computed >> 8) & 0x00ff00ffu);
    if (stored != computed && stored != swapped) return "its checksum does not fit its data";
    bytes.resize(length);
    return {};
}

/// What checksums applied before filter i have added to the chunk.
std::size_t checksum_bytes(const ChunkCoding& coding, std::uint32_t skipped_filters, std::size_t i) {
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < i; ++k)
        if (coding.filters[k] == ChunkFilter::fletcher32 && ((skipped_filters >> k) & 1u) == 0) bytes += 4;
    return bytes;
}

}  // namespace

std::uint32_t fletcher32(const std::byte* bytes, std::size_t count) {
    std::uint32_t low = 0, high = 0;
    std::size_t words = count / 2;
    const auto fold = [](std::uint32_t sum) { return (sum & 0xffffu) + (sum >> 16); };
    while (words > 0) {
        const std::size_t block =
            std::min<std::size_t>(words, 360);  // no overflow of 32 bits before the sums are folded
        for (std::size_t i = 0; i < block; ++i, bytes += 2) {
            low += (std::to_integer<std::uint32_t>(bytes[0]) << 8) | std::to_integer<std::uint32_t>(bytes[1]);
            high += low;
        }
        words -= block;
        low = fold(low);
        high = fold(high);
    }
    if (count % 2 != 0) {
        low += std::to_integer<std::uint32_t>(bytes[0]) << 8;
        high += low;
        low = fold(low);
        high = fold(high);
    }
    low = fold(low);
    high = fold(high);
    return (high << 16) | low;
}

std::string decode_chunk(const ChunkCoding& coding, std::uint32_t skipped_filters,
                         std::vector<std::byte>& bytes) noexcept {
    try {
        for (std::size_t i = coding.filters.size(); i-- > 0;) {
            if ((skipped_filters >> i) & 1u) continue;
            std::string fault;
            if (coding.filters[i] == ChunkFilter::deflate && coding.chunk_bytes / greatest_deflate_ratio > bytes.size())
                return "its compressed data are too short";
            switch (coding.filters[i]) {
                case ChunkFilter::deflate:
                    fault = inflate_chunk(bytes, coding.chunk_bytes + checksum_bytes(coding, skipped_filters, i));
                    break;
                case ChunkFilter::shuffle: unshuffle_chunk(bytes, coding.element_bytes); break;
                case ChunkFilter::fletcher32: fault = check_and_strip_checksum(bytes); break;
            }
            if (!fault.empty()) return fault;
        }
        if (bytes.size() != coding.chunk_bytes)
            return fmt::format("it holds {} bytes instead of {}", bytes.size(), coding.chunk_bytes);
        return {};
    } catch (const std::bad_alloc&) {
        return "there is no memory left to inflate it";
    }
}

}  // namespace cornerturn
