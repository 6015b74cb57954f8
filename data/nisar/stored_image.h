// SPDX-License-Identifier: Apache-2.0
// Images whose samples stay in their file until they are asked for.
#pragma once

#include <memory>
#include <string>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/measure/image_view.h"

namespace cornerturn {

class StoredImage {
public:
    struct Open;
    explicit StoredImage(std::unique_ptr<Open> open);
    StoredImage(StoredImage&&) noexcept;
    ~StoredImage();

    /// Everything but the samples; a caller who knows better may change it.
    Image& header();
    const Image& header() const;
    /// While this lives. Reading throws InputError for damaged data.
    ImageView view();
    /// The same row by row, some megabytes at a time, for images larger than memory.
    void pass_to(ImageSink& to);

private:
    std::unique_ptr<Open> open_;
};

/// A focused image, or one on a map, whichever the file holds. Throws InputError naming file and dataset.
StoredImage open_image(const std::string& path, const FrameSelection& selection = {});

}  // namespace cornerturn
