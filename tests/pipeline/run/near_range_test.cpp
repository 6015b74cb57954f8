// SPDX-License-Identifier: Apache-2.0
// From an aircraft near its scene, gain and migration change visibly from column to column: every chain must follow
// them.
#include <gtest/gtest.h>

#include "kernels/device/device_bench.h"
#include "pipeline/proof/reference_stage.h"
#include "pipeline/proof/scene.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// X band, cells of 1.5 m, noise all over.
Scene scene_at(double near_range_m) {
    Scene scene = small_scene(800, 700);
    scene.near_range_m = near_range_m;
    scene.chirp_slope_hz_s = 90e12;
    scene.chirp_duration_s = 0.8e-6;
    scene.azimuth_bandwidth_hz = 120;
    scene.noise_db = 0;
    scene.targets = {
        {SceneTarget{BeamCentrePosition{400, 30}, 20.0, 0.0}, SceneTarget{BeamCentrePosition{400, 500}, 20.0, 0.0}}};
    return scene;
}

class NearRange : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, NearRange, every_device(), device_name);

TEST_P(NearRange, EveryChainKeeps110Decibels) {
    const auto reference = open_device("cpu-double", 2);
    for (const double near_range_m : {300, 1000, 3000, 16000}) {
        const Echo echo = simulate(scene_at(near_range_m));
        for (const Chain chain : device->bench().chains()) {
            FocusOptions options;
            options.lowering.chain = chain;
            options.azimuth_bandwidth_hz = 120;
            options.force = true;  // short apertures, so the beam is not all; of no matter here
            const FocusResult got = focus(*device, echo, options);
            options.lowering = {.fft_lengths = got.report.setup.memory.lowering.fft_lengths};
            const FocusResult expected = focus(*reference, echo, options);
            EXPECT_GT(signal_to_error_db(got.image.samples, expected.image.samples), 110)
                << near_range_m << " m, " << name_of(chain);
        }
    }
}

}  // namespace
}  // namespace cornerturn
