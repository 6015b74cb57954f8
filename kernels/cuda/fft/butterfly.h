// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of a few points in the registers of one thread: X[k] = sum over r of w^r v[r] W_R^(rk), in place,
// natural order. Decimation in time with the input factor riding on the radix-2 butterflies: a + z b and a - z b = 2 a
// - (a + z b) are six multiply-adds (written out: a compiler makes an addition and a subtraction of 2 a - b) whatever z
// is, so that the factors w^r cost nothing beyond their own powers.
#pragma once

#include <cmath>

#include "kernels/cuda/fft/roots.h"
#include "kernels/cuda/launch/unrolled.h"

namespace cornerturn {

CT_HOST_DEVICE Complex64 squared(Complex64 a) { return {a.re * a.re - a.im * a.im, 2.0f * a.re * a.im}; }
/// False for infinities and for what is not a number.
CT_HOST_DEVICE bool is_finite(Complex64 a) { return a.re * 0.0f + a.im * 0.0f == 0.0f; }
CT_HOST_DEVICE Complex64 swapped(Complex64 a) { return {a.im, a.re}; }

/// a, b <- a + z b, a - z b
CT_HOST_DEVICE void butterfly(Complex64& a, Complex64& b, Complex64 z) {
    const Complex64 sum{fmaf(z.re, b.re, fmaf(-z.im, b.im, a.re)), fmaf(z.re, b.im, fmaf(z.im, b.re, a.im))};
    b = {fmaf(2.0f, a.re, -sum.re), fmaf(2.0f, a.im, -sum.im)};
    a = sum;
}
/// The same with -j z.
CT_HOST_DEVICE void rotated_butterfly(Complex64& a, Complex64& b, Complex64 z) {
    const Complex64 sum{fmaf(z.re, b.im, fmaf(z.im, b.re, a.re)), fmaf(-z.re, b.re, fmaf(z.im, b.im, a.im))};
    b = {fmaf(2.0f, a.re, -sum.re), fmaf(2.0f, a.im, -sum.im)};
    a = sum;
}

// Numbers of the compiler; variables, because device code must not call a constexpr function of the host.
template <int N>
inline constexpr int log2_of = N <= 1 ? 0 : 1 + log2_of<N / 2>;
template <>
inline constexpr int log2_of<0> = 0;
template <int N>
inline constexpr bool is_power_of_two = (N & (N - 1)) == 0;
template <int I, int Bits>
inline constexpr int bits_reversed = ((I & 1) << (Bits - 1)) | bits_reversed<(I >> 1), Bits - 1>;
template <int I>
inline constexpr int bits_reversed<I, 0> = 0;
/// The odd factor of a composite length: 1, 3 or 5.
template <int N>
inline constexpr int odd_part = N % 2 == 1 ? N : odd_part<N % 2 == 1 ? 1 : N / 2>;
template <>
inline constexpr int odd_part<1> = 1;

template <int R>
CT_HOST_DEVICE void reverse_bits(Complex64 (&v)[R]) {
    unrolled<R>([&]<int I>() {
        constexpr int J = bits_reversed<I, log2_of<R>>;
        if constexpr (I < J) {
            const Complex64 other = v[I];
            v[I] = v[J];
            v[J] = other;
        }
    });
}

/// Layers of span M, 2 M, ... R over inputs in bit-reversed order, without input factor.
template <int R, int M>
CT_HOST_DEVICE void layers(Complex64 (&u)[R]) {
    unrolled<R / 2>([&]<int I>() {
        constexpr int k = I % (M / 2), first = I / (M / 2) * M + k;
        Complex64 &a = u[first], &b = u[first + M / 2];
        if constexpr (k == 0) {
            const Complex64 sum{a.re + b.re, a.im + b.im};
            b = {a.re - b.re, a.im - b.im};
            a = sum;
        } else if constexpr (4 * k == M) {
            const Complex64 sum{a.re + b.im, a.im - b.re};
            b = {a.re - b.im, a.im + b.re};
            a = sum;
        } else {
            butterfly(a, b, root<k, M>());
        }
    });
    if constexpr (2 * M <= R) layers<R, 2 * M>(u);
}

/// The same with input factor w; power[i] is w^(2^i).
template <int R, int M>
CT_HOST_DEVICE void twiddled_layers(Complex64 (&u)[R], const Complex64 (&power)[log2_of<R>]) {
    constexpr int quarter = M > 4 ? M / 4 : 1;
    Complex64 z[quarter];
    unrolled<quarter>([&]<int K>() {
        z[K] = power[log2_of<R / M>];
        if constexpr (K > 0) z[K] = z[K] * root<K, M>();
    });
    unrolled<R / 2>([&]<int I>() {
        constexpr int k = I % (M / 2), first = I / (M / 2) * M + k;
        if constexpr (k < quarter)
            butterfly(u[first], u[first + M / 2], z[k]);
        else
            rotated_butterfly(u[first], u[first + M / 2], z[k - quarter]);
    });
    if constexpr (2 * M <= R) twiddled_layers<R, 2 * M>(u, power);
}

/// X[k] = sum of v[r] W_Q^(rk) for Q = 3 and 5.
template <int Q>
CT_HOST_DEVICE void odd_transform(Complex64 (&v)[Q]) {
    static_assert(Q == 3 || Q == 5);
    if constexpr (Q == 3) {
        constexpr float half_root3 = -roots::minus_sine<1, 3>;
        const Complex64 sum = v[1] + v[2];
        const Complex64 difference{half_root3 * (v[1].re - v[2].re), half_root3 * (v[1].im - v[2].im)};
        const Complex64 middle{v[0].re - 0.5f * sum.re, v[0].im - 0.5f * sum.im};
        v[0] = v[0] + sum;
        v[1] = {middle.re + difference.im, middle.im - difference.re};
        v[2] = {middle.re - difference.im, middle.im + difference.re};
    } else {
        constexpr float c1 = roots::cosine<1, 5>, c2 = roots::cosine<2, 5>, s1 = -roots::minus_sine<1, 5>,
                        s2 = -roots::minus_sine<2, 5>;
        const Complex64 outer = v[1] + v[4], inner = v[2] + v[3];
        const Complex64 outer_difference{v[1].re - v[4].re, v[1].im - v[4].im},
            inner_difference{v[2].re - v[3].re, v[2].im - v[3].im};
        const Complex64 even1{v[0].re + c1 * outer.re + c2 * inner.re, v[0].im + c1 * outer.im + c2 * inner.im};
        const Complex64 even2{v[0].re + c2 * outer.re + c1 * inner.re, v[0].im + c2 * outer.im + c1 * inner.im};
        const Complex64 odd1 = s1 * outer_difference + s2 * inner_difference;
        const Complex64 odd2{s2 * outer_difference.re - s1 * inner_difference.re,
                             s2 * outer_difference.im - s1 * inner_difference.im};
        v[0] = v[0] + outer + inner;
        v[1] = {even1.re + odd1.im, even1.im - odd1.re};
        v[4] = {even1.re - odd1.im, even1.im + odd1.re};
        v[2] = {even2.re + odd2.im, even2.im - odd2.re};
        v[3] = {even2.re - odd2.im, even2.im + odd2.re};
    }
}

template <int R>
CT_HOST_DEVICE void transform(Complex64 (&v)[R], const Complex64 (&power)[log2_of<R>]) requires(is_power_of_two<R>) {
    reverse_bits(v);
    twiddled_layers<R, 2>(v, power);
}

/// Q interleaved transforms of R / Q points, then R / Q of Q points (`outer` multiplies input q of those by outer^q).
template <int R, class Inner>
CT_HOST_DEVICE void composite(Complex64 (&v)[R], Complex64 outer, bool with_outer, const Inner& inner) {
    constexpr int Q = odd_part<R>, P = R / Q;
    Complex64 part[Q][P];
    unrolled<R>([&]<int I>() { part[I % Q][I / Q] = v[I]; });
    unrolled<Q>([&]<int I>() { inner(part[I]); });
    unrolled<P>([&]<int N>() {
        Complex64 z = root<N, R>(), factor{1, 0};
        if (with_outer) z = z * outer;
        Complex64 y[Q];
        y[0] = part[0][N];
        unrolled<Q - 1>([&]<int K>() {
            factor = K == 0 ? z : factor * z;
            y[K + 1] = factor * part[K + 1][N];
        });
        odd_transform<Q>(y);
        unrolled<Q>([&]<int K>() { v[N + P * K] = y[K]; });
    });
}

/// X[k] = sum of v[r] W_R^(rk); R is 2 to 32, or 3 or 5 times 2 to 16.
template <int R>
CT_HOST_DEVICE void transform(Complex64 (&v)[R]) {
    if constexpr (R == 1) {
    } else if constexpr (is_power_of_two<R>) {
        reverse_bits(v);
        layers<R, 2>(v);
    } else {
        composite<R>(v, Complex64{1, 0}, false, []<int P>(Complex64(&part)[P]) { transform<P>(part); });
    }
}

/// X[k] = sum of w^r v[r] W_R^(rk)
template <int R>
CT_HOST_DEVICE void transform(Complex64 (&v)[R], Twiddle t) {
    if constexpr (is_power_of_two<R>) {
        Complex64 power[log2_of<R>];
        unrolled<log2_of<R>>([&]<int I>() {
            if constexpr (I == 0)
                power[I] = t.w;
            else if constexpr (I == 2)
                power[I] = t.w4;
            else
                power[I] = squared(power[I - 1]);
        });
        transform<R>(v, power);
    } else {
        constexpr int Q = odd_part<R>, P = R / Q;
        Complex64 power[log2_of<P>];
        power[0] = Q == 3 ? squared(t.w) * t.w : t.w4 * t.w;  // w^Q
        unrolled<log2_of<P> - 1>([&]<int I>() { power[I + 1] = squared(power[I]); });
        composite<R>(v, t.w, true, [&](Complex64(&part)[P]) { transform<P>(part, power); });
    }
}

}  // namespace cornerturn
