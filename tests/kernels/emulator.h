// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a kernel body on the CPU, with shared memory and barriers: each thread is a fibre, and all fibres of a block run
// in turn from barrier to barrier. No GPU, no threads, always the same order, so that a fault shows every time.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cornerturn {

/// What a kernel body sees of the machine, as CudaBlock is on a GPU.
class EmulatedBlock {
public:
    struct Place {
        int x, y;
    };
    Place thread() const { return place_; }
    unsigned number() const { return number_; }
    int threads() const { return threads_; }
    void sync() const { to_scheduler_(); }
    template <int Index = 0, class T>
    T fetch(const T* from) const {
        return from[Index];
    }
    template <class T>
    void put(T* to, T value) const {
        *to = value;
    }
    template <class T>
    T table(const T* from) const {
        return *from;
    }
    void prefetch(const void*) const {}
    template <class S>
    S& shared() const {
        if (sizeof(S) > shared_bytes) throw std::logic_error("more shared memory than a kernel may ask for without opting in");
        return *reinterpret_cast<S*>(shared_);
    }

    /// Start of the shared memory asked for at launch, as much as a kernel may have that opts in.
    template <class T>
    T* memory() const {
        return reinterpret_cast<T*>(shared_);
    }

    static constexpr std::size_t shared_bytes = 48 * 1024, launch_bytes = 227 * 1024;

private:
    friend class Emulator;
    Place place_{};
    unsigned number_ = 0;
    int threads_ = 0;
    std::byte* shared_ = nullptr;
    std::function<void()> to_scheduler_;
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
            fibre.block.to_scheduler_ = [this, &fibre] { swapcontext(&fibre.context, &scheduler_); };
            ++number;
        }
    }
    Emulator(const Emulator&) = delete;
    Emulator& operator=(const Emulator&) = delete;

    /// Runs one block after the other. Throws std::logic_error if some threads of a block wait at a barrier that others never reach,
    /// and what the body threw.
    void run(std::int64_t blocks, const Body& body) {
        body_ = &body;
        for (std::int64_t number = 0; number < blocks; ++number) {
            std::memset(shared_, 0xff, sizeof shared_);  // NaN, should anybody read what nobody wrote
            for (Fibre& fibre : fibres_) start(fibre, static_cast<unsigned>(number));
            for (std::size_t done = 0; done < fibres_.size();) {
                done = 0;
                for (Fibre& fibre : fibres_) {
                    running_ = &fibre;
                    swapcontext(&scheduler_, &fibre.context);
                    done += fibre.done;
                    if (fibre.failure) std::rethrow_exception(std::exchange(fibre.failure, nullptr));
                }
                if (done > 0 && done < fibres_.size())
                    throw std::logic_error("some threads of a block wait at a barrier, others have ended");
            }
        }
    }

private:
    static constexpr std::size_t stack_bytes = 64 * 1024;
    struct Fibre {
        Emulator* owner = nullptr;
        EmulatedBlock block;
        ucontext_t context{};
        std::unique_ptr<std::byte[]> stack{new std::byte[stack_bytes]};
        std::exception_ptr failure;
        bool done = false;
    };

    void start(Fibre& fibre, unsigned number) {
        fibre.block.number_ = number;
        fibre.done = false;
        getcontext(&fibre.context);
        fibre.context.uc_stack.ss_sp = fibre.stack.get();
        fibre.context.uc_stack.ss_size = stack_bytes;
        fibre.context.uc_link = &scheduler_;
        makecontext(&fibre.context, &Emulator::enter, 0);
    }

    static void enter() {
        Fibre& fibre = *running_;
        try {
            (*fibre.owner->body_)(fibre.block);
        } catch (...) {
            fibre.failure = std::current_exception();
        }
        fibre.done = true;
    }

    static inline thread_local Fibre* running_ = nullptr;  // tells a fibre that starts who it is
    alignas(64) std::byte shared_[EmulatedBlock::launch_bytes];
    std::vector<Fibre> fibres_;
    ucontext_t scheduler_{};
    const Body* body_ = nullptr;
};

/// Runs a fused kernel.
template <class Kernel>
void emulate(const Kernel& kernel) {
    static_assert(Kernel::Shape::slots * sizeof(float[2]) <= EmulatedBlock::launch_bytes);
    Emulator(Kernel::Shape::threads, 1).run(kernel.blocks(), [&](const EmulatedBlock& block) { kernel.run(block); });
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
