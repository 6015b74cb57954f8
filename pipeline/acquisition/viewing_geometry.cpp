// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/viewing_geometry.h"

#include <cmath>

namespace cornerturn {

double ViewingGeometry::zero_doppler_time_s(double beam_time_s, double range_m) const {
    double zero_doppler_s = beam_time_s;
    for (int round = 0; round < 20; ++round) {
        const BeamCentre beam = beam_centre(zero_doppler_s, range_m);
        // By as much faster as it meets the target sooner: a thousandth but for steered beams.
        const double step_s = (beam_time_s - zero_doppler_s - beam.time_s) / beam.widening;
        zero_doppler_s += step_s;
        if (std::abs(step_s) < 1e-7) break;
    }
    return zero_doppler_s;
}

}  // namespace cornerturn
