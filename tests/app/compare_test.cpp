// SPDX-License-Identifier: Apache-2.0
// cornerturn compare as its users meet it.
#include "app/verbs/agreement.h"
#include "pipeline/formers/former.h"
#include "tests/app/image_program.h"
#include "tests/app/json_schema.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

class CompareTest : public ImageProgramTest {};

TEST_F(CompareTest, TwoAlgorithmsAgree) {
    make_image();
    succeed({"focus", file("raw.h5"), "-o", file("csa.h5"), "--algorithm", "csa", "-q"});
    const nlohmann::json json = json_of({"compare", file("slc.h5"), file("csa.h5"), "--json", "-"});
    EXPECT_GT(json["coherence"]["median"], 0.99);
    // The median, as the program judges: between nine targets some chips hold little but sidelobes, and one of
    // them that matches a sidelobe too far moves the mean by half a pixel.
    EXPECT_LT(std::abs(json["offset_of_samples"]["azimuth_px"]["median"].get<double>()), 0.02);
    EXPECT_LT(std::abs(json["offset_of_power"]["range_px"]["median"].get<double>()), 0.02);
    EXPECT_TRUE(json["passed"]);

    const Outcome met = succeed({"compare", file("slc.h5"), file("csa.h5"), "--require-coherence", "0.99",
                                 "--require-registration", "0.02", "--json", file("c.json")});
    expect_in(met.out, {"PASS  median coherence", "PASS  offset of samples"});
    EXPECT_EQ(nlohmann::json::parse(text_of("c.json"))["checks"].size(), 2);

    const Outcome missed = run({"compare", file("slc.h5"), file("csa.h5"), "--require-signal-to-error", "200",
                                "--require-amplitude-correlation", "0.5"});
    EXPECT_EQ(missed.code, 1);
    expect_in(missed.out, {"FAIL  signal to error", "PASS  amplitude correlation"});
}

TEST_F(CompareTest, VerifyComparesEveryAlgorithmWithEveryOther) {
    simulate_small();
    std::filesystem::create_directory(path("temporary"));
    setenv("TMPDIR", path("temporary").c_str(), 1);
    const Outcome outcome = run({"verify", file("raw.h5"), "--algorithm", "all", "--json", file("all.json"), "-q"});
    unsetenv("TMPDIR");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    const nlohmann::json json = nlohmann::json::parse(text_of("all.json"));
    EXPECT_EQ(breaches_of_schema(json, "verify"), "");
    const std::size_t held = json["algorithms"].size();
    EXPECT_EQ(held + json["refused"].size(), all_formers().size());
    EXPECT_EQ(json["agreement"].size(), held * (held - 1) / 2);
    EXPECT_TRUE(json["passed"]);
    for (const auto& pair : json["agreement"]) {
        EXPECT_TRUE(pair["passed"]) << pair;
        EXPECT_GT(pair["samples"], 1000);
    }
    for (const Former& former : all_formers()) expect_in(outcome.out, std::string(former.title));
    expect_in(outcome.out, "PASS  rda csa");
    EXPECT_TRUE(std::filesystem::is_empty(path("temporary")));
}

TEST(Agreement, HoldsWithinItsLimits) {
    Agreement agreement{"one", "other", {}};
    ImageComparison& c = agreement.comparison;
    c.complex_offset = {.chips = 9, .azimuth_px = {0.019, 1}, .range_px = {-0.019, 1}};
    c.coherence_median = 0.991;
    EXPECT_TRUE(agreement.passed());
    EXPECT_EQ(agreement_table({agreement}).find("FAIL"), std::string::npos);
    for (const auto spoil : {+[](ImageComparison& b) { b.complex_offset.azimuth_px.median = -0.021; },
                             +[](ImageComparison& b) { b.complex_offset.range_px.median = 0.021; },
                             +[](ImageComparison& b) { b.complex_offset.chips = 0; },
                             +[](ImageComparison& b) { b.coherence_median = 0.989; },
                             +[](ImageComparison& b) { b.coherence_median = std::nan(""); }}) {
        Agreement spoilt = agreement;
        spoil(spoilt.comparison);
        EXPECT_FALSE(spoilt.passed());
        expect_in(agreement_table({agreement, spoilt}), "FAIL  one other");
        EXPECT_FALSE(agreements_json({spoilt})[0]["passed"]);
    }
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
    EXPECT_TRUE(json["identical"]);
}

TEST_F(CompareTest, SaysWhatIsWrong) {
    make_image();
    const std::string image = file("slc.h5");
    expect_bad_input({"compare", image}, {"B.h5", "required"});
    expect_bad_input({"compare", image, file("none.h5")}, {"none.h5"});
    expect_bad_input({"compare", image, file("raw.h5")}, {"raw.h5", "raw echo"});
    expect_bad_input({"compare", image, image, "--require-coherence", "much"},
                     {"--require-coherence much: not a number"});
    expect_bad_input({"compare", image, image, "--frequency", "B"}, {"frequency B"});
    expect_bad_input({"compare", image, image, "--json", file("none/c.json")}, {"none/c.json"});
    expect_bad_input({"compare", image, image, "--json=" + image}, {"same file"});
    expect_bad_input({"compare", image, image, "--chips", "0"}, {"--chips"});
}

}  // namespace
}  // namespace cornerturn
