// SPDX-License-Identifier: Apache-2.0
// Passes on every device, and lines of theirs looped on the host.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/steps/steps.h"
#include "tests/kernels/every_device.h"
#include "tests/kernels/host_azimuth_compression.h"
#include "tests/kernels/host_passes.h"
#include "tests/kernels/hyperbolic_gather.h"
#include "tests/kernels/one_step.h"

namespace cornerturn {

/// Row `line` of the output.
template <class Component>
Line host_line(const RangeCompression& pass, const Stored<Component>* echo, std::int64_t line) {
    const HostTables tables;
    const auto hooks = pass.hooks<double>(tables);
    const EchoDecoding& decoding = pass.decoding;
    const EchoReader<double, Component> reader{
        .samples = echo,
        .samples_per_line = pass.samples,
        .line_gain = decoding.line_gain.empty() ? nullptr : decoding.line_gain.data(),
        .valid_samples = decoding.valid_samples.data(),
        .intervals_per_line = decoding.valid_samples.empty() ? 0 : decoding.intervals_per_line,
        .levels = decoding.levels.data()};
    Line x;
    for (std::int64_t sample = 0; sample < pass.samples; ++sample) x.push_back(as_std(reader(line, sample)));
    Line spectrum = fast_fourier(x, pass.fft_length, -1);
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin)
        spectrum[static_cast<std::size_t>(bin)] *= as_std(hooks.filter(line, bin));
    Line compressed = fast_fourier(spectrum, pass.fft_length, +1);
    compressed.resize(static_cast<std::size_t>(pass.samples));
    return compressed;
}

class DevicePasses : public EveryDevice {
protected:
    /// Float: transform, filter, phasor and weights each err by one or two units in the last place of the rms; 3e-7 in
    /// all was seen. Double: the same, but a phase of 1e5 cycles keeps 1e-11 of a cycle when its terms are rounded
    /// otherwise.
    double tolerance() const { return is_float() ? 1e-6 : 1e-10; }

    /// A GPU steps its interpolation weights along a chunk of columns: 1e-5 of the signal at the most, but 3e-5 of what
    /// is left of a line whose cells lie half beyond the echo.
    double stepped_weights() const { return device->info().name.starts_with("cuda") ? 3e-5 : 0; }

    template <class Pass>
    Matrix run(const Pass& pass, const Matrix& in, std::int64_t rows, std::int64_t columns) {
        Matrix out = device->allocate(native(), rows, columns);
        plan_of(*device, pass)->run(in, out);
        return out;
    }

    void expect_line(const Samples& got, std::int64_t line, const Line& expected, double limit = 0) {
        const LineView view(got.data() + static_cast<std::size_t>(line) * expected.size(), expected.size());
        EXPECT_LE(relative_error(view, expected), std::max(limit, tolerance())) << "line " << line;
    }

    template <class Component>
    void expect_range_compression(const RangeCompression& pass, const std::vector<Stored<Component>>& echo,
                                  std::int64_t line_step = 1) {
        const Samples got =
            get(run(pass, put_as(pass.lines, pass.samples, pass.format, echo), pass.lines, pass.samples));
        for (std::int64_t line = 0; line < pass.lines; line += line_step)
            expect_line(got, line, host_line(pass, echo.data(), line));
        expect_line(got, pass.lines - 1, host_line(pass, echo.data(), pass.lines - 1));
    }

    static RangeCompression range_pass(SampleFormat format, std::int64_t lines = 5, std::int64_t samples = 37,
                                       std::int64_t fft_length = 60) {
        std::vector<std::complex<double>> filter = noise(fft_length, 7);
        for (auto& value : filter) value /= static_cast<double>(fft_length);
        return {.lines = lines,
                .samples = samples,
                .fft_length = fft_length,
                .format = format,
                .decoding = {},
                .filter = [filter] { return filter; }};
    }

    /// Level: what a component is made of.
    template <class Component, class Level = Component>
    static std::vector<Stored<Component>> integers(std::int64_t count, int low, int high) {
        std::mt19937 generator(3);
        std::uniform_int_distribution<int> value(low, high);
        const auto draw = [&] { return Component{static_cast<Level>(value(generator))}; };
        std::vector<Stored<Component>> echo(static_cast<std::size_t>(count));
        for (auto& s : echo) s = {draw(), draw()};
        return echo;
    }

    /// C band, squinted: the migration curves run from before cell 0 to beyond the last one.
    static HyperbolicGather azimuth_pass(int taps, std::int64_t fft_length, std::int64_t image_rows,
                                         std::int64_t columns = 37) {
        HyperbolicGather pass = c_band_gather(fft_length, 33, -2);
        pass.columns = columns;
        pass.image_rows = image_rows;
        pass.kernel = SincKernel::for_band(taps, 0.9);
        for (std::int64_t column = 0; column < columns; ++column) {
            pass.velocity_m_s.push_back(7062 + 0.01 * static_cast<double>(column % 101));
            const auto first = static_cast<std::int32_t>(column % image_rows);
            pass.covered_rows.push_back(
                {first, static_cast<std::int32_t>(std::max<std::int64_t>(first, image_rows - column % 3))});
        }
        pass.covered_rows[0] = {0, static_cast<std::int32_t>(image_rows)};
        for (std::int64_t bin = 0; bin < fft_length; ++bin)
            pass.weight.push_back(bin % 11 == 4 ? 0.0 : 1.0 / static_cast<double>(bin + fft_length));
        return pass;
    }
};

}  // namespace cornerturn
