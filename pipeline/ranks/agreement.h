// SPDX-License-Identifier: Apache-2.0
// Agreement of all ranks at the same point of a job: each reports success or failure and receives the decisions of
// rank 0.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pipeline/ranks/ranks.h"

namespace cornerturn {

/// Asks after a message more and more seldom: at once while things are on the move, a thousand times a second when they
/// are not.
class Patience {
public:
    void wait();
    void again() { pause_ = shortest; }

private:
    static constexpr std::chrono::microseconds shortest{20}, longest{1000};
    std::chrono::microseconds pause_ = shortest;
};

/// Until it is done; the bytes that came or went.
std::size_t wait_for(Transfer& transfer);

/// What all ranks throw alike has this as a base, too.
struct Agreed {};

/// Every rank does `work`; then either all go on or all throw: what was the matter with one, of the same type
/// (InputError, DeviceError, Interrupted, else std::runtime_error; Agreed beside it) and with its name unless it is
/// rank 0. An interruption counts as one only where nothing else was the matter: it may be the consequence.
void together(Ranks& ranks, const std::function<void()>& work);

/// What rank 0 gives, to all.
std::vector<std::byte> from_first(Ranks& ranks, std::vector<std::byte> bytes);
/// What each rank gives, to rank 0, in their order; nothing to others.
std::vector<std::vector<std::byte>> to_first(Ranks& ranks, std::span<const std::byte> bytes);

}  // namespace cornerturn
