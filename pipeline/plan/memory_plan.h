// SPDX-License-Identifier: Apache-2.0
// Memory limit of a job, and the azimuth blocks that fit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kernels/device/device.h"
#include "kernels/steps/work_cost.h"
#include "pipeline/formers/former.h"
#include "pipeline/plan/azimuth_blocks.h"
#include "pipeline/plan/block_formation.h"

namespace cornerturn {

/// Memory options of a user.
struct MemoryWish {
    std::optional<std::size_t> most_bytes = {};    ///< of host and of device each; none: what is free
    std::optional<std::int64_t> block_rows = {};   ///< image rows of a block; none: as many as fit
    std::optional<std::int64_t> most_rows = {};    ///< of a block, even if more fit
    std::optional<std::int64_t> part_pulses = {};  ///< in place of rows: images of so many pulses are added up
    int devices = 1;                               ///< that work on a block each at the same time
    double share = 1;                              ///< of what is free: others want the rest
    int parts = 1;                                 ///< ranks that one block may be shared by, each with its memory
    friend bool operator==(const MemoryWish&, const MemoryWish&) = default;
};

/// Blocks, for each of several devices, that are begun or wait: one that is slow keeps the others from going on only
/// after these.
constexpr int blocks_under_way = 2;

/// Smaller blocks would read and compute everything many times over: of rows that need so many lines beside their own.
constexpr std::int64_t fewest_block_rows(std::int64_t overlap_lines) {
    return std::max<std::int64_t>(64, overlap_lines / 4);
}

/// Bytes for a chain that has this share of the memory left beside the program itself.
std::size_t memory_share(std::size_t most_bytes, double share);

struct MemoryPlan {
    std::size_t budget_bytes = 0;  ///< of the device, for the steps
    std::size_t needed_bytes = 0;  ///< by the largest block, or part of it
    /// Most memory of the host that rows of the image take which wait until those before them are written.
    std::size_t waiting_bytes = 0;
    std::vector<AzimuthBlock> blocks;
    LoweringReport lowering;                        ///< of the largest block
    std::shared_ptr<const BlockFormation> largest;  ///< formation of the largest block, until that was formed
    WorkCost cost;  ///< of all blocks, with what they compute several times where they overlap
    int slabs = 1;  ///< devices (frame_in_slabs.h) or ranks (ranks/rank_part.h) that one block is shared by, in parts
    std::string why_no_slabs = {};  ///< reason why a single block is not shared, where there are several devices
};

/// One block where the scene fits. Of several ranks each has to hold but its part of one block, where it goes in parts:
/// so does a scene that fits in no other way, one of which shorter blocks would overlap too much, and one that shall
/// not be cut. Where the lines of a spotlight do not fit, images of some pulses each are added up. Throws InputError
/// where not even small blocks fit.
MemoryPlan plan_memory(Device& device, const Acquisition& acquisition, const ImagePlan& image, const Former& former,
                       const LoweringHints& hints, const MemoryWish& wish);

}  // namespace cornerturn
