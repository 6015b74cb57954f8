// SPDX-License-Identifier: Apache-2.0
// Chunked datasets of samples, decoded on all cores.
#pragma once

#include <optional>
#include <vector>

#include "data/hdf5_reader.h"
#include "data/inflate.h"
#include "data/sample_reader.h"

namespace cornerturn {

/// A dataset's chunks and how they are coded.
struct Chunking {
    ChunkCoding coding;
    std::int64_t rows = 0;  ///< of one chunk
    std::int64_t columns = 0;
};

/// None if the dataset is not chunked, not filtered at all, or with a filter that is left to HDF5.
std::optional<Chunking> decodable_chunks(const h5::Dataset& data);

/// Reads the whole matrix. Chunks that were never written hold the fill value.
void read_chunks(const h5::Reader& file, const SampleMatrix& matrix, const h5::Dataset& data, const Chunking& chunking, std::byte* to);

}  // namespace cornerturn
