// SPDX-License-Identifier: Apache-2.0
#include "pipeline/verify/two_chains.h"

#include <algorithm>
#include <complex>

namespace cornerturn {
namespace {

bool in_one_block(const TwoChains& chains) {
    return chains.setup.memory.blocks.size() == 1 && chains.setup_in_double.memory.blocks.size() == 1;
}

bool add_up_parts(const TwoChains& chains) {
    return are_added_up(chains.setup.memory.blocks) || are_added_up(chains.setup_in_double.memory.blocks);
}

std::size_t image_bytes(const TwoChains& chains) {
    return chains.setup.image.grid.pixels() * sizeof(std::complex<float>);
}

}  // namespace

TwoChains ChainPlanner::plan() const {
    TwoChains chains = with(options_.memory, options_.memory);
    if (in_one_block(chains) && fits_beside(chains)) {
        transform_alike(chains);
        return chains;
    }
    constexpr double usable = 0.95,
                     share = 0.8;    // the rows of a block take less than a quarter of what the chain takes for it
    constexpr double longer = 1.34;  // than it would choose are transforms that a GPU is good at
    const bool one_memory = device_.info().shares_host_memory;
    const std::size_t most = options_.memory.most_bytes.value_or(
        static_cast<std::size_t>(usable * static_cast<double>(reference_.info().memory_free_bytes)));
    if (add_up_parts(chains)) return beside_the_image(most, image_bytes(chains));
    MemoryWish tested = options_.memory, in_double = options_.memory;
    if (one_memory) tested.most_bytes = memory_share(most, share);
    in_double.most_bytes = memory_share(most, one_memory ? share : share / longer);
    chains = with(tested, in_double);
    if (add_up_parts(chains)) return beside_the_image(most, image_bytes(chains));
    in_double.most_bytes = memory_share(most, share);
    tested.block_rows = in_double.block_rows =
        std::min(chains.setup.memory.blocks.front().rows, chains.setup_in_double.memory.blocks.front().rows);
    chains = with(tested, in_double);
    chains.options.lowering.fft_lengths =
        chains.setup.memory.lowering.fft_lengths;  // in the last block, too, which may be smaller
    transform_alike(chains);
    return chains;
}

TwoChains ChainPlanner::beside_the_image(std::size_t most_bytes, std::size_t image_bytes) const {
    MemoryWish tested = options_.memory, in_double = options_.memory;
    in_double.most_bytes = most_bytes - std::min(most_bytes, image_bytes);
    if (device_.info().shares_host_memory) tested.most_bytes = in_double.most_bytes;
    TwoChains chains = with(tested, in_double);
    for (const FocusSetup* setup : {&chains.setup, &chains.setup_in_double})
        if (const std::vector<AzimuthBlock>& blocks = setup->memory.blocks; are_added_up(blocks))
            tested.part_pulses = std::min(tested.part_pulses.value_or(blocks.front().lines), blocks.front().lines);
    in_double.part_pulses = tested.part_pulses;
    chains = with(tested, in_double);
    chains.options.lowering.fft_lengths = chains.setup.memory.lowering.fft_lengths;
    transform_alike(chains);
    chains.one_after_the_other = true;
    return chains;
}

TwoChains ChainPlanner::with(const MemoryWish& tested, const MemoryWish& in_double) const {
    TwoChains chains{.options = options_, .options_in_double = options_, .setup = {}, .setup_in_double = {}};
    chains.options.memory = tested;
    if (tested.block_rows != options_.memory.block_rows)
        chains.options.force = true;  // these blocks are so short as both chains fit: nobody asked for them
    chains.setup = set_up_focus(device_, echo_.acquisition(), chains.options);
    chains.options_in_double.force = chains.options.force;
    chains.options_in_double.memory = in_double;
    chains.options_in_double.lowering = {};  // the same steps: only how a device goes about them differs
    chains.setup_in_double = set_up_focus(reference_, echo_.acquisition(), chains.options_in_double);
    if (chains.setup_in_double.algorithm !=
        chains.setup.algorithm) {  // what is cheapest on one device is not on another
        chains.options_in_double.algorithm = chains.setup.algorithm;
        chains.setup_in_double = set_up_focus(reference_, echo_.acquisition(), chains.options_in_double);
    }
    return chains;
}

/// Other lengths make another image: by what wraps around in azimuth, and by what the Stolt interpolation misses.
void ChainPlanner::transform_alike(TwoChains& chains) const {
    chains.options_in_double.lowering.fft_lengths = chains.setup.memory.lowering.fft_lengths;
    chains.setup_in_double = set_up_focus(reference_, echo_.acquisition(), chains.options_in_double);
}

bool ChainPlanner::fits_beside(const TwoChains& chains) const {
    const MemoryPlan& memory = chains.setup_in_double.memory;
    return memory.needed_bytes + image_bytes(chains) <= memory.budget_bytes;
}

}  // namespace cornerturn
