// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "kernels/errors.h"

namespace cornerturn {

/// Throws InputError "subject: complaint"; the subject is a file, or a place in one.
[[noreturn]] inline void refuse(const std::string& subject, const std::string& complaint) {
    throw InputError(fmt::format("{}: {}", subject, complaint));
}

/// A text out of a file, as it may go onto a terminal.
inline std::string shown(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string shown(text.substr(0, longest));
    for (char& c : shown)
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
    return text.size() > longest ? shown + "..." : shown;
}

}  // namespace cornerturn
