// SPDX-License-Identifier: Apache-2.0
// What raw echo and images are, in numbers with their units in the names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// `format`: "NISAR L0B".
nlohmann::ordered_json facts_of_echo(const std::string& format, const Acquisition& acquisition);
/// Of one on the zero-Doppler grid; map_json of others.
nlohmann::ordered_json facts_of_image(const Image& image);

}  // namespace cornerturn
