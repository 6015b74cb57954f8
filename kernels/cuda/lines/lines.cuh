// SPDX-License-Identifier: Apache-2.0
// Passes along a line, one line by one block: the transforms of any pass over native samples.
#pragma once

#include "kernels/cuda/fft/line_fft.cuh"
#include "kernels/passes/line_pass.h"

namespace cornerturn {

/// Forward transform of a line, zeros behind its samples, times the pass's filter.
template <class Digits, class Hooks>
struct ForwardLine {
    using Shape = Digits;
    const Complex64* in;  ///< of line 0 here
    std::int64_t lines;
    std::int64_t samples;
    Hooks hooks;
    std::int64_t first_line;  ///< of the hooks, for line 0 here
    Complex64* out;           ///< lines x length
    LineTwiddles twiddles;

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = block.number();
        const int count = static_cast<int>(samples);
        const Complex64* from = in + line * samples;
        Complex64* to = out + line * Digits::length;
        const auto law = of_line(hooks, first_line + line);
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        fft.forward(
            [&](Complex64(&v)[Digits::A], int n) {
                unrolled<Digits::A>([&]<int J>() {
                    constexpr int offset = J * Digits::B * Digits::C;
                    v[J] = n + offset < count ? block.template fetch<offset>(from + n) : Complex64{0, 0};
                    if constexpr (has_before<Hooks>) v[J] = v[J] * law.before(n + offset);
                });
            },
            [&](int k, Complex64 value) {
                if constexpr (has_filter<Hooks>)
                    to[k] = value * law.filter(k);
                else
                    to[k] = value;
            });
    }
};

/// Inverse transform of a spectrum, times the pass's scale, stored where it is covered, zeros elsewhere; or over what
/// is there.
template <class Digits, class Hooks>
struct InverseLine {
    using Shape = Digits;
    const Complex64* in;  ///< of line 0 here; lines x length
    std::int64_t lines;
    LineShape shape;  ///< of the pass
    Hooks hooks;
    std::int64_t first_line;  ///< of the hooks, for line 0 here
    Complex64* out;           ///< of line 0 here
    LineTwiddles twiddles;
    bool over = false;

    std::int64_t blocks() const { return lines; }

    template <class Block>
    CT_HOST_DEVICE void run(const Block& block) const {
        const std::int64_t line = block.number();
        const Complex64* from = in + line * Digits::length;
        Complex64* to = out + line * shape.out;
        const StoreRule rule = store_rule(hooks, shape, first_line + line);
        if (over && rule.covered.first >= rule.covered.last) return;
        const auto law = of_line(hooks, first_line + line);
        const int count = static_cast<int>(shape.out);
        const FusedLineFft<Digits, Block> fft(block, block.template memory<Complex64>(), twiddles);
        fft.forward(
            [&](Complex64(&v)[Digits::A], int k) {
                unrolled<Digits::A>(
                    [&]<int J>() { v[J] = swapped(block.template fetch<J * Digits::B * Digits::C>(from + k)); });
            },
            [&](int n, Complex64 value) {
                Complex64 result = swapped(value);
                if constexpr (has_scale<Hooks>) result = result * law.scale(n);
                for (int i = n; i < count; i += Digits::length)
                    if (rule.covers(i) || !over) to[i] = rule.covers(i) ? result : Complex64{0, 0};
            });
    }
};

}  // namespace cornerturn
