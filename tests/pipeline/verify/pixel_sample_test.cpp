// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/pixel_sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "pipeline/verify/reference_stage.h"
#include "pipeline/verify/signal_to_error.h"

namespace cornerturn {
namespace {

ImageGrid grid_of(std::int64_t rows, std::int64_t columns) {
    ImageGrid grid;
    grid.rows = rows;
    grid.columns = columns;
    return grid;
}

/// One strong rectangle on noise, and an image of it whose errors are of another strength inside than outside.
struct TwoImages {
    static constexpr std::int64_t rows = 400, columns = 300;
    static constexpr PixelBlock bright{.first_row = 50, .rows = 16, .first_column = 100, .columns = 20};
    std::vector<std::complex<float>> image, reference;

    TwoImages() {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t column = 0; column < columns; ++column) {
                const bool inside = bright.holds({.first_row = row, .rows = 1, .first_column = column, .columns = 1});
                const float signal = inside ? 30 : 1, error = inside ? 1e-2f : 1e-3f;
                reference.emplace_back(signal * normal(random), signal * normal(random));
                image.push_back(reference.back() + std::complex<float>(error * normal(random), error * normal(random)));
            }
    }
};

TEST(PixelSample, TellsTheSignalToErrorOfTheWholeImage) {
    const TwoImages two;
    const PixelSample sample(grid_of(two.rows, two.columns), {{two.bright, two.bright}});
    SignalToError sampled;
    for (std::int64_t first = 0; first < two.rows; first += 37) {  // rows come in pieces
        const auto from = static_cast<std::size_t>(first * two.columns);
        const auto count = static_cast<std::size_t>(std::min<std::int64_t>(37, two.rows - first) * two.columns);
        sample.add(first, std::span(two.image).subspan(from, count), std::span(two.reference).subspan(from, count),
                   sampled);
    }
    // Of 8192 pixels: a hundredth of the mean power, four times that at most.
    EXPECT_NEAR(sampled.db(), signal_to_error_db(two.image, two.reference), 0.2);
    EXPECT_GT(std::abs(sampled.db() - 60), 1) << "what the noise alone has";
}

TEST(PixelSample, HoldsEveryPixelOnceAndOneInEachPartOfTheImage) {
    const PixelBlock block{.first_row = 7, .rows = 5, .first_column = 0, .columns = 9};
    const PixelSample sample(grid_of(2000, 900),
                             {{block, {.first_row = 10, .rows = 4, .first_column = 4, .columns = 9}}});
    std::set<std::pair<std::int64_t, std::int64_t>> places;
    std::vector<int> in_row(2000);
    for (const ImagePixel& pixel : sample.pixels()) {
        EXPECT_TRUE(pixel.row >= 0 && pixel.row < 2000 && pixel.column >= 0 && pixel.column < 900);
        EXPECT_TRUE(places.emplace(pixel.row, pixel.column).second) << pixel.row << ", " << pixel.column;
        ++in_row[static_cast<std::size_t>(pixel.row)];
    }
    const std::int64_t inside = 5 * 9 + 4 * 9 - 2 * 5;
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), inside + sample.outside());
    EXPECT_GE(sample.outside(), PixelSample::random_pixels - 81);
    EXPECT_GE(*std::min_element(in_row.begin(), in_row.end()), 3) << "of 4.1";
}

TEST(PixelSample, IsTheWholeOfASmallImage) {
    const PixelSample sample(grid_of(31, 33), {});
    EXPECT_EQ(sample.pixels().size(), 31u * 33u);
    EXPECT_EQ(sample.outside(), 31 * 33);
}

}  // namespace
}  // namespace cornerturn
