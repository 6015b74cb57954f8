// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "kernels/host/same_job.h"
#include "kernels/interrupt.h"

namespace cornerturn {
namespace {

using std::chrono::microseconds;

/// Longer ones are cut: so much at most comes to a rank that wants no more.
constexpr std::size_t most_bytes = std::size_t{8} << 20;
/// In each lane: one is handled while the next ones are there already.
constexpr std::size_t messages_on_their_way = 4;
/// Asks after messages at once while they move, and some thousand times a second while they do not: whatever a
/// transport has to do in steps it does only when asked.
constexpr microseconds shortest_pause{20}, longest_pause{200};

std::shared_ptr<std::byte> memory_of(std::size_t bytes) {
    return {new std::byte[bytes], std::default_delete<std::byte[]>()};
}

}  // namespace

struct Traffic::Message {
    std::shared_ptr<const std::byte> from = {};  // of a send
    std::shared_ptr<std::byte> to = {};          // of a receive
    std::size_t bytes = 0;
    std::unique_ptr<Transfer> transfer = {};  // once it is on its way
    bool through = false;
};

void Traffic::Lane::leave_out_what_waits() {
    while (!waiting.empty() && !waiting.back()->transfer) waiting.pop_back();
    asked = on_their_way;
}

bool Traffic::Peer::has_spoken() const { return hearing->done().has_value(); }

Traffic::Traffic(Ranks& ranks, std::function<void()> interrupted)
    : ranks_(ranks), interrupted_(std::move(interrupted)), peers_(static_cast<std::size_t>(ranks.size() - 1)) {
    int rank = 0;
    for (Peer& peer : peers_) {
        if (rank == ranks.rank()) ++rank;
        peer.rank = rank++;
        peer.hearing = ranks.receive(peer.rank, Channel::word, std::as_writable_bytes(std::span(&peer.heard, 1)));
    }
    carrier_ = std::thread(in_same_job([this] { carry(); }));
}

Traffic::~Traffic() { give_up(); }

Traffic::Ticket Traffic::send(int to, std::shared_ptr<const std::byte> from, std::size_t bytes) {
    return ask(to, true, {.from = std::move(from), .bytes = bytes});
}

Traffic::Ticket Traffic::receive(int from, std::shared_ptr<std::byte> to, std::size_t bytes) {
    return ask(from, false, {.to = std::move(to), .bytes = bytes});
}

/// The last of its messages tells of all.
Traffic::Ticket Traffic::ask(int rank, bool out, Message whole) {
    const std::scoped_lock lock(mutex_);
    if (given_up_ || failure_) throw Interrupted();
    Peer& peer = peers_[static_cast<std::size_t>(rank < ranks_.rank() ? rank : rank - 1)];
    Lane& lane = out ? peer.out : peer.in;
    std::shared_ptr<Message> last;
    for (std::size_t first = 0; first < whole.bytes; first += most_bytes) {
        last = std::make_shared<Message>();
        if (out) last->from = {whole.from, whole.from.get() + first};
        if (!out) last->to = {whole.to, whole.to.get() + first};
        last->bytes = std::min(most_bytes, whole.bytes - first);
        lane.waiting.push_back(last);
        ++lane.asked;
    }
    if (!last) {
        last = std::make_shared<Message>();
        last->through = true;
    }
    changed_.notify_all();
    return last;
}

void Traffic::wait(std::span<const Ticket> tickets) {
    constexpr std::chrono::milliseconds between_looks{20};
    std::unique_lock lock(mutex_);
    for (const Ticket& ticket : tickets)
        while (!ticket->through) {
            throw_if_interrupted();
            if (given_up_ || failure_) throw Interrupted();
            changed_.wait_for(lock, between_looks);
        }
}

void Traffic::finish() {
    end(false);
    if (failure_) std::rethrow_exception(failure_);
    if (given_up_) throw Interrupted();
}

void Traffic::give_up() noexcept { end(true); }

void Traffic::end(bool early) noexcept {
    {
        const std::scoped_lock lock(mutex_);
        if (!over_) (early ? given_up_ : complete_) = true;
        changed_.notify_all();
    }
    const std::scoped_lock lock(ending_);
    if (carrier_.joinable()) carrier_.join();
}

void Traffic::carry() try {
    microseconds pause = shortest_pause;
    std::unique_lock lock(mutex_);
    while (!is_over()) {
        const bool moved = carry_once();
        if (moved) changed_.notify_all();
        pause = moved ? shortest_pause : std::min(2 * pause, longest_pause);
        changed_.wait_for(lock, pause);
    }
    over_ = true;
} catch (...) {  // the launcher ends what cannot talk any more
    const std::scoped_lock lock(mutex_);
    over_ = true;
    failure_ = std::current_exception();
    stop_.request();
    changed_.notify_all();
}

/// This rank and the others were not of one mind.
void Traffic::fail(const std::string& why) {
    failure_ = std::make_exception_ptr(std::logic_error(why));
    given_up_ = true;
    stop_.request();
}

/// Whether anything has come or gone.
bool Traffic::carry_once() {
    bool moved = false;
    for (Peer& peer : peers_) {
        if (peer.has_spoken() && peer.heard.gave_up != 0 && !given_up_) {
            given_up_ = true;
            stop_.request();  // whatever this rank computes
            moved = true;
        }
        if (given_up_) {
            if (!said_) peer.out.leave_out_what_waits();  // else it was promised
            peer.in.leave_out_what_waits();
        }
        moved = move(peer) || moved;
    }
    // Behind what may ask for it: this look may be the last.
    if (stop_requested() && interrupted_) std::exchange(interrupted_, {})();
    if ((given_up_ || complete_) && !said_) say_last_word();
    return moved;
}

bool Traffic::move(Peer& peer) {
    const bool spoken = peer.has_spoken();
    const std::uint64_t asked = peer.in.asked;
    if (spoken && !given_up_ && (asked > peer.heard.messages || (complete_ && asked < peer.heard.messages)))
        fail(fmt::format("{} messages were asked for of {}, but it sends {}", asked, ranks_.name(peer.rank),
                         peer.heard.messages));
    const bool left = move(peer.out, peer.rank, true, UINT64_MAX);
    const bool came = move(peer.in, peer.rank, false, spoken ? peer.heard.messages : UINT64_MAX);
    if (spoken && given_up_) take_rest(peer);
    return left || came;
}

/// `most` messages go this way, all told.
bool Traffic::move(Lane& lane, int rank, bool out, std::uint64_t most) {
    bool moved = false;
    while (!lane.waiting.empty() && lane.waiting.front()->transfer) {
        Message& first = *lane.waiting.front();
        const auto bytes = first.transfer->done();
        if (!bytes) break;
        if (*bytes != first.bytes && !given_up_)
            fail(fmt::format("{} bytes came from {}, but {} were waited for", *bytes, ranks_.name(rank), first.bytes));
        first.through = true;
        first.from.reset();
        first.to.reset();
        lane.waiting.pop_front();
        ++lane.through;
        moved = true;
    }
    for (std::size_t i = 0; i < std::min(lane.waiting.size(), messages_on_their_way); ++i) {
        Message& next = *lane.waiting[i];
        if (next.transfer || lane.on_their_way >= most) continue;
        next.transfer = out ? ranks_.send(rank, Channel::parts, {next.from.get(), next.bytes})
                            : ranks_.receive(rank, Channel::parts, {next.to.get(), next.bytes});
        ++lane.on_their_way;
    }
    return moved;
}

/// What another rank had sent before it heard that it is over; one after the other, as they go into the same memory.
void Traffic::take_rest(Peer& peer) {
    Lane& in = peer.in;
    if (in.through == peer.heard.messages) in.waiting.clear();  // what is asked for beyond never comes
    if (!in.waiting.empty() || in.on_their_way >= peer.heard.messages) return;
    if (!rubbish_) rubbish_ = memory_of(most_bytes);
    in.waiting.push_back(std::make_shared<Message>());
    in.waiting.back()->transfer = ranks_.receive(peer.rank, Channel::parts, {rubbish_.get(), most_bytes});
    ++in.on_their_way;
}

void Traffic::say_last_word() {
    said_ = true;
    for (Peer& peer : peers_) {
        peer.said = {.gave_up = given_up_ ? 1u : 0u, .messages = peer.out.asked};
        peer.saying = ranks_.send(peer.rank, Channel::word, std::as_bytes(std::span(&peer.said, 1)));
    }
}

bool Traffic::is_over() {
    return said_ && std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
               return peer.saying->done() && peer.has_spoken() && peer.out.waiting.empty() && peer.in.waiting.empty() &&
                      peer.in.through == peer.heard.messages;
           });
}

}  // namespace cornerturn
