// SPDX-License-Identifier: Apache-2.0
// Several streams that take turns for the work of one, so that the last blocks of a kernel run beside the first of
// another batch's.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cuda/runtime/stream.h"

namespace cornerturn {

class AlternatingStreams {
public:
    /// As many as `count`; the first of them is the stream whose work it is.
    explicit AlternatingStreams(std::size_t count) : others_(count - 1), done_(count - 1) {}

    std::size_t count() const { return others_.size() + 1; }
    const Stream& stream(const Stream& main, std::size_t number) const {
        return number == 0 ? main : others_[number - 1];
    }

    /// Work of any stream from now on waits for that of `main` so far.
    void fork(const Stream& main) const {
        main.record(begun_);
        for (const Stream& other : others_) other.wait(begun_);
    }
    /// Work of `main` from now on waits for that of all streams so far.
    void join(const Stream& main) const {
        for (std::size_t i = 0; i < others_.size(); ++i) {
            others_[i].record(done_[i]);
            main.wait(done_[i]);
        }
    }

private:
    std::vector<Stream> others_;
    Event begun_;
    std::vector<Event> done_;
};

}  // namespace cornerturn
