// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/given_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/reference_track.h"
#include "pipeline/acquisition/track/same_track.h"

namespace cornerturn {
namespace {

/// Beyond this part of near range the one flight does not stand for the other.
constexpr double farthest_of_range = 0.05;

/// Inside as it is; outside with the mean acceleration inside, as flight at one speed, straight or level, goes on.
class Extended {
public:
    Extended(const Orbit& track, double from_s, double to_s) : track_(track) {
        const Vec3 faster_m_s = interpolate(track, to_s).velocity_m_s - interpolate(track, from_s).velocity_m_s;
        acceleration_m_s2_ = 1 / (to_s - from_s) * faster_m_s;
    }
    StateVector at(double time_s) const {
        const double end_s = std::clamp(time_s, track_.time_s.front(), track_.time_s.back()), t = time_s - end_s;
        const StateVector end = interpolate(track_, end_s);
        return {end.position_m + t * end.velocity_m_s + (0.5 * t * t) * acceleration_m_s2_,
                end.velocity_m_s + t * acceleration_m_s2_};
    }

private:
    const Orbit& track_;
    Vec3 acceleration_m_s2_{};
};

/// Of both at the time of a pulse.
double largest_distance_m(const Acquisition& acquisition, const Orbit& reference) {
    constexpr int looks = 400;
    const double last = static_cast<double>(acquisition.lines - 1);
    double largest_m = 0;
    for (int look = 0; look <= looks; ++look) {
        const double time_s = acquisition.pulse_time_s(last * look / looks);
        const Vec3 off_m =
            interpolate(*acquisition.orbit, time_s).position_m - interpolate(reference, time_s).position_m;
        largest_m = std::max(largest_m, norm(off_m));
    }
    return largest_m;
}

}  // namespace

Orbit given_reference(const Acquisition& acquisition, const Orbit& track, const std::string& name,
                      std::vector<std::string>& remarks) {
    if (!acquisition.orbit)
        throw InputError(
            fmt::format("{}: --reference-track: the echo has no orbit that it could stand for; leave it out", name));
    const double first_s = acquisition.pulse_time_s(0), last_s = acquisition.last_pulse_time_s(),
                 span_s = last_s - first_s;
    const auto covers = [&](double later_s) {
        return seconds_outside(track, first_s + later_s) <= 0 && seconds_outside(track, last_s + later_s) <= 0;
    };
    const double later_s = covers(0) ? 0 : match_of(*acquisition.orbit, track, first_s, last_s).later_s;
    if (!(span_s > 0) || !covers(later_s))
        throw InputError(
            fmt::format("{}: --reference-track: covers {:.3f} to {:.3f} s, of which {:.3f} to {:.3f} s would be "
                        "abreast of the pulses; give a track that covers them",
                        name, track.time_s.front(), track.time_s.back(), first_s + later_s, last_s + later_s));
    if (later_s != 0)
        remarks.push_back(
            fmt::format("{}: --reference-track: is that of another time, {:.6f} s {} than the flight's, which it is "
                        "abreast of; rows have times of the flight",
                        name, std::abs(later_s), later_s > 0 ? "later" : "earlier"));
    const Extended extended(track, first_s + later_s, last_s + later_s);
    const double step_s = (track.time_s.back() - track.time_s.front()) / static_cast<double>(track.time_s.size() - 1);
    constexpr double fewest = 24, most = 3000;
    const double beyond_s = seconds_beyond_pulses(acquisition), whole_s = span_s + 2 * beyond_s;
    const double steps = std::clamp(std::ceil(whole_s / step_s), fewest, most);
    Orbit reference;
    for (double i = 0; i <= steps; ++i) {
        const double time_s = first_s - beyond_s + whole_s * i / steps;
        reference.add(time_s, extended.at(time_s + later_s));
    }
    const double off_m = largest_distance_m(acquisition, reference);
    if (!(off_m <= farthest_of_range * acquisition.near_range_m))
        throw InputError(
            fmt::format("{}: --reference-track: lies up to {:.4g} m from the flight, at most {:.0f} % of near range "
                        "({:.4g} m) are allowed; give one that goes along with it",
                        name, off_m, 100 * farthest_of_range, farthest_of_range * acquisition.near_range_m));
    if (!rows_pass_evenly(acquisition, reference))
        throw InputError(
            fmt::format("{}: --reference-track: sways itself, so rows of zero Doppler pass unevenly; give an even "
                        "track, such as an image of the other flight, which holds its own",
                        name));
    return reference;
}

}  // namespace cornerturn
