// SPDX-License-Identifier: Apache-2.0
// Messages between ranks that share a job, on their way while the ranks compute.
//
// They go from one to one (MPI_Isend, MPI_Irecv) and not all at once (MPI_Alltoallw): a collective call holds all of
// what it moves on both sides, until the last rank has come to it, and none can leave it when another has failed. Here
// lines go to others as soon as they are compressed, each message gives back its memory when it has left, and a rank
// that cannot go on says so. MPI counts in int, too: 2 GiB between two ranks are soon there.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernels/interrupt.h"
#include "pipeline/ranks/ranks.h"

namespace cornerturn {

/// Of one rank with all others, each of which has one at the same time. A thread of its own keeps messages on the move.
class Traffic {
public:
    struct Message;
    using Ticket = std::shared_ptr<const Message>;

    /// `interrupted` is called once from that thread when a request to stop has come.
    explicit Traffic(Ranks& ranks, std::function<void()> interrupted = {});
    /// Gives up, unless it is finished.
    ~Traffic();
    Traffic(const Traffic&) = delete;
    Traffic& operator=(const Traffic&) = delete;

    /// Messages to one rank leave, and those of one rank come, in the order in which they were asked for here: a rank
    /// asks for them as the other one sends them, with the same sizes. The memory is kept until they are through.
    Ticket send(int to, std::shared_ptr<const std::byte> from, std::size_t bytes);
    Ticket receive(int from, std::shared_ptr<std::byte> to, std::size_t bytes);
    /// Until all are through. Throws Interrupted where a rank has given up, or after a request to stop.
    void wait(std::span<const Ticket> tickets);

    /// Everything of all ranks is through. Throws Interrupted where one of them has given up.
    void finish();
    /// In place of it, where this rank cannot go on, from any thread: tells all to stop. Returns when nothing is on its
    /// way any more.
    void give_up() noexcept;

private:
    /// With one other rank, one way.
    struct Lane {
        std::deque<std::shared_ptr<Message>> waiting;            // the first few are on their way
        std::uint64_t asked = 0, on_their_way = 0, through = 0;  // messages, all told
        void leave_out_what_waits();
    };
    /// The last that a rank says to another.
    struct Word {
        std::uint64_t gave_up = 0, messages = 0;  // that it has sent, all told
    };
    struct Peer {
        int rank = 0;
        Lane out, in;
        Word said, heard;
        std::unique_ptr<Transfer> saying, hearing;
        bool has_spoken() const;
    };

    Ticket ask(int rank, bool out, Message message);
    void carry();
    bool carry_once();
    bool move(Peer& peer);
    bool move(Lane& lane, int rank, bool out, std::uint64_t most);
    void take_rest(Peer& peer);
    void say_last_word();
    void fail(const std::string& why);
    bool is_over();
    void end(bool early) noexcept;

    Ranks& ranks_;
    std::function<void()> interrupted_;
    std::vector<Peer> peers_;
    std::shared_ptr<std::byte> rubbish_;  // where messages go that nobody wants any more

    std::mutex mutex_;
    std::condition_variable changed_;
    bool complete_ = false, given_up_ = false, said_ = false, over_ = false;
    std::mutex ending_;
    const StopRequest stop_ = JobScope::stop();
    std::exception_ptr failure_;
    std::thread carrier_;  // last: it uses all the others
};

}  // namespace cornerturn
