// SPDX-License-Identifier: Apache-2.0
// Memory that many share and that only grows.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace cornerturn {

/// A copy shares the memory, and keeps it when the original grows.
class GrowingMemory {
public:
    /// allocate(bytes) gives a std::shared_ptr<void>. Where it throws, all stays as it was: who asked before goes on
    /// working in what is there. For that, old and new have to fit beside each other.
    template <class Allocate>
    void grow(std::size_t bytes, const Allocate& allocate) {
        if (bytes <= bytes_) return;
        memory_ = std::shared_ptr<void>(allocate(bytes));
        bytes_ = bytes;
    }
    void* get() const { return memory_.get(); }
    std::size_t bytes() const { return bytes_; }

private:
    std::shared_ptr<void> memory_;
    std::size_t bytes_ = 0;
};

}  // namespace cornerturn
