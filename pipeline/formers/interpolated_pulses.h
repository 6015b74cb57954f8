// SPDX-License-Identifier: Apache-2.0
// What an image will be off by where its lines were interpolated from uneven pulses.
#pragma once

#include "pipeline/formers/prediction.h"

namespace cornerturn {

/// The more of the PRF the beam fills, the
/// less the pulses tell of its ends. Of points all along the strip, by a beam that ends sharply, against lines that
/// were sent at equal times; what lies in gaps does not count, as files say so.
Prediction predicted_for_interpolation(const Acquisition& acquisition, const ImagePlan& image);

}  // namespace cornerturn
