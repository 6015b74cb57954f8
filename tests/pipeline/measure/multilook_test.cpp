// SPDX-License-Identifier: Apache-2.0
// Looks by theory: means of known samples, equivalent number of looks of speckle, places and powers of parts of the
// band.
#include "pipeline/measure/multilook.h"

#include <gtest/gtest.h>

#include "kernels/errors.h"
#include "tests/pipeline/measure/speckle.h"

namespace cornerturn {
namespace {

struct Result {
    ImageGrid cells;
    std::vector<float> power;
    int calls = 0;
};

Result looks_of(const Image& image, const MultilookOptions& options) {
    Result result{multilooked_grid(image.grid, options.looks), {}, 0};
    multilook(image, options, [&](std::int64_t first_row, std::span<const float> power) {
        EXPECT_EQ(first_row * result.cells.columns, static_cast<std::int64_t>(result.power.size()));
        result.power.insert(result.power.end(), power.begin(), power.end());
        ++result.calls;
    });
    EXPECT_EQ(static_cast<std::int64_t>(result.power.size()), result.cells.rows * result.cells.columns);
    return result;
}

/// Speckle that tells its bands: 0.8 of both sample rates, in range about the carrier that a centroid of so few hertz
/// has: none.
Image recorded_speckle(Speckle scene) {
    scene.column_carrier = 0;
    Image image = speckle_image(scene);
    image.acquisition.carrier_hz = 5e9;
    image.acquisition.prf_hz = 1000;
    image.processing.doppler_centroid_hz = scene.row_carrier / image.grid.time_spacing_s;
    image.processing.azimuth_bandwidth_hz = scene.band / image.grid.time_spacing_s;
    image.processing.range_bandwidth_hz = scene.band * speed_of_light_m_s / (2 * image.grid.range_spacing_m);
    image.processing.effective_velocity_m_s.assign(static_cast<std::size_t>(image.grid.columns), 7000);
    return image;
}

struct Moments {
    double mean = 0, looks = 0;
};
/// Away from the edges.
Moments moments(const Result& result) {
    double sum = 0, squares = 0, count = 0;
    for (std::int64_t row = 5; row < result.cells.rows - 5; ++row)
        for (std::int64_t column = 5; column < result.cells.columns - 5; ++column) {
            const double p =
                static_cast<double>(result.power[static_cast<std::size_t>(row * result.cells.columns + column)]);
            sum += p, squares += p * p, ++count;
        }
    const double mean = sum / count;
    return {mean, mean * mean / (squares / count - mean * mean)};
}

TEST(Multilook, AveragesThePowerOfNeighbours) {
    Image image;
    image.grid = {
        .rows = 7, .columns = 5, .first_time_s = 1, .time_spacing_s = 0.5, .near_range_m = 100, .range_spacing_m = 2};
    for (int i = 0; i < 35; ++i) image.samples.emplace_back(static_cast<float>(i), 1.0f);
    image.samples[8] = {std::nanf(""), 0};
    const Result result = looks_of(image, {.looks = {3, 2}});
    EXPECT_EQ(result.cells.rows, 2);
    EXPECT_EQ(result.cells.columns, 2);
    EXPECT_DOUBLE_EQ(result.cells.first_time_s, 1.5);
    EXPECT_DOUBLE_EQ(result.cells.time_spacing_s, 1.5);
    EXPECT_DOUBLE_EQ(result.cells.near_range_m, 101);
    EXPECT_DOUBLE_EQ(result.cells.range_spacing_m, 4);
    const auto power = [](int i) { return static_cast<float>(i * i + 1); };
    EXPECT_FLOAT_EQ(result.power[0], (power(0) + power(1) + power(5) + power(6) + power(10) + power(11)) / 6);
    EXPECT_FLOAT_EQ(result.power[1], (power(2) + power(3) + power(7) + power(12) + power(13)) / 6)
        << "one is not finite";
    EXPECT_FLOAT_EQ(result.power[3], (power(17) + power(18) + power(22) + power(23) + power(27) + power(28)) / 6);
}

TEST(Multilook, SpeckleHasAsManyLooksAsTheBandHolds) {
    const Image image = recorded_speckle({.rows = 1024, .columns = 1024});
    const Moments samples = moments(looks_of(image, {.looks = {4, 2}}));
    EXPECT_NEAR(samples.mean, 1, 0.01);
    // Neighbours are correlated with sinc(0.8 d): N^2 / sum over pairs of sinc^2, each axis by itself.
    const auto independent = [](int n) {
        double sum = 0;
        for (int d = 1 - n; d < n; ++d) {
            const double x = std::numbers::pi * 0.8 * d;
            sum += (n - std::abs(d)) * (d == 0 ? 1 : std::pow(std::sin(x) / x, 2));
        }
        return n * n / sum;
    };
    EXPECT_NEAR(samples.looks, independent(4) * independent(2), 0.1);
    // Parts side by side are independent but where their edges, rounded off over an eighth, meet: a few percent.
    const Moments bands = moments(looks_of(image, {.looks = {4, 2}, .domain = LookDomain::frequency}));
    EXPECT_NEAR(bands.mean, 1, 0.01);
    EXPECT_NEAR(bands.looks, 8, 0.6);
    EXPECT_LT(bands.looks, 8.2);
}

TEST(Multilook, OverlapAndWindowsTradeLooksForWidth) {
    const Image image = recorded_speckle({.rows = 1024, .columns = 1024});
    const auto looks = [&](double overlap, const char* window) {
        return moments(looks_of(image, {.looks = {4, 1},
                                        .domain = LookDomain::frequency,
                                        .overlap = overlap,
                                        .azimuth_window = Window::parse(window)}));
    };
    const Moments apart = looks(0, "none"), over = looks(0.5, "none"), weighted = looks(0.5, "hamming");
    EXPECT_LT(over.looks, 0.75 * apart.looks) << "what is shared is not independent";
    EXPECT_GT(weighted.looks, over.looks + 0.3) << "the window makes light of what is shared";
    for (const Moments& m : {apart, over, weighted}) EXPECT_NEAR(m.mean, 1, 0.015);
}

TEST(Multilook, PointsStayInTheirCellsAtAnyCarrier) {
    for (const double carrier : {0.0, 0.4, -3.3}) {
        Image image = recorded_speckle({.rows = 512, .columns = 512, .row_carrier = carrier});
        const double row = 249.5, column = 301;  // the middles of cells of 4 x 3 samples are 4 i + 1.5 and 3 k + 1
        for (std::int64_t i = 0; i < 512; ++i)
            for (std::int64_t k = 0; k < 512; ++k) {
                const double y = static_cast<double>(i) - row, x = static_cast<double>(k) - column;
                const auto sinc = [](double u) { return u == 0 ? 1 : std::sin(u) / u; };
                image.samples[static_cast<std::size_t>(i * 512 + k)] = std::complex<float>(
                    std::polar(10 * sinc(0.8 * std::numbers::pi * y) * sinc(0.8 * std::numbers::pi * x),
                               2 * std::numbers::pi * carrier * y));
            }
        const Result result = looks_of(image, {.looks = {4, 3}, .domain = LookDomain::frequency});
        const auto at = [&](std::int64_t i, std::int64_t k) {
            return result.power[static_cast<std::size_t>(i * result.cells.columns + k)];
        };
        // Of each look the peak is a part of the whole one's: power / 12^2, scaled by 12 so that speckle keeps its own;
        // rounding the edges off takes the mean weight from 1 to sqrt of it at most.
        EXPECT_NEAR(at(62, 100), 100.0 / 12, 0.8);
        EXPECT_NEAR(at(61, 100), at(63, 100), 0.03) << "alike on both sides";
        EXPECT_NEAR(at(62, 99), at(62, 101), 0.03);
        EXPECT_LT(at(61, 100), 0.15 * static_cast<double>(at(62, 100)));
    }
}

TEST(Multilook, BlocksLeaveNoSeams) {
    // 6000 x 1200 samples are more than one block of 4 Mi samples; the same image in one piece tells what they should
    // be.
    Image image = recorded_speckle({.rows = 6000, .columns = 1200});
    const Result whole = looks_of(image, {.looks = {4, 1}, .domain = LookDomain::frequency});
    EXPECT_GT(whole.calls, 1);
    Image shifted = image;  // without the first rows, blocks begin elsewhere
    const std::int64_t cut = 1000;
    shifted.grid.rows -= cut;
    shifted.samples.erase(shifted.samples.begin(), shifted.samples.begin() + cut * 1200);
    const Result other = looks_of(shifted, {.looks = {4, 1}, .domain = LookDomain::frequency});
    double error = 0, power = 0;
    for (std::int64_t row = 200; row < other.cells.rows; ++row)
        for (std::int64_t column = 0; column < 1200; ++column) {
            const double a = static_cast<double>(
                             whole.power[static_cast<std::size_t>((row + cut / 4) * 1200 + column)]),
                         b = static_cast<double>(other.power[static_cast<std::size_t>(row * 1200 + column)]);
            error += (a - b) * (a - b), power += a * a;
        }
    EXPECT_LT(std::sqrt(error / power),
              2e-4);  // carriers go to the nearest frequency of the transform, whose length differs
}

TEST(Multilook, RefusesWhatCannotBe) {
    Image image = recorded_speckle({.rows = 64, .columns = 64});
    const PowerRows ignore = [](std::int64_t, std::span<const float>) {};
    EXPECT_THROW(multilook(image, {.looks = {65, 1}}, ignore), InputError);
    EXPECT_THROW(multilook(image, {.looks = {0, 1}}, ignore), InputError);
    EXPECT_THROW(multilook(image, {.looks = {2, 1}, .domain = LookDomain::frequency, .overlap = 1}, ignore),
                 InputError);
    image.processing.azimuth_bandwidth_hz = 0;
    EXPECT_THROW(multilook(image, {.looks = {2, 1}, .domain = LookDomain::frequency}, ignore), InputError);
}

}  // namespace
}  // namespace cornerturn
