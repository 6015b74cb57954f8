// SPDX-License-Identifier: Apache-2.0
// Samples as halves and as integers: each within what its bits can tell, in every product that may hold them.
#include "data/files/sample_type.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "data/hdf5/hdf5_reader.h"
#include "data/nisar/gslc_writer.h"
#include "data/nisar/half_samples.h"
#include "data/nisar/rslc_reader.h"
#include "data/nisar/rslc_writer.h"
#include "data/open_image.h"
#include "data/product/product_file.h"
#include "kernels/passes/decoding.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class SampleTypeTest : public ProductTest {
protected:
    SampleTypeTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.grid = {.rows = 700,
                       .columns = 90,
                       .first_time_s = 12,
                       .time_spacing_s = 0.0021,
                       .near_range_m = 7950.5,
                       .range_spacing_m = 1.5};
        std::mt19937 random(27);
        std::normal_distribution<float> noise;
        for (int i = 0; i < 700 * 90; ++i) image_.samples.emplace_back(noise(random), noise(random));
        image_.samples[4711] = {300, -400};
    }
    void write(ImageFile& file) const {
        file.begin(image_);
        const auto some = static_cast<std::size_t>(90 * 300);
        file.write(0, std::span(image_.samples).first(some));
        file.write(300, std::span(image_.samples).subspan(some));
        file.commit();
    }
    double signal_to_error_db(const std::vector<std::complex<float>>& got) const {
        double signal = 0, error = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
            signal += std::norm(image_.samples[i]);
            error += std::norm(image_.samples[i] - got[i]);
        }
        return 10 * std::log10(signal / error);
    }
    Image image_;
};

double number_attribute(const std::string& file, const std::string& object, const char* name) {
    double value = std::nan("");
    const h5::File opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const h5::Attribute attribute(H5Aopen_by_name(opened, object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT));
    EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), 0);
    return value;
}

TEST(HalfSamplesTest, RoundsToTheNearestHalf) {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = half_to_float(static_cast<std::uint16_t>(bits));
        if (std::isnan(value)) continue;
        ASSERT_EQ(half_of(value), bits) << value;
        const float next = half_to_float(static_cast<std::uint16_t>(bits + 1));
        if ((bits & 0x7fff) >= 0x7bff || !std::isfinite(next)) continue;
        const float middle = 0.5f * (value + next);  // to the even one
        ASSERT_EQ(half_of(middle), bits % 2 == 0 ? bits : bits + 1) << value;
        ASSERT_EQ(half_of(std::nextafter(middle, value)), bits);
        ASSERT_EQ(half_of(std::nextafter(middle, next)), bits + 1);
    }
    EXPECT_EQ(half_of(65519.0f), 0x7bff);
    EXPECT_EQ(half_of(65520.0f), 0x7c00);
    EXPECT_EQ(half_of(-std::numeric_limits<float>::infinity()), 0xfc00);
    EXPECT_TRUE(std::isnan(half_to_float(half_of(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_F(SampleTypeTest, HalvesAreReadBackAndTellWhatTheyLost) {
    for (const int compression : {0, 3}) {
        SCOPED_TRACE(compression);
        RslcFile file(path("slc.h5"), 1, {.compression = compression, .samples = SampleType::float16});
        write(file);
        const Image read = read_rslc(path("slc.h5"));
        const double db = signal_to_error_db(read.samples);
        EXPECT_GT(db, 72);
        EXPECT_EQ(read.samples[4711], image_.samples[4711]) << "integers below 2048 are held as they are";
        const h5::Reader stored(path("slc.h5"));
        const std::string samples = "/science/LSAR/RSLC/swaths/frequencyA/" + image_.acquisition.polarization;
        EXPECT_EQ(h5::size_of(h5::type_of(stored.dataset(samples))), 4u);
        EXPECT_NEAR(number_attribute(path("slc.h5"), samples, "signal_to_error_db"), db, 1e-3);
        EXPECT_TRUE(compression > 0 || file.written_bytes() == image_.samples.size() * 4);
    }
    EXPECT_LT(std::filesystem::file_size(path("slc.h5")), image_.samples.size() * 6) << "with metadata";
}

TEST_F(SampleTypeTest, HalvesOfMapsToo) {
    image_.map = MapGrid{MapProjection{32633}, 700, 90, 5e5, 2, 5e6, -2};
    GslcFile file(path("map.h5"), 1, {.samples = SampleType::float16});
    write(file);
    const Image read = open_image(path("map.h5"), {}).header();
    EXPECT_EQ(read.map->rows, 700);
    StoredImage stored = open_image(path("map.h5"), {});
    ImageInMemory into;
    stored.pass_to(into);
    EXPECT_GT(signal_to_error_db(into.image.samples), 72);
}

TEST_F(SampleTypeTest, WhatHalvesCannotHoldIsRefused) {
    image_.samples[90 * 333 + 44] = {0, 7e4f};
    expect_refused(
        [&] {
            RslcFile file(path("slc.h5"), 1, {.samples = SampleType::float16});
            write(file);
        },
        {"f16", "row 333", "column 44", "65504"});
    EXPECT_TRUE(left().empty());
}

TEST_F(SampleTypeTest, IntegersLieWithinHalfAStep) {
    IntegerSamples integers(SampleType::int16, 500);
    for (const auto& sample : image_.samples) {
        const auto error = integers.value(integers.codes(sample)) - std::complex<double>(sample);
        ASSERT_LE(std::abs(error.real()), 0.5001 * integers.step());
        ASSERT_LE(std::abs(error.imag()), 0.5001 * integers.step());
    }
    EXPECT_EQ(integers.clipped(), 0);
    EXPECT_EQ(integers.remark("a.tif"), "");
    const auto clipped = integers.codes({-501, 1});
    EXPECT_EQ(clipped.first, -32767);
    EXPECT_EQ(integers.clipped(), 1);
    expect_in(integers.remark("a.tif"), "a.tif: 1 samples");
    EXPECT_EQ(integers.codes({std::numeric_limits<float>::quiet_NaN(), 1}).second, 0);
}

TEST_F(SampleTypeTest, AmplitudesAndPhasesLieWithinHalfACode) {
    IntegerSamples integers(SampleType::amplitude_phase8, 500);
    ASSERT_EQ(integers.amplitudes().size(), 256u);
    EXPECT_DOUBLE_EQ(integers.amplitudes().back(), 500);
    for (const auto& sample : image_.samples) {
        const auto codes = integers.codes(sample);
        const auto got = integers.value(codes);
        const double apart = (2 * codes.first + 1.25) / (255.0 * 255) * 500;  // from this amplitude to the next
        ASSERT_LE(std::abs(std::abs(got) - std::abs(sample)), 0.5 * apart) << sample;
        if (codes.first == 0) continue;
        ASSERT_LE(std::abs(std::arg(got / std::complex<double>(sample))), 1.0001 * std::numbers::pi / 256) << sample;
    }
    EXPECT_EQ(integers.codes({0, 0}).first, 0);
    EXPECT_EQ(integers.codes({1e-6f, 0}).first, 0);
    EXPECT_EQ(integers.codes({600, 0}).first, 255);
    EXPECT_EQ(integers.clipped(), 1);
}

TEST_F(SampleTypeTest, NamesAreReadAndFormatsTakeWhatTheyCanHold) {
    EXPECT_EQ(sample_storage_named("f16").type, SampleType::float16);
    EXPECT_EQ(sample_storage_named("int16:2.5").full_scale, 2.5);
    EXPECT_FALSE(sample_storage_named("amp8-phs8").full_scale);
    for (const char* wrong : {"", "i16", "f32:1", "int16:", "int16:x", "int16:1x", "int16:0", "int16:-1", "int16:inf"})
        expect_refused([&] { sample_storage_named(wrong); }, {"--sample-type"});
    const auto check = [](const char* name, const char* type, TiffContent tiff = TiffContent::complex) {
        product_file(name, {.tiff = tiff, .samples = sample_storage_named(type)});
    };
    check("a.h5", "f16");
    check("a.tif", "int16:1");
    check("a.nitf", "amp8-phs8:1");
    expect_refused([&] { check("a.h5", "int16:1"); }, {"int16", "a.h5", "f16", ".tif"});
    expect_refused([&] { check("a.tif", "f16"); }, {"f16", "a.tif", "int16"});
    expect_refused([&] { check("a.tif", "amp8-phs8:1"); }, {"amp8-phs8", "a.tif"});
    expect_refused([&] { check("a.nitf", "f16"); }, {"f16", "a.nitf", "amp8-phs8"});
    expect_refused([&] { check("a.tif", "int16:1", TiffContent::decibel); }, {"int16", "--tiff"});
    expect_refused([&] { check("a.nitf", "int16"); }, {"int16:2.5", "convert"});
}

}  // namespace
}  // namespace cornerturn
