// SPDX-License-Identifier: Apache-2.0
#include "data/cphd/truth.h"

#include <algorithm>

#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/ground/footprint.h"

namespace cornerturn::cphd {

std::vector<PointTarget> truth_of(const std::vector<ToldTarget>& told, const std::vector<Pulse>& pulses,
                                  double clock_s) {
    std::vector<PointTarget> truth;
    for (const ToldTarget& target : told) {
        const Vec3 place_m = point_of({target.longitude_deg, target.latitude_deg, target.height_m});
        const auto range_m = [&](const Pulse& pulse) { return norm(pulse.antenna_m() - place_m); };
        const Pulse& nearest = *std::min_element(
            pulses.begin(), pulses.end(), [&](const Pulse& a, const Pulse& b) { return range_m(a) < range_m(b); });
        PointTarget point;
        point.range_m = range_m(nearest);
        point.zero_doppler_time_s = point.beam_centre_time_s = clock_s + nearest.sent_s;
        point.amplitude = std::polar(target.amplitude, target.phase_deg * degree);
        point.height_m = target.height_m;
        point.illuminated_s = TimeSpan{clock_s + target.first_pulse_s, clock_s + target.last_pulse_s};
        point.place_m = place_m;
        truth.push_back(point);
    }
    return truth;
}

}  // namespace cornerturn::cphd
