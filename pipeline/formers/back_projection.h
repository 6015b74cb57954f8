// SPDX-License-Identifier: Apache-2.0
// Time-domain back-projection along the track as it was flown: exact for any orbit, squint and aperture.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

Formation back_projection(const Acquisition& acquisition, const ImagePlan& image);
/// With so many cells for each sample of the lines.
Formation back_projection(const Acquisition& acquisition, const ImagePlan& image, std::int64_t cells);

}  // namespace cornerturn
