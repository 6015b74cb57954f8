// SPDX-License-Identifier: Apache-2.0
// Where a product lies in a NISAR file: a group of a band, /science/LSAR/RSLC.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "data/hdf5/hdf5_reader.h"

namespace cornerturn {

inline constexpr std::initializer_list<const char*> image_products = {"RSLC", "SLC"};  // early products say SLC
inline constexpr std::initializer_list<const char*> raw_products = {"RRSD"};
inline constexpr std::initializer_list<const char*> map_products = {"GSLC"};
inline constexpr std::initializer_list<const char*> detected_products = {"detected"};

/// The first group of one of these names; SSAR first, as isce3 looks.
std::optional<std::string> find_product(const h5::Reader& file, std::initializer_list<const char*> names);

/// A and B, as far as they are there below a group ("swaths", "grids").
std::vector<std::string> frequencies_below(const h5::Reader& file, const std::string& group);

}  // namespace cornerturn
