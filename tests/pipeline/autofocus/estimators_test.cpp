// SPDX-License-Identifier: Apache-2.0
// Both estimators on strips whose phase error is known: points made row by row, no former in between.
#include <gtest/gtest.h>

#include "pipeline/autofocus/minimum_entropy.h"
#include "pipeline/autofocus/phase_gradient.h"
#include "pipeline/proof/phase_error.h"
#include "tests/pipeline/autofocus/exact_strip.h"

namespace cornerturn {
namespace {

struct Estimator {
    const char* name;
    PhaseEstimate (*estimate)(const Strip&, int);
    double left_rad;  ///< of several radians over seven apertures; entropy hardly feels what bends over many of them
};

class PhaseEstimators : public testing::TestWithParam<Estimator> {};
INSTANTIATE_TEST_SUITE_P(Both, PhaseEstimators,
                         testing::Values(Estimator{"PhaseGradient", phase_gradient, 0.1},
                                         Estimator{"MinimumEntropy", minimum_entropy, 1.0}),
                         [](const auto& one) { return one.param.name; });

const PhaseError several_radians{.quadratic_rad = 5, .sine_rad = 2, .sine_cycles = 4, .walk_rad = 2, .walk_seed = 3};

/// What is asked of PGA: 0.1 rad rms.
TEST_P(PhaseEstimators, FindSeveralRadiansOverSevenApertures) {
    for (const double centroid_hz : {0.0, -700.0}) {
        SCOPED_TRACE(centroid_hz);
        Strip strip = points_in_focus({.centroid_hz = centroid_hz});
        EXPECT_GT(static_cast<double>(strip.lines), 6 * strip.aperture_lines);
        const std::vector<double> truth = phases_rad(several_radians, strip.lines);
        multiply_lines(strip, truth);
        const PhaseEstimate found = GetParam().estimate(strip, 2);
        EXPECT_LT(left_rad(found, truth), GetParam().left_rad);
        EXPECT_LT(left_bend_rad(found, truth, strip.aperture_lines), 0.06);  // 0.02 dB of a point
        EXPECT_GT(rms_rad(truth, found.weight), 1);
        EXPECT_LT(entropy(strip, found.phase_rad, 1), entropy(strip, std::vector<double>(truth.size()), 1) - 0.4);
    }
}

/// A tenth of what defocuses visibly.
TEST_P(PhaseEstimators, FindNextToNothingWhereAllIsInFocus) {
    const Strip strip = points_in_focus({});
    const PhaseEstimate found = GetParam().estimate(strip, 1);
    EXPECT_LT(bend_rad(found.phase_rad, found.weight, strip.aperture_lines), 0.05);
}

/// A shift is no phase error: what is straight is never found.
TEST_P(PhaseEstimators, LeaveConstantAndLinearPartAlone) {
    Strip strip = points_in_focus({});
    std::vector<double> straight(static_cast<std::size_t>(strip.lines));
    for (std::size_t i = 0; i < straight.size(); ++i) straight[i] = 0.7 + 0.02 * static_cast<double>(i);
    multiply_lines(strip, straight);
    const PhaseEstimate found = GetParam().estimate(strip, 1);
    EXPECT_LT(bend_rad(found.phase_rad, found.weight, strip.aperture_lines), 0.05);
    std::vector<double> again = found.phase_rad;
    remove_line(again, found.weight);
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], found.phase_rad[i], 1e-9);
}

/// Which thread comes to a piece first is chance, and a descent makes of a last bit another phase.
TEST_P(PhaseEstimators, FindTheSamePhasesByAnyNumberOfThreads) {
    Strip strip = points_in_focus({});
    multiply_lines(strip, phases_rad(several_radians, strip.lines));
    const PhaseEstimate one = GetParam().estimate(strip, 1);
    for (const int threads : {2, 5}) EXPECT_EQ(GetParam().estimate(strip, threads).phase_rad, one.phase_rad) << threads;
}

/// Nothing may become of nothing.
TEST_P(PhaseEstimators, AnEmptyStripHasNoPhase) {
    StripImage image = noise_image({});
    std::fill(image.samples.begin(), image.samples.end(), std::complex<float>{});
    const PhaseEstimate found = GetParam().estimate(strip_of(image, {}), 1);
    EXPECT_EQ(found.rounds, 0);
    EXPECT_EQ(rms_rad(found.phase_rad, std::vector<double>(found.phase_rad.size(), 1.0)), 0);
}

TEST(StripPieces, CompressToTheImageTheyWereMadeOf) {
    const StripImage image = noise_image({.lines = 700, .columns = 3});
    const Strip strip = strip_of(image, {});
    ASSERT_EQ(strip.pieces.size(), 3u);
    const StripTransforms transforms(strip.length);
    double error = 0, power = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        std::vector<Complex64> values(strip.pieces[k].echo);
        LineBuffer<float> buffer(strip.length);
        std::copy(values.begin(), values.end(), buffer.data());
        transforms.compress(strip.pieces[k], buffer.data());
        for (std::int64_t row = 0; row < 700; ++row) {
            const std::complex<float> was = image.samples[k * 700 + static_cast<std::size_t>(row)];
            error += std::norm(was - std::complex<float>(buffer.data()[row].re, buffer.data()[row].im));
            power += std::norm(was);
        }
    }
    EXPECT_LT(error, 1e-9 * power);  // single precision, two transforms
}

/// The echo of a point fills the lines that are said to be illuminated, with the phase of its way.
TEST(StripPieces, PointsSpreadOverTheLinesThatSeeThem) {
    for (const double centroid_hz : {0.0, -700.0}) {
        const StripImage image = noise_image({.lines = 900, .columns = 1, .centroid_hz = centroid_hz});
        const Strip strip = strip_of(image, {});
        const StripPiece& piece = strip.pieces.front();
        constexpr std::int64_t row = 450;
        const double prf_hz = 400, zero_doppler_s = image.grid.time_s(row);
        const DelayHistory delay_s =
            StraightTrack(VelocityProfile(120)).delay_history(zero_doppler_s, image.range_m.front());
        LineBuffer<float> echo(strip.length);
        StripTransforms(strip.length).impulse(piece, row, echo.data());
        std::complex<double> with_way = 0;
        double size = 0;
        for (auto n = static_cast<std::int64_t>(piece.illuminated_first) + row;
             static_cast<double>(n) < piece.illuminated_last + row; ++n) {
            const auto way = unit_phasor<double>(
                9.65e9 * delay_s(static_cast<double>(piece.first_line + n) / prf_hz - zero_doppler_s));
            const Complex128 product = complex_cast<double>(echo.data()[n]) * way;
            with_way += std::complex<double>(product.re, product.im);
            size += std::hypot(product.re, product.im);
        }
        EXPECT_GT(std::abs(with_way), 0.999 * size) << centroid_hz;  // ripples of the band's ends
        // Doppler frequencies at the ends of these lines, by differences of the way.
        for (const auto& [n, hz] : {std::pair{piece.illuminated_first + row, centroid_hz + 90},
                                    std::pair{piece.illuminated_last + row, centroid_hz - 90}}) {
            const double time_s = (static_cast<double>(piece.first_line) + n) / prf_hz - zero_doppler_s;
            EXPECT_NEAR(-9.65e9 * (delay_s(time_s + 0.01) - delay_s(time_s - 0.01)) / 0.02, hz, 0.5) << centroid_hz;
        }
    }
}

}  // namespace
}  // namespace cornerturn
