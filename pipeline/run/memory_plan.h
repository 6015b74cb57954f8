// SPDX-License-Identifier: Apache-2.0
// How much memory a job may take, and the azimuth blocks that follow.
#pragma once

#include <cstddef>
#include <optional>

#include "kernels/device.h"
#include "pipeline/formers/former.h"
#include "pipeline/run/azimuth_blocks.h"

namespace cornerturn {

/// What a user may say of it.
struct MemoryWish {
    std::optional<std::size_t> most_bytes = {};   ///< of host and of device each; none: what is free
    std::optional<std::int64_t> block_rows = {};  ///< image rows of a block; none: as many as fit
    std::optional<std::int64_t> most_rows = {};   ///< of a block, even if more fit
    double share = 1;                             ///< of what is free: others want the rest
    friend bool operator==(const MemoryWish&, const MemoryWish&) = default;
};

/// What a chain may take that has but a share of the memory that is left beside the program itself.
std::size_t memory_share(std::size_t most_bytes, double share);

struct MemoryPlan {
    std::size_t budget_bytes = 0;  ///< of the device, for the steps
    std::size_t needed_bytes = 0;  ///< by the largest block
    std::vector<AzimuthBlock> blocks;
    LoweringReport lowering;  ///< of the largest block
};

/// One block where the scene fits. Throws InputError where not even small blocks do.
MemoryPlan plan_memory(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                       const LoweringHints& hints, const MemoryWish& wish);

/// What the former makes of one block.
Formation formation_of(const Former& former, const Acquisition& slice, const ImagePlan& image, const AzimuthBlock& block);

}  // namespace cornerturn
