// SPDX-License-Identifier: Apache-2.0
// What of the Earth a CPHD file is about.
#pragma once

#include <string>
#include <vector>

#include "data/cphd/metadata.h"
#include "pipeline/acquisition/scene_plane.h"

namespace cornerturn::cphd {

/// The plane of its reference surface, or, where that is a height, the level one at its point of reference. An image
/// area that contradicts the corners, as it counts lines and samples of the image grid instead of metres, is read as
/// that, with a remark. Throws InputError for axes that span no plane and areas that are none.
SceneArea scene_of(const std::string& file, const SceneCoordinates& scene, std::vector<std::string>& warnings);

}  // namespace cornerturn::cphd
