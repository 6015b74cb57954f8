// SPDX-License-Identifier: Apache-2.0
// Division of a long scene into azimuth blocks: some rows of the image each, made from the lines that they need.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/formers/image_plan.h"

namespace cornerturn {

struct AzimuthBlock {
    std::int64_t first_row = 0, rows = 0;    ///< of the image
    std::int64_t first_line = 0, lines = 0;  ///< of the echo, that the rows need, within its bounds
    bool at_edge = false;                    ///< the lines begin or end with the echo
    friend bool operator==(const AzimuthBlock&, const AzimuthBlock&) = default;
};

/// The rows of an image in order, `rows` at a time but for the last block.
std::vector<AzimuthBlock> azimuth_blocks(const Acquisition& acquisition, const ImagePlan& image, std::int64_t rows);

/// All rows, made of so many pulses at a time: blocks whose images are added up. Of echoes of which all pulses are
/// summed.
std::vector<AzimuthBlock> parts_of_pulses(const Acquisition& acquisition, const ImagePlan& image, std::int64_t pulses);
/// Whether blocks are such parts.
bool are_added_up(const std::vector<AzimuthBlock>& blocks);

/// Lines of all blocks together; lines that several blocks need are counted each time.
std::int64_t lines_of(const std::vector<AzimuthBlock>& blocks);

/// Blocks that are cut so that several devices or ranks have something to do overlap by what an aperture needs: they
/// may take so many times the lines of the echo.
constexpr double most_lines_of_shared_blocks = 1.3;

}  // namespace cornerturn
