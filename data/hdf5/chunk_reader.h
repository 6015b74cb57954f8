// SPDX-License-Identifier: Apache-2.0
// Chunked datasets of samples, decoded by several threads.
#pragma once

#include <cstdint>
#include <optional>

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

/// Reads some columns of rows of the matrix, of which the first is the first of a chunk and the last the last of one or
/// of the matrix. Chunks that were never written hold the fill value.
void read_chunks(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data, const Chunking& chunking,
                 std::int64_t first_row, std::int64_t rows, const Interval& columns, int threads, std::byte* to);

}  // namespace cornerturn
