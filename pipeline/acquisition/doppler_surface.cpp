// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/doppler_surface.h"

#include <algorithm>
#include <cmath>

#include "pipeline/acquisition/geometry.h"

namespace cornerturn {
namespace {

double off_nadir_rad(double nadir_m, double range_m) { return range_m > nadir_m ? std::acos(nadir_m / range_m) : 0.0; }

/// The points where the polynomial is to be asked for them.
std::vector<SurfacePoint> scaled(const DopplerSurface& frame, std::vector<SurfacePoint> points) {
    for (SurfacePoint& point : points) point.y = frame.scaled_range_m(point.y);
    return points;
}

/// Of a low platform: above the ellipsoid, and where the ground is higher than that, as close as the values begin.
std::vector<double> possible_nadirs_m(const std::optional<Orbit>& orbit, const SmoothSurface& frame) {
    if (!orbit || orbit->time_s.size() < 2) return {};
    const double nadir_m = nadir_range_m(*orbit, frame.x_centre), near_m = frame.y_centre - frame.y_half;
    if (nadir_m == 0) return {};
    return {nadir_m, std::min(nadir_m, near_m)};
}

/// Sum of squares.
double error(const DopplerSurface& surface, const std::vector<SurfacePoint>& points) {
    double sum = 0;
    for (const SurfacePoint& point : points) sum += std::pow(point.value - surface(point.x, point.y), 2);
    return sum;
}

/// That spans the places of values.
SmoothSurface frame_of(const std::vector<SurfacePoint>& points) {
    const auto [first, last] =
        std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    const auto [near, far] =
        std::minmax_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
    return {.x_centre = 0.5 * (first->x + last->x),
            .x_half = std::max(1e-9, 0.5 * (last->x - first->x)),
            .y_centre = 0.5 * (near->y + far->y),
            .y_half = std::max(1e-9, 0.5 * (far->y - near->y))};
}

}  // namespace

DopplerSurface::DopplerSurface(const SmoothSurface& polynomial, double nadir_range_m) : SmoothSurface(polynomial) {
    constexpr double least_of_far_edge = 1.01;  // else hardly any of the swath lies on the ground
    if (y_centre + y_half > least_of_far_edge * nadir_range_m) nadir_m = nadir_range_m;
}

double DopplerSurface::scaled_range_m(double range_m) const {
    if (nadir_m == 0) return range_m;
    const double near_rad = off_nadir_rad(nadir_m, y_centre - y_half),
                 far_rad = off_nadir_rad(nadir_m, y_centre + y_half), here_rad = off_nadir_rad(nadir_m, range_m);
    return y_centre + y_half * (2 * (here_rad - near_rad) / (far_rad - near_rad) - 1);
}

double DopplerSurface::range_at_m(double part) const {
    if (nadir_m == 0) return y_centre + part * y_half;
    const double near_rad = off_nadir_rad(nadir_m, y_centre - y_half),
                 far_rad = off_nadir_rad(nadir_m, y_centre + y_half);
    return nadir_m / std::cos(0.5 * (near_rad + far_rad + part * (far_rad - near_rad)));
}

double nadir_range_m(const Orbit& orbit, double time_s, double height_m) {
    constexpr double lowest_satellite_m = 100e3;
    const Vec3 position_m = interpolate(orbit, time_s).position_m;
    const auto below_m = ellipsoid_intersection(position_m, -1.0 * ellipsoid_normal(position_m));
    const double range_m = below_m ? norm(position_m - *below_m) - height_m : 0;
    return range_m < lowest_satellite_m ? std::max(0.0, range_m) : 0;
}

std::vector<std::vector<double>> rows_of(const DopplerSurface& frame, const std::vector<Power>& powers,
                                         std::vector<SurfacePoint> points) {
    return rows_of(static_cast<const SmoothSurface&>(frame), powers, scaled(frame, std::move(points)));
}

DopplerSurface fit_surface(const DopplerSurface& frame, const std::vector<Power>& powers,
                           std::vector<SurfacePoint> points) {
    return {fit_surface(static_cast<const SmoothSurface&>(frame), powers, scaled(frame, std::move(points))),
            frame.nadir_m};
}

DopplerSurface surface_through(const std::vector<SurfacePoint>& points, const std::vector<Power>& powers,
                               const std::optional<Orbit>& orbit) {
    const SmoothSurface frame = frame_of(points);
    DopplerSurface best = fit_surface(DopplerSurface(frame), powers, points);
    constexpr double good_enough = 1e-3;  // of whatever unit
    if (error(best, points) < static_cast<double>(points.size()) * good_enough * good_enough) return best;
    for (const double nadir_m : possible_nadirs_m(orbit, frame)) {
        const DopplerSurface other = fit_surface(DopplerSurface(frame, nadir_m), powers, points);
        if (error(other, points) < error(best, points)) best = other;
    }
    return best;
}

}  // namespace cornerturn
