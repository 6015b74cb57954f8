// SPDX-License-Identifier: Apache-2.0
// The range-Doppler algorithm (Cumming & Wong 2005, ch. 6), for any squint that the hyperbola carries.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

Formation range_doppler(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
