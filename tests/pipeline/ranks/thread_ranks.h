// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of one process. As in MPI where messages are large, a send is done only once somebody has
// received it.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "pipeline/ranks/ranks.h"

namespace cornerturn {

class PostOffice {
public:
    struct Letter {
        std::span<const std::byte> from;  // of a send
        std::span<std::byte> to;          // of a receive
        std::optional<std::size_t> done;
        bool withdrawn = false;
    };
    using Box = std::tuple<int, int, Channel>;  // from, to

    void post(Box box, const std::shared_ptr<Letter>& letter, bool is_send) {
        const std::scoped_lock lock(mutex_);
        auto& [sends, receives] = boxes_[box];
        (is_send ? sends : receives).push_back(letter);
        while (!receives.empty() && receives.front()->withdrawn) receives.pop_front();
        while (!sends.empty() && !receives.empty()) {
            Letter &sent = *sends.front(), &received = *receives.front();
            if (sent.from.size() > received.to.size())
                throw std::logic_error("a message is larger than the room for it");
            if (!sent.from.empty()) std::memcpy(received.to.data(), sent.from.data(), sent.from.size());
            sent.done = received.done = sent.from.size();
            sends.pop_front();
            receives.pop_front();
        }
    }
    std::mutex mutex_;

private:
    std::map<Box, std::pair<std::deque<std::shared_ptr<Letter>>, std::deque<std::shared_ptr<Letter>>>> boxes_;
};

class ThreadRank final : public Ranks {
public:
    ThreadRank(PostOffice& office, int rank, int size) : office_(office), rank_(rank), size_(size) {}
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    std::string name(int rank) const override { return fmt::format("rank {} (here)", rank); }
    int local_rank() const override { return rank_; }
    int local_size() const override { return size_; }
    int threads() const override { return 1; }
    std::unique_ptr<Transfer> send(int to, Channel channel, std::span<const std::byte> bytes) override {
        const auto letter =
            std::make_shared<PostOffice::Letter>(PostOffice::Letter{.from = bytes, .to = {}, .done = {}});
        office_.post({rank_, to, channel}, letter, true);
        return std::make_unique<Posted>(office_, letter);
    }
    std::unique_ptr<Transfer> receive(int from, Channel channel, std::span<std::byte> to) override {
        const auto letter = std::make_shared<PostOffice::Letter>(PostOffice::Letter{.from = {}, .to = to, .done = {}});
        office_.post({from, rank_, channel}, letter, false);
        return std::make_unique<Posted>(office_, letter);
    }
    void abort(int) override { std::abort(); }

private:
    class Posted final : public Transfer {
    public:
        Posted(PostOffice& office, std::shared_ptr<PostOffice::Letter> letter)
            : office_(office), letter_(std::move(letter)) {}
        ~Posted() override {
            const std::scoped_lock lock(office_.mutex_);
            letter_->withdrawn = true;
        }
        std::optional<std::size_t> done() override {
            const std::scoped_lock lock(office_.mutex_);
            return letter_->done;
        }

    private:
        PostOffice& office_;
        std::shared_ptr<PostOffice::Letter> letter_;
    };

    PostOffice& office_;
    int rank_, size_;
};

/// What each of so many ranks does, at the same time.
inline void on_ranks(int size, const std::function<void(Ranks&)>& work) {
    PostOffice office;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            ThreadRank own(office, rank, size);
            work(own);
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace cornerturn
