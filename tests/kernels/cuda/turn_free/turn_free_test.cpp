// SPDX-License-Identifier: Apache-2.0
// Azimuth compression without a corner turn, in the emulator, against the passes through corner turns in double
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/cuda/turn_free/columns.cuh"
#include "kernels/cuda/turn_free/turn_free.cuh"
#include "kernels/cuda/turn_free/turn_free_tables.h"
#include "kernels/device/ways/fitting_kernels.h"
#include "kernels/device/ways/fused_lengths.h"
#include "kernels/errors.h"
#include "tests/kernels/emulator.h"
#include "tests/kernels/fast_fourier.h"
#include "tests/kernels/host_azimuth_compression.h"
#include "tests/kernels/migration_passes.h"

namespace cornerturn {
namespace {

std::vector<HalfPair> as_halves(const std::vector<Complex64>& samples, std::int64_t line, std::vector<float>& scale) {
    std::vector<HalfPair> halves(samples.size());
    const EmulatedBlock block;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const auto row = i / static_cast<std::size_t>(line);
        // Scales of their own, however far apart.
        if (row == scale.size()) scale.push_back(10.0f / largest_scaled_half * static_cast<float>(1 << row % 5));
        block.put(&halves[i], 1 / scale[row] * samples[i]);
    }
    return halves;
}

/// Rounded three times on the way: 3.6e-4 by theory, 3.7e-4 was seen.
template <class Sample>
constexpr double turn_free_tolerance = std::is_same_v<Sample, HalfPair> ? 4e-4 : stepped_tolerance;

template <class Sample, class Digits, int Taps, int Stepping, int Cells>
void expect_turn_free(const AzimuthCompression& pass, std::int64_t lines, int sets,
                      double limit = turn_free_tolerance<Sample>) {
    constexpr std::int64_t length = Digits::length * turn_free_rows;
    const std::int64_t cells = pass.input_cells;
    const std::vector<Complex64> echo = as_floats(noise(lines * cells));

    std::vector<std::int64_t> order;
    for (std::int64_t k2 = 0; k2 < Digits::length; ++k2)
        for (std::int64_t k0 = 0; k0 < turn_free_rows; ++k0) order.push_back(k2 + Digits::length * k0);
    using Kernel =
        TurnFreeGather<Taps, weight_steppings[Stepping].chunk, weight_steppings[Stepping].order, Cells, Sample>;
    TileLaws laws = tile_laws(pass, sets * Kernel::columns_per_set, order);
    ASSERT_TRUE(laws_hold(laws));
    ASSERT_LE(laws.cells, Cells);
    ASSERT_LE(stepping_for(pass.kernel, laws), Stepping) << laws.steepest;

    constexpr bool halves = std::is_same_v<Sample, HalfPair>;
    std::vector<Sample> in, a(static_cast<std::size_t>(length * cells)),
        b(static_cast<std::size_t>(length * pass.columns));
    constexpr int words = FourFactors::words(Digits::A);
    std::vector<FourFactors> factors(static_cast<std::size_t>(turn_free_rows * Digits::B * words));
    float image_scale = 1;
    if constexpr (halves) {
        std::vector<float> scale;
        in = as_halves(echo, cells, scale);
        const double growth = growth_of_gather(pass.kernel, laws);
        scale_gains(laws, 1 / growth);
        emulate(FrameScale{scale.data(), static_cast<int>(lines), Digits::A, Digits::B, static_cast<float>(growth),
                           reinterpret_cast<float*>(factors.data()), &image_scale});
    } else {
        in = echo;
    }
    const auto second = twiddles(Digits::A, Digits::length), middle = twiddles(Digits::length, length);
    std::vector<Twiddle> inverse_first, inverse_second;
    for (int n0 = 0; n0 < turn_free_rows; ++n0) {
        inverse_first.push_back(twiddle(Digits::B * n0, length));
        for (int k = 0; k < Digits::A; ++k) inverse_second.push_back(twiddle(n0 + turn_free_rows * k, length));
    }
    emulate(TurnFreeForward<Digits, Sample>{in.data(), lines, cells, a.data(), second.data(), factors.data()});
    emulate(Kernel{a.data(), cells, b.data(), pass.columns, Digits::length, sets, polynomials<float>(pass.kernel),
                   laws.first_cell.data(), laws.laws.data(), middle.data(), 1});
    std::vector<Complex64> image(static_cast<std::size_t>(pass.image_rows * pass.columns));
    unsigned not_finite = 0;
    emulate(TurnFreeInverse<Digits, Sample>{b.data(), pass.columns, pass.fft_length, pass.image_rows,
                                            pass.covered_rows.data(), image.data(), inverse_first.data(),
                                            inverse_second.data(), laws.column_gain.data(), &image_scale, &not_finite});
    EXPECT_EQ(not_finite, 0u);

    // The same passes through corner turns, in double precision.
    Line spectra;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
        Line x(static_cast<std::size_t>(length));
        for (std::int64_t line = 0; line < lines; ++line) {
            const Complex64 value = echo[static_cast<std::size_t>(line * cells + cell)];
            x[static_cast<std::size_t>(line)] = {value.re, value.im};
        }
        x = fast_fourier(x, -1);
        spectra.insert(spectra.end(), x.begin(), x.end());
    }
    for (const std::int64_t column :
         {std::int64_t{0}, pass.columns / 2, std::min(band_columns, pass.columns) - 1, pass.columns - 1}) {
        Line got;
        for (std::int64_t row = 0; row < pass.image_rows; ++row) {
            const Complex64 value = image[static_cast<std::size_t>(row * pass.columns + column)];
            got.emplace_back(value.re, value.im);
        }
        EXPECT_LT(relative_error(got, host_line(pass, spectra, column)), limit) << "column " << column;
    }
}

TEST(TurnFree, HasTheLengthsThatThePlannerKnows) {
    for (const std::int64_t length : turn_free_lengths)
        for (const std::int64_t kib : {64, 99, 163, 227})
            EXPECT_TRUE(with_column_digits(length / turn_free_rows, kib << 10,
                                           [&]<class Digits>(Digits) {
                                               EXPECT_EQ(Digits::length * turn_free_rows, length);
                                               EXPECT_LE(shared_bytes_of_shape<Digits>, kib << 10) << length;
                                           }))
                << length << ", " << kib << " KiB";
    EXPECT_FALSE(with_column_digits(33, 227 << 10, [](auto) {}));
}

TEST(TurnFree, ItsTilesTakeTheSharedMemoryThatThePlannerKnows) {
    EXPECT_EQ((shared_bytes_of<TurnFreeGather<8, 28, 1, turn_free_cells[0], Complex64>>),
              turn_free_shared_bytes(turn_free_cells[0]));
    EXPECT_EQ((shared_bytes_of<TurnFreeGather<16, 7, 2, turn_free_cells[3], HalfPair>>),
              turn_free_shared_bytes(turn_free_cells[3]));
    EXPECT_LE(turn_free_shared_bytes(250), 64 << 10);
    EXPECT_LE(turn_free_shared_bytes(384), 99 << 10);
    EXPECT_LE(turn_free_shared_bytes(512), 163 << 10);
}

TEST(TurnFree, ItsTilesAreTheCheapestThatHoldAndFit) {
    const auto tiles = [](const AzimuthCompression& pass, std::int64_t kib) {
        return turn_free_tiles(pass, {.shared_bytes = kib << 10}, bins_in_order(pass));
    };
    const AzimuthCompression still = azimuth_pass(8, 1024, 300, 0).pass(),
                             moving = azimuth_pass(8, 1024, 300, -6900).pass();
    EXPECT_EQ(tiles(still, 227).cells, 256);
    EXPECT_EQ(tiles(still, 227).width, 224);
    EXPECT_EQ(tiles(still, 163).cells, 256);
    EXPECT_EQ(tiles(still, 99).cells, 256);
    EXPECT_EQ(tiles(still, 64).cells, 250);
    EXPECT_EQ(tiles(still, 64).width, 224);
    for (const std::int64_t kib : {64, 99, 163, 227}) {
        const TurnFreeTiles of = tiles(moving, kib);
        EXPECT_LE(turn_free_shared_bytes(of.cells), kib << 10);
        EXPECT_LE(of.fitted.laws.cells, of.cells);
        EXPECT_TRUE(laws_hold(of.fitted.laws));
        EXPECT_EQ(of.width, of.fitted.sets * 8 * weight_steppings[of.stepping].chunk);
        EXPECT_EQ(of.fitted.laws.tile_columns, of.width);
    }
    EXPECT_THROW(tiles(azimuth_pass(12, 1024, 300, 0).pass(), 227), Unsupported);
}

TEST(TurnFree, EqualsThePassesThroughCornerTurns) {
    expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 256>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 256>(azimuth_pass(8, 1024, 100, 1000).pass(), 900,
                                                                         1);
    expect_turn_free<Complex64, ColumnDigits<12, 4, 32, 4, 1>, 8, 2, 512>(azimuth_pass(8, 1536, 245, -6900).pass(),
                                                                          1400, 2);
    expect_turn_free<Complex64, ColumnDigits<10, 8, 32, 8, 1>, 16, 3, 512>(azimuth_pass(16, 2560, 90, 20000).pass(),
                                                                           2000, 1);
}

TEST(TurnFree, InTheTilesOfSmallGpus) {
    expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 250>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_turn_free<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 250>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_turn_free<Complex64, ColumnDigits<12, 4, 32, 4, 1>, 8, 2, 384>(azimuth_pass(8, 1536, 245, -6900).pass(),
                                                                          1400, 2);
    expect_turn_free<HalfPair, ColumnDigits<10, 8, 32, 8, 1>, 16, 3, 384>(azimuth_pass(16, 2560, 90, 20000).pass(),
                                                                          2000, 1);
}

TEST(TurnFree, AnImageWiderThanTheEcho) {
    HyperbolicGather gather = azimuth_pass(8, 1024, 300, 0);
    gather.input_cells = 250;
    expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 256>(gather.pass(), 1000, 1);
}

TEST(TurnFree, FollowsTheGainAtNearRange) {
    for (const auto& [near_range_m, spacing_m] : near_geometries) {
        SCOPED_TRACE(testing::Message() << near_range_m << " m, cells of " << spacing_m << " m");
        const AzimuthCompression narrow = near_pass(8, 1024, 500, near_range_m, spacing_m, 90).pass();
        expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 512>(narrow, 1000, 2, image_tolerance);
        const AzimuthCompression wide = near_pass(8, 1024, 500, near_range_m, spacing_m).pass();
        expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(wide, 1000, 4, image_tolerance);
    }
}

TEST(TurnFree, FollowsABandThatMoves) {
    HyperbolicGather gather = azimuth_pass(8, 1024, 960, 0);
    for (std::int64_t bin = 400; bin < 550; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
    gather.band_shift = {0, 50, -30};
    expect_turn_free<Complex64, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(gather.pass(), 1000, 4);
    gather.band_shift = {-20, 1, 1};
    expect_turn_free<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 1, 512>(gather.pass(), 1000, 2);
}

TEST(TurnFree, WithHalvesBetweenItsKernels) {
    expect_turn_free<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 256>(azimuth_pass(8, 1024, 300, 0).pass(), 1000, 1);
    expect_turn_free<HalfPair, ColumnDigits<8, 4, 32, 4, 1>, 8, 0, 512>(near_pass(8, 1024, 500, 300, 1.5, 90).pass(),
                                                                        1000, 2);
    expect_turn_free<HalfPair, ColumnDigits<10, 8, 32, 8, 1>, 16, 3, 512>(azimuth_pass(16, 2560, 90, 20000).pass(),
                                                                          2000, 1);
}

class ColumnLengths : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Points, ColumnLengths,
                         ::testing::Values(32, 48, 64, 80, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024));

template <class Digits>
void expect_columns() {
    constexpr std::int64_t length = Digits::length * turn_free_rows, cells = 3, lines = length - 100;
    const std::vector<Complex64> in = as_floats(noise(lines * cells));
    std::vector<Complex64> out(static_cast<std::size_t>(length * cells));
    const auto second = twiddles(Digits::A, Digits::length);
    emulate(TurnFreeForward<Digits, Complex64>{in.data(), lines, cells, out.data(), second.data(), nullptr});
    for (const std::int64_t n0 : {0, 31}) {
        Line x(static_cast<std::size_t>(Digits::length)), got;
        for (std::int64_t n1 = 0; n1 < Digits::length; ++n1) {
            const std::int64_t line = n0 + turn_free_rows * n1;
            if (line < lines) {
                const Complex64 value = in[static_cast<std::size_t>(line * cells + 1)];
                x[static_cast<std::size_t>(n1)] = {value.re, value.im};
            }
            const Complex64 value = out[static_cast<std::size_t>(line * cells + 1)];
            got.emplace_back(value.re, value.im);
        }
        EXPECT_LT(relative_error(got, fast_fourier(x, -1)), fft_tolerance) << "n0 " << n0;
    }
}

Line column_of(const std::vector<Complex64>& matrix, std::int64_t rows, std::int64_t columns, std::int64_t column) {
    Line line;
    for (std::int64_t row = 0; row < rows; ++row) {
        const Complex64 value = matrix[static_cast<std::size_t>(row * columns + column)];
        line.emplace_back(value.re, value.im);
    }
    return line;
}

/// Where the matrix lies, as the plans do it; more rows of the image than the transform has, some of them covered.
template <class Digits>
void expect_transforms_alone() {
    constexpr int length = Digits::length * turn_free_rows, cells = 3, lines = length - 100, rows = length + 40;
    std::vector<Complex64> in = as_floats(noise(lines * cells)), bins(length * cells), image(rows * cells);
    const Line echo = column_of(in, lines, cells, 1);
    in.resize(length * cells);
    const auto second = twiddles(Digits::A, Digits::length), middle = twiddles(Digits::length, length);
    emulate(TurnFreeForward<Digits, Complex64>{in.data(), lines, cells, in.data(), second.data(), nullptr});
    emulate(LinesToBins{{in.data(), bins.data(), cells, Digits::length}, middle.data()});
    Line x = echo;
    x.resize(length);
    EXPECT_LT(relative_error(column_of(bins, length, cells, 1), fast_fourier(x, -1)), fft_tolerance);

    const auto first = inverse_first(length, Digits::B), last = inverse_second(length, Digits::A);
    const std::vector<float> gain(cells, 1.0f);
    const std::vector<Interval> covered(cells, {7, rows - 9});
    emulate(BinsToLines{{bins.data(), image.data(), cells, Digits::length}});
    const std::vector<Complex64> lines_of_bins = image;
    const auto invert = [&] {
        unsigned not_finite = 0;
        emulate(TurnFreeInverse<Digits, Complex64>{image.data(), cells, length, rows, covered.data(), image.data(),
                                                   first.data(), last.data(), gain.data(), nullptr, &not_finite});
        return not_finite == 0;
    };
    EXPECT_TRUE(invert());
    Line back = fast_fourier(column_of(bins, length, cells, 1), +1);
    for (int row = length; row < rows; ++row) back.push_back(back[static_cast<std::size_t>(row - length)]);
    for (int row = 0; row < rows; ++row)
        if (row < 7 || row >= rows - 9) back[static_cast<std::size_t>(row)] = 0;
    EXPECT_LT(relative_error(column_of(image, rows, cells, 1), back), fft_tolerance);
    for (const float bad : {NAN, -INFINITY, 3e38f}) {  // the last by a sum that overflows
        image = lines_of_bins;
        for (int line = 0; line < length; line += turn_free_rows)  // of one n0, in the last column
            image[static_cast<std::size_t>(line * cells + cells - 1)] = {0, bad};
        EXPECT_FALSE(invert()) << bad;
    }
}

TEST_P(ColumnLengths, TransformsAloneLeaveBinsInTheirOrder) {
    ASSERT_TRUE(
        with_column_digits(GetParam(), GpuLimits{}.shared_bytes, []<class D>(D) { expect_transforms_alone<D>(); }));
}

TEST_P(ColumnLengths, ForwardTransformDownTheColumns) {
    ASSERT_TRUE(with_column_digits(GetParam(), GpuLimits{}.shared_bytes, []<class D>(D) { expect_columns<D>(); }));
}

TEST_P(ColumnLengths, ForwardTransformDownTheColumnsInTheSharedMemoryOfSmallGpus) {
    ASSERT_TRUE(with_column_digits(GetParam(), 64 << 10, []<class D>(D) { expect_columns<D>(); }));
}

}  // namespace
}  // namespace cornerturn
