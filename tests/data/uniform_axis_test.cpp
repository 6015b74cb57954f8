// SPDX-License-Identifier: Apache-2.0
// Axes that were rounded on their way into a file are read as what they were; those that bend are refused.
#include "data/nisar/uniform_axis.h"

#include "product_fixture.h"

namespace cornerturn {
namespace {

/// The slant range of a spaceborne L-band radar with 24 MHz. Beyond 2^20 m float32 has steps of 1/8 m, below of 1/16 m.
class RoundedAxis : public ProductTest {
protected:
    static constexpr std::size_t count = 32000;
    static constexpr double near_m = 868'123.456, step_m = speed_of_light_m_s / 2 / 24e6;

    RoundedAxis() {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        const h5::File made(H5Fcreate(path("a.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        for (std::size_t i = 0; i < count; ++i) exact_.push_back(near_m + static_cast<double>(i) * step_m);
        for (const double value : exact_) rounded_.push_back(static_cast<double>(static_cast<float>(value)));
    }
    UniformAxis read(const std::vector<double>& values, std::optional<double> spacing) {
        {
            Editor file(path("a.h5"));
            file.replace("/slantRange", H5T_IEEE_F64LE, {values.size()}, values.data());
            if (spacing)
                file.replace("/spacing", *spacing);
            else if (H5Lexists(file.id(), "/spacing", H5P_DEFAULT) > 0)
                file.remove("/spacing");
        }
        const h5::Reader file(path("a.h5"));
        const AxisPaths paths{
            .values = "/slantRange", .spacing = "/spacing", .unit = "m", .meaning = "one for each sample"};
        return read_uniform_axis(file, paths, static_cast<std::int64_t>(values.size()));
    }

    std::vector<double> exact_, rounded_;
};

TEST_F(RoundedAxis, IsReadAsWhatItWasBeforeFloat32) {
    ASSERT_GT(deviation_from_line(rounded_).value, 0.07)
        << "more than half a step of float32, as the ends are rounded, too";
    const UniformAxis told = read(rounded_, step_m);
    EXPECT_EQ(told.spacing, step_m);
    EXPECT_NEAR(told.first, near_m, 1e-3) << "the mean of 32000 roundings of 0.06 m at most is 0.0002 m";
    EXPECT_GT(std::abs(rounded_.front() - near_m), 1e-2) << "which the stored value is not";
    const UniformAxis alone = read(rounded_, std::nullopt);
    EXPECT_NEAR(alone.first, near_m, 2e-3);
    EXPECT_NEAR(alone.spacing * (count - 1), step_m * (count - 1), 2e-3) << "the far end";
    EXPECT_NEAR(read(rounded_, static_cast<double>(static_cast<float>(step_m))).first, near_m, 1e-2)
        << "and a spacing rounded, too";
}

TEST_F(RoundedAxis, StaysAsItIsWhereNothingWasLost) {
    EXPECT_EQ(read(exact_, step_m).first, near_m);
    EXPECT_EQ(read(exact_, std::nullopt).first, near_m);
    const UniformAxis quarters = read({8000, 8001.25, 8002.5, 8003.75}, std::nullopt);  // float32 numbers, and right
    EXPECT_EQ(quarters.first, 8000);
    EXPECT_EQ(quarters.spacing, 1.25);
}

TEST_F(RoundedAxis, IsRefusedWhereRoundingDoesNotExplainIt) {
    std::vector<double> bent = rounded_;
    bent[17000] += 0.1875;  // still a float32 number, three of their steps away
    expect_refused([&] { read(bent, step_m); }, {"/slantRange", "index 17000", "not uniform"});
    bent = exact_;
    bent[17000] += 0.0865;  // what float32 would explain, but these are none
    expect_refused([&] { read(bent, step_m); }, {"/slantRange", "index 17000", "not uniform"});
    expect_refused([&] { read(rounded_, 1.001 * step_m); }, {"/spacing", "0.01 %"});
}

}  // namespace
}  // namespace cornerturn
