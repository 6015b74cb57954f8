// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/block_formation.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "kernels/steps/steps.h"

namespace cornerturn {
namespace {

/// A device probes several ways through the steps, each with lengths of its own, and then lowers them.
Algorithm with_kept_steps(Algorithm algorithm) {
    struct Made {
        std::mutex turn;
        std::vector<std::pair<FftLengths, Steps>> of;
    };
    algorithm.steps = [steps = std::move(algorithm.steps), made = std::make_shared<Made>()](const FftLengths& fft) {
        const std::lock_guard lock(made->turn);
        const auto found = std::find_if(made->of.begin(), made->of.end(), [&](auto& of) { return of.first == fft; });
        return found != made->of.end() ? found->second : made->of.emplace_back(fft, steps(fft)).second;
    };
    return algorithm;
}

Formation with_kept_steps(Formation formation) {
    formation.algorithm = with_kept_steps(std::move(formation.algorithm));
    return formation;
}

}  // namespace

BlockFormation::BlockFormation(const Former& former, const Acquisition& slice, const ImagePlan& image,
                               const AzimuthBlock& block)
    : former_(former.name),
      slice_(slice),
      whole_(image),
      block_(block),
      formation_(with_kept_steps(
          former.form(slice, rows_of(image, block.first_row, block.rows, block.lines, block.at_edge)))) {}

bool BlockFormation::is_of(const Former& former, const Acquisition& slice, const ImagePlan& image,
                           const AzimuthBlock& block) const {
    return former_ == former.name && block_ == block && whole_ == image && slice_ == slice;
}

std::shared_ptr<const BlockFormation> formation_of(const Former& former, const Acquisition& slice,
                                                   const ImagePlan& image, const AzimuthBlock& block,
                                                   const std::shared_ptr<const BlockFormation>& made) {
    if (made && made->is_of(former, slice, image, block)) return made;
    return std::make_shared<const BlockFormation>(former, slice, image, block);
}

}  // namespace cornerturn
