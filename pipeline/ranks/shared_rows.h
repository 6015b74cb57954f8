// SPDX-License-Identifier: Apache-2.0
// The rows of a job's images on their way from the ranks that make them to rank 0, which has the file.
//
// Rank 0 gathers because one plain file is what everybody can read, compress, resume and picture as of one rank, on any
// disk that it alone can write: parallel HDF5 is another library than the one that most programs link, cannot deflate
// through threads and needs a parallel file system; a virtual dataset is as many files as ranks, which are lost or
// moved one by one. Rows are a small part of the work (8 bytes a pixel, against some hundred operations a sample), and
// gathering hides behind computing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/echo/source_and_sink.h"
#include "pipeline/plan/azimuth_blocks.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

/// Who makes which rows of a job. Blocks go round the ranks in the order of the file, so that what is written next is
/// soon there.
class SharedRows {
public:
    struct Frame {
        std::int64_t columns = 0, rows_there = 0;  ///< rows of an earlier run
        std::vector<AzimuthBlock> blocks;
    };
    SharedRows(std::vector<Frame> frames, int ranks);

    const std::vector<Frame>& frames() const { return frames_; }
    int ranks() const { return ranks_; }
    bool is_there(std::size_t frame, std::size_t block) const;
    /// Of a block that is not there yet.
    int rank_of(std::size_t frame, std::size_t block) const { return ranks_of_blocks_[frame][block]; }
    /// Whether the images of a frame's blocks are added up: each rank that has some sends the sum of these.
    bool is_added_up(std::size_t frame) const { return are_added_up(frames_[frame].blocks); }
    bool has_some_of(std::size_t frame, int rank) const;
    /// Rows of a frame in one message: at most some MiB, so that one buffer a rank does.
    std::int64_t rows_at_once(std::size_t frame) const;
    /// Some rows of one block, or sum.
    struct Message {
        std::size_t frame = 0;
        std::int64_t rows = 0;
    };
    /// That a rank sends, in order: rows_at_once, and what a block leaves.
    std::vector<Message> messages_of(int rank) const;

private:
    std::vector<Frame> frames_;
    int ranks_;
    std::vector<std::vector<int>> ranks_of_blocks_;
};

/// A sink for the blocks of one rank. They go on their way while the rank computes the next one.
class RowsAway : public ImageSink {
public:
    /// All rows have arrived, and those of others, too. Throws what kept them from it: Interrupted, where it happened
    /// elsewhere.
    virtual void finish() = 0;
    /// In place of it, where the rank cannot go on: all are told to stop. Returns when nothing is on its way any more.
    virtual void give_up() noexcept = 0;
};

/// On any rank but 0.
std::unique_ptr<RowsAway> send_rows(Ranks& ranks, const SharedRows& job);

/// On rank 0: `file` gets all images in order, its own and those of others, on a thread of its own. `interrupted` is
/// called once a request to stop has come (Traffic): a launcher leaves little time for tidying up.
std::unique_ptr<RowsAway> gather_rows(Ranks& ranks, const SharedRows& job, ImageSink& file,
                                      std::function<void()> interrupted = {});

}  // namespace cornerturn
