// SPDX-License-Identifier: Apache-2.0
// Chunked datasets of samples, decoded by several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"

namespace cornerturn {

struct ChunkExtents {
    hsize_t channels = 1, rows = 0, columns = 0;
};
/// Of a dataset of two axes, or three with one of channels; none if it is not chunked.
std::optional<ChunkExtents> chunk_extents(const h5::Properties& creation);

/// None if the dataset is not chunked, not filtered at all, or with a filter that is left to HDF5.
std::optional<Chunking> decodable_chunks(const h5::Dataset& data);

/// A chunk as it lies in the file.
struct StoredChunk {
    std::optional<std::int64_t> channel;  ///< its first, of a matrix that is one of several
    std::int64_t row = 0;                 ///< of its first element in the matrix
    std::int64_t column = 0;
    std::uint32_t skipped_filters = 0;
    std::vector<std::byte> bytes;  ///< empty: never written
    std::string fault;
};

/// Chunks of a matrix that was looked at (inspect_samples, decodable_chunks).
class ChunkReader {
public:
    /// All must outlive it.
    ChunkReader(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data, const Chunking& chunking,
                int threads);
    /// Some columns of rows, of which the first is the first of a chunk and the last the last of one or of the matrix.
    /// Chunks that were never written hold the fill value. Throws InputError for damaged data, Interrupted on request.
    void read(std::int64_t first_row, std::int64_t rows, const Interval& columns, std::byte* to) const;

private:
    void read_stored(StoredChunk& chunk) const;
    void place(const StoredChunk& chunk, std::int64_t first_row, const Interval& columns, std::byte* to) const;

    const h5::Reader& file_;
    const SampleMatrix& matrix_;
    const h5::Dataset& data_;
    const Chunking& chunking_;
    int threads_;
    std::vector<std::byte> fill_;  // one element
    std::uint64_t file_bytes_;
};

}  // namespace cornerturn
