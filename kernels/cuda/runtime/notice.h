// SPDX-License-Identifier: Apache-2.0
// A word that kernels leave for the host, if at all: no copy, and nothing to clear before the next run.
#pragma once

#include <utility>

#include "kernels/cuda/runtime/memory.h"

namespace cornerturn {

/// Lies in host memory, which kernels reach over the bus: they hardly ever do.
class NoticeOnGpu {
public:
    NoticeOnGpu() : memory_(sizeof(unsigned)) { *word() = 0; }
    /// To be set to 1.
    unsigned* on_gpu() const { return word(); }
    /// Whether it was set since this was last asked. Kernels that may do so must have ended.
    bool take() { return std::exchange(*word(), 0u) != 0; }

private:
    unsigned* word() const { return reinterpret_cast<unsigned*>(memory_.data()); }
    PinnedBuffer memory_;
};

}  // namespace cornerturn
