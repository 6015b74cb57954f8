// SPDX-License-Identifier: Apache-2.0
// Which algorithm a scene is given where nobody chose one.
#include "pipeline/formers/automatic.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/pipeline/formers/focused_scene.h"

namespace cornerturn {
namespace {

FormerChoice choice_for(const Scene& scene, const VelocityProfile* velocity = nullptr) {
    const Acquisition acquisition = describe(scene);
    FormerParameters parameters = parameters_of(acquisition);
    if (velocity != nullptr) parameters.velocity = *velocity;
    return choose_former(acquisition, plan_image(acquisition, parameters));
}

TEST(AutomaticChoice, IsRangeDopplerWhereTheCouplingIsTheSameAtAllRanges) {
    for (const char* preset : {"spaceborne", "airborne", "squint"}) {
        const FormerChoice choice = choice_for(preset_scene(preset));
        EXPECT_EQ(choice.former->name, "rda") << preset << ": " << choice.why;
    }
}

TEST(AutomaticChoice, IsOmegaKForAWideBandAndAperture) {
    const FormerChoice choice = choice_for(wide_scene());
    EXPECT_EQ(choice.former->name, "omegak") << choice.why;
    EXPECT_NE(choice.why.find("range-Doppler would leave"), std::string::npos) << choice.why;
}

/// As OmegaKLimits.RefusesCouplingThatVelocitiesBend.
TEST(AutomaticChoice, IsBackProjectionWhereOmegaKRefusesToo) {
    const VelocityProfile bent(600, 1600, 6, [](double at) { return 60.0 * (1 + 3e-7 * (at - 1100) * (at - 1100)); });
    const FormerChoice choice = choice_for(wide_scene(), &bent);
    EXPECT_EQ(choice.former->name, "backprojection") << choice.why;
    EXPECT_NE(choice.why.find("rad of range-azimuth coupling"), std::string::npos) << choice.why;
}

TEST(AutomaticChoice, IsToldInReports) {
    const FormerChoice choice = choice_for(preset_scene("spaceborne"));
    const FormerNote note = note_of(choice);
    EXPECT_EQ(note.key, "algorithm_choice");
    EXPECT_EQ(note.text, "rda: " + choice.why);
}

}  // namespace
}  // namespace cornerturn
