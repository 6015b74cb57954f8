// SPDX-License-Identifier: Apache-2.0
// Passes along a line, one line by one block: the transforms of any pass over native samples.
#pragma once

#include "kernels/cuda/fft/line_fft.cuh"
#include "kernels/cuda/fft/spectrum_reader.cuh"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// put<I>(i, load<I>(i) * factor(i + I * Step)) for all of a line's numbers i + I * Step that are this thread's, some
/// at a time: a factor is a polynomial in double precision, each term of which waits for the one before. The compiler
/// does not know that `count`, below which there are any, is no more than the line, and so leaves the loop a loop.
template <class Digits, int Step, class Block, class Load, class Factor, class Put>
CT_HOST_DEVICE void multiply_line(const Block& block, int count, const Load& load, const Factor& factor,
                                  const Put& put) {
    constexpr int together = 4;
    static_assert(Digits::length % (together * Step) == 0 && Step % Digits::threads == 0);
    for (int begin = block.thread().x; begin < Step; begin += Digits::threads)
        for (int first = begin; first < count; first += together * Step) {
            Complex64 v[together];
            unrolled<together>([&]<int I>() { v[I] = load.template operator()<I>(first); });
            unrolled<together>([&]<int I>() { v[I] = factor(first + I * Step) * v[I]; });
            unrolled<together>([&]<int I>() { put.template operator()<I>(first, v[I]); });
        }
}

/// Forward transform of a line, zeros behind its samples, times the pass's filter.
template <class Digits, class Hooks>
struct ForwardLine {
    using Shape = Digits;
    static_assert(!has_before<Hooks>);
    const Complex64* in;  ///< of line 0 here
    std::int64_t lines;
    LineShape shape;  ///< of the pass
    Hooks hooks;
    std::int64_t first_line;  ///< of the hooks, for line 0 here
    Complex64* out;           ///< lines x length
    LineTwiddles twiddles;

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = block.number();
        const int count = static_cast<int>(shape.in);
        const Complex64* from = in + line * shape.in;
        Complex64* to = out + line * Digits::length;
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        const auto load = [&](Complex64(&v)[Digits::A], int n) {
            unrolled<Digits::A>([&]<int J>() {
                constexpr int offset = J * Digits::B * Digits::C;
                v[J] = n + offset < count ? block.template fetch<offset>(from + n) : Complex64{0, 0};
            });
        };
        if constexpr (has_filter<Hooks>) {
            fft.first(load);
            fft.rest();
            const auto law = of_line(hooks, first_line + line);
            multiply_line<Digits, Digits::bin_step>(
                block, static_cast<int>(shape.fft_length), [&]<int I>(int k) { return fft.template bin_ahead<I>(k); },
                [&](int k) { return law.filter(k); },
                [&]<int I>(int k, Complex64 value) { to[k + I * Digits::bin_step] = value; });
        } else {
            fft.forward(load, [&](int k, Complex64 value) { to[k] = value; });
        }
    }
};

/// Both transforms of a line with the pass's factors before, between and behind them; zeros where nothing is covered.
template <class Digits, class Hooks>
struct FilteredLine {
    using Shape = Digits;
    static_assert(has_filter<Hooks> && !has_place<Hooks> && !has_again<Hooks>);
    const Complex64* in;
    LineShape shape;  ///< of the pass
    Hooks hooks;
    Complex64* out;
    LineTwiddles twiddles;

    std::int64_t blocks() const { return shape.lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = block.number();
        const int samples = static_cast<int>(shape.in), length = static_cast<int>(shape.fft_length),
                  count = static_cast<int>(shape.out);
        const Complex64* from = in + line * shape.in;
        Complex64* to = out + line * shape.out;
        const StoreRule rule = store_rule(hooks, shape, line);
        if (rule.covered.first >= rule.covered.last) {
            for (int i = block.thread().x; i < count; i += Digits::threads) to[i] = {0, 0};
            return;
        }
        const auto law = of_line(hooks, line);
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        constexpr int step = Digits::sample_step;
        multiply_line<Digits, step>(
            block, length,
            [&]<int I>(int n) {
                return n + I * step < samples ? block.template fetch<I * step>(from + n) : Complex64{0, 0};
            },
            [&](int n) {
                if constexpr (has_before<Hooks>)
                    return law.before(n);
                else
                    return 1.0f;
            },
            [&]<int I>(int n, Complex64 value) { fft.template sample_ahead<I>(n) = value; });
        fft.filtered_in_memory([&] {
            multiply_line<Digits, Digits::bin_step>(
                block, length, [&]<int I>(int k) { return fft.template bin_ahead<I>(k); },
                [&](int k) { return law.filter(k); },
                [&]<int I>(int k, Complex64 value) { fft.template bin_ahead<I>(k) = value; });
        });
        multiply_line<Digits, step>(
            block, count < length ? count : length,
            [&]<int I>(int n) { return swapped(fft.template sample_ahead<I>(n)); },
            [&](int n) {
                if constexpr (has_scale<Hooks>)
                    return law.scale(n);
                else
                    return 1.0f;
            },
            [&]<int I>(int n, Complex64 value) {
                for (int i = n + I * step; i < count; i += length) to[i] = rule.covers(i) ? value : Complex64{0, 0};
            });
    }
};

/// Inverse transform of a spectrum, or of what hooks with place() gather along it; stored where it is covered, zeros
/// elsewhere; or over what is there.
template <class Digits, class Hooks>
struct InverseLine {
    using Shape = Digits;
    static_assert(!has_scale<Hooks>);
    struct NoReader {};
    const Complex64* in;  ///< of line 0 here; lines x length
    std::int64_t lines;
    LineShape shape;  ///< of the pass
    Hooks hooks;
    std::int64_t first_line;  ///< of the hooks, for line 0 here
    Complex64* out;           ///< of line 0 here
    LineTwiddles twiddles;
    bool over = false;
    std::conditional_t<has_place<Hooks>, SpectrumReader, NoReader> reader = {};

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = block.number();
        const Complex64* from = in + line * Digits::length;
        Complex64* to = out + line * shape.out;
        const StoreRule rule = store_rule(hooks, shape, first_line + line);
        const int count = static_cast<int>(shape.out);
        if (rule.covered.first >= rule.covered.last) {
            for (int i = block.thread().x; i < count && !over; i += Digits::threads) to[i] = {0, 0};
            return;
        }
        const auto put = [&](int i, Complex64 value) {
            const bool covers = static_cast<unsigned>(i - rule.covered.first) <
                                static_cast<unsigned>(rule.covered.last - rule.covered.first);
            if (covers || !over) to[i] = covers ? value : Complex64{0, 0};
        };
        const bool again = count > Digits::length;  // samples that are stored more than once
        const auto store = [&](int n, Complex64 value) {
            if (n < count) put(n, swapped(value));
            if (again)
                for (int i = n + Digits::length; i < count; i += Digits::length) put(i, swapped(value));
        };
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        if constexpr (has_place<Hooks>) {
            gather(block, fft, of_line(hooks, first_line + line), from);
            fft.forward_in_memory(store);
        } else {
            const auto load = [&](Complex64(&v)[Digits::A], int k) {
                unrolled<Digits::A>(
                    [&]<int J>() { v[J] = swapped(block.template fetch<J * Digits::B * Digits::C>(from + k)); });
            };
            fft.forward(load, store);
        }
    }

private:
    template <class Block, class Fft, class Law>
    CT_HOST_DEVICE void gather(const Block& block, const Fft& fft, const Law& law, const Complex64* from) const {
        constexpr int step = Digits::sample_step,
                      together = Digits::threads * Digits::blocks_per_processor > 512 ? 2 : 4;
        static_assert(Digits::length % (together * step) == 0 && step % Digits::threads == 0);
        for (int begin = block.thread().x; begin < step; begin += Digits::threads)
            for (int first = begin; first < reader.bins; first += together * step) {
                SpectrumPlace<float> places[together];
                Complex64 values[together];
                unrolled<together>([&]<int I>() { places[I] = law.place(first + I * step); });
                reader.read(from, places, values);
                unrolled<together>([&]<int I>() { fft.template sample_ahead<I>(first) = swapped(values[I]); });
            }
    }
};

}  // namespace cornerturn
