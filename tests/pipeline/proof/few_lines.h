// SPDX-License-Identifier: Apache-2.0
// A scene of one target for tests of what is simulated.
#pragma once

#include "tests/pipeline/small_scene.h"

namespace cornerturn {

/// Small enough to simulate in milliseconds: 64 lines see parts of an aperture of about 160.
inline Scene few_lines() {
    Scene scene = small_scene(64, 400);
    scene.near_range_m = 8000;
    scene.altitude_m = 5000;
    scene.chirp_slope_hz_s = -3.0e13;
    scene.doppler_centroid_hz = 60;
    scene.azimuth_bandwidth_hz = 150;
    scene.targets = std::vector<SceneTarget>{{BeamCentrePosition{30.3, 100.4}, 0.8, 25}};
    return scene;
}

}  // namespace cornerturn
