// SPDX-License-Identifier: Apache-2.0
// Reading of SICD images (NITF 2.1): ours, and those of other programs of the same kinds.
#pragma once

#include <string>

#include "data/files/stored_image.h"

namespace cornerturn {

/// Whether the file is NITF 2.1 or NSIF 1.0.
bool is_sicd(const std::string& path);

/// Samples RE32F_IM32F, RE16I_IM16I (as they are: SICD has no place for their scale) or AMP8I_PHS8I. RGZERO by RMA
/// (INCA) lies on the zero-Doppler grid, rows of ours being its columns; PLANE is a map; of other grids times and
/// ranges stay unknown. Throws InputError naming header, field or element.
StoredImage open_sicd(const std::string& path);

}  // namespace cornerturn
