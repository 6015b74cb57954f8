// SPDX-License-Identifier: Apache-2.0
// Reading of focused images: our own NISAR RSLC files in full, others as far as they go.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/proof/image_view.h"
#include "pipeline/run/source_and_sink.h"

namespace cornerturn {

enum class ProductKind { raw, image, map };

/// What a file holds: raw echo, an image on the zero-Doppler grid or one on a map (gslc_reader.h). Throws InputError if
/// it is none.
ProductKind product_kind(const std::string& path);

/// Everything but the samples. In files of other software the processing record is what their metadata say: no window,
/// Doppler centroid and velocity from their grids (0 and none where these are missing). Throws InputError naming file
/// and dataset.
Image read_rslc_header(const std::string& path, const FrameSelection& selection = {});

/// The same with the samples, whatever they are stored as.
Image read_rslc(const std::string& path, const FrameSelection& selection = {});

/// An image whose samples stay in the file until they are asked for.
class RslcImage {
public:
    /// Throws as read_rslc_header does; reading throws InputError for damaged data.
    explicit RslcImage(const std::string& path, const FrameSelection& selection = {});
    ~RslcImage();
    /// Everything but the samples; a caller who knows better may change it.
    Image& header();
    /// While this lives.
    ImageView view();

private:
    struct Open;
    std::unique_ptr<Open> open_;
};

/// The same row by row, some megabytes at a time, for images larger than memory.
void pass_rslc(const std::string& path, const FrameSelection& selection, ImageSink& to);

}  // namespace cornerturn
