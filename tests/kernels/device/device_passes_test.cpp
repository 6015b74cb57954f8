// SPDX-License-Identifier: Apache-2.0
// Passes on every device against the same struct looped on the host; range_compression_test.cpp has that one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "kernels/device/device_bench.h"
#include "tests/kernels/device/device_passes.h"
#include "tests/support/stopped_job.h"

namespace cornerturn {
namespace {

/// By the definition, without its hooks.
Line host_line(const PhaseCorrection& pass, LineView in, std::int64_t line) {
    Line result;
    for (std::int64_t sample = 0; sample < pass.samples; ++sample) {
        const double of_line = pass.line_cycles.empty() ? 0.0 : pass.line_cycles[static_cast<std::size_t>(line)];
        const double cycles = of_line + pass.cycles(static_cast<double>(line), static_cast<double>(sample));
        result.push_back(in[static_cast<std::size_t>(line * pass.samples + sample)] *
                         phasor(cycles - std::floor(cycles)));
    }
    return result;
}

INSTANTIATE_TEST_SUITE_P(Devices, DevicePasses, every_device(), device_name);

TEST_P(DevicePasses, AzimuthSpectrum) {
    for (const auto& [cells, lines, length] :
         {std::array{5, 31, 48}, {7, 33, 33}, {1, 1, 1}, {3, 1, 2}, {2, 97, 101}}) {
        SCOPED_TRACE(length);
        const Samples in = noise(cells * lines);
        const Samples got = get(run(AzimuthSpectrum{cells, lines, length}, put(cells, lines, in), cells, length));
        for (int cell = 0; cell < cells; ++cell)
            expect_line(got, cell, host_line(AzimuthSpectrum{cells, lines, length}, in, cell));
    }
}

TEST_P(DevicePasses, AzimuthSpectrumOfManyCells) {
    const AzimuthSpectrum pass{.range_cells = 70001, .lines = 29, .fft_length = 64};
    const Samples in = noise(pass.range_cells * pass.lines);
    const Samples got = get(run(pass, put(pass.range_cells, pass.lines, in), pass.range_cells, pass.fft_length));
    for (std::int64_t cell = 0; cell < pass.range_cells; cell += 1000)
        expect_line(got, cell, host_line(pass, in, cell));
}

TEST_P(DevicePasses, SecondaryRangeCompression) {
    HyperbolicCoupling coupling{.azimuth_bins = 6,
                                .range_cells = 53,
                                .fft_length = 64,
                                .carrier_hz = 9.65e9,
                                .sample_rate_hz = 180e6,
                                .prf_hz = 3000,
                                .doppler_centroid_hz = 42000,
                                .reference_range_m = 700e3,
                                .velocity_m_s = 7400};
    for (const std::int64_t length : {64, 53}) {  // padded, and in the rows themselves
        SCOPED_TRACE(length);
        coupling.fft_length = length;
        const SecondaryRangeCompression pass = coupling.pass();
        const Samples in = noise(6 * 53);
        Matrix matrix = put(6, 53, in);
        const Samples apart = get(run(pass, matrix, 6, 53));
        for (int line = 0; line < 6; ++line) expect_line(apart, line, host_line(pass, in, line));
        plan_of(*device, pass)->run(matrix, matrix);
        EXPECT_EQ(get(matrix), apart) << "in place";
    }
}

/// A platform so slow that most bins of the PRF lie beyond 2 V / lambda: the passes have no laws there.
TEST_P(DevicePasses, FrequenciesThatCannotExistAreNotProcessed) {
    const double carrier_hz = 9.65e9, fastest_hz = 2 * 10.0 * carrier_hz / c_m_s, prf_hz = 2000;
    const Samples in = noise(300 * 40);

    const HyperbolicCoupling coupling{.azimuth_bins = 300,
                                      .range_cells = 40,
                                      .fft_length = 45,
                                      .carrier_hz = carrier_hz,
                                      .sample_rate_hz = 100e6,
                                      .prf_hz = prf_hz,
                                      .doppler_centroid_hz = 0,
                                      .reference_range_m = 300,
                                      .velocity_m_s = 10};
    const SecondaryRangeCompression compression = coupling.pass();
    const Samples coupled = get(run(compression, put(300, 40, in), 300, 40));
    for (std::int64_t bin = 0; bin < 300; ++bin) {
        expect_line(coupled, bin, host_line(compression, in, bin));
        const Line as_it_was(in.begin() + bin * 40, in.begin() + (bin + 1) * 40);
        if (!coupling.exists(bin)) expect_line(coupled, bin, as_it_was);
    }

    HyperbolicGather gather = azimuth_pass(8, 300, 300);
    gather.carrier_hz = carrier_hz;
    gather.prf_hz = prf_hz;
    gather.doppler_centroid_hz = 0;
    gather.image_near_range_m = 300;
    gather.input_near_range_m = 290;
    gather.range_spacing_m = 1.5;
    for (double& velocity : gather.velocity_m_s) velocity = 10 + 1e-7 * (velocity - 7062);
    for (std::int64_t bin = 0; bin < 300; ++bin)
        if (std::abs(azimuth_frequency_hz(bin, 300, prf_hz, 0)) > 0.5 * fastest_hz)
            gather.weight[static_cast<std::size_t>(bin)] = 0;
    const AzimuthCompression pass = gather.pass();
    const Samples cells = noise(pass.input_cells * 300);
    const Samples got = get(run(pass, put(pass.input_cells, 300, cells), pass.columns, 300));
    for (std::int64_t column = 0; column < pass.columns; ++column) {
        const Line expected = host_line(pass, cells, column);
        for (const auto& value : expected) ASSERT_TRUE(std::isfinite(std::norm(value)));
        expect_line(got, column, expected, stepped_weights());
    }
}

TEST_P(DevicePasses, AzimuthCompression) {
    struct Case {
        int taps;
        std::int64_t fft_length, image_rows;
    };
    for (const auto& [taps, length, rows] : {Case{8, 60, 60}, {12, 64, 41}, {12, 64, 67}, {16, 61, 150}}) {
        // Image as long as the FFT, shorter, a little longer, more than twice as long.
        SCOPED_TRACE(taps);
        const AzimuthCompression pass = azimuth_pass(taps, length, rows).pass();
        const Samples in = noise(pass.input_cells * length);
        const Samples got = get(run(pass, put(pass.input_cells, length, in), pass.columns, rows));
        double energy = 0;
        for (std::int64_t column = 0; column < pass.columns; ++column) {
            const Line expected = host_line(pass, in, column);
            for (const auto& value : expected) energy += std::norm(value);
            expect_line(got, column, expected, stepped_weights());
        }
        EXPECT_GT(energy, 0);
    }
}

TEST_P(DevicePasses, AzimuthCompressionOfAnImageCoveredEverywhere) {
    AzimuthCompression pass = azimuth_pass(8, 60, 60).pass();
    for (Interval& covered : pass.covered_rows) covered = {0, 60};
    const Samples in = noise(pass.input_cells * 60);
    const Samples got = get(run(pass, put(pass.input_cells, 60, in), pass.columns, 60));
    for (std::int64_t column = 0; column < pass.columns; ++column)
        expect_line(got, column, host_line(pass, in, column), stepped_weights());
}

TEST_P(DevicePasses, AzimuthCompressionOfManyColumns) {
    for (const std::int64_t image_rows : {50, 64}) {
        HyperbolicGather gather = azimuth_pass(8, 64, image_rows, 70001);
        gather.range_spacing_m = 0.1;  // so that the scene stays near
        gather.input_cells = 90000;
        gather.input_near_range_m = gather.image_near_range_m;
        const AzimuthCompression pass = gather.pass();
        const Samples in = noise(pass.input_cells * pass.fft_length);
        const Samples got = get(run(pass, put(pass.input_cells, pass.fft_length, in), pass.columns, pass.image_rows));
        for (std::int64_t column = 0; column < pass.columns; column += 1009)
            expect_line(got, column, host_line(pass, in, column));
    }
}

TEST_P(DevicePasses, AzimuthCompressionFollowsVelocitiesOfAnyKind) {
    HyperbolicGather gather = azimuth_pass(8, 300, 300);  // longer than the chunks that a CPU takes at a time
    const Samples in = noise(gather.input_cells * gather.fft_length);
    for (const double slope : {0.0, 1e-5, 1.0}) {  // m/s from column to column: none, an orbit's, an absurd one
        SCOPED_TRACE(slope);
        for (std::int64_t column = 0; column < gather.columns; ++column)
            gather.velocity_m_s[static_cast<std::size_t>(column)] = 7062 + slope * static_cast<double>(column);
        const AzimuthCompression pass = gather.pass();
        const Samples got = get(run(pass, put(pass.input_cells, pass.fft_length, in), pass.columns, pass.image_rows));
        for (std::int64_t column = 0; column < pass.columns; ++column)
            expect_line(got, column, host_line(pass, in, column));
    }
}

/// Bands that move by any number of bins, beyond the PRF too, between groups of columns.
TEST_P(DevicePasses, AzimuthCompressionMovesItsBandFromGroupToGroup) {
    // The expected lines have laws that were fitted for their own band: phases of the two fits, a PRF and more off the
    // middle of one of them, round apart by up to 1.2e-10 (seen).
    const double two_fits = 3e-10;
    for (const std::int64_t length : {64, 300}) {
        SCOPED_TRACE(length);
        HyperbolicGather gather = azimuth_pass(8, length, length, 2 * band_columns + 37);
        gather.velocity_m_s.assign(gather.velocity_m_s.size(), 7062);
        gather.input_cells = gather.columns + 80;
        for (std::int64_t bin = 0; bin < length / 5; ++bin) gather.weight[static_cast<std::size_t>(bin)] = 0;
        const Samples in = noise(gather.input_cells * length);
        const Matrix cells = put(gather.input_cells, length, in);
        for (const std::vector<std::int32_t>& shift :
             {std::vector<std::int32_t>{0, 1, -2}, {5, 5, 5}, {-3, 0, static_cast<std::int32_t>(length) + 7}}) {
            gather.band_shift = shift;
            const Samples got = get(run(gather.pass(), cells, gather.columns, length));
            for (std::int64_t group = 0; group < 3; ++group) {
                const AzimuthCompression moved = gather.in_band_of(group).pass();
                const std::int64_t first = group * band_columns, last = std::min(first + band_columns, gather.columns);
                for (const std::int64_t column : {first, first + 1, first + 20, last - 1})
                    expect_line(got, column, host_line(moved, in, column), std::max(stepped_weights(), two_fits));
            }
        }
    }
}

TEST_P(DevicePasses, PhaseCorrection) {
    for (const auto& [lines, samples] : {std::pair{1, 1}, {1, 601}, {1, 64}, {7, 33}, {5, 64}, {601, 1}, {33, 1000}}) {
        SCOPED_TRACE(testing::Message() << lines << " x " << samples);
        PhaseCorrection pass{.lines = lines,
                             .samples = samples,
                             .cycles = {.x_centre = 0.4 * lines - 3,
                                        .x_half = 0.7 * lines,
                                        .y_centre = 0.3 * samples,
                                        .y_half = 0.6 * samples}};
        for (int i = 0; i < SmoothSurface::x_powers; ++i)
            for (int j = 0; j < SmoothSurface::y_powers; ++j)
                pass.cycles.powers[i][j] = 1.7 - 0.9 * i + 2.3 * j * i - j;
        if (lines % 2 == 1)
            for (int line = 0; line < lines; ++line) pass.line_cycles.push_back(1e4 * std::sin(line + 1));
        const Samples in = noise(lines * samples);
        Matrix matrix = put(lines, samples, in);
        const Samples apart = get(run(pass, matrix, lines, samples));
        for (int line = 0; line < lines; ++line) expect_line(apart, line, host_line(pass, in, line));
        EXPECT_EQ(get(matrix), in) << "the input stays";
        plan_of(*device, pass)->run(matrix, matrix);
        EXPECT_EQ(get(matrix), apart) << "in place";
    }
}

TEST_P(DevicePasses, PhaseCorrectionByHand) {
    PhaseCorrection pass{.lines = 3, .samples = 4, .cycles = {.x_centre = 1, .x_half = 1, .y_centre = 0, .y_half = 4}};
    pass.cycles.powers[0][0] = 100;
    pass.cycles.powers[1][0] = 0.5;  // half a cycle a line
    pass.cycles.powers[0][1] = 1;    // a quarter a sample
    pass.line_cycles = {0, -3, 0.5};
    const Samples got = get(run(pass, put(3, 4, Samples(12, {2, 0})), 3, 4));
    const Samples turns{{2, 0}, {0, 2}, {-2, 0}, {0, -2}};
    for (int line = 0; line < 3; ++line)
        for (int sample = 0; sample < 4; ++sample) {
            const auto expected = (line == 0 ? -1.0 : 1.0) * turns[static_cast<std::size_t>(sample)];
            EXPECT_LT(std::abs(got[static_cast<std::size_t>(4 * line + sample)] - expected), 1e-6)
                << line << ", " << sample;
        }
}

TEST_P(DevicePasses, PhaseCorrectionOfManyLines) {
    PhaseCorrection pass{.lines = 70001, .samples = 29, .cycles = {}};
    pass.cycles = {35000, 35000, 14, 15, {{1, 2, 3, -1}, {1000, -20, 5}, {300, 7, 1}, {9}, {-3, 1, 0.5, 2}}};
    for (std::int64_t line = 0; line < pass.lines; ++line)
        pass.line_cycles.push_back(0.37 * static_cast<double>(line % 1009));
    const Samples in = noise(pass.lines * pass.samples);
    const Samples got = get(run(pass, put(pass.lines, pass.samples, in), pass.lines, pass.samples));
    for (std::int64_t line = 0; line < pass.lines; line += 1000) expect_line(got, line, host_line(pass, in, line));
    expect_line(got, pass.lines - 1, host_line(pass, in, pass.lines - 1));
}

TEST_P(DevicePasses, APlanGivesEqualResultsInEveryRun) {
    const AzimuthCompression pass = azimuth_pass(16, 61, 41).pass();
    const std::int64_t size = pass.input_cells * pass.fft_length;
    const Matrix first = put(pass.input_cells, pass.fft_length, noise(size, 1)),
                 second = put(pass.input_cells, pass.fft_length, noise(size, 2));
    const auto plan = plan_of(*device, pass);
    Matrix out = device->allocate(native(), pass.columns, pass.image_rows);
    plan->run(first, out);
    const Samples once = get(out);
    plan->run(second, out);
    EXPECT_NE(get(out), once);
    // A larger plan that shares scratch memory comes and goes.
    const Matrix line = put(1, 100000, noise(100000));
    run(AzimuthSpectrum{1, 100000, 131072}, line, 1, 131072);
    plan->run(first, out);
    EXPECT_EQ(get(out), once);
}

TEST_P(DevicePasses, ARecordingKeepsTheScratchMemoryThatLaterPlansOutgrow) {
    const AzimuthCompression pass =
        azimuth_pass(16, 61, 41).pass();  // through scratch lines: the image is shorter than the transform
    const Matrix in = put(pass.input_cells, pass.fft_length, noise(pass.input_cells * pass.fft_length));
    const auto plan = plan_of(*device, pass);
    Matrix out = device->allocate(native(), pass.columns, pass.image_rows);
    plan->run(in, out);
    const Samples once = get(out);
    const auto recording = device->record([&] { plan->run(in, out); });
    const auto larger = plan_of(*device, AzimuthSpectrum{4, 1000, 1048576});
    std::vector<Matrix> in_its_place;  // takes what was freed
    for (int i = 0; i < 64; ++i)
        in_its_place.push_back(put(1, pass.columns * 61, Samples(static_cast<std::size_t>(pass.columns * 61), 7)));
    put(pass.columns, pass.image_rows, Samples(once.size()));
    recording->replay();
    EXPECT_EQ(get(out), once);
    for (const Matrix& other : in_its_place) EXPECT_EQ(get(other), Samples(static_cast<std::size_t>(other.columns), 7));
}

TEST_P(DevicePasses, RefuseMatricesTheyWereNotPlannedFor) {
    const Matrix in = put(3, 5, noise(15));
    Matrix out = device->allocate(native(), 3, 8), turned = out.reshaped(8, 3);
    const auto plan = plan_of(*device, AzimuthSpectrum{3, 5, 8});
    EXPECT_THROW(plan->run(in, turned), std::logic_error);
    EXPECT_THROW(plan->run(in.reshaped(5, 3), out), std::logic_error);
    EXPECT_THROW(plan->run(put_as(3, 5, SampleFormat::int8, std::vector<std::uint16_t>(15)), out), std::logic_error);
}

TEST_P(DevicePasses, StopWhenAskedTo) {
    const Matrix in = put(3, 5, noise(15));
    Matrix out = device->allocate(native(), 3, 8);
    const auto plan = plan_of(*device, AzimuthSpectrum{3, 5, 8});
    {
        const StoppedJob stopped;
        EXPECT_THROW(plan->run(in, out), Interrupted);
    }
    EXPECT_NO_THROW(plan->run(in, out));
}

}  // namespace
}  // namespace cornerturn
