// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/track/reference_track.h"

#include <algorithm>

#include "kernels/math/chebyshev.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track/velocity.h"
#include "pipeline/acquisition/track/zero_doppler.h"

namespace cornerturn {
namespace {

constexpr double slowest_satellite_m_s = 3000, lowest_satellite_m = 100e3;  // far out they stand nearly still
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
        orbit.add(time_s, flight.at(time_s));
    }
    return orbit;
}

}  // namespace

bool is_satellite(const Orbit& orbit, double time_s) {
    const StateVector state = interpolate(orbit, time_s);
    return norm(state.velocity_m_s) >= slowest_satellite_m_s ||
           norm(state.position_m) >= wgs84_equatorial_radius_m + lowest_satellite_m;
}

bool rows_pass_evenly(const Acquisition& acquisition, const Orbit& orbit) {
    constexpr int looks = 400;
    const OrbitTrack track(orbit, acquisition.identification.look_side, 0.0);
    const double first_s = acquisition.pulse_time_s(0), span_s = acquisition.last_pulse_time_s() - first_s;
    const double far_m = acquisition.far_range_m();
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

double seconds_beyond_pulses(const Acquisition& acquisition) {
    const double lines = static_cast<double>(acquisition.lines - 1), span_s = lines / acquisition.prf_hz,
                 middle_s = acquisition.pulse_time_s(0.5 * lines), far_m = acquisition.far_range_m(),
                 speed_m_s = norm(interpolate(*acquisition.orbit, middle_s).velocity_m_s);
    return std::max(span_s, far_m * largest_squint_sine / speed_m_s);
}

std::optional<Orbit> reference_track(const Acquisition& acquisition) {
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    const Orbit& flown = *acquisition.orbit;
    const double first_s = acquisition.pulse_time_s(0), last_s = acquisition.last_pulse_time_s(),
                 span_s = last_s - first_s;
    if (!(span_s > 0) || seconds_outside(flown, first_s) > 0 || seconds_outside(flown, last_s) > 0) return std::nullopt;
    if (is_satellite(flown, first_s)) return std::nullopt;
    if (rows_pass_evenly(acquisition, flown)) return std::nullopt;
    const double beyond_s = seconds_beyond_pulses(acquisition);
    return as_state_vectors(fitted_flight(flown, first_s, last_s), first_s - beyond_s, last_s + beyond_s);
}

double row_frequency_hz(const Track& track, double zero_doppler_time_s, double range_m, double pulse_time_s,
                        double carrier_hz) {
    constexpr double step_s = 1e-3;
    const auto delay_s = [&](double t0_s) { return track.delay_history(t0_s, range_m)(pulse_time_s - t0_s); };
    return carrier_hz * (delay_s(zero_doppler_time_s + step_s) - delay_s(zero_doppler_time_s - step_s)) / (2 * step_s);
}

std::vector<PointTarget> on_rows_of(const Orbit& reference, const Acquisition& acquisition) {
    const LookSide side = acquisition.identification.look_side;
    const OrbitTrack rows(reference, side, 0.0);
    std::vector<PointTarget> targets = acquisition.truth;
    for (PointTarget& target : targets) {
        const Vec3 place_m = zero_doppler_ground_point(interpolate(*acquisition.orbit, target.zero_doppler_time_s),
                                                       target.range_m, side, target.height_m)
                                 .position_m;
        const ClosestPass pass = rows.closest_pass(place_of(place_m), target.zero_doppler_time_s);
        const CompensatedTrack track(*acquisition.orbit, reference, side, target.height_m);
        const auto row_hz = [&](double pulse_time_s) {
            return row_frequency_hz(track, pass.time_s, pass.range_m, pulse_time_s, acquisition.carrier_hz);
        };
        target.illuminated_band_hz.reset();
        if (const auto& lit = target.illuminated_s)
            target.illuminated_band_hz = DopplerBand{row_hz(lit->last_s), row_hz(lit->first_s)};
        target.zero_doppler_time_s = pass.time_s;
        target.range_m = pass.range_m;
    }
    return targets;
}

}  // namespace cornerturn
