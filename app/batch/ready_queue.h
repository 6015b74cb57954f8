// SPDX-License-Identifier: Apache-2.0
// Between threads that make things ready and others that work on them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace cornerturn {

template <class Item>
class ReadyQueue {
public:
    /// As many items may wait as there are takers, and those that were begun when the last place was taken.
    explicit ReadyQueue(std::size_t takers) : takers_(takers), room_(takers) {}

    /// Waits until one more may be put; false when nobody will take it.
    bool wait_for_room() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return items_.size() < room_ || takers_ == 0; });
        return takers_ > 0;
    }
    void put(Item item) {
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(item));
        changed_.notify_all();
    }
    /// Nothing more will come.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }
    /// Waits for one; none when nothing more comes.
    std::optional<Item> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !items_.empty() || closed_; });
        if (items_.empty()) return std::nullopt;
        std::optional<Item> item(std::move(items_.front()));
        items_.pop_front();
        changed_.notify_all();
        return item;
    }
    /// One taker more.
    void join() {
        const std::lock_guard lock(mutex_);
        ++takers_, ++room_;
        changed_.notify_all();
    }
    /// One taker less.
    void leave() {
        const std::lock_guard lock(mutex_);
        --takers_;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Item> items_;
    std::size_t takers_, room_;
    bool closed_ = false;
};

}  // namespace cornerturn
