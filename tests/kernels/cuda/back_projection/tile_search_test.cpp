// SPDX-License-Identifier: Apache-2.0
// Which kernel of the GPU's back-projection is looked at first, and which ones hold.
#include "kernels/cuda/back_projection/tile_search.h"

#include <gtest/gtest.h>

#include "kernels/cuda/back_projection/tile_kernel.cuh"
#include "tests/kernels/back_projection/accumulation_scene.h"

namespace cornerturn {
namespace {

/// Not to be launched.
template <class Tiling, bool Follows>
TileKernel kernel(double rate) {
    return {.tile = {Tiling::across, Tiling::along},
            .along = Tiling::along_phase,
            .bends = Tiling::cell_bends,
            .entries = Tiling::entries,
            .stage_lines = Tiling::warps,
            .most_block_lines = 64,
            .follows = Follows,
            .largest_step_cycles = largest_step_cycles(Tiling::apart),
            .part_between_bends = Tiling::part_between_bends(),
            .rate = rate,
            .shared_bytes = TileAccumulation<Tiling, false, Follows>::shared_bytes,
            .reserve = nullptr,
            .launch = nullptr};
}

const TileKernel kernels[] = {kernel<RangeTiling<2>, false>(1), kernel<SmallTiling<4>, true>(0.5)};
constexpr std::size_t shared_limit = 227 * 1024;

std::optional<TileChoice> first_choice(const AccumulationScene& scene, double signal_to_error_db,
                                       std::size_t shared = shared_limit) {
    AccumulationCase of = accumulation_case(scene);
    of.pass.signal_to_error_db = signal_to_error_db;
    const auto found = TileSearch(of.pass, of.geometry, kernels, shared).next();
    return found ? std::optional(found->choice) : std::nullopt;
}

TEST(TileSearch, TakesTheFastestKernelFromAfar) {
    const auto choice = first_choice({.range_m = 600e3, .aperture_deg = 0.02}, 90);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->kernel, &kernels[0]);
}

TEST(TileSearch, FollowsPixelsNearTheAntenna) {
    const AccumulationScene near{.range_m = 3e3, .aperture_deg = 0.3, .rows = 70, .columns = 67};
    const auto choice = first_choice(near, 80);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->kernel, &kernels[1]);
    EXPECT_GT(choice->segment_lines, 0);
    EXPECT_EQ(choice->segment_lines % choice->block_lines, 0);
}

TEST(TileSearch, OffersOnlySlowerOnesBehindTheFirst) {
    const AccumulationCase of = accumulation_case({.range_m = 600e3, .aperture_deg = 0.02});
    TileSearch search(of.pass, of.geometry, kernels, shared_limit);
    double last = 1;
    int found = 0;
    for (; const auto next = search.next(); ++found) {
        EXPECT_LE(next->choice.rate(), last);
        last = next->choice.rate();
    }
    EXPECT_GT(found, 1);
}

/// As over a hill whose tiles do not hold.
TEST(TileSearch, TakesWhatHoldsInPartIfNothingHoldsEverywhere) {
    AccumulationCase of =
        accumulation_case({.range_m = 100e3, .aperture_deg = 0.1, .rows = 300, .columns = 130, .relief_m = 150});
    for (std::size_t i = 0; i < of.geometry.relief_m.size(); ++i)
        if (i > of.geometry.relief_m.size() / 4) of.geometry.relief_m[i] = 0;
    TileSearch search(of.pass, of.geometry, kernels, shared_limit);
    const auto found = search.next();
    ASSERT_TRUE(found);
    EXPECT_LT(found->rate, 0.5 * found->choice.rate());
    EXPECT_GT(found->rate, exact_rate);
    EXPECT_FALSE(search.next());
}
TEST(TileSearch, FindsNoneThatIsExact) { EXPECT_FALSE(first_choice({.range_m = 3e3, .aperture_deg = 2}, 300)); }
TEST(TileSearch, FindsNoneWithoutSharedMemory) { EXPECT_FALSE(first_choice({.range_m = 600e3}, 60, 64)); }

}  // namespace
}  // namespace cornerturn
