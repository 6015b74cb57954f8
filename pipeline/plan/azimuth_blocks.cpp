// SPDX-License-Identifier: Apache-2.0
#include "pipeline/plan/azimuth_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cornerturn {

std::vector<AzimuthBlock> azimuth_blocks(const Acquisition& acquisition, const ImagePlan& image, std::int64_t rows) {
    std::vector<AzimuthBlock> blocks;
    for (std::int64_t first = 0; first < image.grid.rows; first += rows) {
        const std::int64_t count = std::min(rows, image.grid.rows - first);
        const double lines_per_row = image.lines.per_row;
        const auto first_centre = static_cast<std::int64_t>(std::floor(static_cast<double>(first) * lines_per_row)),
                   end_centre =
                       static_cast<std::int64_t>(std::ceil(static_cast<double>(first + count) * lines_per_row));
        const std::int64_t begin =
            std::clamp<std::int64_t>(first_centre - image.lines.before, 0, acquisition.lines - 1);
        const std::int64_t end =
            std::clamp<std::int64_t>(end_centre + image.lines.behind, begin + 1, acquisition.lines);
        const bool all = count == image.grid.rows || image.map;  // north and south know nothing of the order of lines
        blocks.push_back({.first_row = first,
                          .rows = count,
                          .first_line = all ? 0 : begin,
                          .lines = all ? acquisition.lines : end - begin,
                          .at_edge = all || begin == 0 || end == acquisition.lines});
    }
    return blocks;
}

std::vector<AzimuthBlock> parts_of_pulses(const Acquisition& acquisition, const ImagePlan& image, std::int64_t pulses) {
    std::vector<AzimuthBlock> parts;
    for (std::int64_t first = 0; first < acquisition.lines; first += pulses)
        parts.push_back({.first_row = 0,
                         .rows = image.grid.rows,
                         .first_line = first,
                         .lines = std::min(pulses, acquisition.lines - first),
                         .at_edge = true});
    return parts;
}

bool are_added_up(const std::vector<AzimuthBlock>& blocks) { return blocks.size() > 1 && blocks[1].first_row == 0; }

std::int64_t lines_of(const std::vector<AzimuthBlock>& blocks) {
    return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0},
                           [](std::int64_t sum, const AzimuthBlock& block) { return sum + block.lines; });
}

}  // namespace cornerturn
