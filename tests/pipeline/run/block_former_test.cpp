// SPDX-License-Identifier: Apache-2.0
// An algorithm that finds within its work that it does not hold.
#include "pipeline/run/block_former.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "kernels/steps/steps.h"
#include "pipeline/formers/back_projection.h"
#include "pipeline/proof/simulator.h"
#include "pipeline/run/frame_run.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

/// Back-projection, which gives up once it looks at the track.
Formation gives_up(const Acquisition& acquisition, const ImagePlan& image) {
    Formation formation = back_projection(acquisition, image);
    formation.algorithm.steps = [steps_at = formation.algorithm.steps](const FftLengths& fft) {
        Steps steps = steps_at(fft);
        std::get<Accumulation>(steps.back().work).geometry = []() -> AccumulationGeometry {
            throw Unsupported("cells do not follow");
        };
        return steps;
    };
    return formation;
}

class GivingUp : public testing::Test {
protected:
    static void SetUpTestSuite() {
        add_former({.name = "gives_up",
                    .title = "that gives up",
                    .holds_for = "nothing",
                    .form = gives_up,
                    .follows_rows = true,
                    .sums_pixels = true,
                    .weighs_pulses = true});
    }

    /// As planned by an algorithm that was asked for, or taken.
    FocusReport run(const std::string& asked, ImageInMemory& image) {
        FocusOptions options = by("gives_up");
        options.memory.most_rows = 300;
        EchoInMemory source(echo);
        EchoSource* frame = &source;
        std::vector<FocusSetup> setups{set_up_focus(*device, echo.acquisition, options)};
        EXPECT_GT(setups[0].memory.blocks.size(), 1u);
        options.algorithm = asked;
        return focus_planned_frames(*device, std::span(&frame, 1), options, std::move(setups), image, {}, {}).front();
    }

    std::unique_ptr<Device> device = open_device("cpu", 2);
    Echo echo = simulate(one_target());
};

TEST_F(GivingUp, IsFollowedByTheSumOfEachPixelWhereNobodyAskedForIt) {
    ImageInMemory image;
    const FocusReport report = run("auto", image);
    ASSERT_EQ(report.warnings.size(), report.setup.memory.blocks.size());
    EXPECT_EQ(report.warnings[0], "rows 0 to 299 are summed pixel by pixel, as gives_up gave up: cells do not follow");
    FocusOptions options = by("backprojection");
    options.memory.most_rows = 300;
    EXPECT_EQ(image.image.samples, focus(*device, echo, options).image.samples);
}

TEST_F(GivingUp, IsTheEndOfAnAlgorithmThatWasAskedFor) {
    ImageInMemory image;
    EXPECT_THROW(run("gives_up", image), Unsupported);
}

}  // namespace
}  // namespace cornerturn
