// SPDX-License-Identifier: Apache-2.0
// What stands behind a StoredImage: its file, open.
#pragma once

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/image_samples.h"
#include "data/nisar/stored_image.h"

namespace cornerturn {

/// An image of a file: where its samples lie, and all the rest.
struct OpenedImage {
    h5::Reader file;
    SampleMatrix samples;
    Image image;
};

struct StoredImage::Open {
    Open(OpenedImage image, int of_reading)
        : opened(std::move(image)), threads(of_reading), blocks(opened.file, opened.samples, threads) {}

    OpenedImage opened;
    int threads;
    ImageBlocks blocks;
};

}  // namespace cornerturn
