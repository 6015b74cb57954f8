// SPDX-License-Identifier: Apache-2.0
// Applying HDF5's standard filters to chunks, so that many threads can do it at once: HDF5 itself filters on one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "data/hdf5/hdf5_writer.h"
#include "pipeline/echo/timeline.h"

namespace cornerturn {

/// A chunk as HDF5 stores it behind its shuffle and deflate filters.
std::vector<std::byte> deflate_chunk(std::span<const std::byte> chunk, std::size_t element_bytes, int level);

/// Rows that come in order into a dataset of deflated chunks.
class DeflatedRows {
public:
    struct Layout {
        std::int64_t rows = 0, columns = 0;  ///< of the dataset
        std::size_t element_bytes = 0;
        h5::ChunkShape chunks;
    };
    /// File, dataset and the timeline in which it notes when it deflates must outlive this. Threads 0: all cores.
    DeflatedRows(h5::Writer& file, const h5::Dataset& data, const Layout& layout, int threads,
                 Timeline* timeline = nullptr);

    /// Rows behind those that came before. Those of chunks that are not full wait for the next.
    void write(std::int64_t first_row, std::int64_t rows, const std::byte* values);
    std::uint64_t stored_bytes() const { return stored_bytes_; }
    /// The rows that wait, and going on behind rows of which these are the last.
    const std::vector<std::byte>& waiting() const { return waiting_; }
    void go_on(std::int64_t next_row, std::vector<std::byte> waiting) {
        next_row_ = next_row;
        waiting_ = std::move(waiting);
    }

private:
    void write_strip(std::int64_t first_row, std::int64_t rows, const std::byte* values);
    std::vector<std::byte> tile(std::int64_t column, std::int64_t rows, const std::byte* values) const;
    std::vector<std::byte> stored_tile(std::int64_t column, std::int64_t rows, const std::byte* values) const noexcept;
    std::size_t row_bytes() const { return static_cast<std::size_t>(layout_.columns) * layout_.element_bytes; }

    h5::Writer& file_;
    const h5::Dataset& data_;
    Layout layout_;
    int threads_;
    Timeline* timeline_;
    std::vector<std::byte> waiting_;  // the first rows of chunks
    std::int64_t next_row_ = 0;
    std::uint64_t stored_bytes_ = 0;
};

}  // namespace cornerturn
