// SPDX-License-Identifier: Apache-2.0
// Fourier transform of one line by one block of threads: the line lies in registers and shared memory from first load to last store.
//
// N = A B C. With n = n_c + C n_b + B C n_a and k = k_a + A k_b + A B k_c the transform is three steps of butterflies over one digit
// each, in place in shared memory: a digit n_x becomes k_x where it stands. A thread writes a butterfly back to the slots it was read
// from, so one barrier per step is enough. The inverse takes the digits in the opposite order and needs no reordering either: what
// stands between them (the filter) stays in registers.
#pragma once

#include <cstdint>

#include "kernels/cuda/fused/butterfly.h"

namespace cornerturn {

/// Digits of a line's index, first A (slowest in n, fastest in k), last C; Threads of the block.
template <int A_, int B_, int C_, int Threads_, int BlocksPerProcessor_>
struct LineDigits {
    static constexpr int A = A_, B = B_, C = C_, threads = Threads_, blocks_per_processor = BlocksPerProcessor_;
    static constexpr int length = A * B * C;
    // Strides of n_b and n_a in shared memory. Sixteen neighbouring threads touch sixteen different pairs of banks in every step:
    // they differ in n_c (the first two), or in k_a and k_b (the last).
    static constexpr int stride_b = C + (length > 16384 ? 1 : A % 16);  // the longest have no room for it
    static constexpr int stride_a = (B * stride_b + 15) / 16 * 16 + 1;
    static constexpr int slots = A * stride_a;
};

/// Factors of the steps: forward in the order of the steps, inverse likewise.
struct LineTwiddles {
    const Twiddle* forward_b;  ///< [A] W_AB^k_a
    const Twiddle* forward_c;  ///< [A B] W_N^(k_a + A k_b)
    const Twiddle* inverse_b;  ///< [C] W_BC^n_c
    const Twiddle* inverse_a;  ///< [B C] W_N^(n_c + C n_b)
};

/// Steps of the transform of one line; `memory` holds Digits::slots samples shared by the block.
template <class Digits, class Block>
class LineFft {
public:
    CT_HOST_DEVICE LineFft(const Block& block, Complex64* memory, const LineTwiddles& twiddles)
        : block_(block), memory_(memory), twiddles_(twiddles), thread_(block.thread().x) {}

    /// store(k, X[k]) for all k of X[k] = sum of x[n] W_N^(nk). load(v, n) fills v[j] with x[n + j N / A].
    template <class Load, class Store>
    CT_HOST_DEVICE void forward(const Load& load, const Store& store) const {
        spread(load);
        block_.sync();
        middle_forward();
        block_.sync();
        each<A * B>([&](int b) {
            Complex64 v[C];
            const Complex64* slots = last_slots(b);
            unrolled<C>([&]<int J>() { v[J] = slots[J]; });
            transform<C>(v, twiddles_.forward_c[b]);
            unrolled<C>([&]<int J>() { store(b + A * B * J, v[J]); });
        });
    }

    /// y[n] = sum of response(k) X[k] W_N^(-nk), X as above: transform, filter, inverse transform. store(v, n) takes y[n + j N / A] from
    /// v[j], real and imaginary part swapped.
    template <class Load, class Response, class Store>
    CT_HOST_DEVICE void filtered(const Load& load, const Response& response, const Store& store) const {
        spread(load);
        block_.sync();
        middle_forward();
        block_.sync();
        each<A * B>([&](int b) {
            Complex64 v[C], filter[C];
            Complex64* slots = last_slots(b);
            const Twiddle w = twiddles_.forward_c[b];
            // Asked for here, the response is there when the transform is done.
            unrolled<C>([&]<int J>() { filter[J] = response(b + A * B * J); });
            unrolled<C>([&]<int J>() { v[J] = slots[J]; });
            transform<C>(v, w);
            // An inverse transform is a forward one with real and imaginary parts swapped before and after.
            unrolled<C>([&]<int J>() { v[J] = swapped(v[J] * filter[J]); });
            transform<C>(v);
            unrolled<C>([&]<int J>() { slots[J] = v[J]; });
        });
        block_.sync();
        each<A * C>([&](int b) {
            Complex64 v[B];
            Complex64* slots = middle_slots(b);
            unrolled<B>([&]<int J>() { v[J] = slots[J * Digits::stride_b]; });
            transform<B>(v, twiddles_.inverse_b[b % C]);
            unrolled<B>([&]<int J>() { slots[J * Digits::stride_b] = v[J]; });
        });
        block_.sync();
        each<B * C>([&](int b) {
            Complex64 v[A];
            const Complex64* slots = first_slots(b);
            unrolled<A>([&]<int J>() { v[J] = slots[J * Digits::stride_a]; });
            transform<A>(v, twiddles_.inverse_a[b]);
            store(v, b);
        });
    }

private:
    static constexpr int A = Digits::A, B = Digits::B, C = Digits::C;

    /// Butterflies 0 ... Count - 1, dealt out to the threads in turn.
    template <int Count, class F>
    CT_HOST_DEVICE void each(const F& butterfly) const {
        constexpr int rounds = (Count + Digits::threads - 1) / Digits::threads;
        unrolled<rounds>([&]<int Round>() {
            const int b = thread_ + Digits::threads * Round;
            if (Count % Digits::threads == 0 || b < Count) butterfly(b);
        });
    }

    CT_HOST_DEVICE Complex64* first_slots(int b) const { return memory_ + b / C * Digits::stride_b + b % C; }   // b = n_c + C n_b
    CT_HOST_DEVICE Complex64* middle_slots(int b) const { return memory_ + b / C * Digits::stride_a + b % C; }  // b = n_c + C k_a
    CT_HOST_DEVICE Complex64* last_slots(int b) const {                                                         // b = k_a + A k_b
        return memory_ + b % A * Digits::stride_a + b / A * Digits::stride_b;
    }

    template <class Load>
    CT_HOST_DEVICE void spread(const Load& load) const {
        each<B * C>([&](int b) {
            Complex64 v[A];
            Complex64* slots = first_slots(b);
            load(v, b);
            transform<A>(v);
            unrolled<A>([&]<int J>() { slots[J * Digits::stride_a] = v[J]; });
        });
    }

    CT_HOST_DEVICE void middle_forward() const {
        each<A * C>([&](int b) {
            Complex64 v[B];
            Complex64* slots = middle_slots(b);
            unrolled<B>([&]<int J>() { v[J] = slots[J * Digits::stride_b]; });
            transform<B>(v, twiddles_.forward_b[b / C]);
            unrolled<B>([&]<int J>() { slots[J * Digits::stride_b] = v[J]; });
        });
    }

    const Block& block_;
    Complex64* memory_;
    const LineTwiddles& twiddles_;
    int thread_;
};

/// Calls go(LineDigits) for a length that a block can hold; false if there is none.
template <class Go>
bool with_line_digits(std::int64_t length, Go go) {
    switch (length) {
        case 1024: return go(LineDigits<16, 4, 16, 64, 8>{}), true;
        case 1536: return go(LineDigits<12, 8, 16, 128, 6>{}), true;
        case 2048: return go(LineDigits<16, 8, 16, 128, 6>{}), true;
        case 2560: return go(LineDigits<20, 8, 16, 160, 5>{}), true;
        case 3072: return go(LineDigits<12, 16, 16, 256, 3>{}), true;
        case 4096: return go(LineDigits<16, 16, 16, 256, 3>{}), true;
        case 5120: return go(LineDigits<20, 16, 16, 320, 2>{}), true;
        case 6144: return go(LineDigits<24, 16, 16, 384, 2>{}), true;
        case 8192: return go(LineDigits<32, 16, 16, 256, 2>{}), true;
        case 10240: return go(LineDigits<20, 32, 16, 512, 1>{}), true;
        case 12288: return go(LineDigits<24, 32, 16, 512, 1>{}), true;
        case 16384: return go(LineDigits<32, 32, 16, 512, 1>{}), true;
        case 20480: return go(LineDigits<40, 32, 16, 512, 1>{}), true;
        case 24576: return go(LineDigits<48, 32, 16, 512, 1>{}), true;
    }
    return false;
}

}  // namespace cornerturn
