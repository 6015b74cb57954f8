// SPDX-License-Identifier: Apache-2.0
// How the samples of images lie in files.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/hdf5/hdf5_writer.h"
#include "data/hdf5/sample_reader.h"
#include "pipeline/proof/image_view.h"

namespace cornerturn {

inline constexpr std::size_t image_sample_bytes = sizeof(std::complex<float>);

/// Strips of whole rows are written and read as fast as a matrix in one piece, and patches out of them six times as
/// fast; tiles hold less that a patch does not want, which has to be inflated all the same.
h5::ChunkShape chunks_of(std::int64_t rows, std::int64_t columns, int compression);

/// A dataset for complex64 that is zero where nothing is written.
h5::Dataset make_image_samples(h5::Writer& file, const std::string& path, std::int64_t rows, std::int64_t columns,
                               const h5::ChunkShape& chunks, const std::string& description);

/// Blocks of pixels out of an open file, which must outlive it.
class ImageBlocks {
public:
    ImageBlocks(const h5::Reader& file, const SampleMatrix& samples, int threads)
        : samples_(samples), rows_(file, samples, threads), threads_(threads) {}

    Pixels read(const PixelBlock& block);

private:
    SampleMatrix samples_;
    SampleRows rows_;
    int threads_;
    std::vector<std::byte> stored_;
};

}  // namespace cornerturn
