// SPDX-License-Identifier: Apache-2.0
// Rank 0: a thread takes the rows of all ranks in the order of the file. Receives are posted ahead, so that other ranks
// need not wait for their turn; what a rank has made beyond that waits with it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/ranks/agreement.h"
#include "pipeline/ranks/shared_rows.h"

namespace cornerturn {
namespace {

/// Another rank cannot go on, or this one's main thread: why is heard elsewhere.
struct GivenUp {};

/// Messages of one other rank.
class Stream {
public:
    Stream(Ranks& ranks, int rank, std::size_t most_bytes)
        : ranks_(ranks), rank_(rank), word_(1), word_coming_(ranks.receive(rank, Channel::word, word_)) {
        for (Slot& slot : slots_) {
            slot.bytes.resize(most_bytes);
            post(slot);
        }
    }
    /// The oldest message, once it is there; empty: the last one.
    std::optional<std::span<const std::byte>> front() {
        Slot& slot = slots_[next_];
        const auto bytes = slot.coming->done();
        if (!bytes) return std::nullopt;
        ended_ = *bytes == 0;
        return std::span(slot.bytes).first(*bytes);
    }
    void pop() {
        post(slots_[next_]);
        next_ = (next_ + 1) % slots_.size();
    }
    bool ended() const { return ended_; }
    /// That its rank cannot go on it says at once, past the rows that are on their way.
    bool given_up() { return word_coming_->done() && word_[0] != std::byte{0}; }
    bool said_word() { return word_coming_->done().has_value(); }

private:
    struct Slot {
        std::vector<std::byte> bytes;
        std::unique_ptr<Transfer> coming;
    };
    void post(Slot& slot) { slot.coming = ranks_.receive(rank_, Channel::rows, slot.bytes); }

    Ranks& ranks_;
    int rank_;
    std::vector<std::byte> word_;
    std::unique_ptr<Transfer> word_coming_;
    std::array<Slot, 2> slots_;  // one being written, one coming
    std::size_t next_ = 0;
    bool ended_ = false;
};

class GatheredRows final : public RowsAway {
public:
    GatheredRows(Ranks& ranks, const SharedRows& job, ImageSink& file, std::function<void()> interrupted)
        : ranks_(ranks),
          job_(job),
          file_(file),
          interrupted_(std::move(interrupted)),
          writer_(in_same_job([this] { gather(); })) {}
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
        changed_.notify_all();
        if (writer_.joinable()) writer_.join();
    }

private:
    struct OwnRows {
        std::int64_t first_row = 0;
        std::vector<std::complex<float>> samples;
    };
    static constexpr std::size_t most_own_bytes = std::size_t{64} << 20;

    void gather() {
        std::vector<Stream> streams;
        bool well = false;
        try {
            for (int rank = 1; rank < ranks_.size(); ++rank) streams.emplace_back(ranks_, rank, job_.most_bytes());
            for (std::size_t f = 0; f < job_.frames().size(); ++f) gather_frame(f, streams);
            well = true;
        } catch (const GivenUp&) {
            failure_ = std::make_exception_ptr(Interrupted());
        } catch (...) {
            failure_ = std::current_exception();
        }
        if (!well) stop_.request();
        close();
        try {
            end(streams, well);
        } catch (...) {  // the launcher ends what cannot talk any more
            if (!failure_) failure_ = std::current_exception();
        }
    }

    void gather_frame(std::size_t f, std::vector<Stream>& streams) {
        file_.begin(next_header(streams));
        const SharedRows::Frame& frame = job_.frames()[f];
        if (file_.rows_there() != frame.rows_there)
            throw std::logic_error(fmt::format("image {}: {} rows are there, {} were planned with", f,
                                               file_.rows_there(), frame.rows_there));
        for (std::size_t b = 0; b < frame.blocks.size(); ++b) {
            if (job_.is_there(f, b)) continue;
            const int rank = job_.rank_of(f, b);
            rank == 0 ? take_own(frame.blocks[b], frame.columns, streams)
                      : take(frame.blocks[b], frame.columns, streams[static_cast<std::size_t>(rank - 1)], streams);
            file_.block_done();
        }
    }

    void take(const AzimuthBlock& block, std::int64_t columns, Stream& from, std::vector<Stream>& streams) {
        for (std::int64_t row = 0; row < block.rows;) {
            std::optional<std::span<const std::byte>> bytes;
            for (Patience patience; !(bytes = from.front()); patience.wait()) look_around(streams);
            throw_if_interrupted();
            const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(std::complex<float>);
            const auto rows = static_cast<std::int64_t>(bytes->size() / row_bytes);
            if (rows == 0) throw GivenUp();
            if (bytes->size() % row_bytes != 0 || row + rows > block.rows)
                throw std::logic_error("rows of another block came than were waited for");
            file_.write(block.first_row + row, {reinterpret_cast<const std::complex<float>*>(bytes->data()),
                                                bytes->size() / sizeof(std::complex<float>)});
            from.pop();
            row += rows;
        }
    }

    void take_own(const AzimuthBlock& block, std::int64_t columns, std::vector<Stream>& streams) {
        for (std::int64_t row = 0; row < block.rows;) {
            const OwnRows rows = next_own(streams);
            file_.write(rows.first_row, rows.samples);
            row += static_cast<std::int64_t>(rows.samples.size()) / columns;
        }
    }

    template <class Waiting>
    auto next_of(std::deque<Waiting>& waiting, std::vector<Stream>& streams) {
        std::unique_lock lock(mutex_);
        while (waiting.empty()) {
            changed_.wait_for(lock, std::chrono::milliseconds(1));
            lock.unlock();
            look_around(streams);
            lock.lock();
        }
        Waiting next = std::move(waiting.front());
        waiting.pop_front();
        return next;
    }
    Image next_header(std::vector<Stream>& streams) { return next_of(headers_, streams); }
    OwnRows next_own(std::vector<Stream>& streams) {
        OwnRows rows = next_of(own_, streams);
        const std::scoped_lock lock(mutex_);
        own_bytes_ -= rows.samples.size() * sizeof(std::complex<float>);
        changed_.notify_all();
        return rows;
    }

    /// While waiting: whether there is anything left to wait for.
    void look_around(std::vector<Stream>& streams) {
        if (stop_requested() && interrupted_) std::exchange(interrupted_, {})();
        throw_if_interrupted();
        if (given_up_) throw GivenUp();
        if (std::any_of(streams.begin(), streams.end(), [](Stream& stream) { return stream.given_up(); }))
            throw GivenUp();
    }

    /// Tells all that it is over, and takes what is still on its way.
    void end(std::vector<Stream>& streams, bool well) {
        const char word = well ? 0 : 1;
        std::vector<std::unique_ptr<Transfer>> told;
        for (int rank = 1; rank < ranks_.size(); ++rank)
            told.push_back(ranks_.send(rank, Channel::word, std::as_bytes(std::span(&word, 1))));
        for (Stream& stream : streams)
            for (Patience patience; !stream.ended() || !stream.said_word();) {
                const auto bytes = stream.front();
                if (bytes && !stream.ended()) stream.pop();
                if (!bytes || stream.ended()) patience.wait();
            }
        for (const auto& one : told) wait_for(*one);
    }

    void close() {
        const std::scoped_lock lock(mutex_);
        over_ = true;
        changed_.notify_all();
    }

    Ranks& ranks_;
    const SharedRows& job_;
    ImageSink& file_;
    std::function<void()> interrupted_;
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
    std::thread writer_;  // last: it uses all the others
};

}  // namespace

std::unique_ptr<RowsAway> gather_rows(Ranks& ranks, const SharedRows& job, ImageSink& file,
                                      std::function<void()> interrupted) {
    return std::make_unique<GatheredRows>(ranks, job, file, std::move(interrupted));
}

}  // namespace cornerturn
