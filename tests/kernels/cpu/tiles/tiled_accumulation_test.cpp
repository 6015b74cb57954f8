// SPDX-License-Identifier: Apache-2.0
// Back-projection in tiles against the sums by their definition. Errors are those that a pass asks for: 100 dB.
#include "kernels/cpu/tiles/tiled_accumulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/tiles/tile_polynomial.h"
#include "kernels/errors.h"
#include "tests/kernels/cpu/tiles/tile_scene.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

struct Comparison {
    double signal_to_error_db = 0;
    std::int64_t exact_tiles = 0;
    bool tiled = false;
    std::vector<Complex64> image;
};

/// Every `every`th pixel is compared. Pixels begin as what no sum is.
Comparison compared(const Accumulation& pass, std::int64_t every, int lanes = vector_lanes(), int threads = 2) {
    const AccumulationGeometry geometry = pass.geometry();
    const std::vector<Complex64> lines = TileScene::noise(pass.lines, pass.cells);
    TiledAccumulation accumulation(pass, threads, lanes);
    Comparison result;
    result.image.assign(static_cast<std::size_t>(pass.rows * pass.columns), {1e9f, NAN});
    accumulation.run(lines.data(), result.image.data());
    result.exact_tiles = accumulation.exact_tiles();
    result.tiled = accumulation.tiling().has_value();
    double signal = 0, error = 0;
    for (std::int64_t i = 0; i < pass.rows * pass.columns; i += every) {
        const Complex128 truth = defined_pixel(pass, geometry, lines.data(), i / pass.columns, i % pass.columns);
        const Complex64 got = result.image[static_cast<std::size_t>(i)];
        const double re = got.re - truth.re, im = got.im - truth.im;
        signal += truth.re * truth.re + truth.im * truth.im;
        error += re * re + im * im;
    }
    result.signal_to_error_db = 10 * std::log10(signal / error);
    return result;
}

void expect_tiles(const TileScene& scene, std::int64_t every = 7, int lanes = vector_lanes()) {
    const Accumulation pass = scene.pass();
    const Comparison got = compared(pass, every, lanes);
    EXPECT_TRUE(got.tiled);
    EXPECT_EQ(got.exact_tiles, 0);
    // Four lanes are for processors that fuse no multiply-add. Where they are compiled for none, each rounds twice:
    // what comes to 101.66 dB otherwise came to 99.75 dB.
    const double rounded_twice_db = lanes == 4 ? 0.5 : 0;
    EXPECT_GT(got.signal_to_error_db, pass.signal_to_error_db - rounded_twice_db);
}

TEST(TiledAccumulation, HoldsOnAStraightTrackForEveryNumberOfLanes) {
    for (const int lanes : {16, 8, 4}) {
        SCOPED_TRACE(lanes);
        expect_tiles({}, 7, lanes);
    }
}

TEST(TiledAccumulation, HoldsForAnySizeOfImage) {
    for (const std::int64_t rows : {1, 31, 33, 67})
        for (const std::int64_t columns : {1, 31, 33, 67}) {
            SCOPED_TRACE(testing::Message() << rows << " x " << columns);
            expect_tiles({.lines = 61, .rows = rows, .columns = columns, .aperture_m = 60}, 1);
        }
}

TEST(TiledAccumulation, HoldsFarAwayWherePhaseLiesInTheCells) {
    for (const int lanes : {16, 8, 4})
        for (const bool windowed : {false, true}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, window " << windowed);
            const TileScene scene{.lines = 150,
                                  .rows = 300,
                                  .columns = 70,
                                  .height_m = 5e5,
                                  .ground_m = 5.5e5,
                                  .aperture_m = 300,
                                  .windowed = windowed};
            const Accumulation pass = scene.pass();
            EXPECT_EQ(TiledAccumulation(pass, 1, lanes).tiling()->along, AlongPhase::in_cells);
            expect_tiles(scene, 31, lanes);
        }
}

TEST(TiledAccumulation, HoldsOnACurvedTrackThatShakes) {
    expect_tiles({.sag_m = 8, .jitter_m = 0.4});
    expect_tiles({.aperture_m = 200, .sag_m = 8, .jitter_m = 0.4, .squint_m = 2000});
}

/// Between lines the antenna jumps by so much that no line tells of its neighbours: there is a frame for each.
TEST(TiledAccumulation, HoldsWhereEachLineNeedsItsOwnFrame) {
    const TileScene scene{.lines = 200,
                          .height_m = 30,
                          .ground_m = 80,
                          .aperture_m = 20,
                          .row_m = 0.1,
                          .column_m = 0.2,
                          .cell_m = 0.1,
                          .jitter_m = 1,
                          .velocity = {5, 0.1, -0.05}};
    EXPECT_LE(TiledAccumulation(scene.pass(), 1).tiling()->block_lines, 2);
    expect_tiles(scene);
}

/// Where phase bends along a tile differently across it, steps grow: else blocks of lines would have to be short.
TEST(TiledAccumulation, HoldsWithLongBlocksNearTheAntenna) {
    for (const int lanes : {16, 8, 4})
        for (const bool windowed : {false, true}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, window " << windowed);
            const TileScene scene{.lines = 400,
                                  .height_m = 2900,
                                  .ground_m = 3600,
                                  .aperture_m = 80,
                                  .row_m = 0.2,
                                  .column_m = 2,
                                  .cell_m = 0.5,
                                  .sag_m = 0.4,
                                  .windowed = windowed};
            const TiledAccumulation made(scene.pass(), 1, lanes);
            EXPECT_EQ(made.tiling()->along, AlongPhase::curved);
            EXPECT_GE(made.tiling()->block_lines, 64);
            expect_tiles(scene, 7, lanes);
        }
}

/// As of UHF under squint: only a few lines lie where the window fades, and weights that were off there were not found.
TEST(TiledAccumulation, HoldsWhereFewLinesFade) {
    TileScene scene{.lines = 270,
                    .rows = 256,
                    .columns = 96,
                    .carrier_hz = 0.488e9,
                    .height_m = 2270,
                    .ground_m = 2000,
                    .aperture_m = 620,
                    .row_m = 1.5,
                    .column_m = 1.9,
                    .cell_m = 0.95,
                    .squint_m = 1300,
                    .velocity = {94, 0, 0}};
    Accumulation pass = scene.pass();
    constexpr int entries = 2001;
    constexpr double fades = 1.0 / 16;
    pass.window = {.bandwidth_hz = 10, .reach = 0.5 + fades, .weight = {}};
    for (int i = 0; i < entries; ++i) {
        const double offset = pass.window.reach * std::fabs(2.0 * i / (entries - 1) - 1);
        pass.window.weight.push_back(static_cast<float>(std::clamp((pass.window.reach - offset) / fades, 0.0, 1.0)));
    }
    EXPECT_GT(compared(pass, 7).signal_to_error_db, pass.signal_to_error_db);
}

TEST(TiledAccumulation, HoldsOnASlantedGrid) {
    for (const double turned : {0.5, 0.785, 1.57, 2.5})
        for (const int lanes : {16, 8}) {
            SCOPED_TRACE(testing::Message() << turned << ", " << lanes << " lanes");
            expect_tiles({.lines = 200, .turned = turned}, 7, lanes);
        }
}

/// Long images along whose diagonals range changes.
TileScene askew(bool left) {
    TileScene scene{.lines = 60, .rows = 1100, .columns = 150, .aperture_m = 60, .row_m = 0.7, .turned = 0.87};
    if (left) {
        std::swap(scene.rows, scene.columns);
        scene.turned = -0.75;
    }
    return scene;
}

/// All pixels are made, those of tiles, too, that reach beyond the image.
TEST(TiledAccumulation, HoldsInShearedTiles) {
    for (const bool left : {false, true})
        for (const int lanes : {16, 8, 4}) {
            SCOPED_TRACE(testing::Message() << left << ", " << lanes << " lanes");
            TileScene scene = askew(left);
            EXPECT_EQ(TiledAccumulation(scene.pass(), 1, lanes).tiles().shear, left ? 1 : -1);
            expect_tiles(scene, 29, lanes);
            scene.windowed = true;
            scene.aperture_m = 300;
            expect_tiles(scene, 97, lanes);
        }
}

/// Of a sheared tile that does not hold all parts do but the one with the peak. No pixel is left out.
TEST(TiledAccumulation, TakesShearedTilesApart) {
    for (const bool left : {false, true})
        for (const std::int64_t place : {70, 1030}) {
            SCOPED_TRACE(testing::Message() << left << ", " << place);
            TileScene scene = askew(left);
            scene.relief_m = 1;
            Accumulation pass = scene.pass();
            pass.geometry = [geometry = pass.geometry(), at = left ? 20 * 1100 + place : place * 150 + 20]() mutable {
                geometry.relief_m[static_cast<std::size_t>(at)] = 1000;
                return geometry;
            };
            EXPECT_NE(TiledAccumulation(pass, 1).tiles().shear, 0);
            const Comparison got = compared(pass, 29);
            EXPECT_EQ(got.exact_tiles, 1);
            EXPECT_GT(got.signal_to_error_db, pass.signal_to_error_db);
            EXPECT_TRUE(std::none_of(got.image.begin(), got.image.end(),
                                     [](const Complex64& pixel) { return std::isnan(pixel.im); }));
        }
}

/// As on maps of a fine echo: the cells of a vector's pixels lie over two, four or more windows' length.
TEST(TiledAccumulation, HoldsWherePixelsAreWideAgainstCells) {
    for (const double column_m : {1.5, 3.0, 6.0})
        for (const double turned : {0.0, 0.2, 1.2})
            for (const int lanes : {16, 8, 4}) {
                SCOPED_TRACE(testing::Message() << column_m << " m, " << turned << ", " << lanes << " lanes");
                expect_tiles({.lines = 90, .row_m = column_m, .column_m = column_m, .turned = turned}, 7, lanes);
            }
    expect_tiles(
        {.lines = 150, .height_m = 5e5, .ground_m = 5.5e5, .row_m = 4, .column_m = 4, .turned = 0.2, .windowed = true});
}

TEST(TiledAccumulation, HoldsOverRelief) {
    expect_tiles({.lines = 200,
                  .rows = 300,
                  .columns = 70,
                  .height_m = 5e5,
                  .ground_m = 5.5e5,
                  .aperture_m = 300,
                  .relief_m = 1500,
                  .rise_m = 8},
                 31);
    // Near by, heights change from line to line what a line adds by more than blocks of eight lines can hold at 100 dB.
    expect_tiles({.aperture_m = 150, .relief_m = 800, .rise_m = 5, .signal_to_error_db = 80});
    expect_tiles({.aperture_m = 150, .turned = 0.7, .relief_m = -100, .rise_m = 0.3, .signal_to_error_db = 80});
}

TEST(TiledAccumulation, WeighsLinesByTheDopplerWindowOfEachPixel) {
    for (const int lanes : {16, 8, 4}) {
        SCOPED_TRACE(lanes);
        expect_tiles({.lines = 500, .windowed = true}, 17, lanes);
    }
    expect_tiles({.lines = 500, .turned = 0.785, .windowed = true}, 17);
}

TEST(TiledAccumulation, HoldsAtLowFrequencyAndWideAperture) {
    expect_tiles({.lines = 2048,
                  .rows = 60,
                  .columns = 70,
                  .carrier_hz = 0.4e9,
                  .ground_m = 7416,
                  .aperture_m = 4000,
                  .row_m = 0.8,
                  .column_m = 0.8},
                 41);
}

TEST(TiledAccumulation, TakesNothingFromBeyondTheCells) {
    for (const double spare : {-30.0, -60.0}) expect_tiles({.spare_cells = spare});
}

TEST(TiledAccumulation, LeavesRowsThatAreNotCoveredZero) {
    Accumulation pass = TileScene{.lines = 64, .aperture_m = 60}.pass();
    for (std::int64_t column = 0; column < pass.columns; ++column)
        pass.covered_rows.push_back({static_cast<std::int32_t>(column), static_cast<std::int32_t>(column + 40)});
    const Comparison got = compared(pass, 1);
    EXPECT_GT(got.signal_to_error_db, pass.signal_to_error_db);
    EXPECT_EQ(got.image[0 * 80 + 70].re, 0);
    EXPECT_EQ(got.image[0 * 80 + 70].im, 0);
}

TEST(TiledAccumulation, SumsExactlyWhereTilesDoNotHold) {
    Accumulation pass = TileScene{.lines = 20, .rows = 20, .columns = 20, .signal_to_error_db = 300}.pass();
    const Comparison got = compared(pass, 1);
    EXPECT_FALSE(got.tiled);
    EXPECT_GT(got.exact_tiles, 0);
    EXPECT_GT(got.signal_to_error_db, 140);  // what single precision stores
}

/// A relief that rises by a kilometre within one tile: there quadratics of the height do not hold.
TEST(TiledAccumulation, SumsExactlyOnlyTheTilesThatDoNotHold) {
    Accumulation pass = TileScene{.lines = 64, .rows = 200, .columns = 80, .aperture_m = 200, .relief_m = 1}.pass();
    pass.geometry = [geometry = pass.geometry()]() mutable {
        geometry.relief_m[70 * 80 + 10] = 1000;
        return geometry;
    };
    const Comparison got = compared(pass, 3);
    EXPECT_TRUE(got.tiled);
    EXPECT_EQ(got.exact_tiles, 1);
    EXPECT_GT(got.signal_to_error_db, pass.signal_to_error_db);
}

/// Sums turn from line to line by nearly the same: what phasors are rounded by must not add up.
TEST(TiledAccumulation, LosesNothingInThousandsOfBlocksOfOneLine) {
    for (const int lanes : {16, 8, 4})
        for (const double rise_m : {5.0, 20.0}) {
            SCOPED_TRACE(testing::Message() << lanes << " lanes, hills of " << rise_m << " m");
            expect_tiles(
                {.lines = 1500, .rows = 32, .columns = 32, .aperture_m = 3000, .relief_m = 800, .rise_m = rise_m}, 97,
                lanes);
        }
}

/// Near by, heights need blocks of few lines, and those below an orbit do not.
TEST(TiledAccumulation, TellsBeforehandWhatHillsCost) {
    EXPECT_EQ(tiled_rate(TileScene{}.pass()), 1);
    const TileScene below_orbit{
        .lines = 200, .rows = 300, .columns = 70, .height_m = 5e5, .ground_m = 5.5e5, .relief_m = 1500, .rise_m = 8};
    EXPECT_GT(tiled_rate(below_orbit.pass()), 0.4);
    const Accumulation near_by = TileScene{.aperture_m = 150, .relief_m = 800, .rise_m = 20}.pass();
    EXPECT_LT(tiled_rate(near_by), 0.2);
    EXPECT_GT(tiled_rate(near_by), 0.05);
    EXPECT_EQ(compared(near_by, 101).exact_tiles, 0);
}
/// No polynomial follows it.
TEST(TiledAccumulation, TellsBeforehandWhatScreeCosts) {
    Accumulation pass = TileScene{.lines = 64, .relief_m = 1}.pass();
    pass.geometry = [geometry = pass.geometry()]() mutable {
        for (std::size_t i = 0; i < geometry.relief_m.size(); i += 3) geometry.relief_m[i] = 2000;
        return geometry;
    };
    EXPECT_LT(tiled_rate(pass), 0.02);
    EXPECT_GT(compared(pass, 101).exact_tiles, 0);
}

TEST(TiledAccumulation, LinesThatSeeNothingLeaveZeros) {
    Accumulation pass = TileScene{.lines = 64, .windowed = true}.pass();
    pass.window.weight.assign(pass.window.weight.size(), 0.0f);
    const std::vector<Complex64> lines = TileScene::noise(pass.lines, pass.cells);
    std::vector<Complex64> image(static_cast<std::size_t>(pass.rows * pass.columns), {1, 1});
    TiledAccumulation(pass, 2).run(lines.data(), image.data());
    EXPECT_TRUE(
        std::all_of(image.begin(), image.end(), [](const Complex64& pixel) { return pixel.re == 0 && pixel.im == 0; }));
}

TEST(TiledAccumulation, StopsWhenAsked) {
    const Accumulation pass = TileScene{}.pass();
    const std::vector<Complex64> lines(static_cast<std::size_t>(pass.lines * pass.cells));
    std::vector<Complex64> image(static_cast<std::size_t>(pass.rows * pass.columns));
    TiledAccumulation accumulation(pass, 2);
    {
        const StoppedJob stopped;
        EXPECT_THROW(accumulation.run(lines.data(), image.data()), Interrupted);
    }
}

TEST(TilePolynomial, IsThePolynomialThatItWasMadeOf) {
    const auto f = [](double x, double y, double h) {
        return 1 + x * (2 - 0.1 * x * x * y) + 0.3 * y * y * y - 0.01 * h * h + 0.02 * x * y * h;
    };
    const TilePolynomial p = TileFit(3, 5, 7)(f);
    EXPECT_NEAR(p.at(1.5, -2.5, 3), f(1.5, -2.5, 3), 1e-11);
    EXPECT_NEAR(p.at(-3, 5, -7), f(-3, 5, -7), 1e-11);
}

}  // namespace
}  // namespace cornerturn
