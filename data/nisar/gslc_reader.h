// SPDX-License-Identifier: Apache-2.0
// Reading of images on maps: NISAR GSLC files, our own in full, others as far as they go.
#pragma once

#include <string>

#include "data/files/frame_selection.h"
#include "data/files/stored_image.h"

namespace cornerturn {

/// Of files of other software the processing record is empty. Throws InputError naming file and dataset.
StoredImage open_gslc(const std::string& path, const FrameSelection& selection = {});

}  // namespace cornerturn
