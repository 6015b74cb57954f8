// SPDX-License-Identifier: Apache-2.0
// cornerturn multilook as its users meet it.
#include "tests/app/image_program.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class MultilookTest : public ImageProgramTest {};

TEST_F(MultilookTest, WritesEveryFormat) {
    make_image();
    for (const char* name : {"a.h5", "a.tif"})
        succeed({"multilook", file("slc.h5"), "-o", file(name), "--looks", "4x2"});
    for (const char* domain : {"detected", "frequency"}) {
        succeed({"multilook", file("slc.h5"), "-o", file("a.png"), "--looks", "auto", "--domain", domain, "--type",
                 "uint8", "--detect", "db"});
        EXPECT_EQ(text_of("a.png").substr(1, 3), "PNG");
    }
    EXPECT_EQ(left(), (Words{"a.h5", "a.png", "a.tif", "raw.h5", "slc.h5"}));
}

TEST_F(MultilookTest, ImagesBecomeWhatOthersOpen) {
    simulate_small();
    const std::string raw = file("raw.h5"), slc = file("slc.h5"), tif = file("a.tif");
    succeed({"focus", raw, "-o", slc, "-q"});
    succeed({"focus", raw, "-o", tif, "--tiff", "db", "-q"});
    const Outcome converted = succeed({"convert", slc, "-o", file("b.tif"), "--tiff", "db"});
    expect_in(converted.out, "rows x");
    const std::string made = text_of("a.tif"), same = text_of("b.tif");
    ASSERT_EQ(made.size(), same.size());
    EXPECT_EQ(made.substr(made.size() - 1000000), same.substr(same.size() - 1000000)) << "the tiles";
    expect_bad_input({"focus", raw, "-o", tif, "--compress", "3"}, {"--compress 3", ".h5"});
    expect_bad_input({"focus", raw, "-o", tif, "--resume"}, {"--resume"});
    expect_bad_input({"focus", raw, "-o", file("a.h5"), "--tiff", "db"}, {"--tiff", "a.h5"});
    expect_bad_input({"focus", raw, "-o", tif, "--tiff", "phase"}, {"--tiff phase", "complex"});
    succeed({"focus", raw, "-o", file("c.nitf"), "-q"});
    EXPECT_EQ(text_of("c.nitf").substr(0, 9), "NITF02.10");
    expect_bad_input({"convert", raw, "-o", file("c.tif")}, {"raw echo", "focus"});
    expect_bad_input({"convert", slc, "-o", file("c.h5")}, {"already", ".tif"});
    EXPECT_EQ(left(), (Words{"a.tif", "b.tif", "c.nitf", "raw.h5", "scene.yaml", "slc.h5"}));
    // Samples as halves and as integers.
    succeed({"focus", raw, "-o", file("half.h5"), "--sample-type", "f16", "-q"});
    EXPECT_LT(static_cast<double>(std::filesystem::file_size(file("half.h5"))),
              0.7 * static_cast<double>(std::filesystem::file_size(slc)));
    const nlohmann::json halves = json_of({"compare", slc, file("half.h5"), "--whole", "--json"});
    EXPECT_GT(halves.at("signal_to_error_db").get<double>(), 65);
    EXPECT_EQ(json_of({"analyze", file("half.h5"), "--json"}).at("targets").size(),
              json_of({"analyze", slc, "--json"}).at("targets").size());
    for (const char* type : {"int16", "amp8-phs8", "int16:3"})
        succeed({"convert", slc, "-o", file("d.nitf"), "--sample-type", type, "-q"});
    const Outcome clipped = succeed({"convert", slc, "-o", file("d.tif"), "--sample-type", "int16:1e-6"});
    expect_in(clipped.err, "clipped");
    succeed({"convert", slc, "-o", file("e.h5"), "--sample-type", "f16", "-q"});
    expect_bad_input({"focus", raw, "-o", file("f.nitf"), "--sample-type", "int16"}, {"int16:2.5", "convert"});
    succeed({"focus", raw, "-o", file("f.nitf"), "--sample-type", "int16:1000", "-q"});
    expect_bad_input({"focus", raw, "-o", file("g.h5"), "--sample-type", "int16:1"}, {"int16", "f16"});
    expect_bad_input({"focus", raw, "-o", file("g.h5"), "--sample-type", "f64"}, {"f64", "amp8-phs8"});
}

TEST_F(MultilookTest, SaysWhatIsWrong) {
    make_image();
    const std::string image = file("slc.h5"), out = file("a.h5");
    expect_bad_input({"multilook", image}, {"--output", "required"});
    expect_bad_input({"multilook", image, "-o", file("a.jpg")}, {"a.jpg", ".png"});
    expect_bad_input({"multilook", image, "-o", image}, {"same file"});
    expect_bad_input({"multilook", image, "-o", out, "--looks", "0x2"}, {"--looks 0x2"});
    expect_bad_input({"multilook", image, "-o", out, "--looks", "9999x2"}, {"looks 9999x2"});
    expect_bad_input({"multilook", image, "-o", out, "--domain", "time"}, {"--domain time"});
    expect_bad_input({"multilook", image, "-o", out, "--overlap", "0.5"}, {"--domain frequency"});
    expect_bad_input({"multilook", image, "-o", out, "--domain", "frequency", "--overlap", "1"}, {"--overlap 1"});
    expect_bad_input({"multilook", image, "-o", out, "--domain", "frequency", "--azimuth-window", "hat"}, {"hat"});
    expect_bad_input({"multilook", image, "-o", out, "--scale", "0,1"}, {"--scale 0,1", "float32"});
    expect_bad_input({"multilook", image, "-o", out, "--type", "uint8", "--scale", "1"},
                     {"--scale 1", "LEAST,GREATEST"});
    expect_bad_input({"multilook", image, "-o", out, "--type", "uint8", "--scale", "2,1"}, {"--scale 2,1"});
    expect_bad_input({"multilook", file("raw.h5"), "-o", out}, {"raw echo"});
    EXPECT_EQ(left(), (Words{"raw.h5", "slc.h5"}));
}

}  // namespace
}  // namespace cornerturn
