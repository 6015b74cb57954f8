// SPDX-License-Identifier: Apache-2.0
// Decisions of rank 0 for all ranks, as plain data. Everything else follows from file and options, which every rank
// has; a digest of the whole plan verifies that.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pipeline/run/focus.h"

namespace cornerturn {

struct SettledPlan {
    std::vector<std::int64_t> block_rows;   ///< of each frame's azimuth blocks
    std::vector<std::int64_t> part_pulses;  ///< of each frame, in their place; 0: rows
    std::vector<std::int64_t> rows_there;   ///< of each frame, by an earlier run
    Chain chain = Chain::plain;
    std::string devices;  ///< what rank 0 computes on: "cpu", "cuda"
    std::uint64_t digest = 0;
};

std::vector<std::byte> as_bytes(const SettledPlan& plan);
SettledPlan settled_plan(std::span<const std::byte> bytes);
std::vector<std::byte> as_bytes(const DataEstimates& estimates);
DataEstimates data_estimates(std::span<const std::byte> bytes);

/// Of all numbers that the samples of the images follow from, their last bits included.
std::uint64_t digest_of(std::span<const FocusSetup> setups);

/// Of azimuth blocks that `ranks` share: where there are fewer than it takes to keep all busy, each frame is cut finer,
/// into as many as end soonest when they go round the ranks; each costs its rows and the lines that it reads beyond
/// them. Blocks only get smaller.
std::vector<std::int64_t> shared_block_rows(std::span<const FocusSetup> setups, int ranks);

}  // namespace cornerturn
