// SPDX-License-Identifier: Apache-2.0
#include "data/files/stored_image.h"

#include <algorithm>
#include <utility>

#include "kernels/interrupt.h"

namespace cornerturn {

StoredImage::StoredImage(std::string_view format, Image header, std::unique_ptr<SampleSource> samples)
    : format_(format), header_(std::make_unique<Image>(std::move(header))), samples_(std::move(samples)) {}

ImageView StoredImage::view() {
    return {*header_, [source = samples_.get()](const PixelBlock& block) { return source->read(block); }};
}

void StoredImage::pass_to(ImageSink& to) {
    constexpr std::int64_t samples_at_once = std::int64_t{2} << 20;
    to.begin(*header_);
    const std::int64_t rows = header_->grid.rows, columns = header_->grid.columns, unit = samples_->row_unit();
    const std::int64_t at_once = (std::max<std::int64_t>(1, samples_at_once / columns) + unit - 1) / unit * unit;
    for (std::int64_t row = 0; row < rows; row += at_once) {
        throw_if_interrupted();
        const PixelBlock block{
            .first_row = row, .rows = std::min(at_once, rows - row), .first_column = 0, .columns = columns};
        to.write(row, samples_->read(block).samples);
    }
}

}  // namespace cornerturn
