// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/viewing_geometry.h"

namespace cornerturn {

double ViewingGeometry::zero_doppler_time_s(double beam_time_s, double range_m) const {
    return beam_time_s - offset_under_beam_s(*track_, carrier_hz_, beam_time_s, range_m, centroid_hz_);
}

}  // namespace cornerturn
