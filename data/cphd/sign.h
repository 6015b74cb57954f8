// SPDX-License-Identifier: Apache-2.0
// Which sign the phases of a channel have, by the data.
#pragma once

#include <vector>

#include "data/cphd/spectra.h"

namespace cornerturn::cphd {

/// What was found: how sharp the image is with the sign that the file tells, and with the other one.
struct SignFound {
    int sign = -1;  ///< the file's, unless the other one is much sharper
    double told_sharpness = 0, other_sharpness = 0;
};

/// With the wrong sign a scene is its own mirror image about the point of reference, as sharp as the right one where
/// that point stands still. Where it moves, and not evenly as seen from the antenna, only the right sign is in focus:
/// up to 512 pulses all over the channel are brought to one point, with either sign, and transformed over frequency and
/// pulses. Nothing where the point moves too little to tell.
std::optional<SignFound> sign_by_data(const Spectra& spectra, const std::vector<Pulse>& pulses, int told_sign);

}  // namespace cornerturn::cphd
