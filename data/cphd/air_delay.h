// SPDX-License-Identifier: Apache-2.0
// Whether the samples of a channel still hold the delay of the air that its pulses tell of, by the data.
#pragma once

#include <optional>
#include <vector>

#include "data/cphd/spectra.h"
#include "pipeline/acquisition/scene_plane.h"

namespace cornerturn::cphd {

/// Which part of TDTropoSRP the samples hold, as bright points show: 0 where it was taken out, 1 where it is left.
struct AirFound {
    double part = 0;
    double deviation = 0;    ///< of that, as the points differ among each other
    std::size_t points = 0;  ///< that it was found from
    bool left_out() const;   ///< the samples are without it, beyond doubt
    bool left_in() const;
};

/// A delay that is left in moves the scene away; as it changes along the aperture, and the curvature of echoes with the
/// distance, points are out of focus then by a little (0.05 to 0.3 cycles in the middle against the ends). So up to 12
/// of the brightest points are brought to a focus on the plane of the scene, of at most 1024 pulses, each, and are
/// asked how much of what the delay would do is in the phases of their pulses. `sign`: that of the phases. Nothing
/// where the delay would do too little (0.02 cycles), or there are fewer than three points.
std::optional<AirFound> air_by_data(const Spectra& spectra, const std::vector<Pulse>& pulses, int sign,
                                    const ScenePlane& plane);

}  // namespace cornerturn::cphd
