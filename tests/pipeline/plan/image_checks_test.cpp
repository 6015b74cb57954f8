// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/image_checks.h"

#include <gtest/gtest.h>

#include "kernels/device/device.h"
#include "pipeline/proof/simulator.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

/// An aircraft 2900 m above the ellipsoid, whose slant ranges end at 3493 m.
TEST(ImageChecks, GroundLiesBelowTheAntennaAndWithinItsRanges) {
    const auto device = open_device("cpu");
    Scene scene = small_scene(700, 330);
    Flight flight;
    flight.altitude_m = 2900;
    flight.speed_m_s = 120;
    scene.orbit = flight;
    scene.doppler_centroid_hz = scene.velocity_m_s = 0;
    scene.beam.steering = Steering::fixed;
    scene.targets = {{SceneTarget{BeamCentrePosition{350.3, 60}}}};
    const Acquisition acquisition = describe(scene);
    FocusOptions options;
    options.algorithm = "rda";
    for (const double height_m : {-580.0, 0.0, 2000.0}) {
        options.height_m = height_m;
        EXPECT_EQ(error_of([&] { set_up_focus(*device, acquisition, options); }), "") << height_m;
    }
    for (const double height_m : {-600.0, 2901.0, 9000.0}) {
        options.height_m = height_m;
        expect_refused([&] { set_up_focus(*device, acquisition, options); },
                       {"--height", "no echo comes from ground", "2900 m", "3493 m"});
    }
    options.force = true;
    EXPECT_NE(set_up_focus(*device, acquisition, options).forced_over, "");
}

/// An aperture of some 240 lines at the nearest range.
TEST(ImageChecks, EchoesShorterThanAnApertureAreToldOf) {
    const auto device = open_device("cpu");
    for (const std::int64_t lines : {1, 100, 400}) {
        Scene scene = small_scene(lines, 500);
        scene.targets = {{SceneTarget{BeamCentrePosition{0.5 * static_cast<double>(lines), 60}}}};
        const std::vector<std::string> warnings = set_up_focus(*device, describe(scene), by("rda")).warnings;
        ASSERT_EQ(warnings.size(), lines < 200 ? 1u : 0u) << lines;
        if (!warnings.empty()) expect_in(warnings.front(), "none is seen whole");
    }
}

}  // namespace
}  // namespace cornerturn
