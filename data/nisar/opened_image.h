// SPDX-License-Identifier: Apache-2.0
// What stands behind a StoredImage of an HDF5 file: the file, open.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "data/files/stored_image.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/image_samples.h"

namespace cornerturn {

/// An image of a file: where its samples lie, and all the rest.
struct OpenedImage {
    h5::Reader file;
    SampleMatrix samples;
    Image image;
};

/// Of the file as long as it is read.
class Hdf5Samples final : public SampleSource {
public:
    Hdf5Samples(h5::Reader file, const SampleMatrix& samples, int threads)
        : file_(std::move(file)), blocks_(file_, samples, threads) {}
    Pixels read(const PixelBlock& block) override { return blocks_.read(block); }
    std::int64_t row_unit() const override { return blocks_.row_unit(); }

private:
    h5::Reader file_;
    ImageBlocks blocks_;
};

inline StoredImage stored_image(std::string_view format, OpenedImage opened, int threads) {
    auto samples = std::make_unique<Hdf5Samples>(std::move(opened.file), opened.samples, threads);
    return {format, std::move(opened.image), std::move(samples)};
}

}  // namespace cornerturn
