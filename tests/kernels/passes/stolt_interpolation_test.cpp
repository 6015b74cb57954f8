// SPDX-License-Identifier: Apache-2.0
// Line passes that gather along spectra, by the one that there is: hooks by hand, every device against the hooks looped
// on the host, and the GPU's sweeps in the emulator.
#include "kernels/passes/stolt_interpolation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cuda/plain/spectrum_rows.cuh"
#include "tests/kernels/emulator.h"
#include "tests/kernels/guarded.h"
#include "tests/kernels/line_pass_on_devices.h"

namespace cornerturn {
namespace {

constexpr double rate_hz = 100;

/// Laws without meaning, other ones for every bin; of odd bins a second one where there are columns enough.
StoltInterpolation pass_of(std::int64_t bins, std::int64_t samples, std::int64_t length, std::int64_t columns) {
    StoltInterpolation pass{.azimuth_bins = bins,
                            .samples = samples,
                            .fft_length = length,
                            .columns = columns,
                            .sample_rate_hz = rate_hz,
                            .reference_delay_s = 0.37,
                            .laws = {},
                            .covered_columns = {},
                            .again = {},
                            .kernel = SincKernel::for_band(12, 0.7)};
    const auto width = static_cast<std::int32_t>(columns);
    for (std::int32_t bin = 0; bin < bins; ++bin) pass.covered_columns.push_back({bin % 3 == 2 ? width / 4 : 0, width});
    for (std::int32_t bin = 0; bin < bins && columns > 2; ++bin) {
        pass.again.push_back(bin % 2 == 1 ? static_cast<std::int32_t>(pass.covered_columns.size()) : -1);
        if (bin % 2 == 1) pass.covered_columns.push_back({width / 3, width / 2});
    }
    pass.laws = [count = pass.covered_columns.size()] {
        StoltLaws laws{.half_hz = 45, .reference_cycles = {}, .bands = {}, .source_hz = {}, .gain = {}};
        const auto add = [](std::vector<double>& powers, double constant, double linear, double square,
                            int terms = StoltLaws::terms) {
            powers.insert(powers.end(), {constant, linear, square});
            powers.resize(powers.size() + static_cast<std::size_t>(terms) - 3);
        };
        for (std::size_t i = 0; i < count; ++i) {
            const auto x = static_cast<double>(i % 7);
            add(laws.reference_cycles, 1e4 + 0.3 * x, 2.5 - x, 7.0);
            laws.bands.push_back({.centre_hz = 0.5 * x, .half_hz = 40});
            add(laws.source_hz, 3.1 - x, 37.7, 0.4);
            add(laws.gain, 1.5, 0.1, -0.2, StoltLaws::gain_terms);
        }
        return laws;
    };
    return pass;
}

/// A line walked as the laws of `law` have it.
Line walked(const StoltInterpolation& pass, LineView in, std::int64_t line, std::int64_t law) {
    const HostTables tables;
    const auto hooks = pass.hooks<double>(tables);
    Line spectrum =
        fast_fourier(in.subspan(static_cast<std::size_t>(line * pass.samples), static_cast<std::size_t>(pass.samples)),
                     pass.fft_length, -1);
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin)
        spectrum[static_cast<std::size_t>(bin)] *= as_std(of_line(hooks, law).filter(bin));
    Line gathered;
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
        const SpectrumPlace<double> place = of_line(hooks, law).place(bin);
        const double base = std::floor(place.bin);
        std::complex<double> sum;
        for (int tap = 1 - pass.kernel.taps / 2; tap <= pass.kernel.taps / 2; ++tap) {
            const auto at = static_cast<std::int64_t>(base) + tap + 100 * pass.fft_length;
            sum +=
                pass.kernel.weight(base + tap - place.bin) * spectrum[static_cast<std::size_t>(at % pass.fft_length)];
        }
        gathered.push_back(as_std(place.factor) * sum);
    }
    return fast_fourier(gathered, pass.fft_length, +1);
}

Line host_line(const StoltInterpolation& pass, LineView in, std::int64_t line) {
    Line result(static_cast<std::size_t>(pass.columns));
    const auto keep = [&](std::int64_t law) {
        const Line of_law = walked(pass, in, line, law);
        const Interval covered = pass.covered_columns[static_cast<std::size_t>(law)];
        for (auto i = static_cast<std::size_t>(covered.first); i < static_cast<std::size_t>(covered.last); ++i)
            result[i] = of_law[i % of_law.size()];
    };
    keep(line);
    if (!pass.again.empty() && pass.again[static_cast<std::size_t>(line)] >= 0)
        keep(pass.again[static_cast<std::size_t>(line)]);
    return result;
}

class StoltInterpolationPass : public LinePassOnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, StoltInterpolationPass, every_device(), device_name);

TEST_P(StoltInterpolationPass, IsTheHooksOnEveryDevice) {
    struct Shape {
        std::int64_t bins, samples, length, columns;
    };
    for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{1, 31, 32, 33}, Shape{5, 33, 61, 40}, Shape{3, 64, 64, 64},
                           Shape{4, 600, 750, 601}, Shape{301, 17, 24, 8}}) {
        // Weights are polynomials that err by 2e-7 in float; phases of 1e4 cycles keep 1e-12 of a cycle in double.
        expect_lines(
            pass_of(s.bins, s.samples, s.length, s.columns),
            [](const StoltInterpolation& pass, LineView in, std::int64_t line) { return host_line(pass, in, line); },
            2e-6);
    }
}

TEST(StoltInterpolationHooks, SayWhereABinIsRead) {
    const StoltInterpolation pass = pass_of(2, 8, 10, 4);  // bins of 10 Hz
    const HostTables tables;
    const auto hooks = pass.hooks<double>(tables);
    // Bin 2 is 20 Hz, x = 20 / 40 of the band: read at 3.1 + 37.7 x + 0.4 x^2 Hz; moved by the reference's 0.37 s.
    const SpectrumPlace<double> place = of_line(hooks, 0).place(2);
    EXPECT_NEAR(place.bin, (3.1 + 37.7 / 2 + 0.4 / 4) / 10, 1e-12);
    EXPECT_NEAR(std::abs(as_std(place.factor)), (1.5 + 0.05 - 0.05) / 10, 1e-12);
    EXPECT_NEAR(std::arg(as_std(place.factor)), 2 * std::numbers::pi * (-20 * 0.37 + 7), 1e-9);  // -7.4 cycles
    // Bin 8 is -20 Hz and lies beyond 0: in the upper half of the spectrum.
    EXPECT_NEAR(of_line(hooks, 0).place(8).bin, 10 + (3.1 - 37.7 / 2 + 0.4 / 4) / 10, 1e-12);
    // Bin 5 is -50 Hz: outside of band and reference function.
    EXPECT_EQ(std::abs(as_std(of_line(hooks, 0).place(5).factor)), 0);
    EXPECT_EQ(std::abs(as_std(of_line(hooks, 0).filter(5))), 0);
    EXPECT_NEAR(std::arg(as_std(of_line(hooks, 0).filter(1))),
                2 * std::numbers::pi * (2.5 * 10 / 45 + 7.0 * 100 / 2025 - 1), 1e-9);
    EXPECT_EQ(hooks.again(0), -1);
    EXPECT_EQ(hooks.again(1), 2);
}

/// A spectrum of one time is an oscillation, which interpolation continues but for the droop of its kernel there.
TEST(StoltInterpolationHooks, GatheringContinuesAnOscillation) {
    constexpr std::int64_t length = 256;
    const SincKernel kernel = SincKernel::for_band(16, 0.6);
    const SincPolynomials<double> weights = polynomials<double>(kernel);
    const MeanResponse droop(kernel);
    for (const double time : {-70.0, 3.0, 75.0}) {
        std::vector<Complex128> spectrum;
        for (std::int64_t bin = 0; bin < length; ++bin)
            spectrum.push_back(unit_phasor<double>(-static_cast<double>(bin) * time / length));
        for (const double bin : {0.2, 100.5, 255.9}) {
            const auto got = as_std(gathered(spectrum.data(), length, weights, {bin, {1, 0}}));
            EXPECT_LT(std::abs(got - droop(time / length) * as_std(unit_phasor<double>(-bin * time / length))), 2e-5)
                << time << ", " << bin;
        }
    }
}

/// As SweepBlock on a GPU.
struct EmulatedSweepBlock : EmulatedBlock {
    using EmulatedBlock::put;
    void put(Complex64* to, Complex64 first, Complex64 second) const {
        to[0] = first;
        to[1] = second;
    }
};

template <class Op>
void sweep(const Op& op, std::int64_t rows, std::int64_t columns) {
    const RowSweep<Op> body{op, rows, columns};
    Emulator(RowSweep<Op>::threads, 1).run(body.blocks(), [&](const EmulatedBlock& block) {
        body.run(EmulatedSweepBlock{block});
    });
}

/// Lines 2 and 3 of a pass, of which only the latter is gone through again.
TEST(SpectrumRows, AreGatheredAndStoredOverWhatIsCovered) {
    for (const std::int64_t length : {601, 620, 3000})
        with_lanes({length}, [&](auto lanes) {
            constexpr std::int64_t first = 2, rows = 2;
            const StoltInterpolation pass = pass_of(4, length, length, length);
            const HostTables tables;
            const auto hooks = pass.hooks<float>(tables);
            using Again = HooksOfTime<StoltInterpolationHooks<float>>;
            const Again again{hooks, true};
            const SincPolynomials<float> weights = polynomials<float>(pass.kernel);
            Guarded<Complex64> in(rows * length), gathered_rows(rows * length), out(rows * length);
            for (std::int64_t i = 0; i < rows * length; ++i)
                in.data()[i] = {static_cast<float>(i % 97), static_cast<float>(i % 89)};
            for (std::int64_t i = 0; i < rows * length; ++i) out.data()[i] = {-1, -2};
            const GatherSpectra<Again> gather{
                again, {weights, static_cast<int>(length)}, first, rows, length, in.data(), gathered_rows.data()};
            Emulator(gather.threads, 1).run(gather.blocks(), [&](const EmulatedBlock& block) {
                gather.run(EmulatedSweepBlock{block});
            });
            sweep(StoreOver<Again, lanes>{{again, pass.shape(), gathered_rows.data(), first, out.data()}}, rows,
                  length);
            EXPECT_TRUE(gathered_rows.guards_untouched() && out.guards_untouched());
            const std::int64_t law = hooks.again(3);
            const Interval covered = hooks.covered(law);
            std::int64_t wrong = 0;
            for (std::int64_t i = 0; i < length; ++i) {
                const bool inside = i >= covered.first && i < covered.last;
                const Complex64 expected =
                    inside ? gathered(in.data() + length, length, weights, of_line(hooks, law).place(i))
                           : Complex64{-1, -2};
                const Complex64 got = out.data()[length + i];
                // Taps are added up in another order: numbers up to 97, of which floats keep 6e-6.
                wrong += out.data()[i].re != -1 || !(std::abs(got.re - expected.re) < 1e-5f) ||
                         !(std::abs(got.im - expected.im) < 1e-5f);
            }
            EXPECT_EQ(wrong, 0);
        });
}

}  // namespace
}  // namespace cornerturn
