// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/deflate.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include "kernels/host/thread_limit.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

/// Byte j of element i goes to j * count + i.
std::vector<std::byte> shuffled(std::span<const std::byte> chunk, std::size_t element) {
    std::vector<std::byte> out(chunk.size());
    const std::size_t count = chunk.size() / element;
    for (std::size_t j = 0; j < element; ++j)
        for (std::size_t i = 0; i < count; ++i) out[j * count + i] = chunk[i * element + j];
    return out;
}

}  // namespace

std::vector<std::byte> deflate_chunk(std::span<const std::byte> chunk, std::size_t element_bytes, int level) {
    const std::vector<std::byte> in = shuffled(chunk, element_bytes);
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> deflater(
        libdeflate_alloc_compressor(level), libdeflate_free_compressor);
    if (!deflater) throw std::bad_alloc();
    std::vector<std::byte> out(libdeflate_zlib_compress_bound(deflater.get(), in.size()));
    out.resize(libdeflate_zlib_compress(deflater.get(), in.data(), in.size(), out.data(), out.size()));
    return out;
}

DeflatedRows::DeflatedRows(h5::Writer& file, const h5::Dataset& data, const Layout& layout, int threads,
                           Timeline* timeline)
    : file_(file), data_(data), layout_(layout), threads_(thread_count(threads)), timeline_(timeline) {}

void DeflatedRows::write(std::int64_t first_row, std::int64_t rows, const std::byte* values) {
    if (first_row != next_row_ || first_row + rows > layout_.rows)
        throw std::logic_error(fmt::format("rows from {} to {} of {} do not follow row {}", first_row, first_row + rows,
                                           layout_.rows, next_row_));
    const std::int64_t end = first_row + rows, unit = layout_.chunks.rows;
    for (std::int64_t row = first_row; row < end;) {
        const std::int64_t strip = row / unit * unit, strip_end = std::min(strip + unit, layout_.rows),
                           until = std::min(strip_end, end);
        const std::byte* from = values + static_cast<std::size_t>(row - first_row) * row_bytes();
        if (row == strip && until == strip_end) {
            write_strip(strip, until - strip, from);
        } else {
            waiting_.insert(waiting_.end(), from, from + static_cast<std::size_t>(until - row) * row_bytes());
            if (until == strip_end) {
                write_strip(strip, until - strip, waiting_.data());
                waiting_.clear();
            }
        }
        row = next_row_ = until;
    }
}

/// One chunk, cut out of rows of the dataset; what lies beyond its edges is zero.
std::vector<std::byte> DeflatedRows::tile(std::int64_t column, std::int64_t rows, const std::byte* values) const {
    const h5::ChunkShape& chunk = layout_.chunks;
    std::vector<std::byte> bytes(static_cast<std::size_t>(chunk.rows * chunk.columns) * layout_.element_bytes);
    const std::int64_t columns = std::min(chunk.columns, layout_.columns - column);
    for (std::int64_t i = 0; i < rows; ++i)
        std::memcpy(bytes.data() + static_cast<std::size_t>(i * chunk.columns) * layout_.element_bytes,
                    values + static_cast<std::size_t>(i) * row_bytes() +
                        static_cast<std::size_t>(column) * layout_.element_bytes,
                    static_cast<std::size_t>(columns) * layout_.element_bytes);
    return bytes;
}

/// Empty where there is no memory left: no exception may leave an OpenMP region.
std::vector<std::byte> DeflatedRows::stored_tile(std::int64_t column, std::int64_t rows,
                                                 const std::byte* values) const noexcept {
    try {
        return deflate_chunk(tile(column, rows, values), layout_.element_bytes, layout_.chunks.deflate);
    } catch (const std::bad_alloc&) {
        return {};
    }
}

void DeflatedRows::write_strip(std::int64_t first_row, std::int64_t rows, const std::byte* values) {
    const h5::ChunkShape& chunk = layout_.chunks;
    std::vector<std::vector<std::byte>> stored(
        static_cast<std::size_t>((layout_.columns + chunk.columns - 1) / chunk.columns));
    {
        const TimelineSpan span(timeline_, lane::deflate, "deflate");
        const StopRequest stop = JobScope::stop();  // a chunk takes 0.1 s, a strip seconds
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
        for (std::size_t k = 0; k < stored.size(); ++k)
            if (!stop.requested()) stored[k] = stored_tile(static_cast<std::int64_t>(k) * chunk.columns, rows, values);
    }
    throw_if_interrupted();
    for (std::size_t k = 0; k < stored.size(); ++k) {
        if (stored[k].empty()) throw std::bad_alloc();
        file_.write_chunk(data_, first_row, static_cast<std::int64_t>(k) * chunk.columns, stored[k]);
        stored_bytes_ += stored[k].size();
    }
}

}  // namespace cornerturn
