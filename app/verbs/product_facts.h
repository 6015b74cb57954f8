// SPDX-License-Identifier: Apache-2.0
// What raw echo and images are, in numbers with their units in the names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// `format`: "NISAR L0B".
nlohmann::ordered_json facts_of_echo(const std::string& format, const Acquisition& acquisition);
/// What else the raw file holds that an echo is of: bursts of each sub-swath and what ESA calls them, where it has
/// such; polarizations of each frequency, of NISAR's with several.
nlohmann::ordered_json facts_beside(const std::string& path, const Acquisition& acquisition);
/// `format`, here and in map_json: of the file, "NISAR RSLC"; of other formats' files what they do not tell is left
/// out. Of an image on the zero-Doppler grid, or where nothing tells; map_json of those on a map.
nlohmann::ordered_json facts_of_image(const Image& image, std::string_view format);
/// Takes out what the file of another format than NISAR's does not tell: groups, and numbers that are 0.
void leave_out_untold(nlohmann::ordered_json& facts, std::string_view format);

}  // namespace cornerturn
