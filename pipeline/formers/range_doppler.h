// SPDX-License-Identifier: Apache-2.0
// The range-Doppler algorithm (Cumming & Wong 2005, ch. 6), with the laws of the exact range history, for any
// track and squint.
#pragma once

#include "pipeline/formers/former.h"

namespace cornerturn {

Formation range_doppler(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
