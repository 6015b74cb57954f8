// SPDX-License-Identifier: Apache-2.0
#include "data/sicd/plane_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "data/sicd/geometry.h"
#include "kernels/errors.h"
#include "pipeline/acquisition/ground/map_ground.h"

namespace cornerturn::sicd {
namespace {

/// Of one pulse at one place and frequency, a spatial frequency 2 f / c along its line of sight, on the axes of the
/// plane in cycles per metre; `weight` as the windows have it.
struct Wavenumber {
    double down = 0, across = 0, weight = 1;
};

/// What all pulses that see a place span.
struct Support {
    std::vector<Wavenumber> all;
    Reach down, across;
};

/// -3 dB width of the response along an axis, by the spatial frequencies there.
double response_width_m(const Support& support, double Wavenumber::*axis, const Reach& reach) {
    return half_power_width(4 / (reach.high - reach.low), [&](double at_m) {
        std::complex<double> sum = 0;
        for (const Wavenumber& k : support.all) sum += std::polar(k.weight, 2 * std::numbers::pi * (k.*axis) * at_m);
        return std::abs(sum);
    });
}

class PlaneGrid {
public:
    PlaneGrid(const Image& image, double start_s, Geometry& geometry)
        : image_(image),
          map_(*image.map),
          orbit_(*image.acquisition.orbit),
          ground_(map_.projection, image.processing.scene_height_m),
          start_s_(start_s),
          geometry_(geometry) {
        settle_placement();
        const double middle_row = static_cast<double>(map_.rows / 2),
                     middle_column = static_cast<double>(map_.columns / 2);
        const auto index = [](double ours, bool backwards, std::int64_t count) {
            return backwards ? count - 1 - static_cast<std::int64_t>(ours) : static_cast<std::int64_t>(ours);
        };
        const Placement& lies = geometry.placement;
        geometry.rows = lies.transposed ? map_.columns : map_.rows;
        geometry.columns = lies.transposed ? map_.rows : map_.columns;
        geometry.scp_row = index(lies.transposed ? middle_column : middle_row, lies.rows_backwards, geometry.rows);
        geometry.scp_column =
            index(lies.transposed ? middle_row : middle_column, lies.columns_backwards, geometry.columns);
    }

    void place() {
        const double row = static_cast<double>(geometry_.scp_row), column = static_cast<double>(geometry_.scp_column);
        geometry_.scp_m = pixel_m(row, column);
        geometry_.scp = geographic(geometry_.scp_m);
        const Vec3 down = 0.5 * (pixel_m(row + 1, column) - pixel_m(row - 1, column)),
                   across = 0.5 * (pixel_m(row, column + 1) - pixel_m(row, column - 1));
        geometry_.row.spacing_m = norm(down);
        geometry_.row.axis = unit(down);
        const Vec3 upright = across - dot(across, geometry_.row.axis) * geometry_.row.axis;
        geometry_.column.spacing_m = norm(upright);
        geometry_.column.axis = unit(upright);
        down_m_ = {row_m(0), row_m(static_cast<double>(geometry_.rows - 1))};
        across_m_ = {column_m(0), column_m(static_cast<double>(geometry_.columns - 1))};
        geometry_.corners = corners_over(down_m_, across_m_, [this](double x, double y) { return plane_m(x, y); });
    }

    void time() {
        if (all_pulses())
            geometry_.centre_time_s = {{0.5 * (geometry_.pulses_s.low + geometry_.pulses_s.high)}};
        else
            geometry_.centre_time_s =
                fitted([this](double x, double y) { return centre_s(plane_m(x, y)) - start_s_; }, down_m_, across_m_);
        geometry_.track = track_polynomial(orbit_, start_s_, {0, geometry_.duration_s});
    }

    /// How far the ground of a pixel lies from its place on the plane, as range and range rate see it.
    void require_plane() const {
        constexpr double most_px = 0.05;
        constexpr int places = 21;
        double worst_px = 0, worst_m = 0;
        for (int i = 0; i < places; ++i)
            for (int k = 0; k < places; ++k) {
                const double row = static_cast<double>(geometry_.rows - 1) * i / (places - 1),
                             column = static_cast<double>(geometry_.columns - 1) * k / (places - 1);
                const Vec3 on_ground = pixel_m(row, column), on_plane = plane_m(row_m(row), column_m(column));
                worst_m = std::max(worst_m, norm(on_ground - on_plane));
                worst_px = std::max(worst_px, displacement_px(on_ground, on_plane));
            }
        if (worst_px > most_px)
            throw InputError(
                fmt::format("SICD: the map is no plane: its ground leaves one by up to {:.3g} m, {:.3g} pixels, more "
                            "than {}; make a smaller map or larger pixels, or name it .tif or .h5",
                            worst_m, worst_px, most_px));
    }

    void spectrum() {
        const Support middle = support_at(geometry_.scp_m, fine);
        const auto settle = [&](Direction& direction, const Reach& reach, double Wavenumber::*axis,
                                const auto& middle_at) {
            const double rate = 1 / direction.spacing_m;
            direction.bandwidth = std::min(reach.high - reach.low, rate);
            direction.centre = rate * std::round(0.5 * (reach.low + reach.high) / rate);
            direction.width_m = response_width_m(middle, axis, reach);
            direction.offset = fitted(
                [&](double x, double y) { return middle_at(support_at(plane_m(x, y), coarse)) - direction.centre; },
                down_m_, across_m_);
            direction.offsets = all_offsets(direction, down_m_, across_m_);
        };
        settle(geometry_.row, middle.down, &Wavenumber::down,
               [](const Support& s) { return 0.5 * (s.down.low + s.down.high); });
        settle(geometry_.column, middle.across, &Wavenumber::across,
               [](const Support& s) { return 0.5 * (s.across.low + s.across.high); });
    }

private:
    /// Pulses and frequencies of a support: edges alone, or enough for a response.
    struct Fineness {
        int pulses, frequencies;
    };
    static constexpr Fineness coarse{9, 2}, fine{65, 33};

    bool all_pulses() const { return image_.processing.sums_all_pulses(); }
    double row_m(double row) const { return (row - static_cast<double>(geometry_.scp_row)) * geometry_.row.spacing_m; }
    double column_m(double column) const {
        return (column - static_cast<double>(geometry_.scp_column)) * geometry_.column.spacing_m;
    }
    Vec3 map_m(double row, double column) const { return vector_of(ground_.at(map_.at(row, column)).place); }
    /// Of a pixel of SICD's.
    Vec3 pixel_m(double row, double column) const {
        const PixelPlace ours = geometry_.ours({row, column});
        return map_m(ours.row, ours.column);
    }
    /// Shadows fall downwards, as SICD has it: rows go away from the antenna as far as those or the columns of the map
    /// do. Rows and columns are seen from above.
    void settle_placement() {
        const double row = 0.5 * static_cast<double>(map_.rows - 1),
                     column = 0.5 * static_cast<double>(map_.columns - 1);
        const Vec3 middle = map_m(row, column), down = unit(map_m(row + 1, column) - middle),
                   across = unit(map_m(row, column + 1) - middle);
        const double seen_s =
            all_pulses() ? start_s_ + 0.5 * (geometry_.pulses_s.low + geometry_.pulses_s.high) : centre_s(middle);
        const Vec3 sight = unit(middle - interpolate(orbit_, seen_s).position_m);
        Placement& lies = geometry_.placement;
        lies.transposed = std::abs(dot(sight, across)) > std::abs(dot(sight, down));
        const Vec3 &rows = lies.transposed ? across : down, &columns = lies.transposed ? down : across;
        lies.rows_backwards = dot(sight, rows) < 0;
        const bool from_above = dot(cross(rows, columns), ellipsoid_normal(middle)) > 0;
        lies.columns_backwards = from_above == lies.rows_backwards;
    }
    Vec3 plane_m(double x, double y) const {
        return geometry_.scp_m + x * geometry_.row.axis + y * geometry_.column.axis;
    }

    double time_at_doppler_s(const Vec3& place, double doppler_hz) const {
        return sicd::time_at_doppler_s(orbit_, image_.acquisition.wavelength_m(), place, doppler_hz,
                                       start_s_ + 0.5 * (geometry_.pulses_s.low + geometry_.pulses_s.high));
    }

    double centroid_hz(const Vec3& place) const {
        const double closest_s = time_at_doppler_s(place, 0);
        return image_.processing.doppler_hz(closest_s, norm(place - interpolate(orbit_, closest_s).position_m));
    }
    double within_pulses_s(double time_s) const {
        return std::clamp(time_s, start_s_ + geometry_.pulses_s.low, start_s_ + geometry_.pulses_s.high);
    }
    double centre_s(const Vec3& place) const { return within_pulses_s(time_at_doppler_s(place, centroid_hz(place))); }

    /// Pulses that are summed at a place.
    Reach aperture_s(const Vec3& place) const {
        if (all_pulses()) return {start_s_ + geometry_.pulses_s.low, start_s_ + geometry_.pulses_s.high};
        const ProcessingRecord& made = image_.processing;
        const double half_hz =
            0.5 * std::min(made.azimuth_bandwidth_hz, image_.acquisition.azimuth_bandwidth_hz.value_or(INFINITY));
        const double middle_hz = centroid_hz(place);
        return {within_pulses_s(time_at_doppler_s(place, middle_hz + half_hz)),
                within_pulses_s(time_at_doppler_s(place, middle_hz - half_hz))};
    }

    Support support_at(const Vec3& place, const Fineness& fineness) const {
        Support support{.all = {}, .down = {INFINITY, -INFINITY}, .across = {INFINITY, -INFINITY}};
        const Reach pulses_s = aperture_s(place);
        const ProcessingRecord& made = image_.processing;
        for (int i = 0; i < fineness.pulses; ++i) {
            const double part = static_cast<double>(i) / (fineness.pulses - 1);
            const Vec3 sight =
                unit(place - interpolate(orbit_, std::lerp(pulses_s.low, pulses_s.high, part)).position_m);
            const double down = dot(sight, geometry_.row.axis), across = dot(sight, geometry_.column.axis);
            for (int k = 0; k < fineness.frequencies; ++k) {
                const double in_band = static_cast<double>(k) / (fineness.frequencies - 1) - 0.5;
                const double per_m =
                    2 / speed_of_light_m_s * (image_.acquisition.carrier_hz + in_band * made.range_bandwidth_hz);
                support.all.push_back(
                    {per_m * down, per_m * across, made.azimuth_window(part - 0.5) * made.range_window(in_band)});
                support.down = {std::min(support.down.low, per_m * down), std::max(support.down.high, per_m * down)};
                support.across = {std::min(support.across.low, per_m * across),
                                  std::max(support.across.high, per_m * across)};
            }
        }
        return support;
    }

    /// From where a place on the ground shows on the plane, at its range and range rate, to where it should.
    double displacement_px(const Vec3& on_ground, const Vec3& on_plane) const {
        const StateVector antenna =
            interpolate(orbit_, all_pulses() ? start_s_ + geometry_.centre_time_s[0][0] : centre_s(on_ground));
        const Vec3 sight = unit(on_ground - antenna.position_m),
                   aside = antenna.velocity_m_s - dot(antenna.velocity_m_s, sight) * sight, off = on_ground - on_plane,
                   &down = geometry_.row.axis, &across = geometry_.column.axis;
        const double a = dot(sight, down), b = dot(sight, across), c = dot(aside, down), d = dot(aside, across),
                     e = dot(sight, off), f = dot(aside, off), determinant = a * d - b * c;
        return std::hypot((e * d - b * f) / determinant / geometry_.row.spacing_m,
                          (a * f - e * c) / determinant / geometry_.column.spacing_m);
    }

    const Image& image_;
    const MapGrid& map_;
    const Orbit& orbit_;
    MapGround ground_;
    double start_s_;
    Reach down_m_, across_m_;
    Geometry& geometry_;
};

}  // namespace

void put_on_plane(const Image& image, double start_s, Geometry& geometry) {
    if (image.map->projection.is_local())
        throw InputError(
            "SICD: tells where on the Earth the image lies, and of a local plane nothing does; name it .h5 or .tif");
    if (!image.processing.terrain.empty())
        throw InputError(
            fmt::format("SICD: the image lies on {}, and SICD's planes know one height; focus without --dem, or name "
                        "it .h5 or .tif",
                        image.processing.terrain));
    if (!(image.processing.range_bandwidth_hz > 0) || !(image.acquisition.carrier_hz > 0))
        throw InputError("SICD: tells where spectra lie, and carrier or bandwidth of the image are not known");
    PlaneGrid grid(image, start_s, geometry);
    grid.place();
    grid.time();
    grid.require_plane();
    grid.spectrum();
}

}  // namespace cornerturn::sicd
