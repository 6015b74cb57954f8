// SPDX-License-Identifier: Apache-2.0
// A given reference track for the rows of an image, in place of a fitted one: images of two flights then have rows
// on one track.
#pragma once

#include <string>
#include <vector>

#include "pipeline/acquisition/acquisition.h"

namespace cornerturn {

/// The track, whose times count since the echo's epoch, from as far before the first pulse to as far behind the last as
/// these are apart; where it ends sooner it goes on evenly. Of another flight, whose times are not those of the
/// pulses, the part that is abreast of the flight, with a remark by how much it was moved. Throws InputError that
/// begins with `name` where the echo has no orbit, the track does not cover the pulses, lies far from them or sways
/// itself.
Orbit given_reference(const Acquisition& acquisition, const Orbit& track, const std::string& name,
                      std::vector<std::string>& remarks);

}  // namespace cornerturn
