// SPDX-License-Identifier: Apache-2.0
// Images whose samples stay in their file until they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

/// The samples of an image in a file that is open; what a format has to give beside the header.
class SampleSource {
public:
    virtual ~SampleSource() = default;
    /// A rectangle of the image, row = zero-Doppler time or down the map. Throws InputError for damaged data.
    virtual Pixels read(const PixelBlock& block) = 0;
    /// Rows that come together: reading fewer at a time costs more.
    virtual std::int64_t row_unit() const { return 1; }
};

class StoredImage {
public:
    /// `format` as users know it: "SICD". Of a text that stays.
    StoredImage(std::string_view format, Image header, std::unique_ptr<SampleSource> samples);

    std::string_view format() const { return format_; }
    /// Everything but the samples; a caller who knows better may change it.
    Image& header() { return *header_; }
    const Image& header() const { return *header_; }
    /// While this lives. Reading throws InputError for damaged data.
    ImageView view();
    /// The same row by row, some megabytes at a time, for images larger than memory.
    void pass_to(ImageSink& to);

private:
    std::string_view format_;
    std::unique_ptr<Image> header_;  // where views find it, wherever this is moved
    std::unique_ptr<SampleSource> samples_;
};

}  // namespace cornerturn
