// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a kernel body on the CPU, with shared memory and barriers: each thread is a fibre, and all fibres
// of a block run in turn from barrier to barrier, warp by warp. No GPU, no threads, always the same order, so that a
// fault shows every time.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/cuda/launch/kernel_grid.h"
#include "kernels/device/scaled_lines.h"
#include "kernels/math/phasor.h"

namespace cornerturn {

/// What a kernel body sees of the machine, as CudaBlock is on a GPU.
class EmulatedBlock {
public:
    struct Place {
        int x, y;
    };
    Place thread() const { return place_; }
    unsigned number() const { return number_; }
    unsigned row() const { return row_; }
    int threads() const { return threads_; }
    void sync() const { wait_(Barrier::block); }
    void sync_warp() const { wait_(Barrier::warp); }
    template <int Index = 0, class T>
    T fetch(const T* from) const {
        return from[Index];
    }
    void put(Complex64* to, Complex64 value) const { *to = value; }
    void put(HalfPair* to, Complex64 value) const { *to = narrowed<HalfPair>(value); }
    template <class Sample>
    Sample narrowed(Complex64 value) const {
        if constexpr (std::is_same_v<Sample, Complex64>)
            return value;
        else
            return {half(value.re), half(value.im)};
    }
    Complex64 widened(Complex64 value) const { return value; }
    Complex64 widened(HalfPair value) const { return {half_to_float(value.re.bits), half_to_float(value.im.bits)}; }
    Complex64 phasor(float cycles) const { return phasor_of_few(cycles); }
    float warp_max(float value) const {
        float* const values = warp_values_ + place_.x / 32 * 32;  // blocks that use it have one row of threads
        values[place_.x % 32] = value;
        sync_warp();
        const float largest = *std::max_element(values, values + std::min(32, threads_ - place_.x / 32 * 32));
        sync_warp();
        return largest;
    }
    /// What the next thread of the warp has; the last one gets that of the first.
    float next_in_warp(float value) const {
        float* const values = warp_values_ + place_.x / 32 * 32;
        values[place_.x % 32] = value;
        sync_warp();
        const float next = values[(place_.x + 1) % 32];
        sync_warp();
        return next;
    }
    template <class T>
    T table(const T* from) const {
        return *from;
    }
    struct Later {
        unsigned number, row;
        bool inside;
    };
    Later later(unsigned) const { return {0, 0, false}; }
    void prefetch(const void*) const {}
    void prefetch(const char*, int) const {}
    template <class S>
    S& shared() const {
        if (sizeof(S) > shared_bytes)
            throw std::logic_error("more shared memory than a kernel may ask for without opting in");
        return *reinterpret_cast<S*>(shared_);
    }

    /// Start of the shared memory asked for at launch, as much as a kernel may have that opts in.
    template <class T>
    T* memory() const {
        return reinterpret_cast<T*>(shared_);
    }

    static constexpr std::size_t shared_bytes = 48 * 1024, launch_bytes = 227 * 1024;

private:
    /// Rounded to the nearest; for numbers below 65504.
    static Half half(float value) {
        float small = std::abs(value) * 0x1p-112f;  // the exponent of a half, and subnormals where halves have them
        std::uint32_t bits = 0;
        std::memcpy(&bits, &small, sizeof bits);
        bits = (bits + 0xfffu + (bits >> 13 & 1u)) >> 13;
        return {static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000u : 0u))};
    }

    friend class Emulator;
    enum class Barrier { warp, block };
    Place place_{};
    unsigned number_ = 0, row_ = 0;
    int threads_ = 0;
    std::byte* shared_ = nullptr;
    float* warp_values_ = nullptr;
    std::function<void(Barrier)> wait_;
};

class Emulator {
public:
    using Body = std::function<void(const EmulatedBlock&)>;

    /// Fibres for blocks of width x height threads.
    Emulator(int width, int height) : fibres_(static_cast<std::size_t>(width * height)) {
        int number = 0;
        for (Fibre& fibre : fibres_) {
            fibre.owner = this;
            fibre.block.place_ = {number % width, number / width};
            fibre.block.shared_ = shared_;
            fibre.block.threads_ = width * height;
            fibre.block.warp_values_ = warp_values_;
            fibre.block.wait_ = [this, &fibre](EmulatedBlock::Barrier barrier) {
                fibre.barrier = barrier;
                leave(fibre.place, scheduler_);
            };
            ++number;
        }
    }
    Emulator(const Emulator&) = delete;
    Emulator& operator=(const Emulator&) = delete;

    /// Runs one block after the other. Throws std::logic_error if some threads of a block wait at a barrier that others
    /// never reach, and what the body threw.
    void run(std::int64_t blocks, const Body& body, std::int64_t rows = 1) {
        body_ = &body;
        for (std::int64_t block = 0; block < rows * blocks; ++block) {
            std::memset(shared_, 0xff, sizeof shared_);  // NaN, should anybody read what nobody wrote
            for (Fibre& fibre : fibres_)
                start(fibre, static_cast<unsigned>(block % blocks), static_cast<unsigned>(block / blocks));
            for (std::size_t done = 0; done < fibres_.size();) {
                done = 0;
                for (std::size_t first = 0; first < fibres_.size(); first += warp_threads) done += run_warp(first);
                if (done > 0 && done < fibres_.size())
                    throw std::logic_error("some threads of a block wait at a barrier, others have ended");
            }
        }
    }

private:
    static constexpr std::size_t stack_bytes = 64 * 1024, warp_threads = 32;
    /// Where somebody was who left: frame, place in the code and stack, as the compiler notes them.
    using Place = void* [5];
    struct Fibre {
        Emulator* owner = nullptr;
        EmulatedBlock block;
        Place place{};
        std::unique_ptr<std::byte[]> stack{new std::byte[stack_bytes]};
        std::exception_ptr failure;
        EmulatedBlock::Barrier barrier = EmulatedBlock::Barrier::block;
        bool begun = false, done = false;
    };

    /// Runs a warp on to the next barrier of the block, one warp behind the other, so that what one wrote for another
    /// before no more than a barrier of a warp is missed. Returns how many of its threads have ended.
    std::size_t run_warp(std::size_t first) {
        const std::size_t last = std::min(first + warp_threads, fibres_.size());
        std::size_t done = 0, at_warp_barrier = 0;
        do {
            done = at_warp_barrier = 0;
            for (std::size_t i = first; i < last; ++i) {
                Fibre& fibre = fibres_[i];
                running_ = &fibre;
                if (fibre.begun)
                    leave(scheduler_, fibre.place);
                else
                    begin(fibre);
                if (fibre.failure) std::rethrow_exception(std::exchange(fibre.failure, nullptr));
                done += fibre.done;
                at_warp_barrier += !fibre.done && fibre.barrier == EmulatedBlock::Barrier::warp;
            }
            if (at_warp_barrier > 0 && at_warp_barrier < last - first)
                throw std::logic_error("some threads of a warp wait at its barrier, others do not");
        } while (at_warp_barrier > 0);
        return done;
    }

    void start(Fibre& fibre, unsigned number, unsigned row) {
        fibre.block.number_ = number;
        fibre.block.row_ = row;
        // One that was left in the middle, where a block failed, begins anew.
        fibre.begun = fibre.begun && fibre.done;
        fibre.done = false;
    }

    /// Notes where we are, and goes on there. swapcontext would make two system calls: a third of a test's time.
    [[gnu::noinline]] static void leave(Place& here, Place& there) {
        if (__builtin_setjmp(here) == 0) go_on(there);
    }
    /// A function of its own, or the compiler takes the way back for one that nobody goes. ThreadSanitizer counts
    /// functions that are entered and left: neither this one nor `enter` is ever left.
    [[gnu::noinline, gnu::no_sanitize("thread"), noreturn]] static void go_on(Place& there) {
        __builtin_longjmp(there, 1);
    }
    [[gnu::noinline]] void begin(Fibre& fibre) {
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = fibre.stack.get();
        context.uc_stack.ss_size = stack_bytes;
        makecontext(&context, &Emulator::enter, 0);
        fibre.begun = true;
        if (__builtin_setjmp(scheduler_) == 0) setcontext(&context);
    }

    /// A fibre runs its thread of block after block.
    [[gnu::no_sanitize("thread")]] static void enter() {
        for (Fibre& fibre = *running_;; leave(fibre.place, fibre.owner->scheduler_)) {
            try {
                (*fibre.owner->body_)(fibre.block);
            } catch (...) {
                fibre.failure = std::current_exception();
            }
            fibre.done = true;
        }
    }

    static inline thread_local Fibre* running_ = nullptr;  // tells a fibre that starts who it is
    alignas(64) std::byte shared_[EmulatedBlock::launch_bytes];
    float warp_values_[1024];
    std::vector<Fibre> fibres_;
    Place scheduler_{};
    const Body* body_ = nullptr;
};

/// Runs a fused kernel.
template <class Kernel>
void emulate(const Kernel& kernel) {
    static_assert(Kernel::Shape::slots * sizeof(float[2]) <= EmulatedBlock::launch_bytes);
    Emulator(Kernel::Shape::threads, 1)
        .run(
            kernel.blocks(), [&](const EmulatedBlock& block) { kernel.run(block); }, block_rows_of(kernel));
}

/// Runs a step of the corner turn's ladder over a matrix.
template <class Turn, class T, class Shape>
void emulate(const Turn& turn, const T* in, T* out, Shape shape) {
    Emulator(Turn::block_width, Turn::block_height).run(Turn::blocks(shape), [&](const EmulatedBlock& block) {
        turn.run(block, in, out, shape);
    });
}

/// Runs a step of the matrix product over all of c.
template <class Product, class T, class Shape>
void emulate(const Product& product, const T* a, const T* b, T* c, Shape shape) {
    Emulator(Product::block_width, Product::block_height).run(Product::blocks(shape), [&](const EmulatedBlock& block) {
        product.run(block, a, b, c, shape);
    });
}

}  // namespace cornerturn
