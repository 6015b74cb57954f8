// SPDX-License-Identifier: Apache-2.0
// The passes looped on the host in double precision with the Fourier transform as a plain sum: what every device must
// agree with. Lines are computed one at a time, so that a test may look at some lines of a large matrix.
#pragma once

#include <complex>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/passes/pass.h"
#include "kernels/passes/tables.h"
#include "tests/support/phasor.h"

namespace cornerturn {

using Line = std::vector<std::complex<double>>;
using LineView = std::span<const std::complex<double>>;

inline std::complex<double> as_std(Complex<double> value) { return {value.re, value.im}; }

/// Unnormalised sum over n of x[n] exp(sign j 2 pi k n / N), zeros behind x.
inline Line fourier_sum(LineView x, std::int64_t length, int sign) {
    Line roots(static_cast<std::size_t>(length)), result(roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i)
        roots[i] = phasor(sign * static_cast<double>(i) / static_cast<double>(length));
    for (std::size_t k = 0; k < result.size(); ++k)
        for (std::size_t n = 0; n < x.size(); ++n) result[k] += x[n] * roots[k * n % roots.size()];
    return result;
}

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
    Line spectrum = fourier_sum(x, pass.fft_length, -1);
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin)
        spectrum[static_cast<std::size_t>(bin)] *= as_std(hooks.filter(line, bin));
    Line compressed = fourier_sum(spectrum, pass.fft_length, +1);
    compressed.resize(static_cast<std::size_t>(pass.samples));
    return compressed;
}

/// Of any line pass over native samples that does not gather along its spectrum: line_pass.h in as many lines.
template <class Pass>
requires requires {
    Pass::transforms;
} &&(!Pass::reads_echo)Line host_line(const Pass& pass, LineView in, std::int64_t line) {
    const HostTables tables;
    const auto hooks = pass.template hooks<double>(tables);
    using Hooks = std::decay_t<decltype(hooks)>;
    static_assert(!has_place<Hooks>);
    const LineShape shape = pass.shape();
    const LineView read = in.subspan(static_cast<std::size_t>(line * shape.in), static_cast<std::size_t>(shape.in));
    Line x(read.begin(), read.end());
    if (has_forward(Pass::transforms)) x = fourier_sum(x, shape.fft_length, -1);
    if constexpr (has_filter<Hooks>)
        for (std::size_t bin = 0; bin < x.size(); ++bin)
            x[bin] *= as_std(hooks.filter(line, static_cast<std::int64_t>(bin)));
    if (has_inverse(Pass::transforms)) x = fourier_sum(x, shape.fft_length, +1);
    const StoreRule rule = store_rule(hooks, shape, line);
    Line stored(static_cast<std::size_t>(shape.out));
    for (std::int64_t i = 0; i < shape.out; ++i) {
        std::complex<double>& to = stored[static_cast<std::size_t>(i)];
        if (rule.covers(i)) to = x[static_cast<std::size_t>(rule.source(i))];
        if constexpr (has_scale<Hooks>) to *= as_std(hooks.scale(line, rule.source(i)));  // of the transform's samples
    }
    return stored;
}

/// By the definition, without its hooks.
inline Line host_line(const PhaseCorrection& pass, LineView in, std::int64_t line) {
    Line result;
    for (std::int64_t sample = 0; sample < pass.samples; ++sample) {
        const double of_line = pass.line_cycles.empty() ? 0.0 : pass.line_cycles[static_cast<std::size_t>(line)];
        const double cycles = of_line + pass.cycles(static_cast<double>(line), static_cast<double>(sample));
        result.push_back(in[static_cast<std::size_t>(line * pass.samples + sample)] *
                         phasor(cycles - std::floor(cycles)));
    }
    return result;
}

inline Line host_line(const AzimuthCompression& pass, LineView in, std::int64_t column) {
    const HostTables tables;
    const AzimuthCompressionHooks hooks = pass.hooks(tables);
    const SincPolynomials<double> sinc = polynomials<double>(pass.kernel);
    Line spectrum;
    for (std::int64_t bin = 0; bin < pass.fft_length; ++bin) {
        const Migration m = hooks.at(column, bin);
        const double base = std::floor(m.position_cells);
        std::complex<double> sum;
        for (int tap = 0; tap < sinc.taps; ++tap) {
            const std::int64_t cell = static_cast<std::int64_t>(base) - sinc.taps / 2 + 1 + tap;
            if (cell >= 0 && cell < pass.input_cells)
                sum += sinc.weight(tap, m.position_cells - base - 0.5) *
                       in[static_cast<std::size_t>(cell * pass.fft_length + bin)];
        }
        spectrum.push_back(m.gain * as_std(unit_phasor<double>(m.phase_cycles)) * sum);
    }
    const Line image = fourier_sum(spectrum, pass.fft_length, +1);
    Line rows;
    for (std::int64_t row = 0; row < pass.image_rows; ++row)
        rows.push_back(
            hooks.store(column).covers(row) ? image[static_cast<std::size_t>(hooks.store(column).source(row))] : 0.0);
    return rows;
}

}  // namespace cornerturn
