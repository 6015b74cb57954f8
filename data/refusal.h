// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "kernels/errors.h"

namespace cornerturn {

/// Throws InputError "subject: complaint"; the subject is a file, or a place in one.
[[noreturn]] inline void refuse(const std::string& subject, const std::string& complaint) {
    throw InputError(fmt::format("{}: {}", subject, complaint));
}

}  // namespace cornerturn
