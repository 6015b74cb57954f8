// SPDX-License-Identifier: Apache-2.0
// cornerturn compare as its users meet it.
#include "tests/app/image_program.h"

namespace cornerturn {
namespace {

class CompareTest : public ImageProgramTest {};

TEST_F(CompareTest, TwoAlgorithmsAgree) {
    make_image();
    ASSERT_EQ(run({"focus", file("raw.h5"), "-o", file("csa.h5"), "--algorithm", "csa", "-q"}).code, 0);
    const nlohmann::json json = json_of({"compare", file("slc.h5"), file("csa.h5"), "--json", "-"});
    EXPECT_GT(json["coherence"]["median"], 0.99);
    EXPECT_LT(std::abs(json["offset_of_samples"]["azimuth_px"]["mean"].get<double>()), 0.02);
    EXPECT_LT(std::abs(json["offset_of_power"]["range_px"]["mean"].get<double>()), 0.02);
    EXPECT_TRUE(json["passed"]);

    const Outcome met = run({"compare", file("slc.h5"), file("csa.h5"), "--require-coherence", "0.99", "--require-registration", "0.02",
                             "--json", file("c.json")});
    EXPECT_EQ(met.code, 0) << met.err;
    EXPECT_NE(met.out.find("PASS  median coherence"), std::string::npos) << met.out;
    EXPECT_NE(met.out.find("PASS  offset of samples"), std::string::npos) << met.out;
    EXPECT_EQ(nlohmann::json::parse(text_of("c.json"))["checks"].size(), 2);

    const Outcome missed =
        run({"compare", file("slc.h5"), file("csa.h5"), "--require-signal-to-error", "200", "--require-amplitude-correlation", "0.5"});
    EXPECT_EQ(missed.code, 1);
    EXPECT_NE(missed.out.find("FAIL  signal to error"), std::string::npos) << missed.out;
    EXPECT_NE(missed.out.find("PASS  amplitude correlation"), std::string::npos) << missed.out;
}

TEST_F(CompareTest, AnImageAgreesWithItselfFromAnotherEpoch) {
    make_image();
    std::filesystem::copy_file(file("slc.h5"), file("later.h5"));
    {
        Editor editor(file("later.h5"));
        const std::string times = "/science/LSAR/RSLC/swaths/zeroDopplerTime";
        const h5::Dataset data(H5Dopen2(editor.id(), times.c_str(), H5P_DEFAULT));
        const h5::Attribute units(H5Aopen(data, "units", H5P_DEFAULT));
        const h5::Type type(H5Aget_type(units));
        std::string text(H5Tget_size(type), '\0');
        ASSERT_GE(H5Aread(units, type, text.data()), 0);
        const auto second = text.find(":00", text.find('T') + 4);  // hh:mm:00
        ASSERT_NE(second, std::string::npos) << text;
        text.replace(second, 3, ":02");
        ASSERT_GE(H5Awrite(units, type, text.data()), 0);
        editor.change(times, [](std::vector<double>& values) {
            for (double& value : values) value -= 2;
        });
    }
    const nlohmann::json json = json_of({"compare", file("slc.h5"), file("later.h5"), "--json", "-"});
    EXPECT_NEAR(json["grid_shift_px"]["azimuth"].get<double>(), 0, 1e-3);
    EXPECT_EQ(json["signal_to_error_db"], "inf");
}

TEST_F(CompareTest, SaysWhatIsWrong) {
    make_image();
    const std::string image = file("slc.h5");
    expect_bad_input({"compare", image}, {"B.h5", "required"});
    expect_bad_input({"compare", image, file("none.h5")}, {"none.h5"});
    expect_bad_input({"compare", image, file("raw.h5")}, {"raw.h5", "raw echo"});
    expect_bad_input({"compare", image, image, "--require-coherence", "much"}, {"--require-coherence much: not a number"});
    expect_bad_input({"compare", image, image, "--frequency", "B"}, {"frequency B"});
    expect_bad_input({"compare", image, image, "--json", file("none/c.json")}, {"none/c.json"});
    expect_bad_input({"compare", image, image, "--json", image}, {"same file"});
    expect_bad_input({"compare", image, image, "--chips", "0"}, {"--chips"});
}

}  // namespace
}  // namespace cornerturn
