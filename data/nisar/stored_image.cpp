// SPDX-License-Identifier: Apache-2.0
#include "data/nisar/stored_image.h"

#include <algorithm>

#include "data/nisar/gslc_reader.h"
#include "data/nisar/opened_image.h"
#include "data/nisar/rslc_reader.h"

namespace cornerturn {

StoredImage::StoredImage(std::unique_ptr<Open> open) : open_(std::move(open)) {}
StoredImage::StoredImage(StoredImage&&) noexcept = default;
StoredImage::~StoredImage() = default;

Image& StoredImage::header() { return open_->opened.image; }
const Image& StoredImage::header() const { return open_->opened.image; }
ImageView StoredImage::view() {
    return {open_->opened.image, [open = open_.get()](const PixelBlock& block) { return open->blocks.read(block); }};
}

void StoredImage::pass_to(ImageSink& to) {
    constexpr std::int64_t samples_at_once = std::int64_t{2} << 20;
    const OpenedImage& opened = open_->opened;
    to.begin(opened.image);
    SampleRows source(opened.file, opened.samples, open_->threads);
    const std::int64_t columns = opened.samples.columns, unit = source.unit();
    const std::int64_t at_once = (std::max<std::int64_t>(1, samples_at_once / columns) + unit - 1) / unit * unit;
    std::vector<std::byte> stored;
    for (std::int64_t row = 0; row < opened.samples.rows; row += at_once) {
        SampleMatrix part = opened.samples;
        part.rows = std::min(at_once, opened.samples.rows - row);
        stored.resize(part.bytes());
        source.read(row, part.rows, stored);
        to.write(row, as_complex64(part, stored, open_->threads));
    }
}

StoredImage open_image(const std::string& path, const FrameSelection& selection) {
    return product_kind(path) == ProductKind::map ? open_gslc(path, selection) : open_rslc(path, selection);
}

}  // namespace cornerturn
