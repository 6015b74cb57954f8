// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/reference_track.h"

#include <algorithm>
#include <cmath>

#include "kernels/chebyshev.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/zero_doppler.h"

namespace cornerturn {
namespace {

constexpr double slowest_satellite_m_s = 3000;
/// Of the speed of flight, with which rows pass: by how much it may change, and the least of it. FM rates change as
/// much.
constexpr double most_uneven = 0.003, slowest_rows = 0.5;
/// Of the speed of flight itself: rows pass evenly in time, but not over the ground.
constexpr double most_uneven_speed = 0.001;

/// Flight at one speed with one acceleration: none, or towards the Earth's centre.
struct EvenFlight {
    double middle_s = 0;
    Vec3 position_m{}, velocity_m_s{}, acceleration_m_s2{};

    StateVector at(double time_s) const {
        const double t = time_s - middle_s;
        return {position_m + t * velocity_m_s + (0.5 * t * t) * acceleration_m_s2,
                velocity_m_s + t * acceleration_m_s2};
    }
};

/// The first two terms of a series through many Chebyshev points are the best line in the mean square there.
struct FittedFlight {
    EvenFlight flight;
    double mean_square_m2 = 0;  ///< of the distance

    FittedFlight(const Orbit& flown, double from_s, double to_s, const Vec3& acceleration_m_s2) {
        constexpr int points = 200;
        flight.middle_s = 0.5 * (from_s + to_s);
        flight.acceleration_m_s2 = acceleration_m_s2;
        const std::vector<double> times_s = chebyshev_points(from_s, to_s, points);
        std::vector<Vec3> straight_m;
        for (const double time_s : times_s) {
            const double t = time_s - flight.middle_s;
            straight_m.push_back(interpolate(flown, time_s).position_m - (0.5 * t * t) * acceleration_m_s2);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            std::vector<double> values;
            for (const Vec3& position_m : straight_m) values.push_back(position_m[axis]);
            const std::vector<double> terms = ChebyshevSeries::through(from_s, to_s, values).coefficients();
            flight.position_m[axis] = terms[0];
            flight.velocity_m_s[axis] = terms[1] / (0.5 * (to_s - from_s));
        }
        for (const double time_s : times_s) {
            const Vec3 off_m = interpolate(flown, time_s).position_m - flight.at(time_s).position_m;
            mean_square_m2 += dot(off_m, off_m) / points;
        }
    }
};

EvenFlight fitted_flight(const Orbit& flown, double from_s, double to_s) {
    const FittedFlight straight(flown, from_s, to_s, {});
    const Vec3& middle_m = straight.flight.position_m;
    const double speed_m_s = norm(straight.flight.velocity_m_s), radius_m = norm(middle_m);
    const FittedFlight level(flown, from_s, to_s, (-speed_m_s * speed_m_s / (radius_m * radius_m)) * middle_m);
    return level.mean_square_m2 < straight.mean_square_m2 ? level.flight : straight.flight;
}

Orbit as_state_vectors(const EvenFlight& flight, double from_s, double to_s) {
    constexpr int vectors = 25;
    Orbit orbit;
    for (int i = 0; i < vectors; ++i) {
        const double time_s = from_s + (to_s - from_s) * i / (vectors - 1);
        const StateVector state = flight.at(time_s);
        orbit.time_s.push_back(time_s);
        orbit.position_m.push_back(state.position_m);
        orbit.velocity_m_s.push_back(state.velocity_m_s);
    }
    return orbit;
}

}  // namespace

bool rows_pass_evenly(const Acquisition& acquisition, const Orbit& orbit) {
    constexpr int looks = 400;
    const OrbitTrack track(orbit, acquisition.identification.look_side, 0.0);
    const double first_s = acquisition.pulse_time_s(0),
                 span_s = acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1)) - first_s;
    const double far_m = acquisition.range_m(static_cast<double>(acquisition.samples - 1));
    std::vector<double> rates, speeds_m_s;
    for (int look = 0; look <= looks; ++look) {
        const double time_s = first_s + span_s * look / looks;
        rates.push_back(zero_doppler_rate(orbit, track, time_s, far_m));
        speeds_m_s.push_back(norm(interpolate(orbit, time_s).velocity_m_s));
    }
    const auto [slowest, fastest] = std::minmax_element(rates.begin(), rates.end());
    const auto [least_m_s, most_m_s] = std::minmax_element(speeds_m_s.begin(), speeds_m_s.end());
    return *slowest >= slowest_rows && *fastest - *slowest <= most_uneven &&
           *most_m_s - *least_m_s <= most_uneven_speed * *most_m_s;
}

std::optional<Orbit> reference_track(const Acquisition& acquisition) {
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    const Orbit& flown = *acquisition.orbit;
    const double first_s = acquisition.pulse_time_s(0),
                 last_s = acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1)),
                 span_s = last_s - first_s;
    if (!(span_s > 0) || seconds_outside(flown, first_s) > 0 || seconds_outside(flown, last_s) > 0) return std::nullopt;
    if (!(norm(interpolate(flown, first_s).velocity_m_s) < slowest_satellite_m_s)) return std::nullopt;
    if (rows_pass_evenly(acquisition, flown)) return std::nullopt;
    return as_state_vectors(fitted_flight(flown, first_s, last_s), first_s - span_s, last_s + span_s);
}

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

double row_frequency_hz(const Track& track, double zero_doppler_time_s, double range_m, double pulse_time_s,
                        double carrier_hz) {
    constexpr double step_s = 1e-3;
    const auto delay_s = [&](double t0_s) { return track.delay_history(t0_s, range_m)(pulse_time_s - t0_s); };
    return carrier_hz * (delay_s(zero_doppler_time_s + step_s) - delay_s(zero_doppler_time_s - step_s)) / (2 * step_s);
}

double frequency_along_rows_hz(const ViewingGeometry& geometry, double zero_doppler_time_s, double range_m,
                               const BeamCentre& beam) {
    if (!geometry.track().compensated()) return beam.centroid_hz;
    return row_frequency_hz(geometry.track(), zero_doppler_time_s, range_m, zero_doppler_time_s + beam.time_s,
                            geometry.carrier_hz());
}

double rate_along_rows_hz_s(const ViewingGeometry& geometry, double zero_doppler_time_s, double range_m,
                            const BeamCentre& beam) {
    if (!geometry.track().compensated()) return beam.rate_hz_s;
    constexpr double half_s = 0.01;
    const auto at_hz = [&](double time_s) {
        return row_frequency_hz(geometry.track(), zero_doppler_time_s, range_m, zero_doppler_time_s + time_s,
                                geometry.carrier_hz());
    };
    return (at_hz(beam.time_s - half_s) - at_hz(beam.time_s + half_s)) / (2 * half_s);
}

namespace {

/// Of the pulses that show a target: along rows its frequency falls evenly, as flown the Doppler frequency may pass a
/// value more than once.
class PulsesOfTarget {
public:
    PulsesOfTarget(const Track& track, const ClosestPass& pass, const Acquisition& acquisition,
                   const PointTarget& target)
        : track_(track),
          pass_(pass),
          acquisition_(acquisition),
          delay_s_(track.delay_history(pass.time_s, pass.range_m)),
          centre_s_(target.beam_centre_time_s) {}

    /// Of the pulse that is next to where it would be in even flight.
    double along_rows_hz(double doppler_hz) const {
        constexpr double half_s = 0.01, part = 0.25;  // of an interval between pulses
        constexpr int most_steps = 4000;
        const double rate_hz_s = (row_hz(centre_s_ - half_s) - row_hz(centre_s_ + half_s)) / (2 * half_s);
        const double even_s = centre_s_ + (row_hz(centre_s_) - doppler_hz) / rate_hz_s;
        const double step_s = part / acquisition_.prf_hz;
        for (int step = 0; step < most_steps; ++step)
            for (const double sign : {1.0, -1.0}) {
                const double from_s = even_s + sign * step * step_s, to_s = from_s + sign * step_s;
                const double before_hz = doppler_at_hz(from_s) - doppler_hz,
                             behind_hz = doppler_at_hz(to_s) - doppler_hz;
                if (before_hz * behind_hz > 0) continue;
                const double crossed = before_hz == behind_hz ? 0.0 : before_hz / (before_hz - behind_hz);
                return row_hz(from_s + crossed * (to_s - from_s));
            }
        return row_hz(even_s);
    }

private:
    double row_hz(double time_s) const {
        return row_frequency_hz(track_, pass_.time_s, pass_.range_m, time_s, acquisition_.carrier_hz);
    }
    double doppler_at_hz(double time_s) const {
        constexpr double half_s = 1e-3;
        const double since_s = time_s - pass_.time_s;
        return -acquisition_.carrier_hz * (delay_s_(since_s + half_s) - delay_s_(since_s - half_s)) / (2 * half_s);
    }

    const Track& track_;
    ClosestPass pass_;
    const Acquisition& acquisition_;
    DelayHistory delay_s_;
    double centre_s_;
};

}  // namespace

std::vector<PointTarget> on_rows_of(const Orbit& reference, const Acquisition& acquisition) {
    const LookSide side = acquisition.identification.look_side;
    const OrbitTrack rows(reference, side, 0.0);
    std::vector<PointTarget> targets = acquisition.truth;
    for (PointTarget& target : targets) {
        const Vec3 place_m = zero_doppler_ground_point(interpolate(*acquisition.orbit, target.zero_doppler_time_s),
                                                       target.range_m, side, target.height_m)
                                 .position_m;
        const ClosestPass pass = rows.closest_pass({place_m[0], place_m[1], place_m[2]}, target.zero_doppler_time_s);
        const CompensatedTrack track(*acquisition.orbit, reference, side, target.height_m);
        const PulsesOfTarget pulses(track, pass, acquisition, target);
        if (const auto band = target.illuminated_band_hz)
            target.illuminated_band_hz =
                DopplerBand{pulses.along_rows_hz(band->low_hz), pulses.along_rows_hz(band->high_hz)};
        target.zero_doppler_time_s = pass.time_s;
        target.range_m = pass.range_m;
    }
    return targets;
}

}  // namespace cornerturn
