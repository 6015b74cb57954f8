// SPDX-License-Identifier: Apache-2.0
// Several streams that take turns for the work of one, so that the last blocks of a kernel run beside the first of
// another batch's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/runtime/context.h"
#include "kernels/cuda/runtime/stream.h"

namespace cornerturn {

class AlternatingStreams {
public:
    /// As many as `count`; the first of them is the stream whose work it is.
    explicit AlternatingStreams(std::size_t count) : others_(count - 1), done_(count - 1) {}

    std::size_t count() const { return others_.size() + 1; }

    /// `work(stream's number, stream, first line, lines)` for each batch of the lines from `first` to `last`. It waits
    /// for what `main` has to do before, and what `main` has to do from then on waits for it.
    template <class Work>
    void take_turns(const Stream& main, const LineBatches& batches, std::int64_t first, std::int64_t last,
                    const Work& work) const {
        std::size_t turn = 0;
        fork(main);
        batches.for_each(first, last, [&](std::int64_t begin, std::int64_t lines) {
            const std::size_t number = turn++ % count();
            work(number, number == 0 ? main : others_[number - 1], begin, lines);
        });
        join(main);
    }

private:
    void fork(const Stream& main) const {
        main.record(begun_);
        for (const Stream& other : others_) other.wait(begun_);
    }
    void join(const Stream& main) const {
        for (std::size_t i = 0; i < others_.size(); ++i) {
            others_[i].record(done_[i]);
            main.wait(done_[i]);
        }
    }

    std::vector<Stream> others_;
    Event begun_;
    std::vector<Event> done_;
};

}  // namespace cornerturn
