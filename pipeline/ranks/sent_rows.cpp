// SPDX-License-Identifier: Apache-2.0
// The ranks beside the first: rows in messages of whole rows, in order.
#include <algorithm>
#include <deque>

#include "pipeline/ranks/pixels.h"
#include "pipeline/ranks/shared_rows.h"
#include "pipeline/ranks/traffic.h"

namespace cornerturn {
namespace {

class SentRows final : public RowsAway {
public:
    SentRows(Ranks& ranks, const SharedRows& job) : job_(job), traffic_(ranks) {}

    void begin(const Image&) override { ++frame_; }
    std::int64_t rows_there() const override { return job_.frames()[frame_ - 1].rows_there; }

    void write(std::int64_t, std::span<const std::complex<float>> rows) override {
        const std::int64_t full = job_.rows_at_once(frame_ - 1) * job_.frames()[frame_ - 1].columns;
        while (!rows.empty()) {
            if (!message_) message_ = pixels_for(full);
            const auto count = std::min(static_cast<std::int64_t>(rows.size()), full - filled_);
            std::copy_n(rows.begin(), count, message_.get() + filled_);
            filled_ += count;
            rows = rows.subspan(static_cast<std::size_t>(count));
            if (filled_ == full) hand_over();
        }
    }
    void block_done() override {
        if (message_) hand_over();
    }

    void finish() override { traffic_.finish(); }
    void give_up() noexcept override { traffic_.give_up(); }

private:
    static constexpr std::size_t most_waiting = 8;

    void hand_over() {
        if (waiting_.size() == most_waiting) {
            traffic_.wait(std::span(&waiting_.front(), 1));
            waiting_.pop_front();
        }
        waiting_.push_back(traffic_.send(0, bytes_of(message_), bytes_of(filled_)));
        message_.reset();
        filled_ = 0;
    }

    const SharedRows& job_;
    std::size_t frame_ = 0;    // behind the one that rows are of
    SharedPixels message_;     // that is being filled
    std::int64_t filled_ = 0;  // of its pixels
    Traffic traffic_;
    std::deque<Traffic::Ticket> waiting_;
};

}  // namespace

std::unique_ptr<RowsAway> send_rows(Ranks& ranks, const SharedRows& job) {
    return std::make_unique<SentRows>(ranks, job);
}

}  // namespace cornerturn
