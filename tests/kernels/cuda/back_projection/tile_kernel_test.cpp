// SPDX-License-Identifier: Apache-2.0
// The GPU's kernels of back-projection in the emulator: the very bodies that run on a GPU, against the sums in double
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/back_projection/accumulation_plan.h"
#include "kernels/back_projection/window_entries.h"
#include "kernels/cuda/back_projection/tile_kernel.cuh"
#include "tests/kernels/back_projection/accumulation_scene.h"
#include "tests/kernels/emulator.h"

namespace cornerturn {
namespace {

/// An emulated block with what these kernels ask for beside.
struct AccumulationBlock : EmulatedBlock {
    explicit AccumulationBlock(const EmulatedBlock& block) : EmulatedBlock(block) {}
    int not_known(int value) const { return value; }
    template <class T>
    void in_memory(T&) const {}
    float quotient(float a, float b) const { return a / b; }
    float saturated(float value) const { return std::clamp(value, 0.0f, 1.0f); }
    WindowEntry window_entry(const WindowEntry* first, float whole) const {
        return first[static_cast<std::ptrdiff_t>(whole - to_whole)];
    }
    static constexpr float to_whole = 12582912.0f;
    bool any_in_warp(bool value) const { return value; }  // a thread may go its own way
    float cosine(float angle) const { return std::cos(angle); }
    float sine(float angle) const { return std::sin(angle); }
    Complex64 compressed(const Complex64* from) const { return *from; }
    static constexpr unsigned bits_of_zero = 0x4B400000u;
    unsigned table_origin(const Float4* entry) const {
        return static_cast<unsigned>(reinterpret_cast<const std::byte*>(entry) - memory<std::byte>()) -
               (bits_of_zero << 4);
    }
    Float4 entry(unsigned origin, float cell) const {
        const float whole = cell + to_whole;
        unsigned bits;
        std::memcpy(&bits, &whole, sizeof bits);
        Float4 value;
        std::memcpy(&value, memory<std::byte>() + ((bits << 4) + origin), sizeof value);
        return value;
    }
};

template <class Tiling, bool Weighted, bool Follows>
std::vector<Complex64> run_tiles(const AccumulationCase& of, int block_lines, int segment_lines, TiledImage& tiled) {
    const Accumulation& pass = of.pass;
    tiled = tiled_image(pass, of.geometry, {Tiling::across, Tiling::along}, Shear::where_it_pays);
    std::vector<PlannedTile> tiles;
    for (std::int64_t y = 0; y < tiled.tiles_along(); ++y)
        for (std::int64_t x = 0; x < tiled.tiles_across(); ++x) {
            const Tile tile(pass, of.geometry, tiled, x, y);
            tiles.push_back({static_cast<int>(x), static_cast<int>(y), tile.lines(), tile.heights()});
        }
    std::vector<Complex64> image(static_cast<std::size_t>(pass.rows * pass.columns), Complex64{NAN, NAN});
    const std::vector<WindowEntry> of_window = window_entries(pass.window);
    const DopplerWindowView window = view_of(pass.window, pass.window.weight.data());
    const double entries = window.per_hz * SampledTiles(pass, of.geometry, tiled).offsets_along_hz();
    const TileAccumulation<Tiling, Weighted, Follows> kernel{
        {.compressed = of.compressed.data(),
         .image = image.data(),
         .lines = pass.lines,
         .cells = pass.cells,
         .rows = pass.rows,
         .columns = pass.columns,
         .timing = pass.timing,
         .paths = of.geometry.paths.data(),
         .mesh = view_of(of.geometry.pixels),
         .window = window,
         .relief_m = of.geometry.relief_m.empty() ? nullptr : of.geometry.relief_m.data(),
         .covered_rows = pass.covered_rows.empty() ? nullptr : pass.covered_rows.data(),
         .tiled = tiled,
         .tiles = tiles.data(),
         .tile_count = static_cast<std::int64_t>(tiles.size()),
         .scale = TileScale(tiled),
         .block_lines = block_lines,
         .segment_lines = segment_lines,
         .window_entries = of_window.data(),
         .straight_from_middle = Weighted ? even_from_middle(pass.window.weight, entries, Tiling::along_phase,
                                                             Tiling::part_between_bends(), 1e-5)
                                          : 0,
         .level_from_middle = Weighted ? straight_from_middle(pass.window.weight, entries, true, 1e-5) : 0,
         .cells_per_cycle = pass.timing.cell_rate_hz / pass.timing.carrier_hz}};
    EXPECT_LE((TileAccumulation<Tiling, Weighted, Follows>::shared_bytes(block_lines)), EmulatedBlock::launch_bytes);
    Emulator emulator(Tiling::threads, 1);
    emulator.run(tiled.tiles_across() * tiled.tiles_along(),
                 [&](const EmulatedBlock& block) { kernel.run(AccumulationBlock(block)); });
    return image;
}

double signal_to_error_db(const AccumulationCase& of, const std::vector<Complex64>& image) {
    double signal = 0, error = 0;
    for (std::int64_t row = 0; row < of.pass.rows; ++row)
        for (std::int64_t column = 0; column < of.pass.columns; ++column) {
            const Complex64 got = image[static_cast<std::size_t>(row * of.pass.columns + column)];
            const bool covered =
                of.pass.covered_rows.empty() || (row >= of.pass.covered_rows[static_cast<std::size_t>(column)].first &&
                                                 row < of.pass.covered_rows[static_cast<std::size_t>(column)].last);
            const std::complex<double> want = covered ? accumulated(of, row, column) : 0.0;
            signal += std::norm(want);
            error += std::norm(std::complex<double>(static_cast<double>(got.re), static_cast<double>(got.im)) - want);
        }
    return 10 * std::log10(signal / error);
}

/// As good as was predicted, but for single precision.
template <class Tiling, bool Weighted = false, bool Follows = true>
void expect_as_predicted(const AccumulationScene& scene, int block_lines, int segment_lines, double least_db,
                         int shear = 0) {
    const AccumulationCase of = accumulation_case(scene);
    TiledImage tiled;
    ASSERT_EQ(of.pass.window.weight.empty(), !Weighted);
    const std::vector<Complex64> image = run_tiles<Tiling, Weighted, Follows>(of, block_lines, segment_lines, tiled);
    EXPECT_EQ(tiled.shear, shear);
    const SampledTiles tiles(of.pass, of.geometry, tiled);
    EXPECT_LE(tiles.cells(), Tiling::entries);
    const TileMethod method{Tiling::along_phase, Tiling::cell_bends, framing_of(Tiling::along_phase, segment_lines),
                            segment_lines, largest_step_cycles(Tiling::apart)};
    const double predicted_db = tiles.signal_to_error_db(method, block_lines);
    const double got_db = signal_to_error_db(of, image);
    EXPECT_GE(got_db, std::min(predicted_db, 104.0) - 3) << "predicted " << predicted_db << " dB";
    EXPECT_GE(got_db, least_db) << "predicted " << predicted_db << " dB";
}

constexpr auto straight = AlongPhase::straight, curved = AlongPhase::curved;
constexpr int quadratic = 0, quartic = 0;

TEST(AccumulationKernel, SumsAlongRange) {
    expect_as_predicted<RangeTiling<2>, false, false>({.range_m = 600e3, .aperture_deg = 0.02}, 16, quadratic, 95);
}
TEST(AccumulationKernel, SumsAtAnyAngle) {
    expect_as_predicted<SlantedTiling<7>, false, false>(
        {.range_m = 100e3, .aperture_deg = 0.03, .pixel_m = 0.3, .turned_deg = 37}, 16, quadratic, 90);
}
/// Where range changes along diagonals, tiles are sheared: lanes share cells as along range. All pixels are made, those
/// of tiles, too, that reach beyond the image.
TEST(AccumulationKernel, SumsInShearedTiles) {
    AccumulationScene turned{.range_m = 100e3, .aperture_deg = 0.03, .turned_deg = 43, .rows = 70, .columns = 520};
    expect_as_predicted<WideTiling<5>, false, false>(turned, 8, quadratic, 86, -1);
    turned.turned_deg = -49;
    std::swap(turned.rows, turned.columns);
    expect_as_predicted<WideTiling<5>, false, false>(turned, 8, quadratic, 86, 1);
    turned.relief_m = 2;
    expect_as_predicted<WideTiling<5>>(turned, 8, 24, 86, 1);
}
TEST(AccumulationKernel, WeighsInShearedTiles) {
    AccumulationScene turned{
        .range_m = 600e3, .aperture_deg = 0.2, .turned_deg = 45.5, .lines = 100, .rows = 1030, .columns = 130};
    turned.window = 0.5;
    expect_as_predicted<NarrowTiling<5, AlongPhase::stepped>, true>(turned, 10, 60, 90, -1);
}
TEST(AccumulationKernel, SumsInSmallTiles) {
    expect_as_predicted<SmallTiling<4>>(
        {.range_m = 50e3, .aperture_deg = 0.05, .turned_deg = 80, .rows = 131, .columns = 33}, 16, quadratic, 90);
}
/// Near, so that the quadratic fails.
TEST(AccumulationKernel, FollowsPixels) {
    const AccumulationScene near{.range_m = 3e3, .aperture_deg = 0.3, .rows = 70, .columns = 67};
    expect_as_predicted<WideTiling<5>>(near, 8, 24, 95);
    const AccumulationCase of = accumulation_case(near);
    const TiledImage tiled = tiled_image(of.pass, of.geometry, {64, 64});
    EXPECT_LT(SampledTiles(of.pass, of.geometry, tiled)
                  .signal_to_error_db({AlongPhase::stepped, CellBends::along, Framing::quadratic}, 8),
              90);
}
/// Near, with what bends along the tile differently across it: without steps that grow that is lost. Cubes of the way
/// across are left.
TEST(AccumulationKernel, CurvesNearTheAntenna) {
    const AccumulationScene near{.range_m = 3e3, .aperture_deg = 1.5, .lines = 96, .rows = 70, .columns = 67};
    expect_as_predicted<CurvedTiling<7>>(near, 4, 96, 98);
    expect_as_predicted<SmallTiling<4, curved>>(near, 16, 96, 89);
    AccumulationScene windowed = near;
    windowed.window = 0.6;
    expect_as_predicted<CurvedTiling<7>, true>(windowed, 8, 96, 70);
    AccumulationScene tall = near;
    tall.rows = 140;
    tall.columns = 30;
    expect_as_predicted<NearTiling<5>>(tall, 4, quartic, 80);
    expect_as_predicted<NarrowTiling<4, curved>>(tall, 16, quartic, 70);
    tall.window = 0.6;
    expect_as_predicted<NearTiling<5>, true>(tall, 8, quartic, 70);
    const AccumulationCase of = accumulation_case(near);
    const SampledTiles tiles(of.pass, of.geometry, tiled_image(of.pass, of.geometry, {64, 64}));
    const auto predicted_db = [&](AlongPhase along) {
        return tiles.signal_to_error_db({along, CellBends::along, Framing::followed, 96}, 32);
    };
    EXPECT_GT(predicted_db(AlongPhase::curved), predicted_db(AlongPhase::stepped) + 6);
}
TEST(AccumulationKernel, SumsOverHills) {
    expect_as_predicted<WideTiling<5>>(
        {.range_m = 600e3, .aperture_deg = 0.1, .rows = 70, .columns = 67, .relief_m = 1}, 8, 24, 105);
    expect_as_predicted<WideTiling<7>>(
        {.range_m = 60e3, .aperture_deg = 0.1, .rows = 70, .columns = 67, .relief_m = 10}, 8, 24, 88);
}
/// Whose cells lie farther apart than a table reaches: each tile counts from the middle of its own.
TEST(AccumulationKernel, SumsOverHighHills) {
    const AccumulationScene hills{.range_m = 600e3,
                                  .grazing_deg = 30,
                                  .aperture_deg = 0.1,
                                  .rows = 340,
                                  .columns = 66,
                                  .relief_m = 150,
                                  .hill_width = 25};
    EXPECT_GT(0.5 * hills.relief_m / hills.cell_m, WideTiling<7>::entries);
    expect_as_predicted<WideTiling<7>>(hills, 8, 24, 95);
}
TEST(AccumulationKernel, SumsMapsWhosePixelsAreWide) {
    AccumulationScene map{.range_m = 600e3,
                          .aperture_deg = 0.05,
                          .pixel_m = 2,
                          .turned_deg = 15,
                          .lines = 200,
                          .rows = 70,
                          .columns = 40,
                          .relief_m = 8,
                          .hill_width = 6};
    expect_as_predicted<HillTiling<13>>(map, 96, 96, 102);
    map.window = 0.6;
    expect_as_predicted<MapTiling<13>, true>(map, 16, 96, 100);
    expect_as_predicted<HillTiling<13>, true>(map, 96, 96, 100);
    map.relief_m = 40;
    expect_as_predicted<HillTiling<24>, true>(map, 32, 96, 100);
}
TEST(AccumulationKernel, Weighs) {
    expect_as_predicted<WideTiling<5>, true>(
        {.range_m = 100e3, .aperture_deg = 0.4, .lines = 200, .rows = 70, .columns = 67, .window = 0.6}, 8, quadratic,
        70);
}
TEST(AccumulationKernel, WeighsAlongRange) {
    expect_as_predicted<NarrowTiling<5, straight>, true>(
        {.range_m = 600e3, .aperture_deg = 0.2, .lines = 100, .rows = 257, .columns = 25, .window = 0.5}, 20, 60, 105);
}
TEST(AccumulationKernel, FollowsPhasesStraightFromEndToEnd) {
    expect_as_predicted<NarrowTiling<7, straight>, true>({.carrier_hz = 1.2e9,
                                                          .range_m = 600e3,
                                                          .aperture_deg = 0.4,
                                                          .lines = 100,
                                                          .rows = 130,
                                                          .columns = 49,
                                                          .window = 0.7},
                                                         10, 100, 90);
}
/// From end to end where the window bends little, pixel by pixel where it bends more.
TEST(AccumulationKernel, KnowsWhereWeightsAreStraight) {
    const std::vector<float> weight{0, 0.25f, 0.5f, 0.75f, 1, 1, 1, 1, 1, 0.5f, 0};
    EXPECT_EQ(straight_from_middle(weight, 1, false, 1), 5);
    EXPECT_EQ(straight_from_middle(weight, 1, false, 1e-3), 1);
    EXPECT_EQ(straight_from_middle(weight, 1, true, 0.12), 2);
    std::vector<float> bent;
    for (int i = 0; i <= 100; ++i) bent.push_back(1 - 1e-4f * static_cast<float>((i - 50) * (i - 50)));
    EXPECT_EQ(straight_from_middle(bent, 4, false, 1e-3), 50);
    EXPECT_EQ(straight_from_middle(bent, 20, false, 1e-3), 0);
    EXPECT_EQ(straight_from_middle(bent, 1, true, 1.05e-3), 11);
    EXPECT_EQ(even_from_middle(bent, 4, straight, 0.25, 1e-3), 50);
    EXPECT_EQ(even_from_middle(bent, 4, curved, 0.25, 1e-3), 21);  // an entry in a part, twice as much allowed
}
TEST(AccumulationKernel, TakesNothingFromBeyondTheLines) {
    expect_as_predicted<RangeTiling<2>, false, false>({.range_m = 600e3, .aperture_deg = 0.02, .cut = 0.3}, 16,
                                                      quadratic, 95);
}
/// Where tiles do not hold, that is predicted.
TEST(AccumulationKernel, IsForetoldToFail) { expect_as_predicted<RangeTiling<2>>({}, 16, quadratic, 0); }

}  // namespace
}  // namespace cornerturn
