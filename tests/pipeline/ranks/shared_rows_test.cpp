// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/shared_rows.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kernels/errors.h"
#include "kernels/interrupt.h"
#include "tests/pipeline/ranks/thread_ranks.h"

namespace cornerturn {
namespace {

using Row = std::vector<std::complex<float>>;

SharedRows::Frame frame_of(std::int64_t rows, std::int64_t columns, std::int64_t block_rows, std::int64_t there = 0) {
    SharedRows::Frame frame{.columns = columns, .rows_there = there, .blocks = {}};
    for (std::int64_t row = 0; row < rows; row += block_rows)
        frame.blocks.push_back(
            {.first_row = row, .rows = std::min(block_rows, rows - row), .first_line = 0, .lines = 1, .at_edge = true});
    return frame;
}

std::complex<float> pixel(std::size_t frame, std::int64_t row, std::int64_t column) {
    return {static_cast<float>(frame * 1000003 + static_cast<std::size_t>(row)), static_cast<float>(column)};
}

Row pixels(std::size_t frame, std::int64_t first_row, std::int64_t rows, std::int64_t columns, float factor = 1) {
    Row samples(static_cast<std::size_t>(rows * columns));
    auto sample = samples.begin();
    for (std::int64_t row = first_row; row < first_row + rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) *sample++ = factor * pixel(frame, row, column);
    return samples;
}

/// Notes what it gets.
class WrittenRows final : public ImageSink {
public:
    explicit WrittenRows(const SharedRows& job) : job_(job) {}
    void begin(const Image&) override {
        rows.emplace_back();
        next_ = rows_there();
    }
    std::int64_t rows_there() const override { return job_.frames()[rows.size() - 1].rows_there; }
    void write(std::int64_t first_row, std::span<const std::complex<float>> samples) override {
        if (fails_at && static_cast<std::int64_t>(rows.size()) == 1 && first_row >= *fails_at)
            throw DeviceError("disk full");
        EXPECT_EQ(first_row, next_);
        rows.back().insert(rows.back().end(), samples.begin(), samples.end());
        next_ += static_cast<std::int64_t>(samples.size()) / job_.frames()[rows.size() - 1].columns;
    }
    void block_done() override { ++blocks; }

    std::vector<Row> rows;
    int blocks = 0;
    std::optional<std::int64_t> fails_at;

private:
    const SharedRows& job_;
    std::int64_t next_ = 0;
};

/// What focusing does with a sink: rows in pieces of `rows_at_once`.
void make_rows(const SharedRows& job, int rank, ImageSink& sink, std::int64_t rows_at_once) {
    for (std::size_t f = 0; f < job.frames().size(); ++f) {
        const Image header;
        sink.begin(header);
        EXPECT_EQ(sink.rows_there(), job.frames()[f].rows_there);
        for (std::size_t b = 0; b < job.frames()[f].blocks.size(); ++b) {
            if (job.is_there(f, b) || job.rank_of(f, b) != rank) continue;
            const AzimuthBlock& block = job.frames()[f].blocks[b];
            for (std::int64_t row = 0; row < block.rows; row += rows_at_once) {
                const std::int64_t first_row = block.first_row + row, rows = std::min(rows_at_once, block.rows - row);
                const Row samples = pixels(f, first_row, rows, job.frames()[f].columns);
                throw_if_interrupted();
                sink.write(first_row, samples);
            }
            sink.block_done();
        }
    }
}

class SharedRowsTest : public testing::Test {};

/// Messages of the smallest size hold 131072 columns: rows of which some go into one message, and blocks that do not
/// fill their last one.
TEST_F(SharedRowsTest, ArriveInOrderFromAnyNumberOfRanks) {
    for (const int ranks : {1, 2, 7}) {
        const SharedRows job({frame_of(103, 5001, 10), frame_of(17, 270001, 3, 9), frame_of(7, 3, 7, 7)}, ranks);
        WrittenRows written(job);
        on_ranks(ranks, [&](Ranks& own) {
            const auto rows = own.leads() ? gather_rows(own, job, written) : send_rows(own, job);
            make_rows(job, own.rank(), *rows, 3 + own.rank());
            EXPECT_NO_THROW(rows->finish());
        });
        ASSERT_EQ(written.rows.size(), 3u);
        for (std::size_t f = 0; f < 3; ++f) {
            const SharedRows::Frame& frame = job.frames()[f];
            const std::int64_t rows = (f == 0 ? 103 : f == 1 ? 17 : 7) - frame.rows_there;
            EXPECT_TRUE(written.rows[f] == pixels(f, frame.rows_there, rows, frame.columns))
                << "image " << f << " of " << ranks << " ranks";
        }
        EXPECT_EQ(written.blocks, 11 + 3);
    }
}

/// Parts of 7 rows for three ranks, of which others have none: rank 0, too, where there are more than three.
TEST_F(SharedRowsTest, SumsOfRanksAreAddedUp) {
    for (const int ranks : {1, 2, 3, 7}) {
        SharedRows::Frame frame{.columns = 270001, .rows_there = 0, .blocks = {}};
        for (std::int64_t part = 0; part < 3; ++part)
            frame.blocks.push_back({.first_row = 0, .rows = 7, .first_line = part, .lines = 1, .at_edge = true});
        const SharedRows job({frame, frame_of(7, 3, 2)}, ranks);
        WrittenRows written(job);
        on_ranks(ranks, [&](Ranks& own) {
            const auto rows = own.leads() ? gather_rows(own, job, written) : send_rows(own, job);
            rows->begin(Image());
            float factor = 0;  // of what this rank's parts come to: 7 for all of them
            for (std::size_t part = 0; part < 3; ++part)
                if (job.rank_of(0, part) == own.rank()) factor += static_cast<float>(1 << part);
            if (factor > 0) {
                rows->write(0, pixels(0, 0, 5, frame.columns, factor));
                rows->write(5, pixels(0, 5, 2, frame.columns, factor));
                rows->block_done();
            }
            rows->begin(Image());
            for (std::size_t b = 0; b < 4; ++b) {
                if (job.rank_of(1, b) != own.rank()) continue;
                rows->write(job.frames()[1].blocks[b].first_row,
                            Row(static_cast<std::size_t>(3 * job.frames()[1].blocks[b].rows), {1, 0}));
                rows->block_done();
            }
            EXPECT_NO_THROW(rows->finish());
        });
        ASSERT_EQ(written.rows.size(), 2u);
        EXPECT_TRUE(written.rows[0] == pixels(0, 0, 7, 270001, 7)) << ranks;
        EXPECT_EQ(written.rows[1], Row(7 * 3, {1, 0})) << "and the frame behind it";
        EXPECT_EQ(written.blocks, 1 + 4);
    }
}

TEST_F(SharedRowsTest, RankZeroHasNeverMoreBlocksThanOthers) {
    const SharedRows job({frame_of(100, 8, 10, 30), frame_of(50, 8, 10)}, 5);
    std::vector<int> blocks(5);
    for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t b = 0; b < job.frames()[f].blocks.size(); ++b)
            if (!job.is_there(f, b)) ++blocks[static_cast<std::size_t>(job.rank_of(f, b))];
    EXPECT_EQ(blocks, (std::vector<int>{2, 3, 3, 2, 2}));
}

/// Nobody waits for ever, and the one with the reason tells it.
TEST_F(SharedRowsTest, AFullDiskStopsAll) {
    const SharedRows job({frame_of(400, 100001, 20)}, 3);
    WrittenRows written(job);
    written.fails_at = 40;
    std::atomic<int> interrupted{0}, failed{0};
    on_ranks(3, [&](Ranks& own) {
        const auto rows = own.leads() ? gather_rows(own, job, written) : send_rows(own, job);
        try {
            make_rows(job, own.rank(), *rows, 4);
            rows->finish();
        } catch (const Interrupted&) {
            rows->give_up();
            ++interrupted;
        }
        try {
            rows->finish();
        } catch (const DeviceError&) {
            ++failed;
        } catch (const Interrupted&) {
        }
    });
    EXPECT_EQ(failed, 1);
    EXPECT_GE(interrupted, 2);
    EXPECT_LT(written.rows.front().size(), 400u * 100001u);
}

TEST_F(SharedRowsTest, ARankThatGivesUpStopsAll) {
    const SharedRows job({frame_of(400, 100001, 20)}, 3);
    WrittenRows written(job);
    std::atomic<int> stopped{0};
    on_ranks(3, [&](Ranks& own) {
        const auto rows = own.leads() ? gather_rows(own, job, written) : send_rows(own, job);
        try {
            if (own.rank() == 2) throw DeviceError("lost");
            make_rows(job, own.rank(), *rows, 4);
            rows->finish();
        } catch (const std::runtime_error&) {
            rows->give_up();
            ++stopped;
        }
    });
    EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace cornerturn
