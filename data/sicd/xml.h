// SPDX-License-Identifier: Apache-2.0
// SICD's metadata: XML by schema urn:SICD:1.3.0, which sarkit, sarpy and GDAL know.
#pragma once

#include <string>
#include <vector>

#include "data/sicd/geometry.h"

namespace cornerturn::sicd {

inline constexpr const char *schema = "urn:SICD:1.3.0", *schema_version = "1.3.0",
                            *schema_date = "2021-11-30T00:00:00Z";

/// "2026-01-01T01:00:00.000123Z": in whole microseconds.
std::string utc_text(const Epoch& epoch);

/// ImageData's PixelType, and its AmpTable where there is one.
struct PixelType {
    std::string name = "RE32F_IM32F";
    std::vector<double> amplitudes = {};
    double step = 1;  ///< amplitude that a stored number of 1 stands for
};

std::string metadata(const Image& image, const Geometry& geometry, const PixelType& pixel = {});

}  // namespace cornerturn::sicd
