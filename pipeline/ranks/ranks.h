// SPDX-License-Identifier: Apache-2.0
// The processes that share a job: who is there, and messages between them. MPI shows in one file only (mpi_ranks.cpp);
// a build without it has one_rank.cpp in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace cornerturn {

/// A message on its way. Its bytes stay where they are until it is done. A receive that is given up before takes
/// nothing any more.
class Transfer {
public:
    virtual ~Transfer() = default;
    /// The bytes that came or went, once all of them did. Looks, and never waits.
    virtual std::optional<std::size_t> done() = 0;
};

/// Messages of one channel between two ranks come in the order in which they were sent.
enum class Channel : std::uint8_t { agreement, word, parts };

class Ranks {
public:
    virtual ~Ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// "rank 2 (node17)"
    virtual std::string name(int rank) const = 0;
    /// Among those on the same machine.
    virtual int local_rank() const = 0;
    virtual int local_size() const = 0;
    /// Processors that this rank may use: those that it is bound to, in equal parts where others are bound to the same.
    virtual int threads() const = 0;

    /// From any thread; `bytes` are at most most_bytes_of_message. A receiver may offer more room than is sent.
    virtual std::unique_ptr<Transfer> send(int to, Channel channel, std::span<const std::byte> bytes) = 0;
    virtual std::unique_ptr<Transfer> receive(int from, Channel channel, std::span<std::byte> to) = 0;

    /// Ends all ranks at once, and does not return: for what is no failure that they could agree on.
    virtual void abort(int exit_code) = 0;

    bool alone() const { return size() == 1; }
    bool leads() const { return rank() == 0; }
};

/// MPI counts in int.
inline constexpr std::size_t most_bytes_of_message = std::size_t{1} << 30;

/// A job of this process alone: nothing is ever sent.
std::unique_ptr<Ranks> one_rank();

/// Joins the others that the launcher started (launch.h). Throws InputError where this build cannot.
std::unique_ptr<Ranks> join_ranks();

}  // namespace cornerturn
