// SPDX-License-Identifier: Apache-2.0
// Back-projection as a step: its hooks against closed forms, the step on every device against the hooks looped over all
// lines.
#include "kernels/passes/accumulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/device/ways/ways.h"
#include "tests/kernels/back_projection/accumulation_scene.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/one_step.h"
#include "tests/kernels/straight_echo.h"
#include "tests/support/phasor.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

TEST(Accumulation, ArrivesWhereAndHowAPulseDoes) {
    const StraightEcho echo{.lines = 1,
                            .samples = 1,
                            .timing = {.carrier_hz = 5.3e9, .chirp_duration_s = 40e-6},
                            .first_pulse_time_s = -3.1,
                            .prf_hz = 1000,
                            .velocity_m_s = 7100};
    const CompressedTiming timing{.carrier_hz = 5.3e9,
                                  .chirp_duration_s = 40e-6,
                                  .chirp_inverse_slope_s2 = 1 / -0.7e12,
                                  .filter_doppler_hz = 5000,
                                  .first_cell_s = 5e-3,
                                  .cell_rate_hz = 60e6};
    const Arrival found = arrival(timing, echo.path(0), echo.place(900e3, 0));
    // Of what left in the middle of the pulse: received when its delay is over.
    const long double sent_s = -3.1L + 20e-6L;
    long double delay_s = 6e-3L, rate = 0;
    for (int round = 0; round < 20; ++round) delay_s = straight_delay_s(900e3L, 7100, sent_s + delay_s);
    constexpr long double step_s = 1e-3L;
    rate = (straight_delay_s(900e3L, 7100, sent_s + delay_s + step_s) -
            straight_delay_s(900e3L, 7100, sent_s + delay_s - step_s)) /
           (2 * step_s);
    const double doppler_hz = static_cast<double>(-5.3e9L * rate);
    EXPECT_NEAR(found.row_hz, doppler_hz, 1e-4);  // what the difference quotient is off
    const double moved_s = (doppler_hz - 5000) / -0.7e12;
    EXPECT_NEAR(found.cell, (static_cast<double>(delay_s) - moved_s - 5e-3) * 60e6, 1e-8);
    // exp(j pi K v^2 + j 2 pi f v) = exp(j pi K (v + f / K)^2) exp(-j pi f^2 / K), and the filter has taken off that of
    // its own frequency.
    EXPECT_NEAR(found.cycles,
                5.3e9 * static_cast<double>(delay_s) + (doppler_hz * doppler_hz - 5000.0 * 5000.0) / (2 * -0.7e12),
                1e-7);
}

class AccumulationOn : public EveryDevice {
protected:
    Samples run(const AccumulationCase& of) {
        Samples lines;
        for (const Complex<float>& sample : of.compressed) lines.emplace_back(sample.re, sample.im);
        Matrix out = put(of.pass.rows, of.pass.columns, noise(of.pass.rows * of.pass.columns));
        plan_of(*device, of.pass)->run(put(of.pass.lines, of.pass.cells, lines), out);
        return get(out);
    }
    /// A device may come as near as the step asks for; doubles err by the last place of a phase of 1e6 cycles. Errors
    /// count by the energy that lines bring, not by that of their sum, which chance may make small at a single pixel.
    void expect_sums(const AccumulationCase& of) {
        const Samples got = run(of);
        double error = 0, energy = 0;
        for (std::int64_t row = 0; row < of.pass.rows; ++row)
            for (std::int64_t column = 0; column < of.pass.columns; ++column) {
                error += std::norm(got[static_cast<std::size_t>(row * of.pass.columns + column)] -
                                   accumulated(of, row, column));
                for (std::int64_t line = 0; line < of.pass.lines; ++line)
                    energy += std::norm(accumulated(of, row, column, {line, line + 1}));
            }
        EXPECT_LE(std::sqrt(error / energy), is_float() ? std::pow(10, -of.pass.signal_to_error_db / 20) : 1e-8);
    }
};
INSTANTIATE_TEST_SUITE_P(Devices, AccumulationOn, every_device(), device_name);

TEST_P(AccumulationOn, SumsAllLinesWithoutAWindow) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {31, 33}, {1, 130}, {97, 1}, {32, 37}}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns);
        expect_sums(accumulation_case({.rows = rows, .columns = columns}));
    }
}

/// The lines that it holds are looked for, and none may be missed.
TEST_P(AccumulationOn, SumsWhatTheWindowHolds) {
    for (const double window : {0.2, 0.5, 2.0})
        expect_sums(accumulation_case({.lines = 203, .rows = 31, .columns = 29, .window = window}));
}

TEST_P(AccumulationOn, FollowsTheRelief) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 130}, {97, 1}, {61, 47}})
        expect_sums(accumulation_case({.rows = rows, .columns = columns, .relief_m = 3}));
}

TEST_P(AccumulationOn, FollowsHillsThatAreHigherThanATileIsLong) {
    expect_sums(accumulation_case(
        {.range_m = 100e3, .aperture_deg = 0.1, .rows = 140, .columns = 100, .relief_m = 60, .hill_width = 6}));
}
/// A tower, with tiles that do not hold, in a plain whose tiles do.
TEST_P(AccumulationOn, SumsAroundATower) {
    AccumulationCase of =
        accumulation_case({.range_m = 100e3, .aperture_deg = 0.1, .rows = 300, .columns = 70, .relief_m = 150});
    for (std::int64_t row = 0; row < of.pass.rows; ++row)
        for (std::int64_t column = 0; column < of.pass.columns; ++column)
            of.geometry.relief_m[static_cast<std::size_t>(row * of.pass.columns + column)] =
                row >= 150 && row < 158 && column >= 30 && column < 34 ? 150 : 0;
    of.pass.geometry = [geometry = of.geometry] { return geometry; };
    expect_sums(of);
}

/// Along diagonals, where a GPU shears its tiles, either way; those at the ends reach beyond the image.
TEST_P(AccumulationOn, SumsGridsAskewToRange) {
    AccumulationScene askew{.range_m = 100e3, .aperture_deg = 0.03, .turned_deg = 43, .rows = 30, .columns = 1100};
    expect_sums(accumulation_case(askew));
    askew.turned_deg = -49;
    std::swap(askew.rows, askew.columns);
    expect_sums(accumulation_case(askew));
    askew.aperture_deg = 0.4;
    askew.lines = 100;
    askew.window = 0.5;
    expect_sums(accumulation_case(askew));
}
TEST_P(AccumulationOn, TakesNothingFromBeyondTheLines) { expect_sums(accumulation_case({.cut = 0.2})); }

TEST_P(AccumulationOn, LeavesZerosWhereNothingIsCoveredOrSeen) {
    AccumulationCase of = accumulation_case({.rows = 5, .columns = 7, .window = 0.5});
    const Samples all = run(of);
    for (std::int32_t column = 0; column < 7; ++column) of.pass.covered_rows.push_back({column % 3, 5 - column % 2});
    const Samples some = run(of);
    for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 7; ++column)
            EXPECT_EQ(some[row * 7 + column], row >= column % 3 && row < 5 - column % 2 ? all[row * 7 + column] : 0.0);
    for (PixelNode& node : of.geometry.pixels.nodes) node.centroid_hz = 1e5;
    of.pass.geometry = [geometry = of.geometry] { return geometry; };
    for (const auto& value : run(of)) EXPECT_EQ(value, 0.0);
}

/// Others are zero, or what they are.
TEST_P(AccumulationOn, SumsThePixelsThatAreAskedFor) {
    AccumulationCase of = accumulation_case({.rows = 9, .columns = 11, .window = 0.5});
    of.pass.covered_rows.assign(11, {0, 8});
    const Samples all = run(of);
    of.pass.asked = {{7, 10}, {0, 0}, {8, 3}, {4, 5}};
    const Samples some = run(of);
    for (const ImagePixel& pixel : *of.pass.asked) {
        const auto at = static_cast<std::size_t>(pixel.row * 11 + pixel.column);
        EXPECT_EQ(some[at], all[at]);
    }
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_TRUE(some[i] == 0.0 || some[i] == all[i]);
    EXPECT_EQ(some[8 * 11 + 3], 0.0) << "not covered";
    of.pass.asked->clear();
    if (!is_float()) {
        for (const auto& value : run(of)) EXPECT_EQ(value, 0.0);
    }
}

/// Plans of one kernel share what shared memory it may have; those of less accuracy take longer blocks of lines, and
/// more of it.
TEST_P(AccumulationOn, EarlierPlansWorkOnBesideLaterOnes) {
    AccumulationCase of = accumulation_case({.aperture_deg = 0.5, .lines = 600});
    Samples lines;
    for (const Complex<float>& sample : of.compressed) lines.emplace_back(sample.re, sample.im);
    const Matrix in = put(of.pass.lines, of.pass.cells, lines);
    std::vector<std::unique_ptr<StepPlan>> plans;
    std::vector<Samples> images;
    Matrix out = device->allocate(native(), of.pass.rows, of.pass.columns);
    for (const double accuracy_db : {40.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0}) {
        of.pass.signal_to_error_db = accuracy_db;
        plans.push_back(plan_of(*device, of.pass));
        plans.back()->run(in, out);
        images.push_back(get(out));
    }
    for (std::size_t i = 0; i < plans.size(); ++i) {
        plans[i]->run(in, out);
        EXPECT_EQ(get(out), images[i]) << i;
    }
}

TEST_P(AccumulationOn, StopsWhenAskedTo) {
    const AccumulationCase of = accumulation_case({});
    {
        const StoppedJob stopped;
        EXPECT_THROW(run(of), Interrupted);
    }
}

/// Lines of cells finer than samples: the sum over the spectrum at every cell.
class FinerCells : public EveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, FinerCells, every_device(), device_name);

TEST_P(FinerCells, ComeFromALongerInverseTransform) {
    for (const auto& [samples, length, oversampling] : {std::tuple{37, 60, 4}, {37, 61, 2}, {30, 30, 8}, {1, 1, 4}}) {
        SCOPED_TRACE(testing::Message() << samples << " of " << length << ", " << oversampling << " times");
        Samples response = noise(length, 7);
        for (auto& value : response) value /= length;
        const RangeCompression pass{.lines = 5,
                                    .samples = samples,
                                    .fft_length = length,
                                    .format = native(),
                                    .decoding = {},
                                    .filter = [response] { return response; },
                                    .oversampling = oversampling};
        const Samples echo = noise(5 * samples);
        Matrix out = device->allocate(native(), 5, oversampling * samples);
        plan_of(*device, pass)->run(put(5, samples, echo), out);
        Samples expected;
        for (int line = 0; line < 5; ++line)
            for (int cell = 0; cell < oversampling * samples; ++cell) {
                std::complex<double> sum = 0;
                for (int k = 0; k < length; ++k) {
                    const int bin = k < (length + 1) / 2 ? k : k - length;
                    std::complex<double> spectrum = 0;
                    for (int n = 0; n < samples; ++n)
                        spectrum += echo[static_cast<std::size_t>(line * samples + n)] *
                                    phasor(-static_cast<double>(bin * n % length) / length);
                    sum += spectrum * response[static_cast<std::size_t>(k)] *
                           phasor(static_cast<double>(bin * cell) / (oversampling * length));
                }
                expected.push_back(sum);
            }
        EXPECT_LE(relative_error(get(out), expected), is_float() ? 1e-6 : 1e-12);
    }
}

TEST(AccumulationWays, GoesPlainlyWhateverLengthsHaveFusedKernels) {
    const AccumulationCase of = accumulation_case({});
    const Algorithm algorithm{.least = {1024, 1}, .steps = [&](const FftLengths& fft) {
                                  return Steps{{"range_compression", "line", "range",
                                                RangeCompression{.lines = of.pass.lines,
                                                                 .samples = 1000,
                                                                 .fft_length = fft.range,
                                                                 .format = SampleFormat::int8,
                                                                 .decoding = {},
                                                                 .filter = {},
                                                                 .oversampling = 4}},
                                               {"accumulation", "zero_doppler_time", "slant_range", of.pass}};
                              }};
    std::vector<std::string> not_taken;
    const std::vector<Way> ways = ways_through(algorithm, {}, {}, not_taken);
    ASSERT_EQ(ways.size(), 1u);
    EXPECT_EQ(ways[0].chain, Chain::plain);
    EXPECT_GE(ways[0].report.memory_bytes,
              static_cast<std::size_t>(8 * (of.pass.lines * 4000 + of.pass.rows * of.pass.columns)));
    EXPECT_THROW(ways_through(algorithm, {.chain = Chain::fused}, {}, not_taken), Unsupported);
}

}  // namespace
}  // namespace cornerturn
