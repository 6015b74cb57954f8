// SPDX-License-Identifier: Apache-2.0
#include "pipeline/ranks/agreement.h"

#include <algorithm>
#include <exception>
#include <string>
#include <thread>

#include "kernels/errors.h"
#include "pipeline/ranks/plain_data.h"

namespace cornerturn {
namespace {

KnownFailure failure_of(const std::function<void()>& work) try {
    work();
    return {};
} catch (...) {
    return known_failure(std::current_exception());
}

template <class Error>
struct AgreedError final : Error, Agreed {
    using Error::Error;
};

/// Its beginning it gets from the type.
std::string what_is_left(const std::string& interruption) {
    return interruption.substr(std::min(interruption.size(), interruption.find("; ") + 2));
}

void raise(const KnownFailure& failure) {
    switch (failure.kind) {
        case FailureKind::none: return;
        case FailureKind::interrupted: throw AgreedError<Interrupted>(what_is_left(failure.text));
        case FailureKind::input: throw AgreedError<InputError>(failure.text);
        case FailureKind::device: throw AgreedError<DeviceError>(failure.text);
        case FailureKind::other: throw AgreedError<std::runtime_error>(failure.text);
    }
}

std::vector<std::byte> as_bytes(const KnownFailure& failure) {
    return (PlainWriter() << failure.kind << failure.text).take();
}
KnownFailure from_bytes(std::span<const std::byte> bytes) {
    KnownFailure failure;
    PlainReader(bytes) >> failure.kind >> failure.text;
    return failure;
}

/// The first rank's that is more than an interruption, else the first there is.
KnownFailure verdict(const Ranks& ranks, const std::vector<std::vector<std::byte>>& all) {
    KnownFailure worst;
    for (std::size_t i = 0; i < all.size(); ++i) {
        KnownFailure one = from_bytes(all[i]);
        const bool worse = one.kind != FailureKind::none &&
                           (worst.kind == FailureKind::none || worst.kind == FailureKind::interrupted) &&
                           one.kind > worst.kind;
        if (!worse) continue;
        if (i > 0 && one.kind != FailureKind::interrupted) one.text = ranks.name(static_cast<int>(i)) + ": " + one.text;
        worst = std::move(one);
    }
    return worst;
}

void send(Ranks& ranks, int to, std::span<const std::byte> bytes) {
    const std::uint64_t size = bytes.size();
    wait_for(*ranks.send(to, Channel::agreement, std::as_bytes(std::span(&size, 1))));
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), most_bytes_of_message)))
        wait_for(*ranks.send(to, Channel::agreement, bytes.first(std::min(bytes.size(), most_bytes_of_message))));
}

std::vector<std::byte> receive(Ranks& ranks, int from) {
    std::uint64_t size = 0;
    wait_for(*ranks.receive(from, Channel::agreement, std::as_writable_bytes(std::span(&size, 1))));
    std::vector<std::byte> bytes(size);
    for (std::span<std::byte> rest = bytes; !rest.empty();
         rest = rest.subspan(std::min(rest.size(), most_bytes_of_message)))
        wait_for(*ranks.receive(from, Channel::agreement, rest.first(std::min(rest.size(), most_bytes_of_message))));
    return bytes;
}

}  // namespace

void Patience::wait() {
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(2 * pause_, longest);
}

std::size_t wait_for(Transfer& transfer) {
    for (Patience patience;; patience.wait())
        if (const auto bytes = transfer.done()) return *bytes;
}

std::vector<std::byte> from_first(Ranks& ranks, std::vector<std::byte> bytes) {
    if (!ranks.leads()) return receive(ranks, 0);
    for (int rank = 1; rank < ranks.size(); ++rank) send(ranks, rank, bytes);
    return bytes;
}

std::vector<std::vector<std::byte>> to_first(Ranks& ranks, std::span<const std::byte> bytes) {
    if (!ranks.leads()) {
        send(ranks, 0, bytes);
        return {};
    }
    std::vector<std::vector<std::byte>> all{{bytes.begin(), bytes.end()}};
    for (int rank = 1; rank < ranks.size(); ++rank) all.push_back(receive(ranks, rank));
    return all;
}

void together(Ranks& ranks, const std::function<void()>& work) {
    if (ranks.alone()) return work();
    const auto all = to_first(ranks, as_bytes(failure_of(work)));
    raise(from_bytes(from_first(ranks, ranks.leads() ? as_bytes(verdict(ranks, all)) : std::vector<std::byte>{})));
}

}  // namespace cornerturn
