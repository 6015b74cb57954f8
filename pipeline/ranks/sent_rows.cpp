// SPDX-License-Identifier: Apache-2.0
// The ranks beside the first: rows in messages of whole rows, in order, and an empty message behind the last one.
// Beside these a word, 0 or 1, whether it was the last one, as rank 0 in turn says to all whether all went well.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"
#include "pipeline/ranks/agreement.h"
#include "pipeline/ranks/shared_rows.h"

namespace cornerturn {
namespace {

class SentRows final : public RowsAway {
public:
    SentRows(Ranks& ranks, const SharedRows& job)
        : ranks_(ranks), job_(job), sender_(in_same_job([this] { send_all(); })) {}
    ~SentRows() override { give_up(); }

    void begin(const Image&) override { ++frame_; }
    std::int64_t rows_there() const override { return job_.frames()[frame_ - 1].rows_there; }

    void write(std::int64_t, std::span<const std::complex<float>> rows) override {
        const std::int64_t columns = job_.frames()[frame_ - 1].columns;
        const auto full = static_cast<std::size_t>(job_.rows_at_once(frame_ - 1) * columns);
        while (!rows.empty()) {
            const auto count = std::min(rows.size(), full - message_.size());
            message_.insert(message_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
            rows = rows.subspan(count);
            if (message_.size() == full) hand_over();
        }
    }
    void block_done() override {
        if (!message_.empty()) hand_over();
    }

    void finish() override {
        end(false);
        if (told_to_stop_) throw Interrupted();
        if (failure_) std::rethrow_exception(failure_);
    }
    void give_up() noexcept override { end(true); }

private:
    using Message = std::vector<std::complex<float>>;
    static constexpr std::size_t most_waiting = 8;

    void hand_over() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return waiting_.size() < most_waiting || over_; });
        if (over_) throw Interrupted();
        waiting_.push_back(std::move(message_));
        message_.clear();
        changed_.notify_all();
    }

    void end(bool early) {
        {
            const std::scoped_lock lock(mutex_);
            (early ? given_up_ : complete_) = true;
            changed_.notify_all();
        }
        if (sender_.joinable()) sender_.join();
    }

    void send_all() try {
        char word = 0;
        const auto told = ranks_.receive(0, Channel::word, std::as_writable_bytes(std::span(&word, 1)));
        const char given_up = 1, all_went = 0;
        std::unique_ptr<Transfer> away, end, said;
        std::chrono::microseconds pause{100};
        while (!end || !end->done() || !said->done() || !told->done()) {
            if (told->done() && word != 0 && !told_to_stop_.exchange(true)) stop_.request();
            std::unique_lock lock(mutex_);
            bool moved = false;
            if (away && away->done()) {
                away.reset();
                waiting_.pop_front();
                changed_.notify_all();
                moved = true;
            }
            if (given_up_ && !said) said = say(given_up);
            if (!away && !end) {
                if (given_up_ || (complete_ && waiting_.empty())) {
                    end = ranks_.send(0, Channel::rows, {});
                    if (!said) said = say(all_went);
                } else if (!waiting_.empty()) {
                    away = ranks_.send(0, Channel::rows, std::as_bytes(std::span(waiting_.front())));
                }
            }
            pause = moved ? std::chrono::microseconds{20} : std::min(2 * pause, std::chrono::microseconds{1000});
            changed_.wait_for(lock, pause);
        }
        close();
    } catch (...) {
        failure_ = std::current_exception();
        stop_.request();
        close();
    }
    std::unique_ptr<Transfer> say(const char& word) {
        return ranks_.send(0, Channel::word, std::as_bytes(std::span(&word, 1)));
    }
    void close() {
        const std::scoped_lock lock(mutex_);
        over_ = true;
        changed_.notify_all();
    }

    Ranks& ranks_;
    const SharedRows& job_;
    std::size_t frame_ = 0;  // behind the one that rows are of
    Message message_;        // that is being filled

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Message> waiting_;  // the first is on its way
    bool complete_ = false, given_up_ = false, over_ = false;
    std::atomic<bool> told_to_stop_{false};
    const StopRequest stop_ = JobScope::stop();
    std::exception_ptr failure_;
    std::thread sender_;  // last: it uses all the others
};

}  // namespace

std::unique_ptr<RowsAway> send_rows(Ranks& ranks, const SharedRows& job) {
    return std::make_unique<SentRows>(ranks, job);
}

}  // namespace cornerturn
