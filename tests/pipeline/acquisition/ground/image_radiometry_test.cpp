// SPDX-License-Identifier: Apache-2.0
// Incidence angles over an image, which sigma0 goes by, against the triangle of a circular orbit over the equator.
#include "pipeline/acquisition/ground/image_radiometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pipeline/acquisition/geometry.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double earth_m = wgs84_equatorial_radius_m, far_m = earth_m + 700e3;

/// Northwards over longitude 0, over the equator at time 0, looking east.
Image image_over_equator() {
    Image image;
    image.acquisition.identification.look_side = LookSide::right;
    Orbit orbit;
    constexpr double turn_rad_s = 7500 / far_m;
    for (int time_s = -10; time_s <= 10; ++time_s) {
        const double angle = turn_rad_s * time_s;
        orbit.add(time_s, {{far_m * std::cos(angle), 0, far_m * std::sin(angle)},
                           {-7500 * std::sin(angle), 0, 7500 * std::cos(angle)}});
    }
    image.acquisition.orbit = orbit;
    image.grid = {.rows = 3,
                  .columns = 129,
                  .first_time_s = -0.5,
                  .time_spacing_s = 0.5,
                  .near_range_m = 850e3,
                  .range_spacing_m = 800};
    return image;
}

/// At the Earth's centre, between the antenna and a place on the equator so far away from it.
double at_centre_rad(double range_m) {
    return std::acos((far_m * far_m + earth_m * earth_m - range_m * range_m) / (2 * far_m * earth_m));
}
double sine_of_incidence(double range_m) {
    const double off_nadir = std::acos((far_m * far_m + range_m * range_m - earth_m * earth_m) / (2 * far_m * range_m));
    return std::sin(at_centre_rad(range_m) + off_nadir);
}

TEST(ImageRadiometry, SigmaGoesByTheIncidenceAngleOnTheZeroDopplerGrid) {
    const Image image = image_over_equator();
    const Radiometry known = radiometry_of(image);
    EXPECT_FALSE(known.calibrated);
    for (const double column : {0.0, 17.0, 64.0, 128.0}) {
        EXPECT_NEAR(known.sigma0.at(1, column), sine_of_incidence(image.grid.range_m(column)), 1e-9) << column;
        EXPECT_EQ(known.beta0.at(1, column), 1);
    }
}

TEST(ImageRadiometry, OnAMapByTheMomentWhenAPlaceIsAbreast) {
    Image image = image_over_equator();
    const double near_deg = at_centre_rad(850e3) * 180 / std::numbers::pi;
    image.map = MapGrid{.projection = MapProjection::geographic(),
                        .rows = 3,
                        .columns = 129,
                        .first_x = near_deg,
                        .x_step = 0.01,
                        .first_y = 0.01,
                        .y_step = -0.01};
    const Radiometry known = radiometry_of(image);
    for (const double column : {0.0, 40.0, 128.0}) {
        const double centre_rad = image.map->x(column) * std::numbers::pi / 180;
        const double range_m =
            std::sqrt(far_m * far_m + earth_m * earth_m - 2 * far_m * earth_m * std::cos(centre_rad));
        EXPECT_NEAR(known.sigma0.at(1, column), sine_of_incidence(range_m), 1e-9) << column;
    }
}

TEST(ImageRadiometry, NeedsAnOrbit) {
    Image image = image_over_equator();
    image.acquisition.orbit.reset();
    expect_in(error_of([&] { radiometry_of(image); }), "the incidence angle follows from an orbit");
}

}  // namespace
}  // namespace cornerturn
