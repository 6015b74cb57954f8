// SPDX-License-Identifier: Apache-2.0
// The three ways to fail. Type is contract, text is not: subject, actual value, limit, way out.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

namespace cornerturn {

/// The user's file or option is at fault (exit code 2).
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// This device or method cannot do what is asked, another can; a planner takes that one.
struct Unsupported : InputError {
    using InputError::InputError;
};

/// A device, library or the system let us down (exit code 3).
struct DeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Of these: memory does not suffice. Another way may get along with less.
struct MemoryError : DeviceError {
    using DeviceError::DeviceError;
};

/// The user asked to stop (exit code 130).
struct Interrupted : std::runtime_error {
    /// `left`: what there is of the work.
    explicit Interrupted(const std::string& left = "nothing was written")
        : std::runtime_error("interrupted; " + left) {}
};

/// What an exception is, to whoever passes it on, to the user or to other ranks. The worse the higher, when several
/// have failed.
enum class FailureKind : std::uint8_t { none, interrupted, input, device, other };

struct KnownFailure {
    FailureKind kind = FailureKind::none;
    std::string text;
};

/// Lets through what is no std::exception.
KnownFailure known_failure(const std::exception_ptr& error);

}  // namespace cornerturn
