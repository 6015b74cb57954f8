// SPDX-License-Identifier: Apache-2.0
// What an exception is, to whoever passes it on: to the user, or to other ranks.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

namespace cornerturn {

/// The worse the higher, when several have failed.
enum class FailureKind : std::uint8_t { none, interrupted, input, device, other };

struct KnownFailure {
    FailureKind kind = FailureKind::none;
    std::string text;
};

/// Lets through what is no std::exception.
KnownFailure known_failure(const std::exception_ptr& error);

}  // namespace cornerturn
