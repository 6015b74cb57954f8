// SPDX-License-Identifier: Apache-2.0
// Rank 0: a thread takes the rows of all ranks in the order of the file. They are asked for ahead, so that other ranks
// need not wait for their turn; what a rank has made beyond that waits with it.
#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/ranks/pixels.h"
#include "pipeline/ranks/shared_rows.h"
#include "pipeline/ranks/traffic.h"
#include "pipeline/run/frame_work.h"

namespace cornerturn {
namespace {

/// Messages of one other rank.
class RankRows {
public:
    RankRows(Traffic& traffic, const SharedRows& job, int rank)
        : traffic_(traffic), job_(job), rank_(rank), messages_(job.messages_of(rank)) {
        for (std::size_t i = 0; i < asked_ahead; ++i) ask();
    }

    /// The next of them, which stays until one more is asked for.
    std::span<const std::complex<float>> next() {
        traffic_.wait(std::span(&asked_.front().ticket, 1));
        taken_ = std::move(asked_.front().pixels);
        const std::int64_t count = asked_.front().count;
        asked_.pop_front();
        ask();
        return {taken_.get(), static_cast<std::size_t>(count)};
    }
    /// To the rows that come next, of a message or several.
    void add_next_to(std::span<std::complex<float>> rows) {
        while (!rows.empty()) {
            if (rest_.empty()) rest_ = next();
            const std::size_t count = std::min(rest_.size(), rows.size());
            add_to(rows.data(), rest_.first(count));
            rest_ = rest_.subspan(count);
            rows = rows.subspan(count);
        }
    }

private:
    static constexpr std::size_t asked_ahead = 2;  // one being written, one coming
    struct Asked {
        SharedPixels pixels;
        std::int64_t count;
        Traffic::Ticket ticket;
    };

    void ask() {
        if (next_ == messages_.size()) return;
        const SharedRows::Message& message = messages_[next_++];
        const std::int64_t count = message.rows * job_.frames()[message.frame].columns;
        const SharedPixels pixels = pixels_for(count);
        asked_.push_back({pixels, count, traffic_.receive(rank_, bytes_of(pixels), bytes_of(count))});
    }

    Traffic& traffic_;
    const SharedRows& job_;
    int rank_;
    std::vector<SharedRows::Message> messages_;
    std::size_t next_ = 0;  // to be asked for
    std::deque<Asked> asked_;
    SharedPixels taken_;
    std::span<const std::complex<float>> rest_;  // of these, that are to be added yet
};

class GatheredRows final : public RowsAway {
public:
    GatheredRows(Ranks& ranks, const SharedRows& job, ImageSink& file, std::function<void()> interrupted)
        : job_(job), file_(file), traffic_(ranks, std::move(interrupted)), writer_(in_same_job([this] { gather(); })) {}
    ~GatheredRows() override { give_up(); }

    void begin(const Image& header) override {
        const std::scoped_lock lock(mutex_);
        headers_.push_back(header);
        ++frame_;
        changed_.notify_all();
    }
    std::int64_t rows_there() const override { return job_.frames()[frame_ - 1].rows_there; }
    void write(std::int64_t first_row, std::span<const std::complex<float>> rows) override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return own_bytes_ < most_own_bytes || over_; });
        if (over_) throw Interrupted();  // the reason is told by finish
        own_.push_back({first_row, {rows.begin(), rows.end()}});
        own_bytes_ += rows.size_bytes();
        changed_.notify_all();
    }

    void finish() override {
        if (writer_.joinable()) writer_.join();
        if (failure_) std::rethrow_exception(failure_);
    }
    void give_up() noexcept override {
        given_up_ = true;
        traffic_.give_up();
        if (writer_.joinable()) writer_.join();
    }

private:
    struct OwnRows {
        std::int64_t first_row = 0;
        std::vector<std::complex<float>> samples;
    };
    static constexpr std::size_t most_own_bytes = std::size_t{64} << 20;

    void gather() {
        try {
            std::vector<RankRows> others;
            for (int rank = 1; rank < job_.ranks(); ++rank) others.emplace_back(traffic_, job_, rank);
            for (std::size_t f = 0; f < job_.frames().size(); ++f) gather_frame(f, others);
            traffic_.finish();
        } catch (...) {
            failure_ = std::current_exception();
            stop_.request();
        }
        {
            const std::scoped_lock lock(mutex_);
            over_ = true;
            changed_.notify_all();
        }
        traffic_.give_up();
    }

    void gather_frame(std::size_t f, std::vector<RankRows>& others) {
        const Image header = next_of(headers_);
        file_.begin(header);
        const SharedRows::Frame& frame = job_.frames()[f];
        if (file_.rows_there() != frame.rows_there)
            throw std::logic_error(fmt::format("image {}: {} rows are there, {} were planned with", f,
                                               file_.rows_there(), frame.rows_there));
        if (job_.is_added_up(f)) return gather_sum(f, header.acquisition, others);
        for (std::size_t b = 0; b < frame.blocks.size(); ++b) {
            if (job_.is_there(f, b)) continue;
            const int rank = job_.rank_of(f, b);
            for (std::int64_t row = 0; row < frame.blocks[b].rows;) {
                const OwnRows own = rank == 0 ? next_own() : OwnRows{};
                const std::span<const std::complex<float>> samples =
                    rank == 0 ? std::span(own.samples) : others[static_cast<std::size_t>(rank - 1)].next();
                file_.write(frame.blocks[b].first_row + row, samples);
                row += static_cast<std::int64_t>(samples.size()) / frame.columns;
            }
            file_.block_done();
        }
    }

    /// Of what each rank's parts come to.
    void gather_sum(std::size_t f, const Acquisition& acquisition, std::vector<RankRows>& others) {
        if (job_.is_there(f, 0)) return;
        const SharedRows::Frame& frame = job_.frames()[f];
        const std::int64_t rows = frame.blocks.front().rows;
        const bool own_parts = job_.has_some_of(f, 0);
        for (std::int64_t row = 0; row < rows;) {
            OwnRows sum{row, {}};
            if (own_parts)
                sum = next_own();
            else
                sum.samples.resize(
                    static_cast<std::size_t>(std::min(job_.rows_at_once(f), rows - row) * frame.columns));
            for (int rank = 1; rank < job_.ranks(); ++rank)
                if (job_.has_some_of(f, rank)) others[static_cast<std::size_t>(rank - 1)].add_next_to(sum.samples);
            check_finite(sum.samples, row, frame.columns, acquisition);
            file_.write(row, sum.samples);
            row += static_cast<std::int64_t>(sum.samples.size()) / frame.columns;
        }
        file_.block_done();
    }

    template <class Waiting>
    Waiting next_of(std::deque<Waiting>& waiting) {
        std::unique_lock lock(mutex_);
        while (waiting.empty()) {
            throw_if_interrupted();
            if (given_up_) throw Interrupted();
            changed_.wait_for(lock, std::chrono::milliseconds(1));
        }
        Waiting next = std::move(waiting.front());
        waiting.pop_front();
        return next;
    }
    OwnRows next_own() {
        OwnRows rows = next_of(own_);
        const std::scoped_lock lock(mutex_);
        own_bytes_ -= rows.samples.size() * sizeof(std::complex<float>);
        changed_.notify_all();
        return rows;
    }

    const SharedRows& job_;
    ImageSink& file_;
    std::size_t frame_ = 0;  // behind the one that own rows are of

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Image> headers_;
    std::deque<OwnRows> own_;
    std::size_t own_bytes_ = 0;
    bool over_ = false;
    std::atomic<bool> given_up_{false};
    const StopRequest stop_ = JobScope::stop();
    std::exception_ptr failure_;
    Traffic traffic_;
    std::thread writer_;  // last: it uses all the others
};

}  // namespace

std::unique_ptr<RowsAway> gather_rows(Ranks& ranks, const SharedRows& job, ImageSink& file,
                                      std::function<void()> interrupted) {
    return std::make_unique<GatheredRows>(ranks, job, file, std::move(interrupted));
}

}  // namespace cornerturn
