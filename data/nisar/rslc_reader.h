// SPDX-License-Identifier: Apache-2.0
// Reading of focused images: our own NISAR RSLC files in full, others as far as they go.
#pragma once

#include <string>

#include "data/files/frame_selection.h"
#include "data/files/stored_image.h"
#include "pipeline/acquisition/image.h"

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

/// The same, its samples when they are asked for.
StoredImage open_rslc(const std::string& path, const FrameSelection& selection = {});

}  // namespace cornerturn
