// SPDX-License-Identifier: Apache-2.0
// What formats without places of their own for it tell of an image: names and values as text, in the metadata of a
// GeoTIFF and in ENVI's header. Other programs show them; read again they make the image's header as it was.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/acquisition/image.h"

namespace cornerturn {

/// Names in capitals with their units at the end (CARRIER_HZ), in the order in which they are to be shown; nothing of
/// what is not known. Numbers have all their digits. Of an image on the zero-Doppler grid: its axes, Doppler centroid,
/// velocity and orbit, unless that has more than 1000 state vectors; of one on the plane of a scene that plane.
std::vector<std::pair<std::string, std::string>> image_facts(const Image& image);

/// Puts what is told into a header whose numbers of rows and columns are known. What is missing stays as it is. Throws
/// InputError naming file and fact for what cannot be read.
void take_image_facts(const std::string& file, const std::map<std::string, std::string>& facts, Image& image);

}  // namespace cornerturn
