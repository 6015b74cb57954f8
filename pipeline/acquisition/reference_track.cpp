// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/reference_track.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/chebyshev.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/acquisition/track.h"
#include "pipeline/acquisition/zero_doppler.h"

namespace cornerturn {
namespace {

constexpr double slowest_satellite_m_s = 3000;
/// Terms of a series over time: a line at one speed, a parabola.
constexpr std::size_t of_line = 2, of_parabola = 3;
/// By which rows may lie closer or farther apart than those of the reference before they are taken for uneven: with
/// them FM rates change as much.
constexpr double most_uneven = 0.003;
/// Of the speed of flight, with which rows pass at far range: a track that turns faster is no reference.
constexpr double slowest_rows = 0.5;

/// The first terms of a series through many Chebyshev points are the best ones in the mean square there.
std::array<ChebyshevSeries, 3> smooth(const Orbit& orbit, double from_s, double to_s, std::size_t terms) {
    constexpr int points = 200;
    std::array<ChebyshevSeries, 3> along;
    for (std::size_t axis = 0; axis < along.size(); ++axis) {
        std::vector<double> values;
        for (const double time_s : chebyshev_points(from_s, to_s, points))
            values.push_back(interpolate(orbit, time_s).position_m[axis]);
        std::vector<double> coefficients = ChebyshevSeries::through(from_s, to_s, values).coefficients();
        coefficients.resize(terms);
        along[axis] = ChebyshevSeries(from_s, to_s, std::move(coefficients));
    }
    return along;
}

Orbit as_state_vectors(const std::array<ChebyshevSeries, 3>& along, double from_s, double to_s) {
    constexpr int vectors = 25;
    std::array<ChebyshevSeries, 3> velocity;
    for (std::size_t axis = 0; axis < along.size(); ++axis) velocity[axis] = along[axis].derivative();
    Orbit orbit;
    for (int i = 0; i < vectors; ++i) {
        const double time_s = from_s + (to_s - from_s) * i / (vectors - 1);
        Vec3 position_m, velocity_m_s;
        for (std::size_t axis = 0; axis < along.size(); ++axis) {
            position_m[axis] = along[axis](time_s);
            velocity_m_s[axis] = velocity[axis](time_s);
        }
        orbit.time_s.push_back(time_s);
        orbit.position_m.push_back(position_m);
        orbit.velocity_m_s.push_back(velocity_m_s);
    }
    return orbit;
}

/// How fast rows of zero Doppler pass over far range, all along the pulses.
std::vector<double> rates_of_rows(const Acquisition& acquisition, const Orbit& orbit) {
    constexpr int looks = 400;
    const OrbitTrack track(orbit, acquisition.identification.look_side, 0.0);
    const double first_s = acquisition.pulse_time_s(0),
                 span_s = acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1)) - first_s;
    const double far_m = acquisition.range_m(static_cast<double>(acquisition.samples - 1));
    std::vector<double> rates;
    for (int look = 0; look <= looks; ++look)
        rates.push_back(zero_doppler_rate(orbit, track, first_s + span_s * look / looks, far_m));
    return rates;
}

double least(const std::vector<double>& rates) {
    double least = INFINITY;
    for (const double rate : rates)
        if (!(rate >= least)) least = rate;
    return least;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);
    return largest;
}

}  // namespace

std::optional<Orbit> reference_track(const Acquisition& acquisition) {
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2) return std::nullopt;
    const Orbit& flown = *acquisition.orbit;
    const double first_s = acquisition.pulse_time_s(0),
                 last_s = acquisition.pulse_time_s(static_cast<double>(acquisition.lines - 1)), span_s = last_s - first_s;
    if (!(span_s > 0) || seconds_outside(flown, first_s) > 0 || seconds_outside(flown, last_s) > 0) return std::nullopt;
    if (!(norm(interpolate(flown, first_s).velocity_m_s) < slowest_satellite_m_s)) return std::nullopt;
    const auto reference_of = [&](std::size_t terms) {
        return as_state_vectors(smooth(flown, first_s, last_s, terms), first_s - span_s, last_s + span_s);
    };
    Orbit reference = reference_of(of_parabola);
    const std::vector<double> rates = rates_of_rows(acquisition, reference);
    const bool turns_slowly = least(rates) >= slowest_rows;
    if (turns_slowly && largest_difference(rates_of_rows(acquisition, flown), rates) <= most_uneven)
        return std::nullopt;
    if (!turns_slowly) reference = reference_of(of_line);
    return reference;
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

std::vector<PointTarget> seen_from(const std::vector<PointTarget>& targets, const Orbit& flown, const Orbit& reference,
                                   LookSide side) {
    std::vector<PointTarget> seen = targets;
    const OrbitTrack track(reference, side, 0.0);
    for (PointTarget& target : seen) {
        const Vec3 place_m = zero_doppler_ground_point(interpolate(flown, target.zero_doppler_time_s), target.range_m, side,
                                                       target.height_m)
                                 .position_m;
        const ClosestPass pass =
            track.closest_pass({place_m[0], place_m[1], place_m[2]}, target.zero_doppler_time_s);
        target.zero_doppler_time_s = pass.time_s;
        target.range_m = pass.range_m;
    }
    return seen;
}

}  // namespace cornerturn
