// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/back_projection/tile_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cuda/launch/kernel_grid.h"

namespace cornerturn {
namespace {

/// What is not predicted takes so much of what is allowed: tiles between those looked at, and that curves are straight
/// between bends.
double spare_db_of(AlongPhase along) { return along == AlongPhase::curved ? 3 : 0.3; }

TileMethod method_of(const TileChoice& choice) {
    const TileKernel& kernel = *choice.kernel;
    return {kernel.along, kernel.bends, framing_of(kernel.along, choice.segment_lines), choice.segment_lines,
            kernel.largest_step_cycles};
}

}  // namespace

TileSearch::TileSearch(const Accumulation& pass, const AccumulationGeometry& geometry,
                       std::span<const TileKernel> kernels, std::size_t shared_limit)
    : pass_(pass), geometry_(geometry), in_part_(!geometry.relief_m.empty()) {
    // Where pixels have heights of their own, they are followed. Shorter blocks, which hills need, were seen to miss
    // 100 dB by 1.3 over level ground near the antenna.
    const bool hills = !geometry.relief_m.empty();
    const int fewest_lines = hills ? 4 : 16;
    for (const TileKernel& kernel : kernels)
        for (const int lines : block_lengths)
            for (const int segment : {0, 1 << 20, 4096, 1024, 256})
                if (lines >= fewest_lines && lines <= kernel.most_block_lines &&
                    kernel.shared_bytes(lines) <= shared_limit && (segment > 0 ? kernel.follows : !hills))
                    choices_.push_back({&kernel, lines, (segment + lines - 1) / lines * lines});
    std::stable_sort(choices_.begin(), choices_.end(),
                     [](const TileChoice& a, const TileChoice& b) { return a.rate() > b.rate(); });
}

const TileSearch::Sampled& TileSearch::sampled(const TileKernel& kernel) {
    auto& [tiled, tiles] = sampled_[&kernel];
    if (tiles == nullptr) {
        tiled = tiled_image(pass_, geometry_, kernel.tile, Shear::where_it_pays);
        tiles = std::make_unique<SampledTiles>(pass_, geometry_, tiled);
    }
    return sampled_[&kernel];
}

double TileSearch::least_db(const TileKernel& kernel) const {
    return pass_.signal_to_error_db + spare_db_of(kernel.along);
}

std::optional<TileSearch::Found> TileSearch::next() {
    while (next_ < choices_.size()) {
        const TileChoice& choice = choices_[next_++];
        const TileKernel& kernel = *choice.kernel;
        const auto& [tiled, tiles] = sampled(kernel);
        if (tiled.tiles_along() > most_blocks_y ||
            !tiles->hold(method_of(choice), choice.block_lines, kernel.entries, least_db(kernel)))
            continue;
        in_part_ = false;
        return Found{choice, tiled, *tiles, choice.rate()};
    }
    return std::exchange(in_part_, false) ? best_in_part() : std::nullopt;
}

/// The most exact choices first: where shorter blocks and segments do not hold, longer ones do not either.
std::optional<TileSearch::Found> TileSearch::best_in_part() {
    constexpr double worth_a_look = 1.05;
    std::vector<std::pair<TileChoice, double>> looked_at;
    const auto most_that_holds = [&](const TileChoice& choice) {
        double most = 1;
        for (const auto& [other, part] : looked_at)
            if (other.kernel == choice.kernel && other.block_lines <= choice.block_lines &&
                other.segment_lines <= choice.segment_lines)
                most = std::min(most, part);
        return most;
    };
    std::optional<Found> best;
    for (auto choice = choices_.rbegin(); choice != choices_.rend(); ++choice) {
        const double known = best ? best->rate : exact_rate;
        if (rate_in_part(choice->rate(), most_that_holds(*choice)) <= worth_a_look * known) continue;
        const TileKernel& kernel = *choice->kernel;
        const auto& [tiled, tiles] = sampled(kernel);
        const double part =
            tiled.tiles_along() > most_blocks_y
                ? 0
                : tiles->part_that_holds(method_of(*choice), choice->block_lines, kernel.entries, least_db(kernel));
        looked_at.emplace_back(*choice, part);
        const double rate = rate_in_part(choice->rate(), part);
        if (rate > known) best.emplace(Found{*choice, tiled, *tiles, rate});
    }
    return best;
}

}  // namespace cornerturn
