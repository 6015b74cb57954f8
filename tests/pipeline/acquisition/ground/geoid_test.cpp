// SPDX-License-Identifier: Apache-2.0
// Undulations against NGA's own: the sample points of its program F477 (OUTPUT.DAT of EGM96, 1998).
#include "pipeline/acquisition/ground/geoid.h"

#include <gtest/gtest.h>

#include <array>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

TEST(Geoid, StandsAboveTheEllipsoidAsNgaSays) {
    const auto geoid = Geoid::find(GeoidModel::egm96);
    if (!geoid) GTEST_SKIP() << "PROJ has no grid of EGM96 here";
    struct Place {
        double latitude_deg, longitude_deg, height_m;
    };
    // Linear between points a quarter of a degree apart, where F477 uses splines: a few cm, 0.1 m in mountains.
    for (const Place& place : {Place{38.628155, 269.779155, -31.628}, Place{-14.621217, 305.021114, -2.969},
                               Place{46.874319, 102.448729, -43.575}, Place{-23.617446, 133.874712, 15.871},
                               Place{38.625473, 359.9995, 50.066}, Place{-0.466744, 0.0023, 17.329}}) {
        const std::array longitudes_deg{place.longitude_deg, place.longitude_deg - 360};
        std::array<double, 2> height_m{};
        geoid->heights_m(place.latitude_deg, longitudes_deg, height_m);
        EXPECT_NEAR(height_m[0], place.height_m, 0.25) << place.latitude_deg;
        EXPECT_NEAR(height_m[1], height_m[0], 1e-6) << "a turn further";
    }
    EXPECT_FALSE(geoid->grid().empty());
    const double beyond_deg = 0;
    double none_m = 0;
    EXPECT_THROW(geoid->heights_m(95, {&beyond_deg, 1}, {&none_m, 1}), InputError);
}

}  // namespace
}  // namespace cornerturn
