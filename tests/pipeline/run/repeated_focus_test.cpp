// SPDX-License-Identifier: Apache-2.0
// Frames that come one after the other: what is kept between them changes no image.
#include "pipeline/run/repeated_focus.h"

#include <gtest/gtest.h>

#include "pipeline/proof/simulator.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/small_scene.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

Scene point_scene(std::int64_t lines, std::int64_t samples) {
    Scene scene = small_scene(lines, samples);
    scene.targets = {{SceneTarget{BeamCentrePosition{150.3, 100.4}, 2.0, 40.0}}};
    return scene;
}

class RepeatedFocusOn : public EveryDevice {
protected:
    std::vector<std::complex<float>> formed(RepeatedFocus& repeated, const Echo& echo) {
        EchoInMemory source(echo);
        ImageInMemory sink;
        report_ = repeated.run(source, set_up_focus(*device, echo.acquisition, options_), sink);
        return sink.image.samples;
    }
    std::vector<std::complex<float>> formed_alone(const Echo& echo) {
        return focus(*device, echo, options_).image.samples;
    }
    FocusOptions options_;
    FocusReport report_;
};
INSTANTIATE_TEST_SUITE_P(Devices, RepeatedFocusOn, every_device(), device_name);

TEST_P(RepeatedFocusOn, MakesTheImagesThatAreMadeAlone) {
    const Echo first = simulate(point_scene(331, 503)), other = simulate(point_scene(400, 450));
    RepeatedFocus repeated(*device, options_);
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_FALSE(report_.plans_reused);
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_TRUE(report_.plans_reused);
    EXPECT_EQ(formed(repeated, other), formed_alone(other));
    EXPECT_FALSE(report_.plans_reused);
    repeated.release();
    EXPECT_EQ(formed(repeated, first), formed_alone(first));
    EXPECT_EQ(report_.blocks_formed, 1u);
}

TEST_P(RepeatedFocusOn, GoesOnAfterAJobThatWasStopped) {
    const Echo echo = simulate(point_scene(331, 503));
    RepeatedFocus repeated(*device, options_);
    {
        const StoppedJob stopped;
        EXPECT_THROW(formed(repeated, echo), Interrupted);
    }
    EXPECT_EQ(formed(repeated, echo), formed_alone(echo));
}

}  // namespace
}  // namespace cornerturn
