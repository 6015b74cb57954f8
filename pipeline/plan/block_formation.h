// SPDX-License-Identifier: Apache-2.0
// The formation of one azimuth block, made once and kept: memory planning, cost estimates and processing all use the
// same steps and tables.
#pragma once

#include <memory>
#include <string_view>

#include "pipeline/formers/former.h"
#include "pipeline/plan/azimuth_blocks.h"

namespace cornerturn {

class BlockFormation {
public:
    BlockFormation(const Former& former, const Acquisition& slice, const ImagePlan& image, const AzimuthBlock& block);
    bool is_of(const Former& former, const Acquisition& slice, const ImagePlan& image, const AzimuthBlock& block) const;
    std::string_view former() const { return former_; }
    const AzimuthBlock& block() const { return block_; }
    /// The image plan of the block's rows alone.
    const ImagePlan& image() const { return formation_.image; }
    /// Steps, made once for each pair of lengths. May be called by several threads.
    const Algorithm& algorithm() const { return formation_.algorithm; }

private:
    std::string_view former_;
    Acquisition slice_;
    ImagePlan whole_;
    AzimuthBlock block_;
    Formation formation_;
};

/// Of the block's lines (slice_of) and the image as the block sees it; `made`, where that is of the same.
std::shared_ptr<const BlockFormation> formation_of(const Former& former, const Acquisition& slice,
                                                   const ImagePlan& image, const AzimuthBlock& block,
                                                   const std::shared_ptr<const BlockFormation>& made = nullptr);

}  // namespace cornerturn
