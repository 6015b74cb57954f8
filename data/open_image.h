// SPDX-License-Identifier: Apache-2.0
// Images, whatever their format: what verbs open. A format is a folder here and a line in open_image.cpp; which one a
// file has is told by its content.
#pragma once

#include <string>

#include "data/files/frame_selection.h"
#include "data/files/stored_image.h"

namespace cornerturn {

/// Whether a file holds an image, on the zero-Doppler grid, a map, or where nothing tells, and no raw echo. Throws
/// InputError where it is neither.
bool holds_image(const std::string& path);

/// The image that is meant: the one of the file, of NISAR's the frame that is selected. Times and ranges of rows and
/// columns may be unknown: Image::map, ImageGrid::has_axes. Throws InputError naming the file, the place in it, what
/// was found and what was expected.
StoredImage open_image(const std::string& path, const FrameSelection& selection = {});

/// Throws InputError for an image by that name without zero-Doppler axes; `what_for`, such as "compare", is told.
void require_axes(const std::string& name, const Image& image, const std::string& what_for);

}  // namespace cornerturn
