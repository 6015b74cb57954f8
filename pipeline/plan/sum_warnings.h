// SPDX-License-Identifier: Apache-2.0
// What images show right and theory has elsewhere: told of, not refused, as no other image would be better.
#pragma once

#include <string>
#include <vector>

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

/// Of images on rows of zero Doppler, by backprojection or ffbp; nothing where points are as theory has them to the
/// limits.
std::vector<std::string> warnings_of_sums(const Acquisition& acquisition, const ImagePlan& image);

/// The same of images by the other algorithms, whose gain falls as that of sums does; along tracks that sway motion
/// compensation predicts what it leaves.
std::vector<std::string> warnings_of_gain(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
