// SPDX-License-Identifier: Apache-2.0
// Point analysis of responses made directly from their spectra.
#include "pipeline/measure/point_analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pipeline/measure/illuminated_band.h"
#include "pipeline/measure/point_chip.h"
#include "tests/kernels/every_device.h"
#include "tests/pipeline/measure/synthetic_point.h"
#include "tests/support/texts.h"

namespace cornerturn {
namespace {

struct PeakCase {
    const char* name;
    double carrier_hz, velocity_m_s, doppler_hz, prf_hz, sample_rate_hz, range_band_hz, azimuth_band_hz;
    const char* window;
    std::optional<double> beam_hz;
};

void PrintTo(const PeakCase& c, std::ostream* stream) { *stream << c.name; }

ResponseSupport support_of(const PeakCase& c) {
    ResponseSupport support;
    support.carrier_hz = c.carrier_hz;
    support.velocity_m_s = c.velocity_m_s;
    support.doppler_centroid_hz = c.doppler_hz;
    support.range_bandwidth_hz = c.range_band_hz;
    support.azimuth_bandwidth_hz = c.azimuth_band_hz;
    support.beam_bandwidth_hz = c.beam_hz;
    support.range_window = support.azimuth_window = Window::parse(c.window);
    return support;
}

class Response : public testing::TestWithParam<PeakCase> {};

TEST_P(Response, IsMeasuredAsItWasMade) {
    const ResponseSupport support = support_of(GetParam());
    Image image = empty_image(support, 190, 184, GetParam().prf_hz, GetParam().sample_rate_hz);
    const std::complex<double> amplitude = std::polar(3.7, 1.234);
    image.acquisition.truth.push_back(add_point(image, support, 95.37, 91.81, amplitude));

    const auto targets = known_targets(image);
    ASSERT_EQ(targets.size(), 1U);
    const PointAnalysis point = analyze_point(image, targets[0]);
    ASSERT_EQ(point.refused, "");
    // Interpolation from a faded chip of float samples.
    EXPECT_NEAR(*point.azimuth.position_error_px, 0, 1e-4);
    EXPECT_NEAR(*point.range.position_error_px, 0, 1e-4);
    EXPECT_NEAR(*point.phase_error_deg, 0, 0.01);
    EXPECT_NEAR(*point.magnitude_error_db, 0, 1e-3);
    EXPECT_NEAR(point.row, 95.37, 1e-4);
    EXPECT_NEAR(point.column, 91.81, 1e-4);
    for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
        EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, 1e-3);
        EXPECT_NEAR(axis.measured.pslr_db, axis.theory.pslr_db, 0.02);
        EXPECT_NEAR(axis.measured.islr_db, axis.theory.islr_db, 0.02);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Response,
    testing::Values(PeakCase{"broadside", 5.3e9, 7062, 0, 1257, 32.3e6, 23.3e6, 900, "none", {}},
                    // Both carriers wrap: f_dc over 5 PRF, -f0 (1 - cos theta) = -2 MHz.
                    PeakCase{"radarsat", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 30.11e6, 900, "none", 900},
                    PeakCase{"xband_squint", 9.65e9, 100, 560, 150, 100e6, 72e6, 100, "none", {}},
                    PeakCase{"strong_squint", 9.65e9, 100, 1600, 150, 200e6, 150e6, 60, "none", {}},
                    // Beams of 40 degrees, whose spectra are sectors of a ring: in L band they reach from 40 MHz
                    // above the carrier to 116 MHz below it.
                    PeakCase{"pband_sector", 0.435e9, 100, 0, 250, 120e6, 80e6, 220, "none", 198.5},
                    PeakCase{"lband_sector", 1.3e9, 100, 0, 750, 180e6, 80e6, 660, "none", 593},
                    PeakCase{"kaiser", 9.65e9, 100, 560, 150, 100e6, 72e6, 100, "kaiser:2.5", {}},
                    PeakCase{"taylor", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 24e6, 900, "taylor", {}},
                    PeakCase{"narrow_beam", 5.3e9, 7062, 300, 1257, 32.3e6, 23.3e6, 1200, "hamming", 800}),
    [](const auto& test) { return test.param.name; });

/// Beams that fill nearly all of the PRF, and beams that at each range frequency fill three quarters of it, but 1.4
/// times the PRF together: f_dc changes by 192 Hz over the range band. No window but the beam bounds their band.
TEST(PointAnalysis, ReadsBeamsThatFillThePrf) {
    const PeakCase cases[] = {{"full", 5.3e9, 7062, 300, 1000, 32.3e6, 23.3e6, 1000, "none", 980},
                              {"skewed", 0.5e9, 7000, 3000, 300, 45e6, 32e6, 600, "none", 220},
                              {"both", 0.5e9, 7000, -3000, 300, 45e6, 32e6, 600, "none", 285}};
    for (const PeakCase& c : cases) {
        const ResponseSupport support = support_of(c);
        Image image = empty_image(support, 800, 184, c.prf_hz, c.sample_rate_hz);
        image.acquisition.truth.push_back(add_point(image, support, 401.37, 91.81, std::polar(3.7, 1.234)));
        const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
        ASSERT_EQ(point.refused, "") << c.name;
        EXPECT_NEAR(*point.azimuth.position_error_px, 0, 2e-4) << c.name;
        EXPECT_NEAR(*point.range.position_error_px, 0, 2e-4) << c.name;
        EXPECT_NEAR(*point.phase_error_deg, 0, 0.05) << c.name;
        for (const AxisAnalysis& axis : {point.range, point.azimuth})
            EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, 2e-3) << c.name;
    }
}

/// Finer samples of a squinted image hold a spectrum along a diagonal, from one end of the aperture to the other: at
/// each range frequency it is narrow, d f_range / d f_eta = -(c / 2V)^2 f_eta / sqrt(f0^2 - (c f_eta / 2V)^2)
/// (theory.md).
TEST(PointAnalysis, ReadsSlantedSpectraAlongTheAperture) {
    const PeakCase slanted{"", 8.57e9, 168, -1384, 730.5, 101.25e6, 22.1e6, 443, "none", 443};
    const ImageGrid grid = empty_image(support_of(slanted), 8, 8, slanted.prf_hz, slanted.sample_rate_hz).grid;
    const SpectrumExtent extent = spectrum_extent(support_of(slanted), grid);
    const double per_hz = 0.5 * speed_of_light_m_s / slanted.velocity_m_s, transverse_hz = per_hz * slanted.doppler_hz,
                 slope = -per_hz * transverse_hz /
                         std::sqrt(slanted.carrier_hz * slanted.carrier_hz - transverse_hz * transverse_hz);
    EXPECT_NEAR(extent.skew * slope * slanted.prf_hz / slanted.sample_rate_hz, 1, 1.0 / 15);  // of sixteenths
    EXPECT_LT(extent.azimuth, 0.5 * slanted.azimuth_band_hz / slanted.prf_hz);
    PeakCase broadside = slanted;
    broadside.doppler_hz = 0;
    EXPECT_EQ(spectrum_extent(support_of(broadside), grid).skew, 0);
}

/// The beam fills 12 of 1000 Hz: the main lobe is 150 rows wide.
TEST(PointAnalysis, MeasuresAResponseOfManyRows) {
    const ResponseSupport support = support_of({"", 9.65e9, 10, 40, 1000, 100e6, 72e6, 24, "none", 12});
    Image image = empty_image(support, 3700, 110, 1000, 100e6);
    image.acquisition.truth.push_back(add_point(image, support, 1853.37, 54.81, std::polar(3.7, 1.234)));
    const PointAnalysis point = analyze_point(image, known_targets(image).at(0));
    ASSERT_EQ(point.refused, "");
    EXPECT_NEAR(*point.azimuth.position_error_px, 0, 1e-4 * 150);
    EXPECT_NEAR(*point.range.position_error_px, 0, 1e-4);
    EXPECT_NEAR(*point.phase_error_deg, 0, 0.01);
    EXPECT_NEAR(*point.magnitude_error_db, 0, 1e-3);
    EXPECT_NEAR(point.azimuth.measured.irw_px, 0.88589 * 1000 / 12, 0.1);
    for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
        EXPECT_NEAR(axis.measured.irw_px / axis.theory.irw_px, 1, 1e-3);
        EXPECT_NEAR(axis.measured.pslr_db, axis.theory.pslr_db, 0.02);
        EXPECT_NEAR(axis.measured.islr_db, axis.theory.islr_db, 0.02);
    }
}

TEST(PointAnalysis, BroadsideResponseHasTheTextbookNumbers) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, 0, 1257, 32.3e6, 24.225e6, 900, "none", {}});
    Image image = empty_image(support, 190, 184, 1200, 32.3e6);
    const PointTarget truth = add_point(image, support, 95.0, 91.5, 1.0);
    const PointAnalysis point = analyze_point(image, {truth.range_m, truth.zero_doppler_time_s, true, {}});
    ASSERT_EQ(point.refused, "");
    EXPECT_FALSE(point.phase_error_deg);
    for (const AxisAnalysis& axis : {point.range, point.azimuth}) {
        EXPECT_NEAR(axis.measured.irw_px, 0.88589 / 0.75, 1e-3);
        EXPECT_NEAR(axis.measured.pslr_db, -13.26, 0.02);
        EXPECT_NEAR(axis.measured.islr_db, -10.112, 0.02);
    }
    EXPECT_NEAR(point.range.measured.irw_m, point.range.measured.irw_px * image.grid.range_spacing_m, 1e-9);
    EXPECT_NEAR(point.azimuth.measured.irw_m, point.azimuth.measured.irw_px * 7062 / 1200, 1e-9);
}

TEST(PointAnalysis, SeesADisplacedTarget) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 190, 184, 1256.98, 32.317e6);
    add_point(image, support, 95.37, 91.81, 1.0);
    const AnalysisTarget target{image.grid.range_m(93.31), image.grid.time_s(95.12), true, {}};
    const PointAnalysis point = analyze_point(image, target);
    EXPECT_NEAR(*point.range.position_error_px, -1.5, 1e-4);
    EXPECT_NEAR(*point.azimuth.position_error_px, 0.25, 1e-4);
}

TEST(PointAnalysis, RefusesTargetsAtTheEdgeWithAReason) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, 0, 1257, 32.3e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 190, 184, 1257, 32.3e6);
    add_point(image, support, 20, 90, 1.0);
    const auto at = [&](double row, double column) {
        return analyze_point(image, {image.grid.range_m(column), image.grid.time_s(row), true, {}});
    };
    expect_in(at(20, 90).refused, "too near the edge");
    expect_in(at(-3, 90).refused, "outside the image of 190 rows by 184 columns");
    expect_in(at(95, 1e9).refused, "outside");
    EXPECT_EQ(at(95, 90).refused, "");
}

TEST(PointAnalysis, SaysWhetherTheTargetIsFullyCovered) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, 0, 1257, 32.3e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 190, 184, 1257, 32.3e6);
    const PointTarget truth = add_point(image, support, 95, 90, 1.0);
    const AnalysisTarget target{truth.range_m, truth.zero_doppler_time_s, true, {}};
    image.valid_columns.assign(190, Interval{0, 184});
    EXPECT_TRUE(analyze_point(image, target).fully_covered);
    image.valid_columns[20] = {0, 0};
    EXPECT_TRUE(analyze_point(image, target).fully_covered);  // too far to matter
    image.valid_columns[97] = {0, 100};
    EXPECT_FALSE(analyze_point(image, target).fully_covered);
    EXPECT_EQ(analyze_point(image, target).refused, "");
    // Several sub-swaths: one of them has to hold the response.
    image.intervals_per_row = 2;
    image.valid_columns.clear();
    for (int row = 0; row < 190; ++row) image.valid_columns.insert(image.valid_columns.end(), {{0, 30}, {50, 184}});
    EXPECT_TRUE(analyze_point(image, target).fully_covered);
    image.valid_columns[2 * 97 + 1] = {95, 184};
    EXPECT_FALSE(analyze_point(image, target).fully_covered);
    // With nothing fully covered the search takes what there is.
    EXPECT_EQ(strongest_peaks(image, 1).size(), 1U);
}

TEST(PointAnalysis, AnEmptyImageIsRefused) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, 0, 1257, 32.3e6, 24e6, 900, "none", {}});
    const Image image = empty_image(support, 190, 184, 1257, 32.3e6);
    EXPECT_NE(analyze_point(image, {image.grid.range_m(90), image.grid.time_s(95), true, {}}).refused, "");
    EXPECT_TRUE(strongest_peaks(image, 3).empty());
}

TEST(PeakSearch, FindsPointsInNoiseStrongestFirst) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 300, 320, 1256.98, 32.317e6);
    add_point(image, support, 100.2, 200.4, 5.0);
    add_point(image, support, 190.6, 110.0, 8.0);
    std::mt19937 random(42);
    std::normal_distribution<float> noise(0, 0.05F);
    for (auto& sample : image.samples) sample += std::complex<float>(noise(random), noise(random));
    const auto peaks = strongest_peaks(image, 2);
    ASSERT_EQ(peaks.size(), 2U);
    const PointAnalysis first = analyze_point(image, peaks[0]);
    const PointAnalysis second = analyze_point(image, peaks[1]);
    // 40 dB above the noise: a few hundredths of a pixel.
    EXPECT_NEAR(first.row, 190.6, 0.03);
    EXPECT_NEAR(first.column, 110.0, 0.03);
    EXPECT_NEAR(second.row, 100.2, 0.03);
    EXPECT_NEAR(second.column, 200.4, 0.03);
    EXPECT_FALSE(first.range.position_error_px);
    EXPECT_FALSE(first.phase_error_deg);
}

TEST(PeakSearch, WhiteNoiseHasPeaksApartFromEachOtherAndInsideTheValidArea) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, 0, 1257, 32.3e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 400, 420, 1257, 32.3e6);
    image.valid_columns.assign(400, Interval{0, 300});
    std::mt19937 random(7);
    std::normal_distribution<float> noise(0, 1);
    for (auto& sample : image.samples) sample = {noise(random), noise(random)};
    const auto peaks = strongest_peaks(image, 9, 40);
    ASSERT_EQ(peaks.size(), 9U);
    double last = 1e9;
    for (const AnalysisTarget& peak : peaks) {
        const double row = (peak.time_s - image.grid.first_time_s) / image.grid.time_spacing_s;
        const double column = (peak.range_m - image.grid.near_range_m) / image.grid.range_spacing_m;
        EXPECT_LT(column, 300);
        for (const AnalysisTarget& other : peaks) {
            if (&other == &peak) continue;
            const double rows = (other.time_s - peak.time_s) / image.grid.time_spacing_s;
            const double columns = (other.range_m - peak.range_m) / image.grid.range_spacing_m;
            EXPECT_GE(std::max(std::abs(rows), std::abs(columns)), 39.9);
        }
        const double power =
            std::norm(image.samples[static_cast<std::size_t>(std::lround(row) * 420 + std::lround(column))]);
        EXPECT_LE(power, last);
        last = power;
        EXPECT_EQ(analyze_point(image, peak).refused, "");
    }
}

TEST(IlluminatedBand, IsSeenInTheSpectrumOfPoints) {
    ResponseSupport support = support_of({"", 9.65e9, 100, 560, 400, 100e6, 72e6, 400, "kaiser:2.5", 150});
    Image image = empty_image(support, 220, 190, 400, 100e6);
    const PointTarget truth = add_point(image, support, 110.3, 92.2, 1.0);
    image.acquisition.azimuth_bandwidth_hz.reset();
    const std::vector<AnalysisTarget> targets{{truth.range_m, truth.zero_doppler_time_s, true, {}}};
    const auto band = estimate_beam_bandwidth_hz(image, targets);
    ASSERT_TRUE(band);
    EXPECT_NEAR(*band, 150, 1.5);
    // A fully illuminated band is not cut down, and without a target there is nothing to see.
    support.azimuth_bandwidth_hz = 150;
    support.beam_bandwidth_hz.reset();
    Image whole = empty_image(support, 220, 190, 400, 100e6);
    add_point(whole, support, 110.3, 92.2, 1.0);
    EXPECT_FALSE(estimate_beam_bandwidth_hz(whole, targets));
    EXPECT_FALSE(estimate_beam_bandwidth_hz(image, {}));
}

TEST(OversampledResponse, HasItsPeakInTheMiddle) {
    const ResponseSupport support = support_of({"", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 24e6, 900, "none", {}});
    Image image = empty_image(support, 190, 184, 1256.98, 32.317e6);
    const PointTarget truth = add_point(image, support, 95.37, 91.81, 2.0);
    const PointAnalysis point = analyze_point(image, {truth.range_m, truth.zero_doppler_time_s, true, {}});
    const ResponsePicture picture = oversampled_response(image, point, 8, 0.125);
    ASSERT_EQ(picture.rows, 129);
    ASSERT_EQ(picture.columns, 129);
    EXPECT_NEAR(picture.power[64 * 129 + 64], 4.0, 1e-3);
    EXPECT_EQ(std::max_element(picture.power.begin(), picture.power.end()) - picture.power.begin(), 64 * 129 + 64);
}

class AnalysisOn : public EveryDevice {};

TEST_P(AnalysisOn, MeasuresAsOnTheHost) {
    const ResponseSupport support =
        support_of({"", 5.3e9, 7062, -6900, 1256.98, 32.317e6, 24e6, 900, "kaiser:2.5", {}});
    Image image = empty_image(support, 190, 184, 1256.98, 32.317e6);
    image.acquisition.truth.push_back(add_point(image, support, 95.37, 91.81, 2.0));
    const AnalysisTarget target = known_targets(image).at(0);
    const PointAnalysis expected = analyze_point(image, target);
    const PointAnalysis got = analyze_point(image, target, triple_product_on(*device));
    ASSERT_EQ(got.refused, "");
    // Double everywhere. A maximum is flat: rounding of 1e-15 of the peak moves it by the root of that, 1e-7 px, less
    // after the last grid.
    EXPECT_NEAR(got.row, expected.row, 1e-6);
    EXPECT_NEAR(got.column, expected.column, 1e-6);
    EXPECT_NEAR(got.phase_deg, expected.phase_deg, 1e-5);
    EXPECT_NEAR(got.magnitude / expected.magnitude, 1, 1e-9);
    for (const auto axis : {&PointAnalysis::range, &PointAnalysis::azimuth}) {
        EXPECT_NEAR((got.*axis).measured.irw_px, (expected.*axis).measured.irw_px, 1e-6);
        EXPECT_NEAR((got.*axis).measured.pslr_db, (expected.*axis).measured.pslr_db, 1e-5);
        EXPECT_NEAR((got.*axis).measured.islr_db, (expected.*axis).measured.islr_db, 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, AnalysisOn, every_device(), device_name);

/// From wherever samples come, in whatever rectangles are asked for.
TEST(ImageView, IsReadPatchByPatch) {
    Image image;
    image.grid = {.rows = 200,
                  .columns = 150,
                  .first_time_s = 0,
                  .time_spacing_s = 1e-3,
                  .near_range_m = 5000,
                  .range_spacing_m = 1};
    std::mt19937 random(7);
    std::normal_distribution<float> noise;
    for (int i = 0; i < 200 * 150; ++i) image.samples.push_back({noise(random), noise(random)});
    image.acquisition.chirp = {.slope_hz_s = 1e14, .duration_s = 1e-6};
    image.acquisition.carrier_hz = 9.65e9;
    image.processing.range_bandwidth_hz = 100e6;
    image.processing.azimuth_bandwidth_hz = 800;
    image.processing.effective_velocity_m_s.assign(150, 100);
    std::int64_t most_samples = 0;
    const ImageView view(image, [&](const PixelBlock& block) {
        most_samples = std::max(most_samples, block.rows * block.columns);
        return ImageView(image).read(block);
    });
    const auto in_memory = strongest_peaks(image, 5, 16), patchwise = strongest_peaks(view, 5, 16);
    ASSERT_EQ(patchwise.size(), in_memory.size());
    EXPECT_FALSE(in_memory.empty());
    for (std::size_t i = 0; i < in_memory.size(); ++i) {
        EXPECT_EQ(patchwise[i].range_m, in_memory[i].range_m);
        EXPECT_EQ(patchwise[i].time_s, in_memory[i].time_s);
        EXPECT_EQ(analyze_point(view, patchwise[i]).magnitude, analyze_point(image, in_memory[i]).magnitude);
    }
    EXPECT_LT(most_samples, 200 * 150 / 2) << "not the image as a whole";
}

}  // namespace
}  // namespace cornerturn
