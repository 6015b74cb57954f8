// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/tiles/frame_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cpu/tiles/aligned_floats.h"
#include "kernels/host/vector_clones.h"
#include "kernels/math/phasor.h"

namespace cornerturn {
namespace {

struct Case {
    int lanes;
    bool hills;
};

class FrameStepOf : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        const auto [lanes, hills] = GetParam();
        if (lanes > vector_lanes()) GTEST_SKIP() << "this processor has " << vector_lanes() << " lanes";
        const int across = lanes == 4 ? 4 : lanes / 2;
        layout = {lanes, across, lanes / across, 32 / across, 16 / (lanes / across * vectors_at_a_time)};
        for (int group = 0; group < layout.groups; ++group)
            for (int strip = 0; strip < layout.strips; ++strip)
                for (int vector = 0; vector < vectors_at_a_time; ++vector)
                    for (int lane = 0; lane < lanes; ++lane) {
                        const auto i = static_cast<std::size_t>(layout.first_of(group, strip, vector) + lane);
                        x[i] = static_cast<float>(layout.x(strip, lane));
                        y[i] = static_cast<float>(layout.y(group, vector, lane));
                        height_m[i] = hills ? 3 * std::sin(x[i] + 2 * y[i]) : 0;
                        re[i] = std::cos(x[i]);
                        im[i] = y[i];
                    }
        before_re.assign(re.data(), re.data() + pixels);
        before_im.assign(im.data(), im.data() + pixels);
    }
    TilePixels tile_pixels() const { return {layout.pixels(), x.data(), y.data(), height_m.data()}; }
    TilePolynomial polynomial(double scale) const {
        return TileFit(16, 8, GetParam().hills ? 3 : 0)([scale](double across, double along, double height) {
            return scale * (0.3 + 0.02 * across - 0.05 * along + 0.002 * across * along +
                            0.001 * along * along * along + 0.01 * height * (1 + 0.1 * height));
        });
    }
    BentExtremes step(const TilePolynomial& turn, const TilePolynomial& bend, CellBends bends) {
        return frame_stepper(layout.lanes)(tile_pixels(), layout,
                                           {.turn = turn,
                                            .bend = bend,
                                            .bends = bends,
                                            .re = re.data(),
                                            .im = im.data(),
                                            .bent = bent.data(),
                                            .least = least.data(),
                                            .most = most.data()});
    }

    static constexpr std::size_t pixels = 512;
    TileLayout layout;
    std::vector<double> height_m = std::vector<double>(pixels);
    AlignedFloats x{pixels}, y{pixels}, re{pixels}, im{pixels}, bent{pixels}, least{pixels}, most{pixels};
    std::vector<float> before_re, before_im;
};

TEST_P(FrameStepOf, TurnsSumsAndBendsPixels) {
    const TilePolynomial turn = polynomial(0.2), bend = polynomial(10);
    step(turn, bend, CellBends::along);
    ASSERT_EQ(layout.pixels(), static_cast<int>(pixels));
    for (std::size_t i = 0; i < pixels; ++i) {
        const Complex128 by = unit_phasor<double>(turn.at(x[i], y[i], height_m[i]));
        EXPECT_NEAR(re[i], before_re[i] * by.re - before_im[i] * by.im, 1e-5) << i;
        EXPECT_NEAR(im[i], before_re[i] * by.im + before_im[i] * by.re, 1e-5) << i;
        EXPECT_NEAR(bent[i], y[i] + bend.at(x[i], y[i], height_m[i]), 1e-5) << i;
    }
}

TEST_P(FrameStepOf, FindsTheExtremesOfEachVector) {
    const TilePolynomial bend = polynomial(10);
    const BentExtremes all = step({}, bend, CellBends::apart);
    for (std::size_t i = 0; i < pixels; ++i) EXPECT_NEAR(bent[i], bend.at(x[i], y[i], height_m[i]), 1e-5) << i;
    for (int vector = 0; vector * layout.lanes < static_cast<int>(pixels); ++vector) {
        const float* const of_vector = bent.data() + vector * layout.lanes;
        const auto [low, high] = std::minmax_element(of_vector, of_vector + layout.lanes);
        EXPECT_EQ(least[static_cast<std::size_t>(vector)], *low);
        EXPECT_EQ(most[static_cast<std::size_t>(vector)], *high);
    }
    const auto [low, high] = std::minmax_element(bent.data(), bent.data() + pixels);
    EXPECT_EQ(all.least, *low);
    EXPECT_EQ(all.most, *high);
    EXPECT_TRUE(std::equal(before_re.begin(), before_re.end(), re.data())) << "no turn";
}

INSTANTIATE_TEST_SUITE_P(, FrameStepOf,
                         ::testing::Values(Case{4, false}, Case{4, true}, Case{8, false}, Case{8, true},
                                           Case{16, false}, Case{16, true}),
                         [](const auto& info) {
                             return std::to_string(info.param.lanes) + (info.param.hills ? "OverHills" : "Level");
                         });

}  // namespace
}  // namespace cornerturn
