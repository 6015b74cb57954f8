// SPDX-License-Identifier: Apache-2.0
// Passes along a line, one line by one block: range compression (decode, transform, filter, inverse transform, store), azimuth
// spectrum, and the inverse transform of azimuth compression.
#pragma once

#include "kernels/cuda/fused/line_fft.cuh"
#include "kernels/passes/azimuth_compression.h"
#include "kernels/passes/range_compression.h"

namespace cornerturn {

/// An echo whose format is known when the kernel runs: one kernel serves all.
struct AnyEcho {
    SampleFormat format;
    EchoReader<float, std::int8_t> reader;  ///< of any format: only the type of its samples has to be put right
    int sample_bytes;

    /// v[j] is sample n + j Step of the line, 0 from `count` on.
    template <int Step, class Block, int Count>
    CT_HOST_DEVICE void load(const Block& block, Complex64 (&v)[Count], std::int64_t line, const LineRules<float>& rules, int n,
                             int count) const {
        switch (format) {
            case SampleFormat::int8: load_as<std::int8_t, Step>(block, v, line, n, count); break;
            case SampleFormat::int16: load_as<std::int16_t, Step>(block, v, line, n, count); break;
            case SampleFormat::float16: load_as<Half, Step>(block, v, line, n, count); break;
            case SampleFormat::lut16: load_as<LutIndex, Step>(block, v, line, n, count); break;
            case SampleFormat::complex64: load_as<float, Step>(block, v, line, n, count); break;
            case SampleFormat::complex128: load_as<double, Step>(block, v, line, n, count); break;
            case SampleFormat::float32: break;  // not of an echo
        }
        if (!rules.take_all(count)) keep_valid<Step>(v, rules, n);
    }

    /// Fetches a line into the L2 cache.
    template <class Block>
    CT_HOST_DEVICE void prefetch(const Block& block, std::int64_t line, int count) const {
        constexpr int cache_line = 128;
        const int bytes = count * sample_bytes;
        const auto* begin = reinterpret_cast<const char*>(reader.samples) + (line - reader.first_line) * bytes;
        for (int i = block.thread().x * cache_line; i < bytes; i += block.threads() * cache_line) block.prefetch(begin + i);
    }

private:
    template <class Component, int Step, class Block, int Count>
    CT_HOST_DEVICE void load_as(const Block& block, Complex64 (&v)[Count], std::int64_t line, int n, int count) const {
        const EchoReader<float, Component> echo = reader.template as<Component>();
        const Stored<Component>* row = echo.row(line);
        // No load waits for a condition: all are on their way before the first is looked at.
        Stored<Component> raw[Count];
        if (count == Step * Count) {
            unrolled<Count>([&]<int J>() { raw[J] = block.template fetch<J * Step>(row + n); });
            unrolled<Count>([&]<int J>() { v[J] = echo.finite_part(raw[J]); });
        } else {
            const int last = count - 1;
            unrolled<Count>([&]<int J>() { raw[J] = block.fetch(row + (n + J * Step < last ? n + J * Step : last)); });
            unrolled<Count>([&]<int J>() { v[J] = n + J * Step <= last ? echo.finite_part(raw[J]) : Complex64{0, 0}; });
        }
    }

    /// What rules.apply does, interval by interval.
    template <int Step, int Count>
    CT_HOST_DEVICE static void keep_valid(Complex64 (&v)[Count], const LineRules<float>& rules, int n) {
        std::uint64_t inside = 0;
        for (int k = 0; k <= rules.more_count; ++k) {
            const Interval valid = k == 0 ? rules.valid : rules.more[k - 1];
            unrolled<Count>(
                [&]<int J>() { inside |= static_cast<std::uint64_t>((n + J * Step >= valid.first) & (n + J * Step < valid.last)) << J; });
        }
        unrolled<Count>([&]<int J>() { v[J] = (inside >> J & 1) != 0 ? rules.gain * v[J] : Complex64{0, 0}; });
    }
};

/// Range compression of a line.
template <class Digits>
struct RangeLine {
    using Shape = Digits;
    AnyEcho echo;
    const Complex64* filter;  ///< over the bins
    LineTwiddles twiddles;
    std::int64_t first_line;  ///< of the pass, for line 0 here
    std::int64_t lines;
    std::int64_t samples;  ///< of a line in and out; zeros behind
    Complex64* out;
    unsigned ahead;  ///< lines by which the echo is fetched into the L2 cache before its turn; 0: not at all

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = first_line + block.number();
        const int count = static_cast<int>(samples);
        Complex64* to = out + block.number() * samples;
        if (ahead > 0 && block.number() + ahead < lines) echo.prefetch(block, line + ahead, count);
        const RangeCompressionHooks<float, std::int8_t> hooks{.echo = echo.reader, .response = filter};
        const LineRules<float> rules = echo.reader.rules(line);
        const LineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        fft.filtered([&](Complex64(&v)[Digits::A], int n) { echo.load<Digits::B * Digits::C>(block, v, line, rules, n, count); },
                     [&](int bin) { return hooks.filter(block, bin); },
                     [&](Complex64(&v)[Digits::A], int n) {
                         constexpr int step = Digits::B * Digits::C;
                         if (count == Digits::length)
                             unrolled<Digits::A>([&]<int J>() { to[n + J * step] = swapped(v[J]); });
                         else
                             unrolled<Digits::A>([&]<int J>() {
                                 if (n + J * step < count) to[n + J * step] = swapped(v[J]);
                             });
                     });
    }
};

/// Azimuth FFT of a range line, zeros behind its samples.
template <class Digits>
struct SpectrumLine {
    using Shape = Digits;
    const Complex64* in;
    std::int64_t rows;
    std::int64_t samples;
    Complex64* out;  ///< rows x length
    LineTwiddles twiddles;

    std::int64_t blocks() const { return rows; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t row = block.number();
        const int count = static_cast<int>(samples);
        const Complex64* from = in + row * samples;
        Complex64* to = out + row * Digits::length;
        const LineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        fft.forward(
            [&](Complex64(&v)[Digits::A], int n) {
                unrolled<Digits::A>([&]<int J>() {
                    constexpr int offset = J * Digits::B * Digits::C;
                    v[J] = n + offset < count ? block.template fetch<offset>(from + n) : Complex64{0, 0};
                });
            },
            [&](int k, Complex64 value) { to[k] = value; });
    }
};

/// Inverse FFT of the azimuth spectra of some image columns, stored as image rows.
template <class Digits>
struct ImageLine {
    using Shape = Digits;
    const Complex64* in;  ///< rows x length
    std::int64_t rows;
    AzimuthCompressionHooks hooks;
    std::int64_t first_column;  ///< of the hooks, for row 0 here
    Complex64* out;             ///< rows x image_rows
    LineTwiddles twiddles;

    std::int64_t blocks() const { return rows; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t row = block.number();
        const Complex64* from = in + row * Digits::length;
        Complex64* to = out + row * hooks.image_rows;
        const Interval covered = hooks.covered_rows[first_column + row];
        const int image_rows = static_cast<int>(hooks.image_rows);
        const LineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        fft.forward(
            [&](Complex64(&v)[Digits::A], int k) {
                unrolled<Digits::A>([&]<int J>() { v[J] = swapped(block.template fetch<J * Digits::B * Digits::C>(from + k)); });
            },
            [&](int n, Complex64 value) {
                for (int i = n; i < image_rows; i += Digits::length)
                    to[i] = i >= covered.first && i < covered.last ? swapped(value) : Complex64{0, 0};
            });
    }
};

}  // namespace cornerturn
