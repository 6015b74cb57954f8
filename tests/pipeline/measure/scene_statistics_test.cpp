// SPDX-License-Identifier: Apache-2.0
// Statistics of scenes by theory: speckle, averages of it, points, and the ambiguities of a beam wider than the PRF.
#include "pipeline/measure/scene_statistics.h"

#include <gtest/gtest.h>

#include "pipeline/proof/simulator.h"
#include "pipeline/run/focus.h"
#include "tests/pipeline/measure/speckle.h"
#include "tests/pipeline/small_scene.h"

namespace cornerturn {
namespace {

TEST(SceneStatistics, SpeckleIsWhatTheorySays) {
    const SceneStatistics s = scene_statistics(speckle_image({.rows = 512, .columns = 512, .band = 1}));
    const double count = 512 * 512;
    EXPECT_EQ(s.samples, 512 * 512);
    EXPECT_NEAR(s.mean_power, 1, 0.01);
    EXPECT_NEAR(s.sharpness, 2, 0.03);  // of an exponential distribution
    // -mean(p ln p) + ln n, and the mean of p ln p is 1 - Euler's constant.
    EXPECT_NEAR(s.entropy, std::log(count) - (1 - 0.57722), 0.01);
    EXPECT_NEAR(s.equivalent_looks.value(), 1, 0.15);  // of 1024 windows with deviations of 0.12 each
    // The darkest of a hundred means of 256: 2.66 deviations of 1/16 below 1, on average.
    EXPECT_NEAR(s.floor_power.value(), 1 - 2.66 / 16, 0.03);
}

TEST(SceneStatistics, HomogeneousWindowsTellTheLooksBesideEdgesAndPoints) {
    Image image = speckle_image({.rows = 512, .columns = 512, .band = 1});
    for (std::int64_t row = 0; row < 512; ++row)
        for (std::int64_t column = 0; column < 512; ++column) {
            auto& sample = image.samples[static_cast<std::size_t>(row * 512 + column)];
            if (row > 200 + column / 4) sample *= 0.1f;              // an edge across the windows: 20 dB
            if (row % 100 == 50 && column % 80 == 40) sample *= 50;  // points
        }
    const SceneStatistics s = scene_statistics(image);
    EXPECT_NEAR(s.equivalent_looks.value(), 1, 0.2);
    EXPECT_NEAR(10 * std::log10(s.floor_power.value()), -20.8, 0.4);
    EXPECT_GT(s.sharpness, 10);
}

TEST(SceneStatistics, OnePointAloneIsAsSharpAsCanBe) {
    Image image = speckle_image({.rows = 64, .columns = 64});
    image.samples.assign(image.samples.size(), 0);
    image.samples[1000] = {3, 4};
    image.samples[5] = {std::nanf(""), 0};
    const SceneStatistics s = scene_statistics(image);
    EXPECT_DOUBLE_EQ(s.sharpness, 64 * 64);
    EXPECT_NEAR(s.entropy, 0, 1e-12);
    EXPECT_FALSE(s.equivalent_looks) << "windows with zeros tell nothing";
}

TEST(SceneStatistics, OnlyWhatIsFullyCompressedCounts) {
    Image image = speckle_image({.rows = 64, .columns = 64});
    for (std::int64_t row = 0; row < 64; ++row)
        for (std::int64_t column = 32; column < 64; ++column)
            image.samples[static_cast<std::size_t>(row * 64 + column)] *= 100;
    image.valid_columns.assign(64, {0, 32});
    const SceneStatistics s = scene_statistics(image);
    EXPECT_EQ(s.samples, 64 * 32);
    EXPECT_NEAR(s.mean_power, 1, 0.1);
}

TEST(MeanSpectrum, ShowsTheBandWhereItLies) {
    const std::int64_t size = 64;
    const Image image =
        speckle_image({.rows = 512, .columns = 512, .band = 0.5, .row_carrier = 0.4, .column_carrier = -0.1});
    const std::vector<float> db = mean_spectrum_db(image, size);
    const auto at = [&](double row_cycles, double column_cycles) {
        const auto place = [](double cycles) {
            return static_cast<std::int64_t>(std::lround((cycles - std::rint(cycles) + 0.5) * 64)) % 64;
        };
        return static_cast<double>(db[static_cast<std::size_t>(place(row_cycles) * size + place(column_cycles))]);
    };
    for (const double row : {0.2, 0.4, 0.6})
        for (const double column : {-0.3, -0.1, 0.1}) EXPECT_GT(at(row, column), -6) << row << " " << column;
    // A tenth of the rate beyond its edges: six elements, where Hann's window leaks little.
    EXPECT_LT(at(0.05, -0.1), -35);
    EXPECT_LT(at(0.4, 0.3), -35);
    EXPECT_LT(at(0.75, -0.1), -35);
    EXPECT_FLOAT_EQ(*std::max_element(db.begin(), db.end()), 0);
}

/// Half of the lines, as if the PRF were too low for the beam.
Echo every_other_line(const Echo& echo) {
    Echo half{echo.acquisition, {}};
    half.acquisition.lines /= 2;
    half.acquisition.prf_hz /= 2;
    const std::size_t line = echo.samples.size() / static_cast<std::size_t>(echo.acquisition.lines);
    for (std::int64_t i = 0; i < half.acquisition.lines; ++i) {
        const auto from = echo.samples.begin() + static_cast<std::ptrdiff_t>(2 * static_cast<std::size_t>(i) * line);
        half.samples.insert(half.samples.end(), from, from + static_cast<std::ptrdiff_t>(line));
    }
    return half;
}

// The beam lights 1.6 PRF, 0.6 PRF are processed: a tenth of a PRF on either side comes back from beyond, a sixth of
// what is processed.
TEST(Ambiguities, AreFoundWhereAWideBeamPutsThem) {
    Scene scene = small_scene(4000, 700);
    scene.near_range_m = 30e3;
    scene.prf_hz = 240;
    scene.azimuth_bandwidth_hz = 192;
    SceneTarget target;
    target.position = BeamCentrePosition{2000, 300};
    scene.targets = std::vector<SceneTarget>{target};
    const Echo echo = every_other_line(simulate(scene));
    FocusOptions options;
    options.azimuth_bandwidth_hz = 72;
    const auto device = open_device("cpu", 2);
    const Image image = focus(*device, echo, options).image;
    const std::vector<AnalysisTarget> targets = known_targets(image);
    ASSERT_EQ(targets.size(), 1u);
    const PointAnalysis point = analyze_point(image, targets.front());
    ASSERT_EQ(point.refused, "");
    const std::vector<AmbiguityEcho> found = azimuth_ambiguities(image, point);
    ASSERT_EQ(found.size(), 2u);
    const double rate_hz_s = 2 * 120.0 * 120.0 / (image.acquisition.wavelength_m() * point.range_m);
    EXPECT_NEAR(found[1].time_s, point.time_s - 120 / rate_hz_s, 1e-3);
    for (const AmbiguityEcho& ambiguity : found) {
        EXPECT_TRUE(ambiguity.above_background);
        EXPECT_NEAR(ambiguity.ratio_db, -10 * std::log10(6), 1.5) << ambiguity.order;
        EXPECT_GT(ambiguity.range_m, point.range_m);
    }
}

}  // namespace
}  // namespace cornerturn
