// SPDX-License-Identifier: Apache-2.0
// What stands behind a StoredImage of an HDF5 file: the file, open.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "data/files/stored_image.h"
#include "data/hdf5/hdf5_reader.h"
#include "data/hdf5/sample_reader.h"

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
        : file_(std::move(file)), samples_(samples), rows_(file_, samples, threads), threads_(threads) {}
    Pixels read(const PixelBlock& block) override {
        SampleMatrix part = samples_;
        part.rows = block.rows;
        part.columns = block.columns;
        stored_.resize(part.bytes());
        if (block.columns == samples_.columns)
            rows_.read(block.first_row, block.rows, stored_);
        else
            rows_.read_patch(block.first_row, block.rows, block.first_column, block.columns, stored_);
        Pixels pixels(block);
        pixels.samples = as_complex64(part, stored_, threads_);
        return pixels;
    }
    std::int64_t row_unit() const override { return rows_.unit(); }

private:
    h5::Reader file_;
    SampleMatrix samples_;
    SampleRows rows_;
    int threads_;
    std::vector<std::byte> stored_;
};

inline StoredImage stored_image(std::string_view format, OpenedImage opened, int threads) {
    auto samples = std::make_unique<Hdf5Samples>(std::move(opened.file), opened.samples, threads);
    return {format, std::move(opened.image), std::move(samples)};
}

}  // namespace cornerturn
