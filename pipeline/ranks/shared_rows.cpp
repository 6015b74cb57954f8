// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/shared_rows.h"

#include <algorithm>

namespace cornerturn {

SharedRows::SharedRows(std::vector<Frame> frames, int ranks) : frames_(std::move(frames)), ranks_(ranks) {
    int next = 1 % ranks;  // rank 0 comes last: it also writes
    for (std::size_t f = 0; f < frames_.size(); ++f) {
        std::vector<int>& of_blocks = ranks_of_blocks_.emplace_back();
        for (std::size_t b = 0; b < frames_[f].blocks.size(); ++b) {
            of_blocks.push_back(next);
            if (!is_there(f, b)) next = (next + 1) % ranks;
        }
    }
}

bool SharedRows::is_there(std::size_t frame, std::size_t block) const {
    const AzimuthBlock& rows = frames_[frame].blocks[block];
    return rows.first_row + rows.rows <= frames_[frame].rows_there;
}

bool SharedRows::has_some_of(std::size_t frame, int rank) const {
    for (std::size_t b = 0; b < frames_[frame].blocks.size(); ++b)
        if (!is_there(frame, b) && rank_of(frame, b) == rank) return true;
    return false;
}

std::int64_t SharedRows::rows_at_once(std::size_t frame) const {
    constexpr std::int64_t most = std::int64_t{8} << 20, least = std::int64_t{1} << 20,
                           of_all_ranks = std::int64_t{256} << 20;
    const std::int64_t bytes = std::clamp(of_all_ranks / ranks_, least, most);
    const std::int64_t row_bytes = frames_[frame].columns * static_cast<std::int64_t>(sizeof(std::complex<float>));
    return std::max<std::int64_t>(1, bytes / row_bytes);
}

std::vector<SharedRows::Message> SharedRows::messages_of(int rank) const {
    std::vector<Message> messages;
    const auto add = [&](std::size_t f, std::int64_t rows) {
        const std::int64_t at_once = rows_at_once(f);
        for (std::int64_t row = 0; row < rows; row += at_once) messages.push_back({f, std::min(at_once, rows - row)});
    };
    for (std::size_t f = 0; f < frames_.size(); ++f) {
        if (is_added_up(f)) {
            if (has_some_of(f, rank)) add(f, frames_[f].blocks.front().rows);
            continue;
        }
        for (std::size_t b = 0; b < frames_[f].blocks.size(); ++b)
            if (!is_there(f, b) && rank_of(f, b) == rank) add(f, frames_[f].blocks[b].rows);
    }
    return messages;
}

}  // namespace cornerturn
