// SPDX-License-Identifier: Apache-2.0
// The plans of a chain under test and of the same one in double precision, which share the memory.
#pragma once

#include <cstddef>

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/plan/focus_setup.h"

namespace cornerturn {

struct TwoChains {
    FocusOptions options, options_in_double;
    FocusSetup setup, setup_in_double;
    /// The whole image of the one is kept while the other makes its own: where parts of pulses are added up.
    bool one_after_the_other = false;
};

class ChainPlanner {
public:
    /// All must outlive it.
    ChainPlanner(Device& device, Device& reference, EchoSource& echo, const FocusOptions& options)
        : device_(device), reference_(reference), echo_(echo), options_(options) {}

    /// One block where both chains fit, the one after the other, and the image of the first beside the second; else the
    /// same blocks for both, which then share the memory with the rows of one block, or parts of pulses, beside the
    /// whole image. The same transforms in any case.
    TwoChains plan() const;

private:
    TwoChains with(const MemoryWish& tested, const MemoryWish& in_double) const;
    TwoChains beside_the_image(std::size_t most_bytes, std::size_t image_bytes) const;
    void transform_alike(TwoChains& chains) const;
    bool fits_beside(const TwoChains& chains) const;

    Device& device_;
    Device& reference_;
    EchoSource& echo_;
    const FocusOptions& options_;
};

}  // namespace cornerturn
