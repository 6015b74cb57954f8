// SPDX-License-Identifier: Apache-2.0
// Fast factorised back-projection: the sum of back-projection in blocks of lines, to within an error that was chosen.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

/// Where nothing is gained it is back-projection as it is, and its notes say why.
Formation factorised_back_projection(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
