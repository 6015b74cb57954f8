// SPDX-License-Identifier: Apache-2.0
// Where on the Earth a raw file or an image lies, in words and numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Corners, angles, spacings. Throws InputError naming `file` without an orbit or where the swath does not reach the
/// ground.
nlohmann::ordered_json geo_of_image(const std::string& file, const Image& image);
/// The same of the image that an echo gives as a whole: of the places that the beam's centre lies on.
nlohmann::ordered_json geo_of_echo(const std::string& file, const Acquisition& acquisition);

}  // namespace cornerturn
