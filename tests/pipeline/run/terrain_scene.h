// SPDX-License-Identifier: Apache-2.0
// Scenes over a terrain, and how well an image shows their targets.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "pipeline/measure/point_analysis.h"
#include "pipeline/proof/geodesy.h"
#include "pipeline/proof/scene_geometry.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"
#include "tests/pipeline/terrain_by_formula.h"

namespace cornerturn {

/// Puts a target, whose place in the beam is given, on the terrain.
inline void lift(SceneTarget& target, const SceneGeometry& geometry, const HeightModel& height_m) {
    for (int round = 0; round < 8; ++round) {
        const Geodetic place = to_geodetic(geometry.locate(target).place_m);
        target.height_m = height_m(place.latitude_deg, place.longitude_deg);
    }
}

/// Nine places in the beam, on the terrain.
inline void put_targets(Scene& scene, const HeightModel& height_m) {
    scene.targets.emplace();
    const double last_sample = static_cast<double>(scene.samples) - scene.chirp_duration_s * scene.sample_rate_hz;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            SceneTarget target{BeamCentrePosition{700.3 + 0.5 * i * (static_cast<double>(scene.lines) - 1400) + 40 * k,
                                                  60.2 + 0.5 * k * (last_sample - 260.4) + 23 * i},
                               1.0, 30.0 * i, 0.0};
            lift(target, SceneGeometry(scene), height_m);
            scene.targets->push_back(target);
        }
}

inline Geodetic middle_of(const Scene& scene) {
    const SceneGeometry geometry(scene);
    return to_geodetic(
        geometry.place_in_beam({0.5 * static_cast<double>(scene.lines), 0.5 * static_cast<double>(scene.samples)}, 0));
}

/// From the foot of a slope of so many metres per degree to 2500 m.
inline HeightModel slope_about(const Geodetic& middle, double per_latitude_m, double per_longitude_m) {
    return [=](double latitude_deg, double longitude_deg) {
        return 1250 + per_latitude_m * (latitude_deg - middle.latitude_deg) +
               per_longitude_m * (longitude_deg - middle.longitude_deg);
    };
}

struct Worst {
    double azimuth_px = 0, range_px = 0, phase_deg = 0;
};
inline Worst worst_of(const Image& image) {
    Worst worst;
    for (const AnalysisTarget& target : known_targets(image)) {
        const PointAnalysis point = analyze_point(image, target);
        EXPECT_EQ(point.refused, "");
        worst.azimuth_px = std::max(worst.azimuth_px, std::abs(point.azimuth.position_error_px.value_or(99)));
        worst.range_px = std::max(worst.range_px, std::abs(point.range.position_error_px.value_or(99)));
        worst.phase_deg = std::max(worst.phase_deg, std::abs(point.phase_error_deg.value_or(180)));
    }
    return worst;
}

inline FocusOptions over(std::shared_ptr<TerrainSource> terrain) {
    FocusOptions options;
    options.terrain = std::move(terrain);
    return options;
}

}  // namespace cornerturn
