// SPDX-License-Identifier: Apache-2.0
// Detected images as other programs read them.
#include "data/detected/detected_image.h"

#include <tiffio.h>

#include "data/hdf5/hdf5_reader.h"
#include "tests/data/product_fixture.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class DetectedTest : public ProductTest {
protected:
    DetectedTest() {
        image_.acquisition = small_echo(SampleFormat::complex64).acquisition;
        image_.grid = {.rows = 9,
                       .columns = 14,
                       .first_time_s = 12,
                       .time_spacing_s = 0.01,
                       .near_range_m = 8000,
                       .range_spacing_m = 1.5};
        image_.processing.software = "test";
        options_.looks.looks = {2, 4};  // 4 x 3 cells
        for (int i = 0; i < 12; ++i) power_.push_back(static_cast<float>(i * i));
    }
    void write(const std::string& file, bool finish = true) {
        const auto output = DetectedFile::create(path(file), image_, options_);
        output->write(0, std::span(power_).first(6));
        output->write(2, std::span(power_).last(6));
        if (finish) output->commit();
    }

    Image image_;
    DetectedOptions options_;
    std::vector<float> power_;
};

TEST_F(DetectedTest, Hdf5HasAxesAndScale) {
    options_.type = StoredAs::uint16;
    options_.scale = IntegerScale::between(0, 11, StoredAs::uint16);
    write("a.h5");
    const h5::Reader file(path("a.h5"));
    const std::string swaths = "/science/LSAR/detected/swaths";
    EXPECT_NEAR(file.numbers(swaths + "/zeroDopplerTime", {.rows = 4, .columns = {}, .meaning = ""})[1], 12.025, 1e-12);
    EXPECT_NEAR(file.numbers(swaths + "/frequencyA/slantRange", {.rows = 3, .columns = {}, .meaning = ""})[2],
                8000 + 1.5 * 1.5 + 12, 1e-9);
    EXPECT_EQ(file.number(swaths + "/frequencyA/numberOfLooksRange"), 4);
    const h5::Dataset data = file.dataset(swaths + "/frequencyA/HV");
    std::vector<std::uint16_t> stored(12);
    ASSERT_GE(H5Dread(data, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()), 0);
    const auto number = [&](const char* name) {
        const h5::Attribute attribute(H5Aopen(data, name, H5P_DEFAULT));
        double value = 0;
        EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), 0) << name;
        return value;
    };
    EXPECT_EQ(stored[0], 0) << "nothing there";
    EXPECT_EQ(number("_FillValue"), 0);
    for (int i = 1; i < 12; ++i)
        EXPECT_NEAR(number("add_offset") + number("scale_factor") * stored[static_cast<std::size_t>(i)], i, 1e-4);
    EXPECT_EQ(stored[11], 65535);
}

TEST_F(DetectedTest, FloatsAreWhatWasDetected) {
    options_.detection = Detection::decibel;
    write("a.h5");
    const h5::Dataset data = h5::Reader(path("a.h5")).dataset("/science/LSAR/detected/swaths/frequencyA/HV");
    std::vector<float> stored(12);
    ASSERT_GE(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()), 0);
    EXPECT_TRUE(std::isinf(stored[0]));
    EXPECT_FLOAT_EQ(stored[10], 20);
    EXPECT_EQ(H5Aexists(data, "scale_factor"), 0);
}

TEST_F(DetectedTest, TiffHoldsTheSameRows) {
    for (const StoredAs type : {StoredAs::float32, StoredAs::uint8, StoredAs::uint16}) {
        options_.type = type;
        options_.detection = Detection::amplitude;
        options_.scale = type == StoredAs::float32 ? IntegerScale{} : IntegerScale::between(0, 11, type);
        write("a.tif");
        TIFF* tiff = TIFFOpen(path("a.tif").c_str(), "r");
        ASSERT_NE(tiff, nullptr);
        std::uint32_t width = 0, height = 0;
        std::uint16_t bits = 0;
        char* description = nullptr;
        EXPECT_EQ(TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width), 1);
        EXPECT_EQ(TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height), 1);
        EXPECT_EQ(TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits), 1);
        EXPECT_EQ(TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description), 1);
        expect_in(description, "2 x 4 looks");
        EXPECT_EQ(std::string(description).find("stored") == std::string::npos, type == StoredAs::float32)
            << description;
        ASSERT_EQ(width, 3u);
        ASSERT_EQ(height, 4u);
        std::vector<std::byte> tile(512 * 512 * bits / 8u);
        ASSERT_GT(TIFFReadTile(tiff, tile.data(), 0, 3, 0, 0), 0);
        const std::byte* const line = tile.data() + 3 * 512 * bits / 8;
        double last = 0;
        if (type == StoredAs::float32) {
            float value = 0;
            std::memcpy(&value, line + 8, 4);
            last = static_cast<double>(value);
        } else {
            std::uint16_t value = 0;
            std::memcpy(&value, line + 2 * bits / 8, bits / 8u);
            last = options_.scale.offset + options_.scale.scale * value;
        }
        EXPECT_NEAR(last, 11, 1e-3);
        TIFFClose(tiff);
    }
}

TEST_F(DetectedTest, NothingIsLeftOfAFileThatIsNotFinished) {
    options_.type = StoredAs::uint8;
    options_.scale = IntegerScale::between(0, 11, options_.type);
    for (const char* name : {"a.h5", "a.tif", "a.png"}) {
        write(name, false);
        EXPECT_TRUE(left().empty()) << name << " left " << testing::PrintToString(left());
    }
    write("a.png");
    EXPECT_EQ(left(), std::vector<std::string>{"a.png"});
}

TEST_F(DetectedTest, AScaleFollowsFromTheBrightness) {
    Brightness brightness;
    std::vector<float> power(100000);
    for (std::size_t i = 0; i < power.size(); ++i)
        power[i] = std::pow(10.0f, -3.0f + 3.0f * static_cast<float>(i) / 100000.0f);  // -30 to 0 dB
    power[0] = 0, power[1] = std::nanf("");
    brightness.add(power);
    const IntegerScale db = brightness.scale(Detection::decibel, StoredAs::uint8);
    EXPECT_NEAR(db.offset + db.scale, -30 + 0.06, 0.11);  // value of 1; bins are 0.1 dB wide
    EXPECT_NEAR(db.offset + 255 * db.scale, -0.03, 0.11);
    const IntegerScale amplitude = brightness.scale(Detection::amplitude, StoredAs::uint16);
    EXPECT_NEAR(amplitude.offset + amplitude.scale, 0, 1e-12);
    EXPECT_NEAR(amplitude.offset + 65535 * amplitude.scale, 1, 0.02);
    EXPECT_EQ(db.stored(-100, StoredAs::uint8), 1) << "dark, but there";
    EXPECT_EQ(db.stored(100, StoredAs::uint8), 255);
}

TEST_F(DetectedTest, RefusesByName) {
    expect_refused([] { detection_named("phase"); }, {"phase", "amplitude, power or db"});
    expect_refused([] { stored_as_named("int8"); }, {"int8", "float32, uint8 or uint16"});
    expect_refused([] { detected_format_of("a.jpg"); }, {"a.jpg", ".h5, .tif or .png"});
    expect_refused([&] { check_detected_path(path("a.png"), {}, StoredAs::float32); }, {"a.png", "uint8"});
    expect_refused([&] { check_detected_path("", {}, StoredAs::float32); }, {"no output"});
    expect_refused([] { IntegerScale::between(1, 1, StoredAs::uint8); }, {"--scale 1,1"});
    expect_refused([] { Brightness().scale(Detection::power, StoredAs::uint8); }, {"zero everywhere"});
}

}  // namespace
}  // namespace cornerturn
