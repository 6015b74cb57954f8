// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run/azimuth_blocks.h"

#include <algorithm>
#include <numeric>

#include "kernels/steps/step_parts.h"

namespace cornerturn {

std::vector<AzimuthBlock> azimuth_blocks(const Acquisition& acquisition, const ImagePlan& image, std::int64_t rows) {
    std::vector<AzimuthBlock> blocks;
    for (std::int64_t first = 0; first < image.grid.rows; first += rows) {
        const std::int64_t count = std::min(rows, image.grid.rows - first);
        const std::int64_t begin =
            std::clamp<std::int64_t>(first - image.lines_of_row.before, 0, acquisition.lines - 1);
        const std::int64_t end =
            std::clamp<std::int64_t>(first + count + image.lines_of_row.behind, begin + 1, acquisition.lines);
        const bool all = count == image.grid.rows || image.map;  // north and south know nothing of the order of lines
        blocks.push_back({.first_row = first,
                          .rows = count,
                          .first_line = all ? 0 : begin,
                          .lines = all ? acquisition.lines : end - begin,
                          .at_edge = all || begin == 0 || end == acquisition.lines});
    }
    return blocks;
}

std::int64_t lines_of(const std::vector<AzimuthBlock>& blocks) {
    return std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0},
                           [](std::int64_t sum, const AzimuthBlock& block) { return sum + block.lines; });
}

Acquisition slice_of(const Acquisition& acquisition, std::int64_t first_line, std::int64_t lines) {
    Acquisition slice = acquisition;
    slice.lines = lines;
    slice.first_pulse_time_s = acquisition.pulse_time_s(static_cast<double>(first_line));
    const auto part = [&](auto& to, const auto& from) {
        if (from.empty()) return;
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(first_line);
        to.assign(first, first + static_cast<std::ptrdiff_t>(lines));
    };
    part(slice.pulse_times_s, acquisition.pulse_times_s);
    part(slice.line_phase_cycles, acquisition.line_phase_cycles);
    part(slice.true_phase_error_rad, acquisition.true_phase_error_rad);
    slice.decoding = lines_of(acquisition.decoding,
                              {static_cast<std::int32_t>(first_line), static_cast<std::int32_t>(first_line + lines)});
    return slice;
}

}  // namespace cornerturn
