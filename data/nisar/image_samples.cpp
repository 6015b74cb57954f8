// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/image_samples.h"

#include <algorithm>

namespace cornerturn {

h5::ChunkShape chunks_of(std::int64_t rows, std::int64_t columns, int compression) {
    constexpr std::int64_t strip_samples = (std::int64_t{4} << 20) / static_cast<std::int64_t>(image_sample_bytes),
                           tile_side = 512;
    if (compression > 0)
        return {.rows = std::min(tile_side, rows), .columns = std::min(tile_side, columns), .deflate = compression};
    return {.rows = std::clamp<std::int64_t>(strip_samples / columns, 1, rows), .columns = columns};
}

h5::Dataset make_image_samples(h5::Writer& file, const std::string& path, std::int64_t rows, std::int64_t columns,
                               const h5::ChunkShape& chunks, const std::string& description) {
    h5::Dataset data = file.chunked(path, h5::complex_type(H5T_IEEE_F32LE), rows, columns, chunks);
    file.attribute(path, "units", "1");
    const std::complex<float> uncovered = 0;
    file.attribute(path, "_FillValue", h5::complex_type(H5T_IEEE_F32LE), &uncovered);
    file.attribute(path, "description", description);
    return data;
}

Pixels ImageBlocks::read(const PixelBlock& block) {
    SampleMatrix part = samples_;
    part.rows = block.rows;
    part.columns = block.columns;
    stored_.resize(part.bytes());
    if (block.columns == samples_.columns)
        rows_.read(block.first_row, block.rows, stored_);
    else
        rows_.read_patch(block.first_row, block.rows, block.first_column, block.columns, stored_);
    return {block, as_complex64(part, stored_, threads_)};
}

}  // namespace cornerturn
