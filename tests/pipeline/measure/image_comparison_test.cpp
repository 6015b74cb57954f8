// SPDX-License-Identifier: Apache-2.0
// Comparison of images that differ in known ways: moved, scaled, turned in phase, with noise.
#include "pipeline/measure/image_comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/errors.h"
#include "tests/pipeline/measure/speckle.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

constexpr double pi = std::numbers::pi;

ImageComparison compare(const Image& a, const Image& b, const ComparisonOptions& options = {}) {
    return compare_images({"a.h5", a}, {"b.h5", b}, options);
}

/// Rows and columns of an image cut out, with the axes that they have.
Image cut_out(const Image& image, std::int64_t first_row, std::int64_t rows, std::int64_t first_column,
              std::int64_t columns) {
    Image part = image;
    part.grid.first_time_s = image.grid.time_s(static_cast<double>(first_row));
    part.grid.near_range_m = image.grid.range_m(static_cast<double>(first_column));
    part.grid.rows = rows, part.grid.columns = columns;
    part.samples = ImageView(image)
                       .read({.first_row = first_row, .rows = rows, .first_column = first_column, .columns = columns})
                       .samples;
    return part;
}

void expect_offset(const OffsetStatistics& offset, double azimuth_px, double range_px, double tolerance_px) {
    for (double Spread::*middle : {&Spread::median, &Spread::mean}) {
        EXPECT_NEAR(offset.azimuth_px.*middle, azimuth_px, tolerance_px);
        EXPECT_NEAR(offset.range_px.*middle, range_px, tolerance_px);
    }
    EXPECT_LT(offset.azimuth_px.deviation, 2 * tolerance_px);
    EXPECT_LT(offset.range_px.deviation, 2 * tolerance_px);
}

TEST(ImageComparison, EqualImagesAgreeInEverything) {
    const Image a = speckle_image({});
    const ImageComparison c = compare(a, a);
    EXPECT_EQ(c.chips, 4 * 5);
    EXPECT_EQ(c.complex_offset.chips, c.chips);
    expect_offset(c.complex_offset, 0, 0, 1e-6);  // the steps of the search end below this
    expect_offset(c.detected_offset, 0, 0, 1e-6);
    EXPECT_NEAR(c.amplitude_correlation, 1, 1e-9);
    EXPECT_NEAR(c.coherence_median, 1, 1e-9);
    EXPECT_NEAR(c.coherence_mean, 1, 1e-9);
    EXPECT_TRUE(std::isinf(c.signal_to_error_db));
    EXPECT_NEAR(std::abs(c.gain - 1.0), 0, 1e-9);
    EXPECT_EQ(c.samples, 256 * 320);
    EXPECT_FALSE(c.interpolated);
}

// Chips are read between their samples as if they were periodic, their edges faded: that costs some 1e-3 px in a chip,
// at random.
TEST(ImageComparison, FindsKnownShiftsOfPartsOfAPixel) {
    const Image a = speckle_image({});
    for (const auto& [rows, columns] : {std::pair(0.37, -0.21), std::pair(-3.02, 5.5), std::pair(0.01, 0.005)}) {
        SCOPED_TRACE(rows);
        Image b = speckle_image({.rows_moved = rows, .columns_moved = columns});
        for (auto& sample : b.samples) sample *= std::polar(0.5f, static_cast<float>(pi / 6));
        const ImageComparison c = compare(a, b);
        expect_offset(c.complex_offset, rows, columns, 2e-3);
        expect_offset(c.detected_offset, rows, columns, 4e-3);
        EXPECT_GT(c.coherence_median, 0.9995);
    }
}

Image on_map(Image image, const MapProjection& projection, double first_x, double first_y, double step) {
    image.map = MapGrid{.projection = projection,
                        .rows = image.grid.rows,
                        .columns = image.grid.columns,
                        .first_x = first_x,
                        .x_step = step,
                        .first_y = first_y,
                        .y_step = -step};
    return image;
}

TEST(ImageComparison, ImagesOnMapsAreMatchedByTheirPlaces) {
    const Image whole = speckle_image({});
    Image part = cut_out(whole, 20, 200, 31, 250);
    part.grid = {.rows = 200, .columns = 250};  // a map knows no times and ranges
    part.valid_columns.assign(200, Interval{0, 250});
    const MapProjection utm{32633};
    const Image a = on_map(whole, utm, 5e5, 6e6, 2.5);
    const ImageComparison c = compare(a, on_map(part, utm, 5e5 + 31 * 2.5, 6e6 - 20 * 2.5, 2.5));
    EXPECT_TRUE(c.on_maps);
    EXPECT_EQ(c.shared.first_row, 20);
    EXPECT_EQ(c.shared.first_column, 31);
    EXPECT_EQ(c.samples, 200 * 250);
    EXPECT_TRUE(std::isinf(c.signal_to_error_db));
    EXPECT_EQ(c.row_shift, 20);

    const auto expect_apart = [&](const Image& b, const std::string& word) {
        expect_refused([&] { compare(a, b); }, {"a.h5 and b.h5", word});
    };
    expect_apart(whole, "the other is not");
    expect_apart(on_map(part, {32632}, 5e5, 6e6, 2.5), "EPSG:32633 and EPSG:32632");
    expect_apart(on_map(part, utm, 5e5, 6e6, 2.6), "apart in the one");
    expect_apart(on_map(part, utm, 5e5 + 1, 6e6, 2.5), "do not lie on each other");
    expect_apart(on_map(part, utm, 9e5, 6e6, 2.5), "one scene");
}

TEST(ImageComparison, BrightPointsBesideAChipDoNotDrawItsOffset) {
    Image a = speckle_image({}), b = speckle_image({.rows_moved = 0.3, .columns_moved = 0.1});
    const auto put = [](Image& image, double row,
                        double column) {  // a response of the same band, 40 dB above the speckle
        const Speckle scene;
        for (std::int64_t i = 0; i < image.grid.rows; ++i)
            for (std::int64_t k = 0; k < image.grid.columns; ++k) {
                const double y = static_cast<double>(i) - row, x = static_cast<double>(k) - column;
                const auto sinc = [](double u) { return u == 0 ? 1 : std::sin(pi * u) / (pi * u); };
                image.samples[static_cast<std::size_t>(i * image.grid.columns + k)] += std::complex<float>(std::polar(
                    100 * sinc(0.8 * y) * sinc(0.8 * x), 2 * pi * (scene.row_carrier * y + scene.column_carrier * x)));
            }
    };
    put(a, 66, 130), put(b, 66.3, 130.1);  // two samples beyond the corner of a core
    expect_offset(compare(a, b).complex_offset, 0.3, 0.1, 4e-3);
}

TEST(ImageComparison, GainAndPhaseAreThoseThatWerePutIn) {
    const Image a = speckle_image({});
    Image b = a;
    for (auto& sample : b.samples) sample *= std::polar(0.5f, static_cast<float>(pi / 6));
    const ImageComparison c = compare(a, b);
    EXPECT_NEAR(std::abs(c.gain), 2, 1e-6);
    EXPECT_NEAR(std::arg(c.gain), -pi / 6, 1e-6);
    EXPECT_NEAR(c.phase_mean_deg, -30, 1e-4);
    EXPECT_NEAR(c.phase_rms_deg, 0, 1e-4);
    // |1 - 0.5 exp(j 30 deg)|^2
    EXPECT_NEAR(c.signal_to_error_db, -10 * std::log10(1.25 - std::cos(pi / 6)), 1e-5);
    EXPECT_GT(c.signal_to_error_with_gain_db, 120);  // products of floats
    EXPECT_NEAR(c.amplitude_correlation, 1, 1e-6);
}

TEST(ImageComparison, NoiseOfKnownLevelGivesTheCoherenceOfTheory) {
    Speckle scene{.rows = 512, .columns = 512};
    const Image a = speckle_image(scene);
    scene.seed = 2;
    const Image noise = speckle_image(scene);
    for (const double noise_power : {0.01, 0.1, 1.0}) {
        SCOPED_TRACE(noise_power);
        Image b = a;
        for (std::size_t i = 0; i < b.samples.size(); ++i)
            b.samples[i] += static_cast<float>(std::sqrt(noise_power)) * noise.samples[i];
        const ImageComparison c = compare(a, b);
        const double coherence = 1 / std::sqrt(1 + noise_power), square = coherence * coherence;
        // 256 samples that fill 0.64 of their band are 164 looks: the estimate has a deviation of (1 - g^2) / sqrt(2 *
        // 164) a window, of 1024 windows a thirtieth of it, and a bias of (1 - g^2)^2 / (4 * 164 g) (Touzi 1999).
        EXPECT_NEAR(c.coherence_mean, coherence, 0.01 * (1 - square));
        EXPECT_NEAR(c.coherence_median, coherence, 0.02 * (1 - square));
        // Sums over 512 x 512 samples: some 0.4 % at random.
        EXPECT_NEAR(c.signal_to_error_db, -10 * std::log10(noise_power), 0.05);
        EXPECT_NEAR(c.signal_to_error_with_gain_db, -10 * std::log10(1 - square), 0.05);
        expect_offset(c.complex_offset, 0, 0, 0.05 * std::sqrt(noise_power));
        // Of Rayleigh amplitudes: (2F1(-1/2, -1/2; 1; g^2) - 1) / (4 / pi - 1).
        double term = 1, sum = 1;
        for (int n = 0; n < 200; ++n) term *= std::pow((n - 0.5) / (n + 1.0), 2) * square, sum += term;
        EXPECT_NEAR(c.amplitude_correlation, (sum - 1) / (4 / pi - 1), 5e-3);
    }
}

TEST(ImageComparison, AnEvenPhaseRampIsToldAndDoesNotCostCoherence) {
    const Image a = speckle_image({});
    Image b = a;
    for (std::int64_t row = 0; row < a.grid.rows; ++row)
        for (std::int64_t column = 0; column < a.grid.columns; ++column)
            b.samples[static_cast<std::size_t>(row * a.grid.columns + column)] *= std::complex<float>(
                std::polar(1.0, (1.5 * static_cast<double>(row) - 0.5 * static_cast<double>(column)) * pi / 180));
    const ImageComparison c = compare(a, b);
    EXPECT_NEAR(c.phase_ramp_azimuth_deg_px, -1.5, 0.01);  // of a conj(b)
    EXPECT_NEAR(c.phase_ramp_range_deg_px, 0.5, 0.01);
    EXPECT_GT(c.phase_rms_deg, 60);
    EXPECT_GT(c.coherence_median, 0.999);
}

TEST(ImageComparison, GridsThatOverlapInPartAreLaidOverEachOtherByTheirAxes) {
    const Image whole = speckle_image({});
    const Image a = cut_out(whole, 10, 200, 40, 270), b = cut_out(whole, 30, 220, 0, 200);
    const ImageComparison c = compare(a, b);
    EXPECT_EQ(c.shared.first_row, 20);
    EXPECT_EQ(c.shared.rows, 180);
    EXPECT_EQ(c.shared.first_column, 0);
    EXPECT_EQ(c.shared.columns, 160);
    EXPECT_NEAR(c.row_shift, 20, 1e-6);
    EXPECT_NEAR(c.column_shift, -40, 1e-6);
    expect_offset(c.complex_offset, 0, 0, 2e-3);  // margins of chips are dark where an image ends
    EXPECT_GT(c.signal_to_error_db, 200);
}

TEST(ImageComparison, PixelsThatLieBetweenThoseOfTheOtherAreInterpolated) {
    const Image a = speckle_image({});
    Image b = speckle_image({.rows_moved = -0.25, .columns_moved = 0.5});
    b.grid.first_time_s += 0.25 * b.grid.time_spacing_s;  // what is seen a quarter of a row early lies where it lay
    b.grid.near_range_m -= 0.5 * b.grid.range_spacing_m;
    const ImageComparison c = compare(a, b);
    EXPECT_TRUE(c.interpolated);
    expect_offset(c.complex_offset, 0, 0, 5e-3);
    EXPECT_GT(c.coherence_median, 0.999);
    EXPECT_GT(c.signal_to_error_db, 25);  // edges apart, 16 taps leave -40 dB
}

TEST(ImageComparison, OnlyWhatBothCallValidCounts) {
    Image a = speckle_image({}), b = a;
    for (std::int64_t row = 0; row < b.grid.rows; ++row)
        for (std::int64_t column = 200; column < b.grid.columns; ++column)
            b.samples[static_cast<std::size_t>(row * b.grid.columns + column)] = 0;
    b.valid_columns.assign(static_cast<std::size_t>(b.grid.rows), {0, 200});
    const ImageComparison valid = compare(a, b), whole = compare(a, b, {.whole = true});
    EXPECT_EQ(valid.samples, 256 * 200);
    EXPECT_EQ(valid.chips, 4 * 3);
    EXPECT_TRUE(std::isinf(valid.signal_to_error_db));
    EXPECT_EQ(whole.samples, 256 * 320);
    EXPECT_LT(whole.signal_to_error_db, 10);
}

TEST(ImageComparison, SamplesThatAreNotFiniteAreLeftOut) {
    const Image a = speckle_image({});
    Image b = a;
    b.samples[70 * 320 + 70] = {std::nanf(""), 0};
    const ImageComparison c = compare(a, b);
    EXPECT_EQ(c.non_finite, 1);
    EXPECT_EQ(c.samples, 256 * 320 - 1);
    EXPECT_TRUE(std::isinf(c.signal_to_error_db));
    EXPECT_GT(c.coherence_mean, 0.999);
}

TEST(ImageComparison, WhatIsDarkBesideTheSceneDoesNotCount) {
    Image a = speckle_image({}), b = a;
    const Image other = speckle_image({.seed = 3}), another = speckle_image({.seed = 4});
    for (std::int64_t row = 0; row < a.grid.rows; ++row)
        for (std::int64_t column = 128; column < a.grid.columns; ++column) {
            const auto i = static_cast<std::size_t>(row * a.grid.columns + column);
            a.samples[i] = 1e-4f * other.samples[i],
            b.samples[i] = 1e-4f * another.samples[i];  // 80 dB lower, and not the same
        }
    const ImageComparison c = compare(a, b);
    EXPECT_EQ(c.chips, 4 * 2);
    EXPECT_GT(c.coherence_mean, 0.999);
    expect_offset(c.complex_offset, 0, 0, 1e-3);
}

TEST(ImageComparison, ImagesThatHaveNothingInCommonDoNotMatch) {
    const ImageComparison c = compare(speckle_image({}), speckle_image({.seed = 7}));
    EXPECT_EQ(c.complex_offset.chips, 0);
    EXPECT_LT(c.coherence_median, 0.12);
    EXPECT_NEAR(c.signal_to_error_db, -3, 0.1);
}

TEST(ImageComparison, AnyNumberOfThreadsFindsTheSame) {
    const Image a = speckle_image({}), b = speckle_image({.rows_moved = 0.2});
    const ImageComparison one = compare(a, b, {.threads = 1}), three = compare(a, b, {.threads = 3});
    EXPECT_EQ(one.complex_offset.azimuth_px.mean, three.complex_offset.azimuth_px.mean);
    EXPECT_EQ(one.coherence_mean, three.coherence_mean);
    EXPECT_EQ(one.signal_to_error_db, three.signal_to_error_db);
}

TEST(ImageComparison, RefusesWhatCannotBeLaidOverEachOther) {
    const Image a = speckle_image({});
    const auto expect_refusal = [&](const Image& b, const char* word) {
        expect_refused([&] { compare(a, b); }, {word, "b.h5"});
    };
    Image coarser = a, elsewhere = a, dark = a, later = a;
    coarser.grid.time_spacing_s *= 1.001;
    expect_refusal(coarser, "rows are 0.001 s apart in the one");
    coarser = a;
    coarser.grid.range_spacing_m = 2.5;
    expect_refusal(coarser, "columns are 2 m apart in the one");
    elsewhere.grid.near_range_m += 5000;
    expect_refusal(elsewhere, "of one scene?");
    later.grid.first_time_s += 1e12;
    expect_refusal(later, "share 0 rows");
    dark.samples.assign(dark.samples.size(), 0);
    expect_refusal(dark, "is zero wherever");
    Image nowhere = a;
    nowhere.valid_columns.assign(static_cast<std::size_t>(a.grid.rows), {0, 10});
    expect_refusal(nowhere, "--whole");
}

}  // namespace
}  // namespace cornerturn
