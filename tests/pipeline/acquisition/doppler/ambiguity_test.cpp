// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/doppler/ambiguity.h"

#include <gtest/gtest.h>

#include <vector>

namespace cornerturn {
namespace {

Ambiguity decided(const std::vector<AmbiguityVote>& votes) { return ambiguity_of(votes); }

TEST(Ambiguity, NothingIsKnownWithoutVotes) {
    EXPECT_EQ(decided({}).multiple, 0);
    EXPECT_EQ(decided({}).confidence, 0);
}

TEST(Ambiguity, OneGoodVoteIsCertainAndAPoorOneIsNot) {
    EXPECT_EQ(decided({{-2.04, 0.05}}).multiple, -2);
    EXPECT_GT(decided({{-2.04, 0.05}}).confidence, certain_confidence);
    EXPECT_LT(decided({{-2.04, 0.05}}).confidence, 0.9995) << "one method may be wrong altogether";
    EXPECT_LT(decided({{-2.04, 0.5}}).confidence, 0.8);
    EXPECT_LT(decided({{3.0, 5.0}}).confidence, 0.1);
    EXPECT_LT(decided({{0.5, 0.01}}).confidence, 0.51) << "halfway between two";
}

TEST(Ambiguity, AgreementAddsAndContradictionTakesAway) {
    EXPECT_GT(decided({{1.02, 0.1}, {0.9, 0.3}}).confidence, decided({{1.02, 0.1}}).confidence);
    const Ambiguity contradiction = decided({{1.0, 0.05}, {3.0, 0.05}});
    EXPECT_LT(contradiction.confidence, 0.6);
    // A vague vote does not outweigh a sharp one.
    EXPECT_EQ(decided({{1.0, 0.05}, {-1.5, 2.0}}).multiple, 1);
    EXPECT_GT(decided({{1.0, 0.05}, {-1.5, 2.0}}).confidence, certain_confidence);
}

}  // namespace
}  // namespace cornerturn
