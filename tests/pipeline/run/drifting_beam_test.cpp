// SPDX-License-Identifier: Apache-2.0
// A beam whose Doppler centroid drifts in straight flight.
#include <gtest/gtest.h>

#include "kernels/device/device.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// 3000 lines of straight flight.
Acquisition straight_flight() {
    const Scene scene = small_scene(3000, 600);
    Acquisition acquisition = describe(scene);
    acquisition.orbit.reset();
    acquisition.attitude.reset();
    acquisition.effective_velocity_m_s = scene.velocity_m_s;
    return acquisition;
}

/// 0 Hz in the middle line; from there on either way by `drift_hz`, and by `bend_hz` at both ends.
DopplerSurface changing(const Acquisition& acquisition, double drift_hz, double bend_hz = 0) {
    DopplerSurface surface_hz = constant_doppler(acquisition, 0);
    surface_hz.powers[1][0] = drift_hz;
    surface_hz.powers[2][0] = bend_hz;
    return surface_hz;
}

FocusSetup set_up(const Acquisition& acquisition, const std::optional<DopplerSurface>& told_hz = {}) {
    FocusOptions options = by("rda");
    options.doppler_surface = told_hz;
    if (told_hz) options.doppler_centroid_hz = 0;
    return set_up_focus(*open_device("cpu"), acquisition, options);
}

/// One block had the band of its middle for all of its rows.
void expect_followed(const FocusSetup& setup) {
    EXPECT_FALSE(setup.image.geometry->steady());
    EXPECT_GT(setup.memory.blocks.size(), 2u);
}

void expect_one_block(const FocusSetup& setup) {
    EXPECT_TRUE(setup.image.geometry->steady());
    EXPECT_EQ(setup.memory.blocks.size(), 1u);
}

TEST(DriftingBeam, IsFollowedByBlocks) {
    const Acquisition acquisition = straight_flight();
    expect_one_block(set_up(acquisition, changing(acquisition, 0.5)));
    expect_followed(set_up(acquisition, changing(acquisition, 60)));
}

/// First and last row have the same centroid.
TEST(DriftingBeam, IsFollowedThereAndBack) {
    const Acquisition acquisition = straight_flight();
    expect_one_block(set_up(acquisition, changing(acquisition, 0, 0.5)));
    expect_followed(set_up(acquisition, changing(acquisition, 0, 60)));
}

/// As what a user or the data say.
TEST(DriftingBeam, IsFollowedWhereATableOfTheFileDrifts) {
    Acquisition acquisition = straight_flight();
    const auto set_up_by_table = [&](double drift_hz) {
        acquisition.doppler_of_pixels_hz = changing(acquisition, drift_hz);
        const FocusSetup setup = set_up(acquisition);
        EXPECT_EQ(setup.doppler.origin, DopplerOrigin::file);
        return setup;
    };
    expect_one_block(set_up_by_table(0.5));
    expect_followed(set_up_by_table(60));
}

}  // namespace
}  // namespace cornerturn
