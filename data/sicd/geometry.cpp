// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/sicd/plane_grid.h"
#include "kernels/errors.h"
#include "pipeline/measure/point_chip.h"
#include "pipeline/measure/point_theory.h"

namespace cornerturn::sicd {
namespace {

/// -3 dB width of the transform of a window over a band of 1.
double broadening(const Window& window) {
    constexpr int steps = 4096;
    return half_power_width(4, [&](double at) {
        double sum = 0;
        for (int i = 0; i < steps; ++i) {
            const double x = (i + 0.5) / steps - 0.5;
            sum += window(x) * std::cos(2 * std::numbers::pi * x * at);
        }
        return sum / steps;
    });
}

/// Our image about its middle pixel, by coordinates of SICD.
class ZeroDopplerGrid {
public:
    ZeroDopplerGrid(const Image& image, double start_s, Geometry& geometry)
        : image_(image), orbit_(*image.acquisition.orbit), start_s_(start_s), geometry_(geometry) {
        geometry.rows = image.grid.columns;
        geometry.columns = image.grid.rows;
        geometry.scp_row = geometry.rows / 2;
        geometry.scp_column = geometry.columns / 2;
        geometry.placement = {.transposed = true,
                              .columns_backwards = image.acquisition.identification.look_side == LookSide::left};
        const PixelPlace scp =
            geometry.ours({static_cast<double>(geometry.scp_row), static_cast<double>(geometry.scp_column)});
        scp_range_m_ = image.grid.range_m(scp.column);
        scp_time_s_ = image.grid.time_s(scp.row);
    }

    void place() {
        const StateVector antenna = interpolate(orbit_, scp_time_s_);
        geometry_.scp_m = ground(scp_time_s_, scp_range_m_);
        geometry_.scp = geographic(geometry_.scp_m);
        const double along = geometry_.placement.columns_backwards ? -1 : 1;
        geometry_.row.axis = unit(geometry_.scp_m - antenna.position_m);
        geometry_.row.spacing_m = image_.grid.range_spacing_m;
        geometry_.column.axis = along * unit(antenna.velocity_m_s);
        speed_m_s_ = along * norm(antenna.velocity_m_s) * rate_factor(scp_time_s_, scp_range_m_);
        geometry_.column.spacing_m = std::abs(speed_m_s_) * image_.grid.time_spacing_s;
        const double rows = static_cast<double>(geometry_.rows), columns = static_cast<double>(geometry_.columns),
                     row = static_cast<double>(geometry_.scp_row), column = static_cast<double>(geometry_.scp_column);
        down_m_ = {-row * geometry_.row.spacing_m, (rows - 1 - row) * geometry_.row.spacing_m};
        across_m_ = {-column * geometry_.column.spacing_m, (columns - 1 - column) * geometry_.column.spacing_m};
        geometry_.corners =
            corners_over(down_m_, across_m_, [this](double x, double y) { return ground(time_s(y), range_m(x)); });
    }

    void time() {
        const auto coa_s = [this](double x, double y) { return centre_time_s(x, y) - start_s_; };
        geometry_.centre_time_s = fitted(coa_s, down_m_, across_m_);
        geometry_.zero_doppler = ZeroDoppler{
            .closest_time_s = {scp_time_s_ - start_s_, 1 / speed_m_s_},
            .closest_range_m = scp_range_m_,
            .rate_factor = fitted([this](double x, double y) { return mean_rate_factor(x, y); }, down_m_, across_m_),
            .centroid_hz = fitted([this](double x, double y) { return centroid_hz(x, y); }, down_m_, across_m_)};
        Reach all{std::min(geometry_.pulses_s.low, 0.0), geometry_.pulses_s.high};
        for (const double y : {across_m_.low, across_m_.high})
            for (const double x : {down_m_.low, 0.0, down_m_.high})
                for (const double at : {time_s(y) - start_s_, coa_s(x, y)})
                    all = {std::min(all.low, at), std::max(all.high, at)};
        geometry_.track = track_polynomial(orbit_, start_s_, all);
    }

    /// The middle of the spectrum over azimuth is that of the Doppler band; over range it is lower under squint.
    void spectrum() {
        const ProcessingRecord& made = image_.processing;
        Direction &row = geometry_.row, &column = geometry_.column;
        row.centre = 2 / image_.acquisition.wavelength_m();
        row.bandwidth = std::min(2 * made.range_bandwidth_hz / speed_of_light_m_s, 1 / row.spacing_m);
        row.window = made.range_window;
        row.offset = fitted([this](double x, double y) { return range_offset(x, y); }, down_m_, across_m_);
        column.bandwidth = std::min(made.azimuth_bandwidth_hz / std::abs(speed_m_s_), 1 / column.spacing_m);
        column.window = made.azimuth_window;
        // Samples tell frequencies but for whole multiples of their rate.
        const double rate = 1 / column.spacing_m, whole = rate * std::round(centroid_hz(0, 0) / speed_m_s_ / rate);
        column.offset = geometry_.zero_doppler->centroid_hz;
        for (auto& line : column.offset)
            for (double& value : line) value /= speed_m_s_;
        column.offset[0][0] -= whole;
        for (Direction* direction : {&row, &column}) {
            direction->offsets = all_offsets(*direction, down_m_, across_m_);
            direction->width_m = broadening(*direction->window) / direction->bandwidth;
        }
    }

private:
    double range_m(double x) const { return scp_range_m_ + x; }
    double time_s(double y) const { return scp_time_s_ + y / speed_m_s_; }

    Vec3 ground(double time_s, double range_m) const {
        const GroundPoint point =
            zero_doppler_ground_point(interpolate(orbit_, time_s), range_m, image_.acquisition.identification.look_side,
                                      image_.processing.scene_height_m);
        if (!point.on_ellipsoid)
            throw InputError(fmt::format(
                "SICD: slant range {:.0f} m does not reach the ground at a height of {:.0f} m; near ranges that "
                "end above it cannot be placed",
                range_m, image_.processing.scene_height_m));
        return point.position_m;
    }
    /// (V^2 + (P - X) A) / V0^2 at a time, V0 the speed at zero Doppler of the place X: half the second derivative of
    /// R^2 over that of straight flight.
    double bend(const Vec3& place, double closest_s, double at_s) const {
        constexpr double step_s = 0.01;
        const StateVector antenna = interpolate(orbit_, at_s);
        const Vec3 speed = interpolate(orbit_, closest_s).velocity_m_s,
                   acceleration = (0.5 / step_s) * (interpolate(orbit_, at_s + step_s).velocity_m_s -
                                                    interpolate(orbit_, at_s - step_s).velocity_m_s);
        return (dot(antenna.velocity_m_s, antenna.velocity_m_s) + dot(antenna.position_m - place, acceleration)) /
               dot(speed, speed);
    }
    /// At zero Doppler, the factor of the rate at which Doppler frequencies change there.
    double rate_factor(double time_s, double range_m) const { return bend(ground(time_s, range_m), time_s, time_s); }
    /// Its mean (Simpson's) until the beam's centre comes: what R R' there is over V0^2 times that time. Projections
    /// take R' from it; under squint, where the rate changes on the way, places would be up to 0.2 px off with that
    /// of zero Doppler.
    double mean_rate_factor(double x, double y) const {
        const double closest_s = time_s(y), centre_s = centre_time_s(x, y);
        const Vec3 place = ground(closest_s, range_m(x));
        return (bend(place, closest_s, closest_s) + 4 * bend(place, closest_s, 0.5 * (closest_s + centre_s)) +
                bend(place, closest_s, centre_s)) /
               6;
    }
    double centroid_hz(double x, double y) const { return image_.processing.doppler_hz(time_s(y), range_m(x)); }

    /// When a place has the Doppler frequency of its centroid.
    double centre_time_s(double x, double y) const {
        const double closest_s = time_s(y);
        return time_at_doppler_s(orbit_, image_.acquisition.wavelength_m(), ground(closest_s, range_m(x)),
                                 centroid_hz(x, y), closest_s);
    }
    double range_offset(double x, double y) const {
        const ImageGrid& grid = image_.grid;
        const ProcessingRecord& made = image_.processing;
        if (made.effective_velocity_m_s.empty() || !(made.range_bandwidth_hz > 0) || !(made.azimuth_bandwidth_hz > 0))
            return 0;
        const double at_row = (time_s(y) - grid.first_time_s) / grid.time_spacing_s,
                     at_column = (range_m(x) - grid.near_range_m) / grid.range_spacing_m;
        return carriers(response_support(image_, at_row, at_column), grid).range_cycles / grid.range_spacing_m;
    }

    const Image& image_;
    const Orbit& orbit_;
    double start_s_, scp_range_m_ = 0, scp_time_s_ = 0;
    double speed_m_s_ = 0;  ///< of the column coordinate, by zero-Doppler time: negative against the flight
    Reach down_m_, across_m_;
    Geometry& geometry_;
};

/// From the first one until the next would follow the last one. The orbit of a spotlight has a state vector for each,
/// and one beyond at either end (data/cphd/track.h): missing pulses make its record longer than their number tells.
TimeSpan pulses_of_image(const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    const std::vector<double>& times_s = acquisition.orbit->time_s;
    if (image.processing.sums_all_pulses() && times_s.size() > 4) return {times_s[1], times_s[times_s.size() - 2]};
    return {acquisition.pulse_time_s(0), acquisition.last_pulse_time_s() + 1 / acquisition.prf_hz};
}

}  // namespace

double time_at_doppler_s(const Orbit& orbit, double wavelength_m, const Vec3& place, double doppler_hz, double from_s) {
    constexpr int rounds = 8;
    constexpr double step_s = 1e-3;
    const double wanted_m_s = -0.5 * wavelength_m * doppler_hz;
    const auto range_rate = [&](double at) {
        const StateVector antenna = interpolate(orbit, at);
        return dot(unit(antenna.position_m - place), antenna.velocity_m_s);
    };
    double at = from_s;
    for (int round = 0; round < rounds; ++round)
        at -= (range_rate(at) - wanted_m_s) * 2 * step_s / (range_rate(at + step_s) - range_rate(at - step_s));
    return at;
}

std::array<Geographic, 4> corners_over(const Reach& down_m, const Reach& across_m,
                                       const std::function<Vec3(double, double)>& place_m) {
    return {geographic(place_m(down_m.low, across_m.low)), geographic(place_m(down_m.low, across_m.high)),
            geographic(place_m(down_m.high, across_m.high)), geographic(place_m(down_m.high, across_m.low))};
}

Reach all_offsets(const Direction& direction, const Reach& down_m, const Reach& across_m) {
    Reach all{1e300, -1e300};
    for (const double x : {down_m.low, down_m.high})
        for (const double y : {across_m.low, across_m.high}) {
            const double offset = value_at(direction.offset, x, y);
            all = {std::min(all.low, offset), std::max(all.high, offset)};
        }
    all = {all.low - 0.5 * direction.bandwidth, all.high + 0.5 * direction.bandwidth};
    const double most = 0.5 / direction.spacing_m;
    return all.low < -most || all.high > most ? Reach{-most, most} : all;
}

Geometry geometry_of(const Image& image) {
    const Acquisition& acquisition = image.acquisition;
    if (!acquisition.orbit || acquisition.orbit->time_s.size() < 2)
        throw InputError("SICD: tells where the antenna was, and no orbit is known; give --track, or name it .h5");
    const auto epoch = parse_epoch(acquisition.epoch);
    if (!epoch) throw InputError(fmt::format("SICD: the epoch '{}' is no time", acquisition.epoch));
    constexpr double per_s = 1e6;
    const TimeSpan pulses = pulses_of_image(image);
    const double start_s = std::floor(pulses.first_s * per_s) / per_s;
    Geometry geometry;
    geometry.start = epoch->plus(start_s);
    geometry.pulses_s = {pulses.first_s - start_s, pulses.last_s - start_s};
    geometry.duration_s = geometry.pulses_s.high;
    if (image.map) {
        put_on_plane(image, start_s, geometry);
        return geometry;
    }
    ZeroDopplerGrid grid(image, start_s, geometry);
    grid.place();
    grid.time();
    grid.spectrum();
    return geometry;
}

}  // namespace cornerturn::sicd
