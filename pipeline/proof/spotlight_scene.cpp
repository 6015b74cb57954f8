// SPDX-License-Identifier: Apache-2.0
#include "pipeline/proof/spotlight_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/errors.h"
#include "pipeline/acquisition/geometry.h"
#include "pipeline/proof/geodesy.h"

namespace cornerturn {
namespace {

constexpr double margin = 0.9;  // of what would be seen whole: the Earth is no plane, and the beam's edge no line

double window_of(const Scene& scene) {
    const double window_s = static_cast<double>(scene.samples) / scene.sample_rate_hz - scene.chirp_duration_s;
    constexpr double least_cells = 16;
    if (!(window_s * std::abs(scene.chirp_slope_hz_s) * scene.chirp_duration_s >= least_cells))
        throw InputError(fmt::format(
            "scene: samples is {}, of which the pulse takes {:.0f}: a spotlight's window would have less than {:.0f} "
            "cells; raise samples",
            scene.samples, scene.chirp_duration_s * scene.sample_rate_hz, least_cells));
    return window_s;
}

}  // namespace

SpotlightScene::SpotlightScene(const Scene& scene, const SceneGeometry& geometry)
    : geometry_(geometry),
      height_m_(scene.height_m),
      spot_on_ground_(!scene.beam.spot_height_m || *scene.beam.spot_height_m == scene.height_m),
      window_s_(window_of(scene)),
      middle_s_(scene.mid_time_s()),
      duration_s_(static_cast<double>(scene.lines - 1) / scene.prf_hz) {
    const StateVector antenna = geometry.radar().track()(middle_s_);
    const Vec3 origin_m = reference_m(middle_s_), up = ellipsoid_normal(origin_m);
    const Vec3 sight_m = origin_m - antenna.position_m;
    const Vec3 x_axis = unit(sight_m - dot(sight_m, up) * up);
    area_.plane = {origin_m, x_axis, cross(up, x_axis)};
    area_.height_m = height_m_;
    const double range_m = norm(sight_m), speed_m_s = norm(antenna.velocity_m_s);
    const double cosine = norm(cross(unit(sight_m), unit(antenna.velocity_m_s)));
    footprint_m_ = range_m * scene.wavelength_m() * scene.azimuth_bandwidth_hz / (2 * speed_m_s * cosine);
    if (duration_s_ > 0)
        slide_m_s_ = dot(reference_m(middle_s_ + 0.5 * duration_s_) - reference_m(middle_s_ - 0.5 * duration_s_),
                         area_.plane.y_axis) /
                     duration_s_;
    const double travel_m = std::abs(slide_m_s_) * duration_s_;
    area_.greatest_x_m = margin * 0.25 * speed_of_light_m_s * window_s_ / dot(unit(sight_m), x_axis);
    area_.greatest_y_m = margin * 0.5 * std::abs(travel_m - footprint_m_);
    area_.least_x_m = -area_.greatest_x_m, area_.least_y_m = -area_.greatest_y_m;
}

bool SpotlightScene::slides() const { return std::abs(slide_m_s_) * duration_s_ > footprint_m_; }

double SpotlightScene::dwell_s() const {
    return slides() ? std::min(duration_s_, footprint_m_ / std::abs(slide_m_s_)) : duration_s_;
}

Vec3 SpotlightScene::reference_m(double time_s) const {
    const Vec3& spot_m = geometry_.spot_m();
    if (spot_on_ground_) return spot_m;
    const Vec3 antenna_m = geometry_.radar().track()(time_s).position_m, sight = unit(spot_m - antenna_m);
    double range_m = 0;
    for (int round = 0; round < 50; ++round) {  // Newton, down from the antenna: the ellipsoid bends away
        const Vec3 place_m = antenna_m + range_m * sight;
        const double above_m = to_geodetic(place_m).height_m - height_m_,
                     falls = -dot(sight, ellipsoid_normal(place_m));
        if (!(falls > 0)) break;
        range_m += above_m / falls;
        if (std::abs(above_m) < 1e-7) return antenna_m + range_m * sight;
    }
    throw InputError(fmt::format(
        "scene: the line from the antenna through the spot (beam.height_m) meets no ground {:.3g} s after the first "
        "pulse; move the spot",
        time_s - geometry_.radar().pulse_time_s(0)));
}

}  // namespace cornerturn
