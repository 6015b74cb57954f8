// SPDX-License-Identifier: Apache-2.0
// A beam whose Doppler centroid drifts in straight flight.
#include <gtest/gtest.h>

#include "kernels/device.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// Over 3000 lines of straight flight by this many Hz, from the middle on either way.
FocusSetup set_up(double drift_hz) {
    Scene scene = small_scene(3000, 600);
    Acquisition acquisition = describe(scene);
    acquisition.orbit.reset();
    acquisition.attitude.reset();
    acquisition.effective_velocity_m_s = scene.velocity_m_s;
    FocusOptions options;
    options.algorithm = "rda";
    options.doppler_centroid_hz = 0;
    options.doppler_surface = constant_doppler(acquisition, 0);
    options.doppler_surface->powers[1][0] = drift_hz;
    return set_up_focus(*open_device("cpu"), acquisition, options);
}

/// One block had the band of its middle for all of its rows.
TEST(DriftingBeam, IsFollowedByBlocks) {
    const FocusSetup still = set_up(0.5), drifting = set_up(60);
    EXPECT_TRUE(still.geometry->steady());
    EXPECT_EQ(still.memory.blocks.size(), 1u);
    EXPECT_FALSE(drifting.geometry->steady());
    EXPECT_GT(drifting.memory.blocks.size(), 2u);
}

}  // namespace
}  // namespace cornerturn
