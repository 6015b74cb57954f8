// SPDX-License-Identifier: Apache-2.0
// Raw files of NISAR and of others, where they are there.
#include <algorithm>
#include <cmath>

#include "data/nisar/l0b_reader.h"
#include "product_fixture.h"
#include "tests/support/whole_files.h"

namespace cornerturn {
namespace {

class RealFile : public testing::Test {
protected:
    Echo read(const std::string& name) {
        const auto file = shared_file(name);
        return file ? read_l0b(*file, {}, warnings_) : Echo{};
    }
    std::vector<std::string> warnings_;
};

TEST_F(RealFile, NisarSimulation) {
    const Echo echo = read("nisar/ree_l0b_simulated.h5");
    if (echo.samples.empty()) GTEST_SKIP() << "shared data are not here";
    const Acquisition& a = echo.acquisition;
    EXPECT_EQ(a.lines, 176);
    EXPECT_EQ(a.samples, 6486);
    EXPECT_EQ(a.format, SampleFormat::lut16);
    EXPECT_EQ(a.decoding.intervals_per_line, 3);
    EXPECT_EQ(a.decoding.levels.size(), 65536u);
    EXPECT_EQ(std::count_if(a.decoding.levels.begin(), a.decoding.levels.end(), [](float v) { return v != 0; }), 512);
    EXPECT_NEAR(a.prf_hz, 1910.22, 0.01);
    EXPECT_NEAR(a.sample_rate_hz(), 6e6, 1e-3);
    EXPECT_TRUE(a.orbit && a.attitude);
    EXPECT_EQ(warnings_.size(), 2u);  // five calibration lines, and a chirpWaveform that sweeps otherwise
}

TEST_F(RealFile, Radarsat) {
    const Echo echo = read("radarsat1/english_bay.h5");
    if (echo.samples.empty()) GTEST_SKIP() << "shared data are not here";
    const Acquisition& a = echo.acquisition;
    EXPECT_EQ(a.format, SampleFormat::int8);
    EXPECT_EQ(a.lines, 1536);
    EXPECT_EQ(a.samples, 2048);
    EXPECT_NEAR(a.prf_hz, 1256.98, 1e-6);
    EXPECT_EQ(a.effective_velocity_m_s, 7062.0);
    EXPECT_EQ(a.doppler_centroid_hz, -6900.0);
    EXPECT_LT(a.chirp.slope_hz_s, 0);
    ASSERT_EQ(a.decoding.line_gain.size(), 1536u);
    const auto [low, high] = std::minmax_element(a.decoding.line_gain.begin(), a.decoding.line_gain.end());
    EXPECT_NEAR(20 * std::log10(*low), 11, 1.01);  // "11 to 17 dB"
    EXPECT_NEAR(20 * std::log10(*high), 17, 1.01);
    EXPECT_TRUE(a.decoding.valid_samples.empty());
    EXPECT_FALSE(a.orbit);
}

TEST_F(RealFile, ForeignSimulation) {
    const Echo echo = read("points/xband.h5");
    if (echo.samples.empty()) GTEST_SKIP() << "shared data are not here";
    EXPECT_EQ(echo.acquisition.format, SampleFormat::int16);
    EXPECT_EQ(echo.acquisition.first_pulse_time_s, 3600);
    ASSERT_TRUE(echo.acquisition.orbit);
    EXPECT_EQ(echo.acquisition.orbit->time_s.size(), 31u);
    EXPECT_TRUE(warnings_.empty());
}

}  // namespace
}  // namespace cornerturn
