// SPDX-License-Identifier: Apache-2.0
// Reading of images on maps: NISAR GSLC files, our own in full, others as far as they go.
#pragma once

#include <memory>
#include <string>

#include "data/files/frame_selection.h"
#include "pipeline/acquisition/image.h"
#include "pipeline/proof/image_view.h"
#include "pipeline/run/source_and_sink.h"

namespace cornerturn {

/// An image on a map whose samples stay in the file until they are asked for. Of files of other software the processing
/// record is empty.
class GslcImage {
public:
    /// Throws InputError naming file and dataset; reading throws it for damaged data.
    explicit GslcImage(const std::string& path, const FrameSelection& selection = {});
    ~GslcImage();
    /// Everything but the samples.
    const Image& header() const;
    /// While this lives.
    ImageView view();

private:
    struct Open;
    std::unique_ptr<Open> open_;
};

/// Row by row, some megabytes at a time, for images larger than memory.
void pass_gslc(const std::string& path, const FrameSelection& selection, ImageSink& to);

}  // namespace cornerturn
