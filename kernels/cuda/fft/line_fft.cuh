// SPDX-License-Identifier: Apache-2.0
// Fourier transform of one line by one block of threads: the line lies in registers and shared memory from first load
// to last store.
//
// N = A B C. With n = n_c + C n_b + B C n_a and k = k_a + A k_b + A B k_c the transform is three steps of butterflies
// over one digit each, in place in shared memory: a digit n_x becomes k_x where it stands. A thread writes a butterfly
// back to the slots it was read from, so one barrier per step is enough. The inverse takes the digits in the opposite
// order and needs no reordering either: what stands between them (the filter) stays in registers.
//
// A transform alone stores its spectrum in order, neighbouring threads at neighbouring frequencies. Where the spectrum
// is only filtered, threads take it grouped by k_a: sixteen neighbours share one k_a, so that what they exchange around
// the filter stays among them, and two of the four barriers are those of a warp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/fft/butterfly.h"
#include "kernels/cuda/launch/kernel_grid.h"

namespace cornerturn {

/// Digits of a line's index, first A (slowest in n, fastest in k), last C; Threads of the block. Tight: in less shared
/// memory, at the price of neighbours that meet in a pair of banks.
template <int A_, int B_, int C_, int Threads_, int BlocksPerProcessor_, bool Grouped_ = false, bool Tight = false>
struct LineDigits {
    static constexpr int A = A_, B = B_, C = C_, threads = Threads_, blocks_per_processor = BlocksPerProcessor_;
    static constexpr bool grouped = Grouped_;
    static constexpr int length = A * B * C;
    // Strides of n_b and n_a in shared memory. Sixteen neighbouring threads touch sixteen different pairs of banks in
    // every step: they differ in n_c (the first two), or in k_a and k_b (the last), or only in k_b (the last, grouped).
    static constexpr int stride_b = C + (Tight                       ? 0
                                         : grouped || length > 16384 ? 1
                                                                     : A % 16);  // the longest have no room for it
    static constexpr int stride_a = (B * stride_b + 15) / 16 * 16 + 1;
    static constexpr int slots = A * stride_a;
    // From one sample or bin of a thread to its next: where threads divide that, a digit more.
    static constexpr int sample_step = B * C % threads == 0 ? B * C : threads,
                         bin_step = A * B % threads == 0 ? A * B : threads;
    static_assert(!grouped || (C == 16 && B % C == 0 && A % (threads / C) == 0 && threads % 32 == 0));
};

/// Lines that are filtered: k_a is shared by C threads.
template <int A, int B, int Threads, int BlocksPerProcessor>
using FilteredDigits = LineDigits<A, B, 16, Threads, BlocksPerProcessor, true>;

/// Lines by themselves that would not fit otherwise; at most two threads meet in a bank.
template <int A, int B, int Threads, int BlocksPerProcessor>
using TightDigits = LineDigits<A, B, 16, Threads, BlocksPerProcessor, false, true>;

/// Frequency k_a + A k_b that the last step's butterfly b begins with.
template <class Digits>
constexpr int first_bin_of(int b) {
    return Digits::grouped ? b / Digits::B + Digits::A * (b % Digits::B) : b;
}

/// Factors of the steps: forward in the order of the steps, inverse likewise.
struct LineTwiddles {
    const Twiddle* forward_b;  ///< [A] W_AB^k_a
    const Twiddle* forward_c;  ///< [A B] W_N^first_bin_of(b)
    const Twiddle* inverse_b;  ///< [C] W_BC^n_c
    const Twiddle* inverse_a;  ///< [B C] W_N^(n_c + C n_b)
};

template <class Digits>
std::vector<Twiddle> forward_c_twiddles() {
    std::vector<Twiddle> table;
    for (int b = 0; b < Digits::A * Digits::B; ++b) table.push_back(twiddle(first_bin_of<Digits>(b), Digits::length));
    return table;
}

/// Two values of a filter that a thread needs one after the other.
struct alignas(16) FilterPair {
    Complex64 first, second;
};

/// A filter over the bins in the order in which the threads want it: [C / 2][A B].
template <class Digits>
std::vector<FilterPair> grouped_filter(const std::vector<Complex64>& filter) {
    constexpr int columns = Digits::A * Digits::B;
    std::vector<FilterPair> table;
    for (int j = 0; j < Digits::C; j += 2)
        for (int b = 0; b < columns; ++b) {
            const auto bin = static_cast<std::size_t>(first_bin_of<Digits>(b) + columns * j);
            table.push_back({filter[bin], filter[bin + columns]});
        }
    return table;
}

/// Steps of the transform of one line; `memory` holds Digits::slots samples shared by the block.
template <class Digits, class Block>
class FusedLineFft {
public:
    CT_HOST_DEVICE FusedLineFft(const Block& block, Complex64* memory, const LineTwiddles& twiddles)
        : block_(block), memory_(memory), twiddles_(twiddles), thread_(block.thread().x) {}

    /// store(k, X[k]) for all k of X[k] = sum of x[n] W_N^(nk). load(v, n) fills v[j] with x[n + j N / A].
    template <class Load, class Store>
    CT_HOST_DEVICE void forward(const Load& load, const Store& store) const {
        first(load);
        last(store);
    }
    /// The same of samples that lie in memory.
    template <class Store>
    CT_HOST_DEVICE void forward_in_memory(const Store& store) const {
        first();
        last(store);
    }

    /// Where x[n] lies before what reads it from memory, and X[k] behind what leaves it there: for work on either that
    /// takes a loop of its own, as a formula that is unrolled with the butterflies has no registers left.
    CT_HOST_DEVICE Complex64& sample(unsigned n) const {
        return memory_[n / (B * C) * Digits::stride_a + n % (B * C) / C * Digits::stride_b + n % C];
    }
    CT_HOST_DEVICE Complex64& bin(unsigned k) const {
        const unsigned b = k % (A * B);
        return memory_[b % A * Digits::stride_a + b / A * Digits::stride_b + k / (A * B)];
    }
    /// The same so many steps further on, where there is one.
    template <int I>
    CT_HOST_DEVICE Complex64& sample_ahead(unsigned n) const {
        if constexpr (Digits::sample_step == B * C)
            return (&sample(n))[I * Digits::stride_a];
        else
            return sample(n + I * Digits::sample_step);
    }
    template <int I>
    CT_HOST_DEVICE Complex64& bin_ahead(unsigned k) const {
        if constexpr (Digits::bin_step == A * B)
            return (&bin(k))[I];
        else
            return bin(k + I * Digits::bin_step);
    }
    /// The first step; load is that of forward().
    template <class Load>
    CT_HOST_DEVICE void first(const Load& load) const {
        each<B * C>([&](int b) {
            Complex64 v[A];
            Complex64* slots = first_slots(b);
            load(v, b);
            transform<A>(v);
            unrolled<A>([&]<int J>() { slots[J * Digits::stride_a] = v[J]; });
        });
    }
    /// The first step of what lies in memory.
    CT_HOST_DEVICE void first() const {
        block_.sync();
        first([&](Complex64(&v)[A], int b) {
            const Complex64* slots = first_slots(b);
            unrolled<A>([&]<int J>() { v[J] = slots[J * Digits::stride_a]; });
        });
    }
    /// The other steps, which leave the result in memory.
    CT_HOST_DEVICE void rest() const {
        inner([&](int b, const Complex64(&v)[C]) {
            Complex64* slots = last_slots(b);
            unrolled<C>([&]<int J>() { slots[J] = v[J]; });
        });
        block_.sync();
    }

    /// From samples in memory to samples in memory, swapped, as filtered() has it, with what multiply_bins() does to
    /// the bins there.
    template <class MultiplyBins>
    CT_HOST_DEVICE void filtered_in_memory(const MultiplyBins& multiply_bins) const {
        static_assert(Digits::grouped);
        first();
        block_.sync();
        middle_forward();
        block_.sync_warp();
        each_of_group([&](int b, Complex64* slots) {
            Complex64 v[C];
            const Twiddle w = block_.table(twiddles_.forward_c + b);
            unrolled<C>([&]<int J>() { v[J] = slots[J]; });
            transform<C>(v, w);
            unrolled<C>([&]<int J>() { slots[J] = v[J]; });
        });
        block_.sync();
        multiply_bins();
        block_.sync();
        each_of_group([&](int, Complex64* slots) {
            Complex64 v[C];
            unrolled<C>([&]<int J>() { v[J] = swapped(slots[J]); });
            transform<C>(v);
            unrolled<C>([&]<int J>() { slots[J] = v[J]; });
        });
        last_steps_back([&](Complex64(&v)[A], int b) {
            Complex64* slots = first_slots(b);
            unrolled<A>([&]<int J>() { slots[J * Digits::stride_a] = v[J]; });
        });
        block_.sync();
    }

    /// y[n] = sum of H[k] X[k] W_N^(-nk), X as above: transform, filter, inverse transform. `filter` is H as
    /// grouped_filter lays it out. load(v, n) may leave numbers in v[j] that are not finite; load.finite(v, n) is asked
    /// then, and says whether it did better. load.first_butterfly(v) transforms them: with the factor w^(N / A) where
    /// the input has a factor w^n, which the twiddles hold, too. load.done() is called behind the last of them; a
    /// barrier of the block lies between it and the first store. store(v, n) takes y[n + j N / A] from v[j], real and
    /// imaginary part swapped.
    template <class Load, class Store>
    CT_HOST_DEVICE void filtered(Load load, const FilterPair* filter, const Store& store) const {
        static_assert(Digits::grouped);
        each<B * C>([&](int b) {
            Complex64 v[A];
            Complex64* slots = first_slots(b);
            load(v, b);
            load.first_butterfly(v);
            // The sum of all inputs: not finite where one of them is not.
            if (!is_finite(v[0]) && load.finite(v, b)) load.first_butterfly(v);
            unrolled<A>([&]<int J>() { slots[J * Digits::stride_a] = v[J]; });
        });
        load.done();
        block_.sync();
        middle_forward();
        block_.sync_warp();
        each_of_group([&](int b, Complex64* slots) {
            Complex64 v[C];
            const Twiddle w = block_.table(twiddles_.forward_c + b);
            unrolled<C>([&]<int J>() { v[J] = slots[J]; });
            transform<C>(v, w);
            // An inverse transform is a forward one with real and imaginary parts swapped before and after.
            unrolled<C / 2>([&]<int J>() {
                const FilterPair h = block_.table(filter + (b + J * (A * B)));
                v[2 * J] = swapped(v[2 * J] * h.first);
                v[2 * J + 1] = swapped(v[2 * J + 1] * h.second);
            });
            transform<C>(v);
            unrolled<C>([&]<int J>() { slots[J] = v[J]; });
        });
        last_steps_back(store);
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

    /// The last step's butterflies, grouped: butterfly(b, its slots).
    template <class F>
    CT_HOST_DEVICE void each_of_group(const F& butterfly) const {
        constexpr int groups = Digits::threads / C;
        unrolled<A / groups>([&]<int Round>() {
            const int k_a = thread_ / C + groups * Round;
            unrolled<B / C>([&]<int Part>() {
                const int k_b = thread_ % C + C * Part;
                butterfly(k_b + B * k_a, memory_ + k_a * Digits::stride_a + k_b * Digits::stride_b);
            });
        });
    }

    // Butterflies of the three steps: b = n_c + C n_b, n_c + C k_a, k_a + A k_b.
    CT_HOST_DEVICE Complex64* first_slots(int b) const { return memory_ + b / C * Digits::stride_b + b % C; }
    CT_HOST_DEVICE Complex64* middle_slots(int b) const { return memory_ + b / C * Digits::stride_a + b % C; }
    CT_HOST_DEVICE Complex64* last_slots(int b) const {
        return memory_ + b % A * Digits::stride_a + b / A * Digits::stride_b;
    }

    /// All steps but the first, to store() as in forward().
    template <class Store>
    CT_HOST_DEVICE void last(const Store& store) const {
        inner([&](int b, const Complex64(&v)[C]) { unrolled<C>([&]<int J>() { store(b + A * B * J, v[J]); }); });
    }

    /// All steps but the first: put(b, v) takes X[b + A B j] from v[j].
    template <class Put>
    CT_HOST_DEVICE void inner(const Put& put) const {
        block_.sync();
        middle_forward();
        block_.sync();
        each<A * B>([&](int b) {
            Complex64 v[C];
            const Complex64* slots = last_slots(b);
            unrolled<C>([&]<int J>() { v[J] = slots[J]; });
            transform<C>(v, block_.table(twiddles_.forward_c + b));
            put(b, v);
        });
    }

    /// Of the inverse transform, behind its step over C: store(v, n) as in filtered().
    template <class Store>
    CT_HOST_DEVICE void last_steps_back(const Store& store) const {
        const Twiddle inverse_b = block_.table(twiddles_.inverse_b + thread_ % C);
        block_.sync_warp();
        each<A * C>([&](int b) {
            Complex64 v[B];
            Complex64* slots = middle_slots(b);
            unrolled<B>([&]<int J>() { v[J] = slots[J * Digits::stride_b]; });
            transform<B>(v, inverse_b);
            unrolled<B>([&]<int J>() { slots[J * Digits::stride_b] = v[J]; });
        });
        block_.sync();
        each<B * C>([&](int b) {
            Complex64 v[A];
            const Complex64* slots = first_slots(b);
            const Twiddle w = block_.table(twiddles_.inverse_a + b);
            unrolled<A>([&]<int J>() { v[J] = slots[J * Digits::stride_a]; });
            transform<A>(v, w);
            store(v, b);
        });
    }

    CT_HOST_DEVICE void middle_forward() const {
        each<A * C>([&](int b) {
            Complex64 v[B];
            Complex64* slots = middle_slots(b);
            const Twiddle w = block_.table(twiddles_.forward_b + b / C);
            unrolled<B>([&]<int J>() { v[J] = slots[J * Digits::stride_b]; });
            transform<B>(v, w);
            unrolled<B>([&]<int J>() { slots[J * Digits::stride_b] = v[J]; });
        });
    }

    const Block& block_;
    Complex64* memory_;
    const LineTwiddles& twiddles_;
    int thread_;
};

/// Calls go(LineDigits) for a line that fits so much shared memory; false if there is none.
template <class Go>
bool with_line_digits(std::int64_t length, std::int64_t shared_bytes, Go go) {
    switch (length) {
        case 1024: return with_first_that_fits<LineDigits<16, 4, 16, 64, 8>>(shared_bytes, go);
        case 1536: return with_first_that_fits<LineDigits<12, 8, 16, 128, 6>>(shared_bytes, go);
        case 2048: return with_first_that_fits<LineDigits<16, 8, 16, 128, 6>>(shared_bytes, go);
        case 2560: return with_first_that_fits<LineDigits<20, 8, 16, 160, 5>>(shared_bytes, go);
        case 3072: return with_first_that_fits<LineDigits<12, 16, 16, 256, 3>>(shared_bytes, go);
        case 4096: return with_first_that_fits<LineDigits<16, 16, 16, 256, 3>>(shared_bytes, go);
        case 5120: return with_first_that_fits<LineDigits<20, 16, 16, 320, 2>>(shared_bytes, go);
        case 6144:
            return with_first_that_fits<LineDigits<24, 16, 16, 384, 2>, TightDigits<24, 16, 384, 2>>(shared_bytes, go);
        case 8192: return with_first_that_fits<LineDigits<32, 16, 16, 256, 2>>(shared_bytes, go);
        case 10240:
            return with_first_that_fits<LineDigits<20, 32, 16, 512, 1>, TightDigits<20, 32, 512, 1>>(shared_bytes, go);
        case 12288:
            return with_first_that_fits<LineDigits<24, 32, 16, 512, 1>, TightDigits<24, 32, 512, 1>>(shared_bytes, go);
        case 16384: return with_first_that_fits<LineDigits<32, 32, 16, 512, 1>>(shared_bytes, go);
        case 20480:
            return with_first_that_fits<LineDigits<40, 32, 16, 512, 1>, TightDigits<40, 32, 512, 1>>(shared_bytes, go);
        case 24576: return with_first_that_fits<LineDigits<48, 32, 16, 512, 1>>(shared_bytes, go);
    }
    return false;
}

/// Calls go(FilteredDigits) for a line that is filtered; false if there is no kernel of that length.
template <class Go>
bool with_filtered_digits(std::int64_t length, Go go) {
    switch (length) {
        case 1024: return go(FilteredDigits<4, 16, 64, 8>{}), true;
        case 1536: return go(FilteredDigits<6, 16, 96, 8>{}), true;
        case 2048: return go(FilteredDigits<8, 16, 128, 6>{}), true;
        case 2560: return go(FilteredDigits<10, 16, 160, 4>{}), true;
        case 3072: return go(FilteredDigits<12, 16, 192, 4>{}), true;
        case 4096: return go(FilteredDigits<16, 16, 256, 3>{}), true;
        case 5120: return go(FilteredDigits<20, 16, 320, 2>{}), true;
        case 6144: return go(FilteredDigits<24, 16, 192, 3>{}), true;
        case 8192: return go(FilteredDigits<32, 16, 256, 2>{}), true;
        case 10240: return go(FilteredDigits<20, 32, 320, 2>{}), true;
        case 12288: return go(FilteredDigits<24, 32, 384, 1>{}), true;
        case 16384: return go(FilteredDigits<32, 32, 512, 1>{}), true;
        case 20480: return go(FilteredDigits<40, 32, 320, 1>{}), true;
        case 24576: return go(FilteredDigits<48, 32, 384, 1>{}), true;
    }
    return false;
}

}  // namespace cornerturn
