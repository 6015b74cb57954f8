// SPDX-License-Identifier: Apache-2.0
// Pictures: PNG files, quick looks and response plots.
#include "data/picture/picture.h"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

#include "data/picture/bitmap_font.h"
#include "data/picture/picture_place.h"
#include "data/picture/quicklook.h"
#include "data/picture/response_plot.h"
#include "kernels/errors.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class PictureFile : public testing::Test {
protected:
    std::string path(const char* name) const { return folder_.file(name); }
    std::size_t files() const { return folder_.names().size(); }

private:
    const ScratchFolder folder_;
};

Picture read_png(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) throw std::runtime_error(image.message);
    const bool colour = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
    image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    Picture picture(image.width, image.height, colour ? 3 : 1);
    if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error(image.message);
    return picture;
}

/// Spaceborne-like axes: 5.6 m along, 4.64 m slant.
Image flat_image(std::int64_t rows, std::int64_t columns, float amplitude) {
    Image image;
    image.grid = {rows, columns, 0, 1 / 1257.0, 850e3, 4.64};
    image.processing.effective_velocity_m_s.assign(static_cast<std::size_t>(columns), 7062.0);
    image.samples.assign(static_cast<std::size_t>(rows * columns), {amplitude, 0});
    return image;
}

TEST_F(PictureFile, GrayAndColourComeBackAsWritten) {
    for (int channels : {1, 3}) {
        Picture picture(37, 21, channels);
        for (std::size_t k = 0; k < picture.pixels.size(); ++k) picture.pixels[k] = static_cast<std::uint8_t>(k * 7);
        write_png(path("p.png"), picture);
        const Picture back = read_png(path("p.png"));
        EXPECT_EQ(back.width, 37);
        EXPECT_EQ(back.height, 21);
        EXPECT_EQ(back.channels, channels);
        EXPECT_EQ(back.pixels, picture.pixels);
    }
    EXPECT_EQ(files(), 1U);
}

TEST_F(PictureFile, AFolderThatIsNotThereIsAnInputErrorAndLeavesNothing) {
    EXPECT_THROW(write_png(path("nowhere/p.png"), Picture(2, 2, 1)), InputError);
    EXPECT_EQ(files(), 0U);
    EXPECT_THROW(write_png(path("p.png"), Picture()), std::logic_error);
}

TEST_F(PictureFile, QuicklookHasRangeToTheRightAndTimeDown) {
    Image image = flat_image(40, 60, 0.001F);
    image.samples[30 * 60 + 7] = {1, 0};  // late, near range
    write_png(path("q.png"), quicklook(image, {.looks = Looks{2, 3}, .dynamic_range_db = 80, .max_size_px = 100}));
    const Picture back = read_png(path("q.png"));
    ASSERT_EQ(back.width, 20);
    ASSERT_EQ(back.height, 20);
    EXPECT_EQ(std::max_element(back.pixels.begin(), back.pixels.end()) - back.pixels.begin(), 15 * 20 + 2);
}

TEST(Quicklook, BrightnessIsLinearInDecibels) {
    Image image = flat_image(1, 4, 1);
    image.samples = {1.0F, 0.1F, 0.01F, 0.0F};
    const Picture picture = quicklook(image, {.looks = Looks{1, 1}, .dynamic_range_db = 50, .max_size_px = 100});
    // The mean lies 15.3 dB above the median: a scene of points, white at the peak.
    EXPECT_EQ(picture.pixels[0], 255);
    EXPECT_EQ(picture.pixels[1], 153);  // 20 of 50 dB below white
    EXPECT_EQ(picture.pixels[2], 51);   // 40
    EXPECT_EQ(picture.pixels[3], 0);
}

TEST(Quicklook, UncoveredAndBrokenSamplesAreBlack) {
    Image image = flat_image(64, 64, 0);
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 1);
    for (int k = 0; k < 32 * 64; ++k) image.samples[k] = {noise(random), noise(random)};
    image.samples[100] = {std::numeric_limits<float>::quiet_NaN(), 0};
    image.samples[200] = {std::numeric_limits<float>::infinity(), 0};
    const Picture picture = quicklook(image, {.looks = Looks{1, 1}, .dynamic_range_db = {}, .max_size_px = 100});
    EXPECT_EQ(picture.pixels[100], 0);
    EXPECT_EQ(picture.pixels[200], 0);
    EXPECT_TRUE(
        std::all_of(picture.pixels.begin() + 32 * 64, picture.pixels.end(), [](int value) { return value == 0; }));
    // Speckle uses the whole scale: its median lies 1.6 dB below its mean and some 8 dB below its 99.8 % quantile.
    std::vector<std::uint8_t> covered(picture.pixels.begin(), picture.pixels.begin() + 32 * 64);
    std::nth_element(covered.begin(), covered.begin() + 1024, covered.end());
    EXPECT_GT(covered[1024], 100);
    EXPECT_LT(covered[1024], 220);
}

TEST(Quicklook, APointSceneShowsItsPointsOnBlack) {
    Image image = flat_image(200, 200, 1e-6F);
    image.samples[50 * 200 + 20] = {1, 0};
    image.samples[150 * 200 + 120] = {0.5, 0};
    image.samples[100 * 200 + 100] = {0.01F, 0};  // a sidelobe at -40 dB
    const Picture picture = quicklook(image, {.looks = Looks{1, 1}, .dynamic_range_db = {}, .max_size_px = 2048});
    EXPECT_EQ(picture.pixels[50 * 200 + 20], 255);
    EXPECT_EQ(picture.pixels[150 * 200 + 120], 229);  // 6.02 of 60 dB down
    EXPECT_EQ(picture.pixels[100 * 200 + 100], 85);   // 40 of 60 dB down
    EXPECT_EQ(picture.pixels[0], 0);
}

TEST(Quicklook, AnEmptyOrConstantImageStillGivesAPicture) {
    const Picture black = quicklook(flat_image(10, 10, 0));
    EXPECT_TRUE(std::all_of(black.pixels.begin(), black.pixels.end(), [](int value) { return value == 0; }));
    const Picture white = quicklook(flat_image(10, 10, 3));
    EXPECT_TRUE(std::all_of(white.pixels.begin(), white.pixels.end(), [](int value) { return value == 255; }));
    EXPECT_THROW(quicklook(flat_image(0, 0, 0)), InputError);
    EXPECT_THROW(quicklook(flat_image(10, 10, 1), {.looks = {}, .dynamic_range_db = -3, .max_size_px = 100}),
                 InputError);
}

TEST(Quicklook, RowsMayComeInPiecesOfAnySize) {
    Image image = flat_image(101, 33, 0);
    std::mt19937 random(1);
    std::normal_distribution<float> noise(0, 1);
    for (auto& sample : image.samples) sample = {noise(random), noise(random)};
    const QuicklookOptions options{.looks = Looks{7, 2}, .dynamic_range_db = {}, .max_size_px = 100};
    const Picture whole = quicklook(image, options);
    QuicklookSink sink(options);
    sink.begin(image);
    std::int64_t row = 0;
    for (const std::int64_t rows : {1, 10, 3, 86, 1}) {
        sink.write(
            row,
            std::span(image.samples).subspan(static_cast<std::size_t>(row * 33), static_cast<std::size_t>(rows * 33)));
        row += rows;
    }
    EXPECT_EQ(sink.picture().pixels, whole.pixels);
}

TEST(Quicklook, AutomaticLooksGiveSquarePixelsOnTheGround) {
    // 5.62 m along, 4.64 m / sin 40 deg = 7.25 m on the ground.
    const Looks one = automatic_looks(flat_image(1500, 1500, 1), 2048);
    EXPECT_EQ(one.azimuth, 3);
    EXPECT_EQ(one.range, 2);
    const Looks many = automatic_looks(flat_image(16000, 8000, 1), 2048);
    EXPECT_LE(16000 / many.azimuth, 2048);
    EXPECT_NEAR(static_cast<double>(many.azimuth) / static_cast<double>(many.range), 7.25 / 5.62, 0.15);
    // The orbit tells the incidence: 857 km slant range from 800 km height meets the ground at 22.4 degrees (law of
    // cosines): 12.2 m; 7500 m/s there are 6664 m/s on the ground.
    Image orbiting = flat_image(3000, 3000, 1);
    orbiting.acquisition.orbit = Orbit{
        {0, 1}, {{7178137.0, 0, 0}, {7178137.0, 7500.0, 0}}, {{0, 7500.0, 0}, {0, 7500.0, 0}}, "Hermite", "Custom"};
    const Looks steep = automatic_looks(orbiting, 2048);
    EXPECT_NEAR(static_cast<double>(steep.azimuth) / static_cast<double>(steep.range), 12.2 / (5.62 * 6664 / 7062),
                0.25);
    // Without any velocity, and down to one pixel, it ends.
    Image unknown = flat_image(1, 3000, 1);
    unknown.processing.effective_velocity_m_s.clear();
    EXPECT_EQ(automatic_looks(unknown, 1).range, 3000);
    EXPECT_EQ(automatic_looks(flat_image(1, 1, 1), 2048).azimuth, 1);
}

TEST(Quicklook, PixelsAreSquareOnTheGroundAllOverThePicture) {
    Image image = flat_image(3000, 3000, 1);
    image.acquisition.orbit = Orbit{
        {0, 3}, {{7178137.0, 0, 0}, {7178137.0, 22500.0, 0}}, {{0, 7500.0, 0}, {0, 7500.0, 0}}, "Hermite", "Custom"};
    const PictureCells cells = ground_cells(image, 2048);
    // On the Earth's circle of 6378 km: law of cosines between 7178 km, the slant range and that.
    const auto ground_m = [](double range_m) {
        constexpr double earth_m = 6378137, platform_m = 7178137;
        return earth_m * std::acos((earth_m * earth_m + platform_m * platform_m - range_m * range_m) /
                                   (2 * earth_m * platform_m));
    };
    const double along_m = 3000 / 1257.0 * 7500 * 6378137 / 7178137, near_m = 850e3, step_m = 4.64;
    const double across_m = ground_m(near_m + 3000 * step_m) - ground_m(near_m);
    const double wide = static_cast<double>(cells.columns()), high = static_cast<double>(cells.rows());
    EXPECT_NEAR(high / wide, along_m / across_m, 0.01);  // a pixel of a thousand is dropped at most
    EXPECT_NEAR(along_m / high, cells.pixel_m, 0.01 * cells.pixel_m);
    for (const std::int64_t column :
         {std::int64_t{100}, cells.columns() / 2, cells.columns() - 100}) {  // fifty pixels, here and there
        const auto range_m = [&](std::int64_t c) {
            return near_m + step_m * static_cast<double>(cells.column_edges[static_cast<std::size_t>(c)]);
        };
        EXPECT_NEAR(ground_m(range_m(column + 50)) - ground_m(range_m(column)), 50 * across_m / wide, 18)
            << "an edge is a whole sample: 12 m";
    }
    for (std::size_t i = 1; i < cells.column_edges.size(); ++i)
        EXPECT_GT(cells.column_edges[i], cells.column_edges[i - 1]);
    EXPECT_EQ(cells.column_edges.back(), 3000);
    EXPECT_EQ(cells.row_edges.back(), 3000);
    EXPECT_LE(ground_cells(image, 100).rows(), 100);
    EXPECT_EQ(ground_cells(flat_image(1, 1, 1), 2048).rows(), 1);
    Image unknown = flat_image(2, 3000, 1);
    unknown.processing.effective_velocity_m_s.clear();
    EXPECT_EQ(ground_cells(unknown, 2048).pixel_m, 0);
}

TEST(PicturePlace, PutsTheCornersWhereTheMapHasThem) {
    const MapGrid grid{MapProjection::geographic(), 100, 201, 11.0, 0.001, 48.0, -0.002};
    const PictureCells cells{.row_edges = {0, 50, 100}, .column_edges = {0, 67, 134, 201}};
    std::istringstream world(world_file(grid, cells));
    double x_step = 0, rotation = 0, other = 0, y_step = 0, x = 0, y = 0;
    world >> x_step >> rotation >> other >> y_step >> x >> y;
    EXPECT_NEAR(x_step, 0.067, 1e-12);
    EXPECT_NEAR(y_step, -0.1, 1e-12);
    EXPECT_EQ(rotation, 0);
    EXPECT_NEAR(x, grid.x(33), 1e-12);  // middle of columns 0 to 66
    EXPECT_NEAR(y, grid.y(24.5), 1e-12);
    const std::string kml = picture_kml("bay.png", grid, cells);
    expect_in(kml, {"<href>bay.png</href>",
                    "10.999500000,47.801000000 11.200500000,47.801000000 11.200500000,48.001000000 "
                    "10.999500000,48.001000000"});
    EXPECT_THROW(picture_kml("bay.png", {MapProjection::local(), 2, 2, 0, 1, 0, -1}, cells), InputError);
}

TEST(PicturePlace, CountsOnOverTheAntimeridian) {
    const MapGrid grid{{32701}, 100, 201, 179530, 1.8, 8173557, -3.6};
    const std::string kml =
        picture_kml("fiji.png", grid, {.row_edges = {0, 50, 100}, .column_edges = {0, 67, 134, 201}});
    const auto first = kml.find("<coordinates>") + 13;
    double least = 1e9, most = -1e9;
    std::istringstream corners(kml.substr(first, kml.find("</coordinates>") - first));
    for (std::string corner; corners >> corner;)
        least = std::min(least, std::stod(corner)), most = std::max(most, std::stod(corner));
    EXPECT_LT(least, 180);
    EXPECT_GT(most, 180);
    EXPECT_LT(most - least, 0.01);
}

TEST(Quicklook, LooksAreRead) {
    EXPECT_FALSE(parse_looks("auto"));
    EXPECT_EQ(parse_looks("4x2")->azimuth, 4);
    EXPECT_EQ(parse_looks("4x2")->range, 2);
    for (const char* text : {"", "4", "4x", "x2", "0x1", "1x-2", "4,2", "4X2", "4x2x1", "1e3x1", "99999999x1"})
        EXPECT_THROW(parse_looks(text), InputError) << text;
}

TEST(BitmapFont, DrawsInsideThePictureOnly) {
    Picture picture(20, 9, 3);
    draw_text(picture, 1, 1, "L", {9, 8, 7});
    for (int y = 1; y < 8; ++y) EXPECT_EQ(picture.pixel(1, y)[1], 8);
    for (int x = 1; x < 6; ++x) EXPECT_EQ(picture.pixel(x, 7)[0], 9);
    EXPECT_EQ(picture.pixel(2, 3)[0], 0);
    const auto before = picture.pixels;
    draw_text(picture, -100, 0, "8", {1, 1, 1});
    draw_text(picture, 30, 50, "8", {1, 1, 1});
    draw_text(picture, 0, 0, "\x01 ", {1, 1, 1});
    EXPECT_EQ(picture.pixels, before);
}

TEST(ResponsePlot, IsEmptyWithoutTargets) {
    PointAnalysis refused;
    refused.refused = "too near the edge";
    EXPECT_EQ(response_plot(flat_image(10, 10, 1), {refused}).width, 0);
}

TEST(ResponsePlot, ShowsTheResponseWithItsPeakInTheMiddleOfTheImagePart) {
    // A bandlimited point: sinc x sinc, three quarters of the sampling rates.
    Image image = flat_image(190, 190, 0);
    image.acquisition.carrier_hz = 5.3e9;
    image.processing.range_bandwidth_hz = 0.75 * speed_of_light_m_s / (2 * 4.64);
    image.processing.azimuth_bandwidth_hz = 0.75 * 1257;
    const auto sinc = [](double x) { return x == 0 ? 1.0 : std::sin(M_PI * 0.75 * x) / (M_PI * 0.75 * x); };
    for (int row = 0; row < 190; ++row) {
        for (int column = 0; column < 190; ++column)
            image.samples[row * 190 + column] = static_cast<float>(sinc(row - 95.3) * sinc(column - 94.6));
    }
    const PointAnalysis point = analyze_point(image, {image.grid.range_m(94.6), image.grid.time_s(95.3), true, {}});
    ASSERT_EQ(point.refused, "");
    const Picture plot = response_plot(image, {point, point});
    ASSERT_EQ(plot.channels, 3);
    EXPECT_GT(plot.width, 2 * 241);
    // The brightest colour of the scale appears once per tile, at the peak.
    int peaks = 0;
    for (std::int64_t y = 0; y < plot.height; ++y) {
        for (std::int64_t x = 0; x < plot.width; ++x) {
            const std::uint8_t* p = plot.pixel(x, y);
            if (p[0] == 252 && p[1] == 253 && p[2] == 190) ++peaks;
        }
    }
    EXPECT_EQ(peaks, 2);
}

}  // namespace
}  // namespace cornerturn
