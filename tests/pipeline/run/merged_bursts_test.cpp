// SPDX-License-Identifier: Apache-2.0
// Images of bursts in one image: who has which rows, and where columns begin elsewhere.
#include "pipeline/run/merged_bursts.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"

namespace cornerturn {
namespace {

/// Rows and columns on a lattice of 2 ms and 3 m; whole where `whole` says.
Image burst(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, Interval whole) {
    Image image;
    image.grid = {.rows = rows,
                  .columns = columns,
                  .first_time_s = 0.002 * static_cast<double>(row),
                  .time_spacing_s = 0.002,
                  .near_range_m = 3.0 * static_cast<double>(column),
                  .range_spacing_m = 3};
    image.valid_columns.assign(static_cast<std::size_t>(rows), Interval{});
    for (std::int32_t i = whole.first; i < whole.last; ++i)
        image.valid_columns[static_cast<std::size_t>(i)] = {1, static_cast<std::int32_t>(columns)};
    return image;
}

void send(MergedBursts& to, const Image& image, float value) {
    to.begin(image);
    for (std::int64_t row = 0; row < image.grid.rows; row += 3) {
        const std::int64_t rows = std::min<std::int64_t>(3, image.grid.rows - row);
        to.write(row, std::vector<std::complex<float>>(static_cast<std::size_t>(rows * image.grid.columns), value));
    }
}

TEST(MergedBursts, PartOverlapsInTheMiddleOfWhatBothHoldWhole) {
    const Image first = burst(100, 10, 50, 4, {1, 8}), second = burst(106, 10, 48, 5, {0, 9}),
                third = burst(120, 4, 50, 4, {1, 3});
    ImageInMemory made;
    MergedBursts merged({first, second, third}, made);
    send(merged, first, 1);
    send(merged, second, 2);
    send(merged, third, 3);
    merged.finish();
    const Image& image = made.image;
    EXPECT_EQ(image.grid.rows, 24);
    EXPECT_EQ(image.grid.columns, 6);
    EXPECT_DOUBLE_EQ(image.grid.near_range_m, 144);
    EXPECT_DOUBLE_EQ(image.grid.first_time_s, 0.2);
    std::string rows;  // in the column that all have
    for (std::int64_t row = 0; row < 24; ++row)
        rows += static_cast<char>('0' + static_cast<int>(image.samples[static_cast<std::size_t>(row * 6 + 4)].real()));
    EXPECT_EQ(rows, "111111122222222200003333") << "row 107 is the middle of 106 and 108";
    EXPECT_EQ(image.samples[0], 0.0f) << "the first burst begins two columns later";
    EXPECT_EQ(image.valid_columns[2], (Interval{3, 6}));
    EXPECT_EQ(image.valid_columns[10], (Interval{1, 5}));
    EXPECT_EQ(image.valid_columns[17], (Interval{0, 0}));
    EXPECT_FALSE(image.processing.doppler_surface_hz);
}

TEST(MergedBursts, RefusesGridsThatDoNotFit) {
    ImageInMemory made;
    Image moved = burst(106, 10, 50, 4, {0, 9});
    moved.grid.first_time_s += 0.0005;
    EXPECT_THROW(MergedBursts({burst(100, 10, 50, 4, {1, 8}), moved}, made), InputError);
    EXPECT_THROW(MergedBursts({burst(100, 10, 50, 4, {1, 8}), burst(90, 10, 50, 4, {1, 8})}, made), InputError);
}

}  // namespace
}  // namespace cornerturn
