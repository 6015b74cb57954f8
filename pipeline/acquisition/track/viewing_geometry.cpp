// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/viewing_geometry.h"

#include <cmath>

namespace cornerturn {

double ViewingGeometry::zero_doppler_time_s(double beam_time_s, double range_m) const {
    double zero_doppler_s = beam_time_s;
    for (int round = 0; round < 20; ++round) {
        const BeamCentre beam = beam_centre(zero_doppler_s, range_m);
        const double faster = beam.steered() ? 1 / beam.widening : 1.0,
                     step_s = faster * (beam_time_s - zero_doppler_s - beam.time_s);
        zero_doppler_s += step_s;
        if (std::abs(step_s) < 1e-7) break;
    }
    return zero_doppler_s;
}

}  // namespace cornerturn
