// SPDX-License-Identifier: Apache-2.0
// SICD's metadata (NGA.STND.0024-1, versions 1.0 to 1.4) as the header of an image.
#pragma once

#include <cstdint>
#include <vector>

#include "data/xml/xml_element.h"
#include "pipeline/acquisition/image.h"

namespace cornerturn::sicd {

/// How the rows of our image lie in SICD's.
enum class RowOrder {
    rows,              ///< as its rows
    columns,           ///< as its columns: zero Doppler goes across
    columns_backwards  ///< likewise, the first one last, where the radar looks left
};

enum class PixelKind { float32, int16, amplitude_phase8 };

struct Contents {
    Image image;  ///< without samples
    RowOrder order = RowOrder::rows;
    std::int64_t rows = 0, columns = 0;  ///< of SICD's image
    PixelKind kind = PixelKind::float32;
    std::vector<double> amplitudes = {};  ///< of the codes 0 to 255 of amplitude_phase8
};

/// A grid RGZERO formed by RMA (INCA) has zero-Doppler axes, a plane (PLANE) is a map on it; of other grids neither is
/// known. Throws InputError naming the element.
Contents read_metadata(const XmlElement& sicd);

}  // namespace cornerturn::sicd
