// SPDX-License-Identifier: Apache-2.0
// Chunked datasets of samples, decoded by several threads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"

namespace cornerturn {

/// Rows and columns of a chunk, of a dataset of two axes; none if it is not chunked.
std::optional<std::array<hsize_t, 2>> chunk_extents(const h5::Properties& creation);

/// None if the dataset is not chunked, not filtered at all, or with a filter that is left to HDF5.
std::optional<Chunking> decodable_chunks(const h5::Dataset& data);

/// Reads rows of the matrix, of which the first is the first of a chunk and the last the last of one or of the matrix.
/// Chunks that were never written hold the fill value.
void read_chunks(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data, const Chunking& chunking,
                 std::int64_t first_row, std::int64_t rows, int threads, std::byte* to);

}  // namespace cornerturn
